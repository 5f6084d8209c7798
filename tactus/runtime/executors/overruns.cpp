#include "tactus/runtime/executors/overruns.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"

namespace tactus::runtime {
namespace {

constexpr std::size_t kMostListed = 10;

}  // namespace

std::string Overruns::describe(const Overrun& overrun) const {
  const Task& task = system_.tasks[overrun.task];
  const auto text = [&](Time time) { return format_time(time, system_.time_unit); };
  return fmt::format("job {} of task {} took {}{}, {} is {}", overrun.job, quote(task.name),
                     text(overrun.took),
                     overrun.node ? " in " + quote(task.nodes[*overrun.node].name) : "",
                     overrun.node ? "the bound" : "its deadline", text(overrun.limit));
}

OnOverrun Overruns::decide(const Overrun& overrun, trace::Observed& observed) {
  ++count_;
  if (first_.size() < kMostListed) first_.push_back(overrun);
  const OnOverrun action = options_.overrun_callback
                               ? options_.overrun_callback(overrun)
                               : options_.on_overrun.value_or(OnOverrun::kLog);
  if (action == OnOverrun::kStop && observed.cut_short.empty()) {
    observed.cut_short = "it was stopped at an overrun: " + describe(overrun);
  }
  return action;
}

void Overruns::report(trace::Observed& observed) const {
  for (TaskIndex task = 0; task < skipped_.size(); ++task) {
    if (skipped_[task] == 0) continue;
    observed.fail(fmt::format("{} jobs of task {} were skipped after an overrun", skipped_[task],
                              quote(system_.tasks[task].name)));
  }
  if (!options_.on_overrun && !options_.overrun_callback) return;
  for (const Overrun& overrun : first_) {
    observed.notes.push_back(fmt::format(
        "overrun at {}: {}", format_time(overrun.at, system_.time_unit), describe(overrun)));
  }
  if (count_ > first_.size()) {
    observed.notes.push_back(fmt::format("and {} more overruns", count_ - first_.size()));
  }
}

}  // namespace tactus::runtime
