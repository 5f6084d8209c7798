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

/// Numbers of SMs, comma-separated; "none": no width, so the whole GPU alone.
Answer<std::vector<std::int64_t>> widths_of(std::string_view list) {
  std::vector<std::int64_t> widths;
  if (list == "none") return widths;
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

/// What does not exist is told by the measurement.
std::vector<std::string> enemies_of(std::string_view list) {
  if (list == "all") return {runtime::kEnemies.begin(), runtime::kEnemies.end()};
  if (list == "none") return {};
  return words_of(list);
}

}  // namespace

void describe(MeasureQuestion& question, Fields& is) {
  is("units", question.units,
     "Widths in SMs, such as 8,16,32, or none; default: one step of the machine's partitions, two, "
     "four ... and all of them")
      .shows("LIST")
      .commas();
  is("runs", question.runs, "Of each node, on each width, beside each neighbour")
      .range(1, 1'000'000);
  is("enemies", question.enemies,
     "What runs on the rest of the GPU: all, none, or some of compute, launches, L2, streaming, "
     "atomics, copies")
      .shows("LIST")
      .commas();
  is("pairs", question.pairs, "Two enemies at a time, too").off("One enemy at a time, no pairs");
  is("margin", question.margin, "Percent on top of the longest time").range(0, 1000);
  is("bcet", question.bcet,
     "Write the shortest time, less the margin, as bcet, too; it is no lower bound");
  is("noisy_ok", question.noisy_ok, "Measure although work alone takes very different times");
  is("nodes", question.nodes,
     "Only these: TASK or TASK.NODE. Default: what is bound, else every node on a GPU or on a "
     "shared "
     "copy element")
      .shows("NAME,...")
      .commas()
      .formerly("node");
  is("samples", question.samples, "In the JSON: every single time");
}

Answer<runtime::MeasuredNodes> measure(const System& system, const runtime::Workload& workload,
                                       const MeasureQuestion& question,
                                       runtime::MeasureOptions& options) {
  options.runs = question.runs;
  options.margin = question.margin;
  options.pairs = question.pairs;
  options.bcet = question.bcet;
  options.noisy = question.noisy_ok;
  options.nodes = question.nodes;
  options.enemies = enemies_of(question.enemies);
  if (question.units) {
    const auto widths = widths_of(*question.units);
    if (!widths) return widths.none();
    options.units = *widths;
  }
  if (auto problem = runtime::unknown_in(system, options)) {
    return NoAnswer::bad_input(problem->message);
  }
  auto measured = runtime::measure_nodes(system, workload, options);
  if (!measured) return NoAnswer::unknown(measured.error().message);
  return std::move(*measured);
}

}  // namespace tactus::verbs
