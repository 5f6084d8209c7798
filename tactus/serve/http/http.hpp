#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What goes between the server and what it serves.
namespace tactus::serve {

/// The parts of a request that count here.
struct HttpRequest {
  std::string method, path;
  std::string host, origin, token, type, if_none_match;
  bool encoded = false;  ///< its body is compressed, or only a range is asked for
  std::string body;      ///< empty as long as it has not been read
  int socket = -1;       ///< to see whether the client is still there; not to be read or written
};

struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::string etag = {};
};

/// Called from several threads at once. What is thrown ends the connection, and nothing else.
struct HttpHandler {
  /// Before the body is read; a status of 0 lets the request pass.
  std::function<HttpResponse(const HttpRequest& request)> admit;
  std::function<HttpResponse(const HttpRequest& request)> answer;
  /// Does the head of a request hold the token? Then it is served before others.
  std::function<bool(std::string_view head)> known;
  std::vector<std::pair<std::string, std::string>> headers;  ///< of every response
};

struct HttpLimits {
  std::size_t body_bytes = 0;
  std::size_t threads = 0;  ///< requests answered at a time
  std::size_t waiting = 0;  ///< requests that may wait, of each kind; others are refused
  std::size_t mute = 0;     ///< connections that have not yet said what they want
  std::chrono::seconds reading{}, writing{};  ///< of a whole request, and of a whole response
};

inline constexpr std::size_t kMostHeadBytes = 64UL * 1024;  ///< headers with the request line

}  // namespace tactus::serve
