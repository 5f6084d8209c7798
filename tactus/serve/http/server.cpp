// The library that `tactus serve` loads: cpp-httplib reads requests and writes responses; the limits
// of time, size and number that it lacks are in Connection and Lobby. One request per connection: on
// one machine a new one costs nothing, and an idle one would hold a thread.
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "tactus/serve/http/connection.hpp"
#include "tactus/serve/http/lobby.hpp"
#include "tactus/serve/http/module.hpp"

namespace tactus::serve {
namespace {

constexpr std::size_t kMostPath = 256;             ///< our own are far shorter
constexpr std::size_t kMostHeaders = 64UL * 1024;  ///< bytes, with the request line
constexpr int kBacklog = 128;                      ///< connections that the system keeps for us

constexpr const char* kTooSlow = "{\"error\": \"the request took too long\"}\n";
constexpr const char* kTooLong = "{\"error\": \"the head of the request is too long\"}\n";

HttpRequest request_of(const httplib::Request& request, int socket) {
  HttpRequest out;
  out.method = request.method;
  out.path = request.path;
  out.host = request.get_header_value("Host");
  out.origin = request.get_header_value("Origin");
  out.token = request.get_header_value("X-Tactus-Token");
  constexpr std::string_view kBearer = "Bearer ";
  const std::string bearer = request.get_header_value("Authorization");
  if (out.token.empty() && bearer.starts_with(kBearer)) out.token = bearer.substr(kBearer.size());
  if (out.token.empty()) out.token = request.get_param_value("token");
  out.type = request.get_header_value("Content-Type");
  out.accept = request.get_header_value("Accept");
  out.if_none_match = request.get_header_value("If-None-Match");
  out.encoded = request.has_header("Content-Encoding") || request.has_header("Range") ||
                request.get_header_value_count("Host") > 1;
  out.body = request.body;
  out.socket = socket;
  return out;
}

void fill(httplib::Response& out, const HttpResponse& response) {
  out.status = response.status;
  if (!response.etag.empty()) out.set_header("ETag", response.etag);
  if (response.status != 304) out.set_content(response.body, response.type);
}

/// The program may have a C++ library of its own inside: an exception that leaves this one would end it.
template <typename Answer, typename Work>
Answer or_no_memory(Answer none, const Work& work) {
  try {
    return work();
  } catch (const std::system_error& problem) {  // no thread
    errno = problem.code().value();
  } catch (const std::exception&) {
    errno = ENOMEM;
  }
  return none;
}

/// The socket of the request that this thread works on. There from the start: glibc ends a program that
/// has no memory for what a module of its own adds to a thread later.
[[gnu::tls_model("initial-exec")]] thread_local int current_socket = -1;

class Server final : public httplib::Server, public HttpServer {
 public:
  Server(const HttpLimits& limits, const HttpHandler& handler)
      : limits_(limits), handler_(handler) {
    new_task_queue = [this] { return lobby_ = new Lobby(lobby_limits(), doings()); };
    set_payload_max_length(limits_.body_bytes);
    // Not SO_REUSEPORT, which would let two servers share a port.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    httplib::Headers headers;
    for (const auto& [name, value] : handler_.headers) headers.emplace(name, value);
    set_default_headers(std::move(headers));
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& out) {
      if (request.path.size() > kMostPath) {  // also: patterns are not made for long texts
        fill(out, {414, "{\"error\": \"this path is too long\"}\n"});
        return HandlerResponse::Handled;
      }
      // The library would read all of it before it says so.
      if (request.get_header_value<std::uint64_t>("Content-Length") > limits_.body_bytes) {
        fill(out, {413, "{\"error\": \"the body is too large\"}\n"});
        return HandlerResponse::Handled;
      }
      const HttpResponse refused =
          handler_.admit(handler_.context, request_of(request, current_socket));
      if (refused.status == 0) return HandlerResponse::Unhandled;
      fill(out, refused);
      return HandlerResponse::Handled;
    });
    const Handler answer = [this](const httplib::Request& request, httplib::Response& out) {
      fill(out, handler_.answer(handler_.context, request_of(request, current_socket)));
    };
    Get(".*", answer);
    Post(".*", answer);
    Delete(".*", answer);
    set_error_handler([](const httplib::Request&, httplib::Response& out) {
      if (!out.body.empty()) return;
      const char* const why = out.status == 413   ? "{\"error\": \"the body is too large\"}\n"
                              : out.status == 404 ? "{\"error\": \"there is nothing here\"}\n"
                                                  : "{\"error\": \"this is not a request\"}\n";
      out.set_content(why, "application/json");
    });
  }

  int bind(const std::string& address, int port) override {
    return or_no_memory(-1, [&] {
      const int bound = port == 0                     ? bind_to_any_port(address)
                        : bind_to_port(address, port) ? port
                                                      : -1;
      if (bound >= 0) ::listen(svr_sock_, kBacklog);
      return bound;
    });
  }
  bool listen() override {
    return or_no_memory(false, [&] { return listen_after_bind(); });
  }
  void stop() override { httplib::Server::stop(); }

 private:
  Lobby::Limits lobby_limits() const {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    const std::size_t mute = std::min<std::size_t>(limits_.mute, files.rlim_cur / 2);
    return {limits_.threads, limits_.waiting, mute, kMostHeaders, limits_.reading};
  }

  Lobby::Doings doings() {
    return {[this](Arrived arrived) { serve(std::move(arrived)); },
            [](int socket) {
              tell(socket, "503 Service Unavailable", "{\"error\": \"too many connections\"}\n");
              hang_up(socket);
            },
            [](int socket) {
              tell(socket, "408 Request Timeout", kTooSlow);
              hang_up(socket);
            },
            [](int socket) {
              tell(socket, "431 Request Header Fields Too Large", kTooLong);
              hang_up(socket);
            },
            [this](std::string_view head) { return handler_.known(handler_.context, head); }};
  }

  /// On the thread that accepts connections.
  bool process_and_close_socket(int socket) override {
    lobby_->come_in(socket);
    return true;
  }

  void serve(Arrived arrived) {
    const int socket = arrived.socket;
    current_socket = socket;
    // A file of the page fits into what the system buffers: who does not read it holds no thread.
    const int room = 1 << 20;
    if (!arrived.known) ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    Connection connection(socket,
                          {limits_.reading, limits_.writing, limits_.body_bytes + kMostHeaders},
                          std::move(arrived.begun));
    bool closed = false, good = false;
    try {
      good = process_request(connection, true, closed, nullptr);
    } catch (const std::exception&) {  // no memory: this connection ends, and nothing else
      tell(socket, "503 Service Unavailable", "{\"error\": \"out of memory\"}\n");
    }
    if (!good && connection.too_slow()) tell(socket, "408 Request Timeout", kTooSlow);
    Connection::close(socket);
    current_socket = -1;
  }

  /// Without waiting for the client.
  static void hang_up(int socket) {
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
  }

  /// A short answer that fits into what the system buffers: it never waits, and takes no memory.
  static void tell(int socket, const char* status, std::string_view body) {
    std::array<char, 512> text;
    const int size = std::snprintf(text.data(), text.size(),
                                   "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                                   "Retry-After: 1\r\nConnection: close\r\n"
                                   "Content-Length: %zu\r\n\r\n%.*s",
                                   status, body.size(), static_cast<int>(body.size()), body.data());
    ::send(socket, text.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  HttpLimits limits_;
  HttpHandler handler_;
  Lobby* lobby_ = nullptr;  ///< the library owns it
};

}  // namespace
}  // namespace tactus::serve

__attribute__((visibility("default"))) tactus::serve::HttpServer* tactus_http_server(
    const tactus::serve::HttpLimits& limits, const tactus::serve::HttpHandler& handler) {
  using tactus::serve::HttpServer;
  return tactus::serve::or_no_memory<HttpServer*>(
      nullptr, [&]() -> HttpServer* { return new tactus::serve::Server(limits, handler); });
}
