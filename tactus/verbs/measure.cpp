#include "tactus/verbs/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "tactus/base/diagnostic.hpp"

namespace tactus::verbs {
namespace {

constexpr std::int64_t kMostUnits = 100'000;

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    words.emplace_back(word);
  }
  return words;
}

}  // namespace

Answer<std::vector<std::int64_t>> widths_of(std::string_view list) {
  std::vector<std::int64_t> widths;
  for (const std::string& word : words_of(list)) {
    std::int64_t width = 0;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, width);
    if (read.ptr != end || read.ec != std::errc() || width < 1 || width > kMostUnits) {
      return NoAnswer::bad_input(
          fmt::format("units are whole numbers from 1 to {} with commas between them, got {}",
                      kMostUnits, quote(word)));
    }
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::string> enemies_of(std::string_view list) {
  if (list == "all") return {runtime::kEnemies.begin(), runtime::kEnemies.end()};
  if (list == "none") return {};
  return words_of(list);
}

Answer<runtime::MeasuredNodes> measure(const System& system, const runtime::Workload& workload,
                                       const runtime::MeasureOptions& options) {
  if (auto problem = runtime::unknown_in(system, options)) {
    return NoAnswer::bad_input(problem->message);
  }
  auto measured = runtime::measure_nodes(system, workload, options);
  if (!measured) return NoAnswer::unknown(measured.error().message);
  return std::move(*measured);
}

}  // namespace tactus::verbs
