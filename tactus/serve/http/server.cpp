#include "tactus/serve/http/server.hpp"

#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "tactus/serve/http/connection.hpp"
#include "tactus/serve/http/exchange.hpp"

namespace tactus::serve {
namespace {

constexpr int kBacklog = 128;  ///< connections that the system keeps for us

/// A short answer that fits into what the system buffers: it never waits, and takes no memory.
void tell(int socket, const char* status, const char* why) {
  std::array<char, 128> body;
  const int size = std::snprintf(body.data(), body.size(), "{\"error\": \"%s\"}\n", why);
  std::array<char, 512> text;
  const int all = std::snprintf(text.data(), text.size(),
                                "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                                "Retry-After: 1\r\nConnection: close\r\n"
                                "Content-Length: %d\r\n\r\n%s",
                                status, size, body.data());
  ::send(socket, text.data(), static_cast<std::size_t>(all), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void tell_too_slow(int socket) { tell(socket, "408 Request Timeout", "the request took too long"); }

/// Without waiting for the client.
void hang_up(int socket) {
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

/// A socket at an address, or -1 with errno set.
int socket_at(const addrinfo& place) {
  const int made = ::socket(place.ai_family, place.ai_socktype | SOCK_CLOEXEC, place.ai_protocol);
  if (made < 0) return -1;
  const int yes = 1;  // not SO_REUSEPORT, which would let two servers share a port
  ::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(made, place.ai_addr, place.ai_addrlen) == 0 && ::listen(made, kBacklog) == 0)
    return made;
  const int why = errno;
  ::close(made);
  errno = why;
  return -1;
}

int port_of(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  std::array<char, 8> port{};
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, nullptr, 0, port.data(), port.size(),
                    NI_NUMERICSERV) != 0) {
    return -1;
  }
  return std::stoi(port.data());
}

}  // namespace

HttpServer::HttpServer(const HttpLimits& limits, HttpHandler handler)
    : limits_(limits), handler_(std::move(handler)) {}

HttpServer::~HttpServer() {
  if (socket_ >= 0) ::close(socket_);
}

int HttpServer::bind(const std::string& address, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (failed != 0) {
    if (failed != EAI_SYSTEM) errno = failed == EAI_MEMORY ? ENOMEM : EADDRNOTAVAIL;
    return -1;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> places(found, &::freeaddrinfo);
  for (const addrinfo* place = found; place != nullptr && socket_ < 0; place = place->ai_next)
    socket_ = socket_at(*place);
  return socket_ < 0 ? -1 : port_of(socket_);
}

void HttpServer::stop() { ::shutdown(socket_, SHUT_RDWR); }

bool HttpServer::accept_into(Lobby& lobby) const {
  constexpr std::chrono::milliseconds kMoment{10};
  for (;;) {
    const int made = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (made >= 0) {
      lobby.come_in(made);
      continue;
    }
    switch (errno) {
      case EINTR:
      case ECONNABORTED:
        break;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:  // until connections end
        std::this_thread::sleep_for(kMoment);
        break;
      default:
        return false;
    }
  }
}

bool HttpServer::listen() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const std::size_t mute = std::min<std::size_t>(limits_.mute, files.rlim_cur / 2);
  try {
    Lobby lobby({limits_.threads, limits_.waiting, mute, kMostHeadBytes, limits_.reading},
                {[this](Arrived arrived) { serve(std::move(arrived)); },
                 [](int socket) {
                   tell(socket, "503 Service Unavailable", "too many connections");
                   hang_up(socket);
                 },
                 [](int socket) {
                   tell_too_slow(socket);
                   hang_up(socket);
                 },
                 [](int socket) {
                   tell(socket, "431 Request Header Fields Too Large",
                        "the head of the request is too long");
                   hang_up(socket);
                 },
                 handler_.known});
    return accept_into(lobby);
  } catch (const std::system_error& problem) {  // no thread
    errno = problem.code().value();
  } catch (const std::exception&) {
    errno = ENOMEM;
  }
  return false;
}

void HttpServer::serve(Arrived arrived) const {
  const int socket = arrived.socket;
  // A file of the page fits into what the system buffers: who does not read it holds no thread.
  const int room = 1 << 20;
  if (!arrived.known) ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  Connection connection(socket,
                        {limits_.reading, limits_.writing, limits_.body_bytes + kMostHeadBytes},
                        std::move(arrived.begun));
  try {
    exchange(connection, handler_, limits_.body_bytes);
  } catch (const std::exception&) {  // no memory: this connection ends, and nothing else
    tell(socket, "503 Service Unavailable", "out of memory");
  }
  if (connection.too_slow()) tell_too_slow(socket);
  Connection::close(socket);
}

}  // namespace tactus::serve
