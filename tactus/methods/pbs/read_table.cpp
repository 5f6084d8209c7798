#include <fmt/core.h>

#include <unordered_map>

#include "tactus/methods/pbs/settings.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::pbs {
namespace {

using namespace plan_source;  // the words every reader of plans speaks

Ticks ticks(const json::Value& object, std::string_view key, const System& system, Time tick) {
  const json::Value& value = member(object, key);
  const Time stated = time(value, key, system.time_unit);
  if (stated.ns() % tick.ns() != 0) {
    throw Malformed(value, fmt::format("`{}` must be a whole number of ticks of {}", key,
                                       format_time(tick, system.time_unit)));
  }
  return stated.ns() / tick.ns();
}

}  // namespace

Verdict read_table(const System& system, const json::Value& source) {
  Time margin;
  if (const json::Value* value = source.find("margin")) {
    margin = time(*value, "margin", system.time_unit);
    if (margin < Time()) throw Malformed(*value, "`margin` must be a time >= 0");
  }
  const auto made = make_task_set(system, margin);
  if (const auto* refusal = std::get_if<Refusal>(&made)) throw Malformed(source, refusal->reason);
  const auto& set = std::get<TaskSet>(made);
  std::unordered_map<std::string_view, std::uint32_t> kernels;
  for (std::uint32_t i = 0; i < set.size(); ++i) kernels.emplace(set.kernels[i].name, i);

  std::vector<Frame> frames;
  for (const json::Value& item : list(source, "frames")) {
    Frame& frame = frames.emplace_back();
    frame.start = ticks(item, "start", system, set.tick);
    frame.end = ticks(item, "end", system, set.tick);
    for (const json::Value& job : list(item, "batch")) {
      const json::Value& task = member(job, "task");
      const auto kernel = kernels.find(text(task, "task"));
      if (kernel == kernels.end()) {
        throw Malformed(task, fmt::format("there is no real-time task {}", quote(task.text())));
      }
      const json::Value& number = member(job, "job");
      const Kernel& its = set.kernels[kernel->second];
      if (integer(number, "job") < 0 || integer(number, "job") >= set.hyperperiod / its.period) {
        throw Malformed(number, fmt::format("there is no job {} of {} in a hyperperiod",
                                            number.text(), quote(its.name)));
      }
      frame.batch.push_back({kernel->second, integer(number, "job")});
    }
  }
  Verdict verdict;
  if (text(member(source, "method"), "method") == kIdling) verdict.method = kIdling;
  verdict.status = Status::kSchedulable;
  verdict.warnings = set.warnings;
  verdict.tasks = bounds_of(set, frames);
  add_set_figures(system, set, verdict);
  verdict.plan = std::make_shared<ScheduleTable>(set, margin, std::move(frames));
  return verdict;
}

}  // namespace tactus::pbs
