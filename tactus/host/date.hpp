#pragma once

#include <fmt/core.h>

#include <ctime>
#include <string>

namespace tactus::host {

/// The date of today in UTC, as files say it: "2026-11-16".
inline std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

}  // namespace tactus::host
