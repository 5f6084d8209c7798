#include "tactus/methods/gcaps/boost/boost_plan.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/model/written.hpp"

namespace tactus::gcaps {

std::vector<Described> plan_keys();

namespace boost {

void write_thresholds(json::Writer& out, const System& system,
                      const std::vector<std::vector<std::int64_t>>& thresholds) {
  out.begin_object();
  for (TaskIndex i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].empty()) continue;
    out.key(system.tasks[i].name).begin_array();
    for (const std::int64_t threshold : thresholds[i]) out.integer(threshold);
    out.end_array();
  }
  out.end_object();
}

void BoostPlan::write_fields(json::Writer& out, const System& system) const {
  priorities.write_fields(out, system);
  write_thresholds(out.key("gpu_thresholds"), system, thresholds);
}

std::vector<Described> plan_keys() {
  std::vector<Described> all = gcaps::plan_keys();
  all.push_back({"gpu_thresholds", true,
                 "By task and GPU segment: taken off only for GPU priorities above it",
                 codec::ByName<codec::List<codec::AnyInteger>>::describe});
  return all;
}

std::vector<PlanTable> BoostPlan::tables(const System& system) const {
  std::vector<PlanTable> tables = priorities.tables(system);
  PlanTable table{
      "GPU segments are taken off only for GPU priorities above these", {"task", "thresholds"}, {}};
  for (const PriorityPlan::Entry& entry : priorities.entries) {
    const auto& own = thresholds[entry.task];
    if (own.empty()) continue;
    table.rows.push_back({system.tasks[entry.task].name, fmt::format("{}", fmt::join(own, ", "))});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
  return tables;
}

namespace {

/// The first node of each GPU segment of a chain.
std::vector<NodeIndex> first_nodes(const System& system, const Task& task) {
  std::vector<NodeIndex> first;
  const auto chain = chain_of(task, {});
  if (!std::holds_alternative<std::vector<NodeIndex>>(chain)) return first;
  bool inside = false;
  for (const NodeIndex node : std::get<std::vector<NodeIndex>>(chain)) {
    const bool gpu = system.platform.elements[task.nodes[node].on].kind != ElementKind::kCpu;
    if (gpu && !inside) first.push_back(node);
    inside = gpu;
  }
  return first;
}

}  // namespace

System with_choices(const System& system, const BoostPlan& plan) {
  System chosen = system;
  for (const PriorityPlan::Entry& entry : plan.priorities.entries) {
    Task& task = chosen.tasks[entry.task];
    task.gpu_priority = entry.gpu_priority;
    for (Node& node : task.nodes) node.gpu_threshold.reset();
    const std::vector<NodeIndex> first = first_nodes(system, task);
    for (std::size_t k = 0; k < first.size() && k < plan.thresholds[entry.task].size(); ++k) {
      task.nodes[first[k]].gpu_threshold = plan.thresholds[entry.task][k];
    }
  }
  return chosen;
}

BoostPlan plan_of_file(const System& system, Mode waiting) {
  BoostPlan plan;
  plan.priorities = plan_of(system, waiting, {});
  plan.thresholds.resize(system.tasks.size());
  for (const PriorityPlan::Entry& entry : plan.priorities.entries) {
    const Task& task = system.tasks[entry.task];
    bool inside = false;
    const auto chain = chain_of(task, {});
    for (const NodeIndex k : std::get<std::vector<NodeIndex>>(chain)) {
      const Node& node = task.nodes[k];
      const bool gpu = system.platform.elements[node.on].kind != ElementKind::kCpu;
      auto& own = plan.thresholds[entry.task];
      if (gpu && !inside) own.push_back(entry.gpu_priority);
      if (gpu && node.gpu_threshold) own.back() = std::max(own.back(), *node.gpu_threshold);
      inside = gpu;
    }
  }
  return plan;
}

namespace {

/// Writes the thresholds of a plan into the nodes, and says what is wrong with them.
void put_thresholds(System& planned, const json::Value& plan, std::vector<std::string>& failures) {
  const json::Value* table = plan.find("gpu_thresholds");
  std::size_t users = 0;
  for (Task& task : planned.tasks) {
    if (task.best_effort) continue;
    for (Node& node : task.nodes) node.gpu_threshold.reset();
    const std::vector<NodeIndex> first = first_nodes(planned, task);
    if (first.empty()) continue;
    ++users;
    const auto fail = [&](std::string_view problem) {
      failures.push_back(fmt::format("task {}: {}", quote(task.name), problem));
    };
    const json::Value* own = table == nullptr ? nullptr : table->find(task.name);
    if (own == nullptr || !own->is(json::Kind::kArray) || own->items().size() != first.size()) {
      fail("`gpu_thresholds` does not give one number for each of its GPU segments");
      continue;
    }
    for (std::size_t k = 0; k < first.size(); ++k) {
      const std::int64_t threshold = plan_source::integer(own->items()[k], "gpu_thresholds");
      if (task.gpu_priority && threshold < *task.gpu_priority) {
        fail("`gpu_thresholds` gives a number below its GPU priority");
      }
      task.nodes[first[k]].gpu_threshold = threshold;
    }
  }
  if (table != nullptr && (!table->is(json::Kind::kObject) || table->members().size() != users)) {
    failures.emplace_back(
        "`gpu_thresholds` does not name every real-time task that uses the GPU exactly once");
  }
}

}  // namespace

std::vector<std::string> check_boost_plan(const System& system, const json::Value& plan,
                                          const Method& plain, Mode waiting) {
  return check_priority_plan(system, plan, plain, waiting,
                             [&](System& planned, std::vector<std::string>& failures) {
                               put_thresholds(planned, plan, failures);
                             });
}

Verdict read_boost_plan(const System& system, const json::Value& plan, const Method& plain,
                        Mode waiting) {
  System with_thresholds = system;
  Verdict verdict = read_priority_plan(system, plan, plain, waiting,
                                       [&](System& planned, std::vector<std::string>& failures) {
                                         put_thresholds(planned, plan, failures);
                                         with_thresholds = planned;
                                       });
  auto made = std::make_shared<BoostPlan>();
  made->priorities = dynamic_cast<const PriorityPlan&>(*verdict.plan);
  made->thresholds.resize(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = with_thresholds.tasks[i];
    if (task.best_effort) continue;
    for (const NodeIndex node : first_nodes(system, task)) {
      made->thresholds[i].push_back(
          task.nodes[node].gpu_threshold.value_or(task.gpu_priority.value_or(0)));
    }
  }
  verdict.plan = std::move(made);
  return verdict;
}

}  // namespace boost
}  // namespace tactus::gcaps
