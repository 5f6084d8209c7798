#include "tactus/serve/guard.hpp"

#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tactus/base/json_writer.hpp"

namespace tactus::serve {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return out;
}

/// Takes the same time wherever they differ.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return different == 0;
}

}  // namespace

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  // Without random numbers nobody could be told apart; this never fails once Linux has started.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

HttpResponse refusal(int status, std::string_view why) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object().key("error").string(why).end_object();
  return {status, out.take()};
}

Guard::Guard(const std::string& address, int port, std::string token) : token_(std::move(token)) {
  const auto add = [&](std::string_view name) {
    const bool v6 = name.find(':') != std::string_view::npos;
    hosts_.push_back(
        lower(v6 ? fmt::format("[{}]:{}", name, port) : fmt::format("{}:{}", name, port)));
    if (port == 80) hosts_.push_back(lower(v6 ? fmt::format("[{}]", name) : std::string(name)));
  };
  add(address);
  if (!is_loopback(address)) return;
  add("localhost");
  add("127.0.0.1");
  add("::1");
}

bool Guard::knows(std::string_view host) const {
  return std::find(hosts_.begin(), hosts_.end(), lower(host)) != hosts_.end();
}

bool Guard::knows_token(std::string_view head) const {
  return head.find(token_) != std::string_view::npos;
}

HttpResponse Guard::admit(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "http://";
  if (request.encoded) return refusal(400, "compressed bodies and ranges are not taken here");
  if (!knows(request.host)) return refusal(403, "this server is not called by this Host");
  const std::string_view origin = request.origin;
  if (!origin.empty() && !(origin.starts_with(kScheme) && knows(origin.substr(kScheme.size())))) {
    return refusal(403, "pages of another Origin may not ask this server");
  }
  const bool secret = request.path.starts_with("/api/") || request.path == "/metrics";
  if (secret && !same(request.token, token_)) {
    return refusal(401,
                   "the token is missing or wrong: open the address that tactus serve printed");
  }
  // Nothing outside of it takes a body: whoever has no token cannot keep a thread waiting for one.
  if (!request.path.starts_with("/api/") && request.method != "GET" && request.method != "HEAD") {
    return refusal(404, "there is nothing here");
  }
  if (request.method == "POST" && !request.type.starts_with("application/json")) {
    return refusal(415, "the body must be application/json");
  }
  return {.status = 0};
}

}  // namespace tactus::serve
