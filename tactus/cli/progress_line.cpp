#include "tactus/cli/progress_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "tactus/report/text/terminal.hpp"

namespace tactus::cli {
namespace {

/// The first "N of M".
std::optional<std::pair<std::int64_t, std::int64_t>> share_in(std::string_view told) {
  constexpr std::string_view kOf = " of ", kDigits = "0123456789";
  for (std::size_t at = told.find(kOf); at != std::string_view::npos; at = told.find(kOf, at + 1)) {
    const std::size_t before = told.find_last_not_of(kDigits, at - 1);
    const std::size_t begin = at == 0 ? at : before == std::string_view::npos ? 0 : before + 1;
    std::int64_t done = 0, all = 0;
    const char* const end = told.data() + told.size();
    const auto first = std::from_chars(told.data() + begin, told.data() + at, done);
    const auto second = std::from_chars(told.data() + at + kOf.size(), end, all);
    if (first.ec == std::errc() && second.ec == std::errc() && 0 <= done && done <= all &&
        all > 0) {
      return std::pair(done, all);
    }
  }
  return std::nullopt;
}

/// As much of a line as fits; the last column stays free, where the cursor is.
std::string beginning(std::string_view line, int columns) {
  std::size_t end = 0;
  while (end < line.size()) {
    std::size_t next = end + 1;  // of a character, not of a byte
    while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xC0U) == 0x80U) ++next;
    if (report::display_width(line.substr(0, next)) >= columns) break;
    end = next;
  }
  return std::string(line.substr(0, end));
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

std::string progress_line(std::string_view told, double seconds, int columns) {
  const auto share = share_in(told);
  if (!share) return beginning(told, columns);
  const int wide = std::clamp(columns / 4, 4, 20);
  const double part = static_cast<double>(share->first) / static_cast<double>(share->second);
  const int filled = static_cast<int>(part * wide);
  const std::string left =
      share->first == 0 ? ""
                        : fmt::format(" about {} left", duration_text(seconds / part - seconds));
  return beginning(fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %{}  {}", "", filled, "", wide - filled,
                               part * 100, left, told),
                   columns);
}

}  // namespace tactus::cli
