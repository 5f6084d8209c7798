#include "tactus/methods/dag/read_plan.hpp"

#include <fmt/core.h>

#include <map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/dag/dag_methods.hpp"
#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/plan_source.hpp"

namespace tactus::dag {
namespace {

using json::Kind;
using namespace plan_source;  // the words every reader of plans speaks

class PlanReader {
 public:
  PlanReader(const System& system, const json::Value& source) : system_(system), source_(source) {
    find_task();
    out_.bound = time(source, "bound");
    if (const json::Value& deadline = member(source, "deadline"); !deadline.is(Kind::kNull)) {
      out_.deadline = time(source, "deadline");
      const json::Value& verdict = member(source, "schedulable");
      if (!verdict.is(Kind::kBool)) {
        throw Malformed(verdict, "`schedulable` must be true or false");
      }
      out_.schedulable = verdict.boolean();
    }
    out_.cuts = integer(source, "cuts");
    for (const json::Value& step : list(source, "steps")) read_step(step);
    read_segments();
    read_edges();
    for (const json::Value& barrier : list(source, "barriers")) {
      out_.barriers.push_back({places(barrier, "after"), places(barrier, "before")});
    }
  }

  StatedPlan take() { return std::move(out_); }

 private:
  void find_task() {
    const std::string_view name = text(member(source_, "task"), "task");
    for (const Task& task : system_.tasks) {
      if (task.name == name) out_.task = &task;
    }
    if (out_.task == nullptr) {
      throw Malformed(member(source_, "task"), "`task` names no task of the system");
    }
    for (NodeIndex node = 0; node < out_.task->nodes.size(); ++node) {
      nodes_.emplace(out_.task->nodes[node].name, node);
    }
    bool fits = true;
    for (const Node& node : out_.task->nodes) {
      const Element& element = system_.platform.elements[node.on];
      if (element.kind == ElementKind::kCopy && node.wcet) continue;
      if (out_.gpu == nullptr) out_.gpu = &element;
      fits = fits && element.kind == ElementKind::kGpu && &element == out_.gpu && node.load;
    }
    if (!fits || out_.gpu == nullptr) {
      throw Malformed(member(source_, "task"),
                      "`task` names a task that is not a graph of malleable kernels on one gpu");
    }
    out_.t_min = out_.gpu->t_min.value_or(Time::from_ns(nanoseconds_in(system_.time_unit)));
    out_.segments.resize(nodes_.size());
  }

  Time time(const json::Value& object, std::string_view key) const {
    return plan_source::time(member(object, key), key, system_.time_unit);
  }
  static std::int64_t integer(const json::Value& object, std::string_view key) {
    return plan_source::count(member(object, key), key);
  }

  NodeIndex node(const json::Value& where, std::string_view name) const {
    const auto found = nodes_.find(name);
    if (found == nodes_.end()) {
      throw Malformed(where, fmt::format("there is no node {}", quote(name)));
    }
    return found->second;
  }
  NodeIndex node(const json::Value& value) const { return node(value, text(value, "node")); }

  void read_step(const json::Value& source) {
    StatedStep step;
    step.r = time(source, "r");
    step.spare = integer(source, "spare");
    for (std::string_view key : {"primary", "launched"}) {
      for (const json::Value& item : list(source, key)) {
        StatedKernel kernel;
        kernel.node = node(member(item, "node"));
        kernel.segment = integer(item, "segment");
        if (kernel.segment < 1 || kernel.segment > UINT32_MAX) {
          throw Malformed(item, "`segment` must be a number from 1 on");
        }
        kernel.load = time(item, "load");
        kernel.m = integer(item, "m");
        kernel.c = time(item, "c");
        kernel.step = out_.steps.size();
        step.kernels.push_back(out_.kernels.size());
        if (!places_.emplace(std::pair(kernel.node, kernel.segment), out_.kernels.size()).second) {
          throw Malformed(item,
                          fmt::format("segment {} of node {} is launched twice", kernel.segment,
                                      quote(out_.task->nodes[kernel.node].name)));
        }
        out_.kernels.push_back(kernel);
      }
      if (key == "primary") step.primary = step.kernels.size();
    }
    out_.steps.push_back(std::move(step));
  }

  void read_segments() {
    for (const json::Member& entry : table(source_, "segments").members()) {
      auto& loads = out_.segments[node(entry.value, entry.key)];
      if (!entry.value.is(Kind::kArray)) {
        throw Malformed(entry.value, "`segments` must hold arrays of loads");
      }
      for (const json::Value& load : entry.value.items()) {
        loads.push_back(plan_source::time(load, "segments", system_.time_unit));
      }
    }
  }

  /// A kernel named [node, segment].
  std::size_t place(const json::Value& source) const {
    if (!source.is(Kind::kArray) || source.items().size() != 2) {
      throw Malformed(source, "edges and barriers must name kernels as [node, segment]");
    }
    const json::Value& name = source.items()[0];
    const std::int64_t segment = plan_source::integer(source.items()[1], "segment");
    const auto found = places_.find({node(name), segment});
    if (found == places_.end()) {
      throw Malformed(source, fmt::format("no step launches segment {} of node {}", segment,
                                          quote(name.text())));
    }
    return found->second;
  }
  std::vector<std::size_t> places(const json::Value& source, std::string_view key) const {
    std::vector<std::size_t> all;
    for (const json::Value& item : list(source, key)) all.push_back(place(item));
    return all;
  }

  void read_edges() {
    if (member(source_, "edges").is(Kind::kNull)) return;
    auto& edges = out_.edges.emplace();
    for (const json::Value& edge : list(source_, "edges")) {
      edges.emplace_back(place(member(edge, "from")), place(member(edge, "to")));
    }
  }

  const System& system_;
  const json::Value& source_;
  std::unordered_map<std::string_view, NodeIndex> nodes_;
  std::map<std::pair<NodeIndex, std::int64_t>, std::size_t> places_;
  StatedPlan out_;
};

}  // namespace

StatedPlan read_stated_plan(const System& system, const json::Value& plan) {
  return PlanReader(system, plan).take();
}

Verdict read_plan(const System& system, const json::Value& source) {
  const StatedPlan stated = read_stated_plan(system, source);
  auto plan = std::make_shared<DagPlan>();
  plan->task = static_cast<TaskIndex>(stated.task - system.tasks.data());
  plan->sms = stated.gpu->units;
  plan->deadline = stated.deadline;
  plan->schedule.bound = stated.bound;
  const std::string_view method = text(member(source, "method"), "method");
  const std::string_view variant = text(member(source, "variant"), "variant");
  plan->ordering = method == kGraham.id                          ? Ordering::kNone
                   : method == kBalanced.id && variant == kPaper ? Ordering::kPrinted
                                                                 : Ordering::kBarriers;
  for (const StatedKernel& kernel : stated.kernels) {
    plan->schedule.kernels.push_back(
        {kernel.node, static_cast<std::uint32_t>(kernel.segment), kernel.load, kernel.m, kernel.c});
  }
  std::uint32_t place = 0;  // the kernels of a step are in a row
  for (const StatedStep& stated_step : stated.steps) {
    Step step;
    step.r = stated_step.r;
    step.begin = place;
    step.launched = place + static_cast<std::uint32_t>(stated_step.primary);
    step.end = place += static_cast<std::uint32_t>(stated_step.kernels.size());
    step.spare = stated_step.spare;
    plan->schedule.steps.push_back(step);
  }
  Verdict verdict;
  const bool meets = !stated.deadline || stated.bound <= *stated.deadline;
  verdict.status = meets ? Status::kSchedulable : Status::kUnschedulable;
  verdict.tasks.push_back({plan->task, stated.bound, stated.deadline, meets, {}});
  if (plan->ordering == Ordering::kPrinted) verdict.warnings.emplace_back(kPrintedWarning);
  verdict.plan = std::move(plan);
  return verdict;
}

}  // namespace tactus::dag
