#pragma once

#include <fmt/core.h>

#include <ctime>
#include <string>

/// Date and time in UTC, as files say them.
namespace tactus::host {

inline std::tm utc_parts() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return parts;
}

/// "2026-11-16".
inline std::string today() {
  const std::tm parts = utc_parts();
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

/// "2026-11-16T09:30:00Z".
inline std::string now_utc() {
  const std::tm parts = utc_parts();
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace tactus::host
