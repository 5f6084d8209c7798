#include "tactus/arbiter/daemon/metrics_port.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "tactus/arbiter/client/arbiter_metrics.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

constexpr int kLookMs = 100;
constexpr std::int64_t kPatienceNs = 2'000'000'000;  ///< of a connection, for all of it
constexpr std::size_t kMostRequest = 8192;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

std::optional<Address> loopback(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string host = text.substr(0, colon);
  const bool v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (v6) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data() + colon + 1, end, port);
  if (problem != std::errc() || rest != end) return std::nullopt;
  Address address;
  if (v6) {
    auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    address.size = sizeof six;
    if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) != 1) return std::nullopt;
    if (!IN6_IS_ADDR_LOOPBACK(&six.sin6_addr)) return std::nullopt;
    return address;
  }
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  address.size = sizeof four;
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) != 1) return std::nullopt;
  if (ntohl(four.sin_addr.s_addr) >> 24 != 127) return std::nullopt;
  return address;
}

/// The value of a header, whatever the case of its name.
std::string_view header(std::string_view request, std::string_view name) {
  for (std::size_t at = request.find("\r\n"); at != std::string_view::npos;
       at = request.find("\r\n", at)) {
    at += 2;
    const std::string_view line = request.substr(at, request.find("\r\n", at) - at);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    const bool same = std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
      return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
    if (same) return line.substr(name.size() + 1);
  }
  return {};
}

std::string reply(std::string_view status, std::string_view type, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, type, body.size(), body);
}

std::string answer_to(std::string_view request, const std::string& socket) {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  const std::string_view line = request.substr(0, request.find("\r\n"));
  if (!line.starts_with("GET /metrics ") && !line.starts_with("GET /metrics?"))
    return reply("404 Not Found", kPlain, "only GET /metrics is answered here\n");
  // Pages of other places may not ask by a name that leads here.
  std::string_view host = header(request, "host");
  while (host.starts_with(' ')) host.remove_prefix(1);
  if (!host.starts_with("127.") && !host.starts_with("localhost") && !host.starts_with("[::1]"))
    return reply("403 Forbidden", kPlain, "this is not called by this Host\n");
  auto observer = client::Observer::open(socket);
  auto snapshot = observer ? observer->look() : Result<client::Snapshot>(observer.error());
  if (!snapshot) return reply("503 Service Unavailable", kPlain, snapshot.error().message + "\n");
  const Metrics::Form form = Metrics::form_for(header(request, "accept"));
  Metrics metrics(form);
  client::write_metrics(metrics, *snapshot);
  return reply("200 OK", Metrics::content_type(form), metrics.take());
}

/// False when it does not come in time.
bool wait_for(int socket, short what, std::int64_t until_ns) {
  const std::int64_t left = until_ns - host::now_ns();
  if (left <= 0) return false;
  pollfd one{socket, what, 0};
  return poll(&one, 1, static_cast<int>(left / 1'000'000 + 1)) > 0;
}

void converse(int connection, const std::string& socket) {
  const std::int64_t until = host::now_ns() + kPatienceNs;
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos) {
    char some[1024];
    if (request.size() > kMostRequest || !wait_for(connection, POLLIN, until)) return;
    const ssize_t got = recv(connection, some, sizeof some, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return;
    request.append(some, static_cast<std::size_t>(got));
  }
  const std::string text = answer_to(request, socket);
  for (std::size_t sent = 0; sent < text.size() && wait_for(connection, POLLOUT, until);) {
    const ssize_t more =
        send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (more < 0 && errno != EAGAIN && errno != EINTR) return;
    if (more > 0) sent += static_cast<std::size_t>(more);
  }
}

}  // namespace

bool MetricsPort::is_loopback(const std::string& address) { return loopback(address).has_value(); }

Result<std::unique_ptr<MetricsPort>> MetricsPort::open(const std::string& address,
                                                       std::string socket) {
  const auto where = loopback(address);
  if (!where)
    return Error{fmt::format("{} is no address of this machine itself with a port", address)};
  std::unique_ptr<MetricsPort> port(new MetricsPort);
  port->socket_ = std::move(socket);
  port->listening_ = ::socket(where->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(port->listening_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  constexpr int kWaiting = 8;
  if (port->listening_ < 0 ||
      bind(port->listening_, reinterpret_cast<const sockaddr*>(&where->storage), where->size) !=
          0 ||
      listen(port->listening_, kWaiting) != 0)
    return Error{fmt::format("cannot listen at {}: {}", address, std::strerror(errno))};
  // Signals are for the thread that decides.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  port->server_ =
      std::jthread([self = port.get()](const std::stop_token& stop) { self->serve(stop); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return port;
}

MetricsPort::~MetricsPort() {
  server_ = {};  // it is asked to stop, and waited for
  if (listening_ >= 0) close(listening_);
}

int MetricsPort::port() const {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(listening_, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<sockaddr_in&>(own).sin_port);
}

void MetricsPort::serve(const std::stop_token& stop) const {
  while (!stop.stop_requested()) {
    pollfd knocks{listening_, POLLIN, 0};
    if (poll(&knocks, 1, kLookMs) <= 0) continue;
    const int connection = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    converse(connection, socket_);
    close(connection);
  }
}

}  // namespace tactus::arbiter::daemon
