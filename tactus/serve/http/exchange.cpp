#include "tactus/serve/http/exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::serve {
namespace {

namespace http = boost::beast::http;
using Parser = http::request_parser<http::string_body>;

constexpr std::size_t kMostPath = 256;  ///< our own are far shorter

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// Feeds the parser with what comes until there is enough of it.
class Reader {
 public:
  Reader(Connection& connection, Parser& parser) : connection_(connection), parser_(parser) {}

  /// False: the connection ended, or `problem` says what is wrong with what came.
  template <typename Enough>
  bool read_until(const Enough& enough) {
    while (!enough()) {
      // What the parser has not used yet stays: it wants a line, or all of the headers, at once.
      const std::size_t used = parser_.put(boost::asio::buffer(unused_), problem_);
      unused_.erase(0, used);
      if (problem_ && problem_ != http::error::need_more) return false;
      if (enough()) break;
      if (problem_ || unused_.empty()) {
        problem_ = {};
        std::array<char, 4096> part;
        const ssize_t got = connection_.read(part.data(), part.size());
        if (got <= 0) return false;
        unused_.append(part.data(), static_cast<std::size_t>(got));
      }
    }
    return true;
  }

  const boost::beast::error_code& problem() const { return problem_; }

 private:
  Connection& connection_;
  Parser& parser_;
  std::string unused_;
  boost::beast::error_code problem_;
};

std::string token_in(std::string_view query) {
  constexpr std::string_view kName = "token=";
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    if (part.starts_with(kName)) return std::string(part.substr(kName.size()));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
  }
  return {};
}

/// Without its body.
HttpRequest request_of(const http::request<http::string_body>& read, int socket) {
  const auto text = [&read](http::field field) { return std::string(view(read[field])); };
  const std::string_view target = view(read.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  HttpRequest out;
  out.method = view(read.method_string());
  out.path = target.substr(0, mark);
  out.host = text(http::field::host);
  out.origin = text(http::field::origin);
  out.token = view(read["X-Tactus-Token"]);
  if (out.token.empty() && mark < target.size()) out.token = token_in(target.substr(mark + 1));
  out.type = text(http::field::content_type);
  out.if_none_match = text(http::field::if_none_match);
  out.encoded = read.count(http::field::content_encoding) > 0 ||
                read.count(http::field::range) > 0 || read.count(http::field::host) > 1;
  out.socket = socket;
  return out;
}

HttpResponse refused(int status, std::string_view why) {
  return {status, fmt::format("{{\"error\": \"{}\"}}\n", why)};
}

HttpResponse refused(const boost::beast::error_code& problem) {
  if (problem == http::error::body_limit) return refused(413, "the body is too large");
  if (problem == http::error::header_limit) return refused(431, "the headers are too large");
  return refused(400, "this is not a request");
}

void send(Connection& connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = connection.write(text.data(), text.size());
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void send(Connection& connection, const HttpResponse& response, const HttpHandler& handler,
          bool head_only) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\n", response.status,
                  view(http::obsolete_reason(static_cast<http::status>(response.status))));
  for (const auto& [name, value] : handler.headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!response.etag.empty()) text += fmt::format("ETag: {}\r\n", response.etag);
  const bool has_body = response.status != 304;
  if (has_body) {
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", response.type,
                        response.body.size());
  }
  text += "\r\n";
  if (has_body && !head_only) text += response.body;
  send(connection, text);
}

/// Nothing where the connection ended before the request was there.
std::optional<HttpResponse> response_to(Connection& connection, const HttpHandler& handler,
                                        Parser& parser) {
  Reader reader(connection, parser);
  if (!reader.read_until([&parser] { return parser.is_header_done(); })) {
    if (!reader.problem()) return std::nullopt;
    return refused(reader.problem());
  }
  HttpRequest request = request_of(parser.get(), connection.socket());
  if (request.path.size() > kMostPath) return refused(414, "this path is too long");
  HttpResponse admitted = handler.admit(request);
  if (admitted.status != 0) return admitted;
  if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue")) {
    send(connection, "HTTP/1.1 100 Continue\r\n\r\n");
  }
  if (!reader.read_until([&parser] { return parser.is_done(); })) {
    if (!reader.problem()) return std::nullopt;
    return refused(reader.problem());
  }
  request.body = std::move(parser.get().body());
  return handler.answer(request);
}

}  // namespace

void exchange(Connection& connection, const HttpHandler& handler, std::size_t most_body_bytes) {
  Parser parser;
  parser.header_limit(kMostHeadBytes);
  parser.body_limit(most_body_bytes);
  const auto response = response_to(connection, handler, parser);
  if (!response) return;
  send(connection, *response, handler,
       parser.is_header_done() && parser.get().method() == http::verb::head);
}

}  // namespace tactus::serve
