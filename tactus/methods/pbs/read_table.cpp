#include <fmt/core.h>

#include <unordered_map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/pbs/settings.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/methods/plan_source.hpp"

namespace tactus::pbs {
namespace {

using namespace plan_source;  // the words every reader of plans speaks
using KernelNames = std::unordered_map<std::string_view, std::uint32_t>;

/// A table that has the form of one but names what the system does not have: nothing can be built
/// from it, and the checker says what is wrong with it, frame by frame.
struct NoSuchThing {};

Ticks ticks(const json::Value& object, std::string_view key, const System& system, Time tick) {
  const Time stated = time(member(object, key), key, system.time_unit);
  if (stated.ns() % tick.ns() != 0) throw NoSuchThing();
  return stated.ns() / tick.ns();
}

Frame read_frame(const json::Value& item, const System& system, const TaskSet& set,
                 const KernelNames& kernels) {
  Frame frame;
  frame.start = ticks(item, "start", system, set.tick);
  frame.end = ticks(item, "end", system, set.tick);
  if (frame.start < 0 || frame.end < frame.start || frame.end > set.hyperperiod) {
    throw NoSuchThing();
  }
  for (const json::Value& job : list(item, "batch")) {
    const auto kernel = kernels.find(text(member(job, "task"), "task"));
    const std::int64_t number = integer(member(job, "job"), "job");
    if (kernel == kernels.end() || number < 0 ||
        number >= set.hyperperiod / set.kernels[kernel->second].period) {
      throw NoSuchThing();
    }
    frame.batch.push_back({kernel->second, number});
  }
  return frame;
}

}  // namespace

bool is_table_by_hand(const json::Value& plan) {
  return plan.find("frames") != nullptr && plan.find("fingerprint") == nullptr;
}

Verdict read_table(const System& system, const json::Value& source) {
  Time margin;
  if (const json::Value* value = source.find("margin")) {
    margin = time(*value, "margin", system.time_unit);
    if (margin < Time()) throw Malformed(*value, "`margin` must be a time >= 0");
  }
  const auto made = make_task_set(system, margin);
  if (!made) throw Malformed(source, made.error().reason);
  const auto& set = std::get<TaskSet>(made);
  KernelNames kernels;
  for (std::uint32_t i = 0; i < set.size(); ++i) kernels.emplace(set.kernels[i].name, i);

  Verdict verdict;
  const json::Value* method = source.find("method");
  if (method != nullptr && text(*method, "method") == kIdling) verdict.method = kIdling;
  std::vector<Frame> frames;
  try {
    for (const json::Value& item : list(source, "frames")) {
      frames.push_back(read_frame(item, system, set, kernels));
    }
  } catch (const NoSuchThing&) {
    return verdict;
  }
  verdict.status = Status::kSchedulable;
  verdict.warnings = set.warnings;
  verdict.notes = set.notes;
  const json::Value* variant = source.find("variant");
  if (variant != nullptr && text(*variant, "variant") == kPaper) {
    verdict.warnings.emplace_back(kPrintedWarning);
  }
  verdict.tasks = bounds_of(set, frames);
  add_set_figures(system, set, verdict);
  verdict.plan = std::make_shared<ScheduleTable>(set, margin, std::move(frames));
  return verdict;
}

}  // namespace tactus::pbs
