#include "tactus/methods/pbs/settings.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus::pbs {

Result<Settings> read_settings(const System& system, const Options& options) {
  Settings settings;
  settings.idle = !options.get("idle").empty();
  settings.all = !options.get("all").empty();
  settings.no_merge = !options.get("no-merge").empty();
  std::string problem;
  const auto read = [&](std::string_view name, int scale, std::int64_t fallback) {
    const std::string_view text = options.get(name);
    if (text.empty()) return fallback;
    const auto value = plain_decimal(text, scale);
    if (!value) problem = fmt::format("--{} must be a number >= 0, got {}", name, quote(text));
    return value.value_or(fallback);
  };
  settings.margin = Time::from_ns(read("margin", decimal_places(system.time_unit), 0));
  settings.time_limit_ms = read("time-limit", 3, settings.time_limit_ms);
  settings.state_limit = read("state-limit", 0, settings.state_limit);
  settings.up_to_job = read("up-to-job", 0, settings.up_to_job);
  const std::int64_t mib = std::int64_t{1} << 20;
  const std::int64_t memory = read("memory-limit", 0, settings.memory_limit / mib);
  settings.memory_limit = std::min(memory, INT64_MAX / mib) * mib;
  if (settings.no_merge && !settings.all) problem = "--no-merge counts need --all";
  if (settings.up_to_job != INT64_MAX && !settings.all) problem = "--up-to-job needs --all";
  if (!problem.empty()) return Error{problem};
  return settings;
}

void add_set_figures(const System& system, const TaskSet& set, Verdict& verdict) {
  verdict.figures.push_back(
      {"hyperperiod", format_time(set.time(set.hyperperiod), system.time_unit)});
  verdict.figures.push_back({"jobs", std::to_string(set.jobs)});
}

}  // namespace tactus::pbs
