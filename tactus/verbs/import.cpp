#include "tactus/verbs/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tactus/exchange/numbers.hpp"

namespace tactus::verbs {
namespace {

constexpr std::array<std::string_view, 4> kTimeUnits = {"ns", "us", "ms", "s"};

template <typename Enumeration, typename Words>
std::optional<NoAnswer> read_word(const char* option, const std::string& word, const Words& words,
                                  Enumeration& value) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    return NoAnswer::bad_input(fmt::format("{}: there is nothing called {}{}; it is one of {}",
                                           option, quote(word), suggestion(word, words),
                                           fmt::join(words, ", ")));
  }
  value = static_cast<Enumeration>(found - words.begin());
  return std::nullopt;
}

/// A time above zero.
std::optional<Time> read_time(std::string_view text, TimeUnit unit) {
  const auto ns = exchange::scaled(text, decimal_places(unit), Rounding::kDown);
  if (!ns || *ns <= 0) return std::nullopt;
  return Time::from_ns(*ns);
}

using Times = std::map<std::string, Time, std::less<>>;

std::optional<NoAnswer> read_times(const char* option, const std::vector<std::string>& given,
                                   TimeUnit unit, Times& times) {
  for (const std::string& text : given) {
    const std::size_t equals = text.rfind('=');
    const std::string task = equals == std::string::npos ? "" : text.substr(0, equals);
    const auto time = read_time(std::string_view(text).substr(equals + 1), unit);
    if (!time) {
      return NoAnswer::bad_input(
          fmt::format("{} needs a time > 0, or TASK=TIME, got {}", option, quote(text)));
    }
    if (!times.try_emplace(task, *time).second) {
      return NoAnswer::bad_input(fmt::format("{} is given twice for {}", option,
                                             task.empty() ? "all tasks" : quote(task)));
    }
  }
  return std::nullopt;
}

}  // namespace

Answer<exchange::ImportOptions> import_options(const ImportWords& words) {
  exchange::ImportOptions options;
  options.name = words.name;
  options.task = words.task;
  options.gpu_only = words.gpu_only;
  options.jobs = words.jobs;
  if (auto bad = read_word("--tasks", words.tasks, exchange::kTasksByWords, options.tasks_by)) {
    return *bad;
  }
  if (auto bad = read_word("--fold", words.fold, exchange::kFoldWords, options.fold)) return *bad;
  if (auto bad = read_word("--demand", words.demand, exchange::kDemandWords, options.demand)) {
    return *bad;
  }
  if (auto bad = read_word("--time-unit", words.time_unit, kTimeUnits, options.time_unit)) {
    return *bad;
  }
  if (!words.gap.empty()) {
    const auto gap = read_time(words.gap, options.time_unit);
    if (!gap) {
      return NoAnswer::bad_input(fmt::format("--gap needs a time > 0, got {}", quote(words.gap)));
    }
    options.gap = *gap;
  }
  if (!words.lag.empty()) {
    const auto lag = read_time(words.lag, options.time_unit);
    if (!lag) {
      return NoAnswer::bad_input(fmt::format("--lag needs a time > 0, got {}", quote(words.lag)));
    }
    options.lag = *lag;
  }
  options.after = words.after;
  const TimeUnit unit = options.time_unit;
  if (auto bad = read_times("--period", words.periods, unit, options.periods)) return *bad;
  if (auto bad = read_times("--deadline", words.deadlines, unit, options.deadlines)) return *bad;
  options.margin = words.margin;
  options.skip = static_cast<std::size_t>(words.skip);
  if (words.cores > 0) options.cores = words.cores;
  if (words.sms > 0) options.sms = words.sms;
  options.bcet = words.bcet;
  return options;
}

Answer<exchange::Imported> imported(exchange::ImportResult result, const std::string& name) {
  if (auto* good = std::get_if<exchange::Imported>(&result)) return std::move(*good);
  NoAnswer none;
  for (const Diagnostic& problem : std::get<exchange::NotImported>(result).problems) {
    none.problems.push_back({problem.message, name, problem.at, problem.severity});
  }
  return none;
}

std::string system_name_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.find('.', 1);
  if (dot != std::string::npos) name.erase(dot);
  return name.empty() || name == "-" ? "imported" : name;
}

}  // namespace tactus::verbs
