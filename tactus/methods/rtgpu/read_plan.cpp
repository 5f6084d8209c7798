#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/methods/rtgpu/family.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"

/// A plan as its file states it, for the checker and for those who run it. Nothing of the analysis
/// is used.
namespace tactus::rtgpu {
namespace {

using namespace plan_source;  // the words every reader of plans speaks

constexpr std::array<std::string_view, 4> kKinds = {"cpu", "copy", "gpu", "suspension"};

class PlanReader {
 public:
  PlanReader(const System& system, const TaskSet& set, const json::Value& plan)
      : system_(system), plan_(plan) {
    const std::string_view method = text(member(plan, "method"), "method");
    out_.interleaved = method != kSelfSuspension.id && method != kStgm.id;
    for (std::size_t k = 0; k < set.real_time; ++k) {
      const ChainTask& task = set.tasks[k];
      AllocationPlan::Entry entry;
      entry.task = task.index;
      entry.deadline = task.deadline;
      entry.chain = task.order;
      entry.sms = plan_source::count(entry_in("allocation", task.name), "allocation");
      entry.virtual_sms = task.virtual_sms(entry.sms);
      entry.priority = integer(entry_in("priorities", task.name), "priorities");
      read_units(task, entry);
      out_.entries.push_back(std::move(entry));
      ranks_[task.name] = k;
    }
    // Also stated in the file, but computed here; the comparison with the file finds differences.
    out_.spare_sms = set.sms;
    for (const auto& entry : out_.entries) {
      out_.spare_sms = checked::sub(out_.spare_sms, entry.sms);
    }
    for (const json::Value& item : list(plan, "bounds")) {
      AllocationPlan::Entry& entry = entry_of(item, "bounds");
      entry.bound = optional_time(item, "bound");
      if (!out_.interleaved) continue;
      entry.per_copy = optional_time(item, "paper");
      entry.whole_job = optional_time(item, "tight");
    }
    for (const json::Value& item : list(plan, "segments")) read_segment(item);
  }

  AllocationPlan take() { return std::move(out_); }

 private:
  const json::Value& entry_in(std::string_view key, std::string_view task) const {
    const json::Value& entries = table(plan_, key);
    const json::Value* value = entries.find(task);
    if (value == nullptr) {
      throw Malformed(entries, fmt::format("task {} is missing in `{}`", quote(task), key));
    }
    return *value;
  }

  /// `units` names every kernel of the task, and nothing else.
  void read_units(const ChainTask& task, AllocationPlan::Entry& entry) const {
    const json::Value& all = table(plan_, "units");
    if (!task.has_kernels() && all.find(task.name) == nullptr) return;
    const json::Value& of_task = table(all, task.name);
    for (const Segment& segment : task.chain) {
      if (segment.kind != Segment::Kind::kKernel || segment.absent()) continue;
      const NodeIndex node = task.order[segment.nodes.first];
      const json::Value& units = member(of_task, system_.tasks[task.index].nodes[node].name);
      entry.units.push_back({node, plan_source::count(units, "units")});
    }
    if (of_task.members().size() != entry.units.size()) {
      throw Malformed(of_task, fmt::format("task {}: `units` names a node that is no kernel",
                                           quote(task.name)));
    }
  }

  AllocationPlan::Entry& entry_of(const json::Value& item, std::string_view key) {
    const json::Value& task = member(item, "task");
    const auto rank = ranks_.find(text(task, "task"));
    if (rank == ranks_.end()) {
      throw Malformed(task, fmt::format("`{}` has an item for no known task", key));
    }
    return out_.entries[rank->second];
  }

  std::optional<Time> optional_time(const json::Value& object, std::string_view key) const {
    const json::Value& value = member(object, key);
    if (value.is(json::Kind::kNull)) return std::nullopt;
    return time(value, key, system_.time_unit);
  }

  void read_segment(const json::Value& item) {
    AllocationPlan::Entry& entry = entry_of(item, "segments");
    SegmentBound segment;
    const json::Value& kind = member(item, "kind");
    const auto known = std::find(kKinds.begin(), kKinds.end(), text(kind, "kind"));
    if (known == kKinds.end()) {
      throw Malformed(kind, fmt::format("there is no kind {} of segments", quote(kind.text())));
    }
    segment.kind = *known;
    segment.nodes.first = place(entry, member(item, "node"));
    if (const json::Value* nodes = item.find("nodes")) {
      const auto names = list(item, "nodes");
      for (std::uint32_t i = 0; i < names.size(); ++i) {
        if (place(entry, names[i]) == segment.nodes.first + i) continue;
        throw Malformed(names[i], "`nodes` must name nodes in a row of the chain");
      }
      if (names.empty()) throw Malformed(*nodes, "`nodes` must not be empty");
      segment.nodes.count = static_cast<std::uint32_t>(names.size());
    }
    segment.bound = optional_time(item, "bound");
    segment.lower = time(member(item, "lower"), "lower", system_.time_unit);
    entry.segments.push_back(segment);
  }

  /// The place of a named node in its task's chain.
  std::uint32_t place(const AllocationPlan::Entry& entry, const json::Value& name) const {
    const auto& nodes = system_.tasks[entry.task].nodes;
    const std::string_view wanted = text(name, "node");
    const auto found = std::find_if(entry.chain.begin(), entry.chain.end(),
                                    [&](NodeIndex node) { return nodes[node].name == wanted; });
    if (found == entry.chain.end()) {
      throw Malformed(name, fmt::format("there is no node {}", quote(wanted)));
    }
    return static_cast<std::uint32_t>(found - entry.chain.begin());
  }

  const System& system_;
  const json::Value& plan_;
  std::unordered_map<std::string_view, std::size_t> ranks_;
  AllocationPlan out_;
};

}  // namespace

AllocationPlan read_stated_plan(const System& system, const TaskSet& set, const json::Value& plan) {
  return PlanReader(system, set, plan).take();
}

Verdict read_plan(const System& system, const json::Value& source) {
  const auto made = make_task_set(system);
  if (!made) throw Malformed(source, made.error().reason);
  auto plan =
      std::make_shared<AllocationPlan>(read_stated_plan(system, std::get<TaskSet>(made), source));
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  for (const AllocationPlan::Entry& entry : plan->entries) {
    const bool meets = entry.bound && *entry.bound <= entry.deadline;
    if (!meets) verdict.status = Status::kUnschedulable;
    verdict.tasks.push_back({entry.task, entry.bound, entry.deadline, meets, {}});
  }
  verdict.sort_tasks();
  if (!plan->interleaved && text(member(source, "variant"), "variant") == kPaper) {
    verdict.warnings.emplace_back(kPaperWarning);
  }
  verdict.plan = std::move(plan);
  return verdict;
}

}  // namespace tactus::rtgpu
