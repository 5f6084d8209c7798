#include "tactus/host/service.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tactus::host {
namespace {

std::optional<std::int64_t> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, problem] = std::from_chars(text, end, number);
  if (problem != std::errc() || rest != end || number <= 0) return std::nullopt;
  return number;
}

}  // namespace

void tell_manager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = 0;  // one without a file
  const int out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (out < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  sendto(out, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
         reinterpret_cast<const sockaddr*>(&address), size);
  close(out);
}

std::optional<std::int64_t> watchdog_ns() {
  const auto us = number_in("WATCHDOG_USEC");
  const auto pid = number_in("WATCHDOG_PID");
  if (!us || (pid && *pid != getpid())) return std::nullopt;
  constexpr std::int64_t kMost = INT64_MAX / 1000;
  return (*us < kMost ? *us : kMost) * 1000 / 2;
}

}  // namespace tactus::host
