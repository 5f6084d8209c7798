#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the library with cpp-httplib in it exports. One verb of the program needs it, and it brings
/// OpenSSL and more along: so the program does not link it, and loads it where it is asked for.
namespace tactus::serve {

/// The parts of a request that count here.
struct HttpRequest {
  std::string method, path;
  std::string host, origin, token, type, if_none_match, accept;
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

/// Called from several threads at once. Nothing may be thrown.
struct HttpHandler {
  /// Before the body is read; a status of 0 lets the request pass.
  HttpResponse (*admit)(void* context, const HttpRequest& request) = nullptr;
  HttpResponse (*answer)(void* context, const HttpRequest& request) = nullptr;
  /// Does the head of a request hold the token? Then it is served before others.
  bool (*known)(void* context, std::string_view head) = nullptr;
  void* context = nullptr;
  std::vector<std::pair<std::string, std::string>> headers;  ///< of every response
};

struct HttpLimits {
  std::size_t body_bytes = 0;
  std::size_t threads = 0;  ///< requests answered at a time
  std::size_t waiting = 0;  ///< requests that may wait, of each kind; others are refused
  std::size_t mute = 0;     ///< connections that have not yet said what they want
  std::chrono::seconds reading{}, writing{};  ///< of a whole request, and of a whole response
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  /// Port 0 takes any free one. @return the port, or -1 with errno set
  virtual int bind(const std::string& address, int port) = 0;
  /// Until `stop`. False, with errno set: the system gives it no more connections.
  virtual bool listen() = 0;
  /// From any thread.
  virtual void stop() = 0;
};

/// The caller deletes it; null, with errno set: there is no memory. Neither it nor the server throws.
using MakeHttpServer = HttpServer*(const HttpLimits& limits, const HttpHandler& handler);
inline constexpr const char* kMakeHttpServer = "tactus_http_server";
inline constexpr const char* kHttpLibrary = "libtactus_http.so";

}  // namespace tactus::serve

extern "C" tactus::serve::MakeHttpServer tactus_http_server;
