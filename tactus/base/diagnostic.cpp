#include "tactus/base/diagnostic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "tactus/base/printable.hpp"

namespace tactus {

std::string to_string(const Error& error, std::string_view file) {
  const char* label = error.severity == Severity::kWarning ? "warning: " : "";
  if (!error.at.known()) return fmt::format("{}: {}{}", file, label, error.message);
  return fmt::format("{}:{}:{}: {}{}", file, error.at.line, error.at.column, label, error.message);
}

std::string to_string(const Error& error) {
  return error.file.empty() ? error.message : to_string(error, error.file);
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "`";
  const bool cut = text.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  std::string kept;  // what is left to judge after the plain control characters
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      kept += fmt::format("\\x{:02x}", byte);
    } else {
      kept += c;
    }
  }
  out += printable(kept);
  return out + (cut ? "...`" : "`");
}

namespace {

/// Words that people use for a word of ours, though no letters are wrong.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"rate", "period"},
    {"frequency", "period"},
    {"hz", "period"},
    {"fps", "period"},
    {"interval", "period"},
    {"cycle", "period"},
    {"duration", "wcet"},
    {"runtime", "wcet"},
    {"execution_time", "wcet"},
    {"prio", "priority"},
    {"cpu", "core"},
    {"affinity", "core"},
    {"unit", "time_unit"},
    {"dependencies", "edges"},
    {"sms", "units"},
    {"cores", "units"},
    {"type", "kind"},
    {"besteffort", "best_effort"},
    {"background", "best_effort"},
};

bool mean_the_same(std::string_view a, std::string_view b) {
  return std::any_of(std::begin(kSynonyms), std::end(kSynonyms),
                     [&](const auto& each) { return each.first == a && each.second == b; });
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b, int limit) {
  if (limit > 0 && mean_the_same(a, b)) return 1;
  // `SAFE` is `safe`, only written differently.
  const auto same = [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  };
  if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) return limit + 1;
  // Optimal string alignment; three rows are enough.
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

}  // namespace tactus
