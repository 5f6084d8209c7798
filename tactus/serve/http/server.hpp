#pragma once

#include <string>

#include "tactus/serve/http/http.hpp"
#include "tactus/serve/http/lobby.hpp"

namespace tactus::serve {

/// A server of HTTP. One request per connection: on one machine a new one costs nothing, and an idle
/// one would hold a thread.
class HttpServer {
 public:
  HttpServer(const HttpLimits& limits, HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Port 0 takes any free one. @return the port, or -1 with errno set
  int bind(const std::string& address, int port);
  /// Until `stop`. False, with errno set: the system gives it no more connections.
  bool listen();
  /// From any thread.
  void stop();

 private:
  void serve(Arrived arrived) const;
  bool accept_into(Lobby& lobby) const;

  HttpLimits limits_;
  HttpHandler handler_;
  int socket_ = -1;
};

}  // namespace tactus::serve
