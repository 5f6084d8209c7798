#include "tactus/watch/proof.hpp"

#include <algorithm>

#include "tactus/base/json_copy.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/methods/plan_source.hpp"

namespace tactus::watch {
namespace {

/// The plan of a verdict without its bounds: what reads it then asks the analysis for them. Empty where
/// it is no plan of priorities.
std::string plan_to_ask(const System& system, const Method& method, const Verdict& verdict) {
  if (!verdict.plan || method.read_plan == nullptr) return {};
  json::Writer out(json::Layout::kOneLine);
  AnyPlan::write(out, system, verdict);
  const auto written = json::Document::parse(out.take());
  const json::Value& root = std::get<json::Document>(written).root();
  if (root.find("gpu_priorities") == nullptr) return {};
  json::Writer without(json::Layout::kOneLine);
  without.begin_object();
  for (const json::Member& one : root.members())
    if (one.key != "bounds") json::copy(without.key(one.key), one.value);
  without.end_object();
  return without.take();
}

std::optional<Time> bound_of(const Verdict& verdict, TaskIndex task) {
  for (const TaskVerdict& one : verdict.tasks)
    if (one.task == task) return one.bound;
  return std::nullopt;
}

/// What the attribute becomes.
std::int64_t value_of(const System& system, const Departure& departure) {
  const decide::Knob& knob = *departure.knob;
  if (knob.what != decide::Knob::What::kNodeTime)
    return std::max<std::int64_t>(departure.seen->ns(), 1);
  // The nodes of a part may be several: one takes all that is more.
  return decide::value_of(knob, system) + (*departure.seen - *departure.promised).ns();
}

}  // namespace

Proof::Proof(System system, const Method& method, Verdict verdict, Options options)
    : system_(std::move(system)),
      method_(&method),
      verdict_(std::move(verdict)),
      options_(std::move(options)) {
  options_.terms = options_.plan = false;
  options_.variant = verdict_.variant;
  plan_ = plan_to_ask(system_, method, verdict_);
}

Verdict Proof::on(const System& changed) const {
  if (plan_.empty()) return analyze(*method_, changed, options_);
  try {
    const auto plan = json::Document::parse(plan_);
    return method_->read_plan(changed, std::get<json::Document>(plan).root());
  } catch (const plan_source::Malformed& problem) {
    return Verdict::undecided(problem.what());
  } catch (const OverflowError& problem) {
    return Verdict::undecided(problem.what());
  }
}

std::optional<System> Proof::as_seen(const std::vector<Departure>& departures) const {
  System changed = system_;
  for (const Departure& one : departures) {
    if (one.knob && one.seen) {
      decide::turn(changed, *one.knob, value_of(changed, one));
    } else if (one.kind == Departure::Kind::kTime) {
      return std::nullopt;
    }
  }
  return changed;
}

Room Proof::room(const std::vector<Departure>& departures) const {
  Room room;
  room.bounds.resize(system_.tasks.size());
  const auto seen = as_seen(departures);
  if (!seen) {
    room.status = Status::kUndecided;
    room.reason = "the file has no value for what took longer";
    return room;
  }
  const Verdict verdict = on(*seen);
  room.status = verdict.status;
  room.reason = verdict.reason;
  for (const TaskVerdict& task : verdict.tasks) room.bounds[task.task] = task.bound;
  if (verdict.status != Status::kSchedulable) return room;
  room.least = decide::least_slack(*seen, verdict);
  const auto holds = [&](std::int64_t thousandths) {
    const decide::Knob all{.what = decide::Knob::What::kAllTimes};
    return on(decide::turned(*seen, all, thousandths)).status == Status::kSchedulable;
  };
  std::int64_t good = decide::kAsInFile, bad = 2 * good;
  constexpr std::int64_t kMost = 64 * decide::kAsInFile;
  while (bad < kMost && !options_.stop.stop_requested() && holds(bad)) {
    good = bad;
    bad *= 2;
  }
  while (bad - good > 1 && !options_.stop.stop_requested()) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  room.scale = good;
  return room;
}

RestsOn Proof::rests_on() const {
  const std::size_t count = system_.tasks.size();
  RestsOn rests(count, std::vector<bool>(count, true));
  const Verdict now = on(system_);
  for (TaskIndex task = 0; task < count && !options_.stop.stop_requested(); ++task) {
    System longer = system_;
    bool turned = false;
    for (NodeIndex n = 0; n < longer.tasks[task].nodes.size(); ++n) {
      const decide::Knob knob{.what = decide::Knob::What::kNodeTime, .task = task, .node = n};
      const Node& node = longer.tasks[task].nodes[n];
      if (!node.wcet && !node.load && node.times.empty()) continue;
      decide::turn(longer, knob, 2 * decide::value_of(knob, longer) + 1);
      turned = true;
    }
    if (!turned) continue;
    const Verdict then = on(longer);
    if (then.status != Status::kSchedulable && then.status != Status::kUnschedulable) continue;
    for (TaskIndex other = 0; other < count; ++other) {
      const auto before = bound_of(now, other), after = bound_of(then, other);
      rests[task][other] = other == task || !before || before != after;
    }
  }
  return rests;
}

std::optional<std::int64_t> permille_left(const Task& task, const std::optional<Time>& bound) {
  if (!bound || !task.deadline || *task.deadline <= Time()) return std::nullopt;
  const __int128 left = static_cast<__int128>((*task.deadline - *bound).ns()) * 1000;
  const __int128 deadline = task.deadline->ns();
  const __int128 down = left >= 0 ? left / deadline : -((-left + deadline - 1) / deadline);
  return static_cast<std::int64_t>(down);
}

}  // namespace tactus::watch
