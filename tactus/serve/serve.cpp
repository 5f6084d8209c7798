#include "tactus/serve/serve.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>

#include "tactus/serve/http/server.hpp"

namespace tactus::serve {
namespace {

constexpr HttpLimits kLimits = {.body_bytes = std::size_t{8} << 20,
                                .threads = 8,
                                .waiting = 64,
                                .mute = 512,
                                .reading = std::chrono::seconds(10),
                                .writing = std::chrono::seconds(30)};

/// Of every response. The page has no script and no style inside of it, and asks nobody but us.
const std::vector<std::pair<std::string, std::string>>& headers() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: "
       "blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  return all;
}

template <typename Ask>
HttpResponse answer_of(const Ask& ask) {
  try {
    return ask();
  } catch (const std::exception& problem) {
    return refusal(500, problem.what());
  }
}

std::string shown_address(const std::string& address) {
  return address.find(':') == std::string::npos ? address : fmt::format("[{}]", address);
}

}  // namespace

std::optional<Error> serve(const ServeRequest& request, const std::stop_token& stop,
                           const std::function<bool(std::string_view url)>& started) {
  std::unique_ptr<Routes> routes;  // they know the port, so there are none before it is bound
  HttpServer server(kLimits,
                    {.admit =
                         [&](const HttpRequest& asked) {
                           return answer_of([&] { return routes->admit(asked); });
                         },
                     .answer =
                         [&](const HttpRequest& asked) {
                           return answer_of([&] { return routes->answer(asked); });
                         },
                     .known = [&](std::string_view head) { return routes->knows_token(head); },
                     .headers = headers()});
  const int port = server.bind(request.address, request.port);
  if (port < 0) {
    return Error{fmt::format("cannot listen at {}:{}: {}", shown_address(request.address),
                             request.port, std::strerror(errno))};
  }
  Guard guard(request.address, port, new_token());
  const std::string url =
      fmt::format("http://{}:{}/#token={}", shown_address(request.address), port, guard.token());
  routes = std::make_unique<Routes>(request.subject, std::move(guard));
  const std::stop_callback end(stop, [&] {
    routes->end();
    server.stop();
  });
  if (!started(url)) return std::nullopt;
  if (stop.stop_requested() || server.listen() || stop.stop_requested()) return std::nullopt;
  return Error{fmt::format("no more connections can be taken: {}", std::strerror(errno))};
}

}  // namespace tactus::serve
