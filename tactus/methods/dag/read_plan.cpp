#include "tactus/methods/dag/read_plan.hpp"

#include <fmt/core.h>

#include <map>

namespace tactus::dag {
namespace {

using json::Kind;

/// Thrown and caught within this file: the plan does not have the form of a plan.
struct Malformed {
  std::string what;
};

const json::Value& member(const json::Value& object, std::string_view key) {
  if (!object.is(Kind::kObject)) {
    throw Malformed{fmt::format("expected an object that has `{}`", key)};
  }
  const json::Value* value = object.find(key);
  if (value == nullptr) throw Malformed{fmt::format("`{}` is missing", key)};
  return *value;
}

std::span<const json::Value> list(const json::Value& object, std::string_view key) {
  const json::Value& value = member(object, key);
  if (!value.is(Kind::kArray)) throw Malformed{fmt::format("`{}` must be an array", key)};
  return value.items();
}

std::int64_t number(const json::Value& value, std::string_view key, int scale) {
  if (value.is(Kind::kNumber)) {
    const auto parsed = parse_scaled(value.text(), scale, Rounding::kDown);
    if (parsed && parsed->exact) return parsed->value;
  }
  throw Malformed{fmt::format("`{}` is not a number this format can hold", key)};
}

std::int64_t integer(const json::Value& object, std::string_view key) {
  return number(member(object, key), key, 0);
}

std::string_view text(const json::Value& value, std::string_view key) {
  if (!value.is(Kind::kString)) throw Malformed{fmt::format("`{}` must be a string", key)};
  return value.text();
}

class PlanReader {
 public:
  PlanReader(const System& system, const json::Value& source) : system_(system), source_(source) {
    find_task();
    out_.bound = time(source, "bound");
    if (const json::Value& deadline = member(source, "deadline"); !deadline.is(Kind::kNull)) {
      out_.deadline = time(source, "deadline");
      const json::Value& verdict = member(source, "schedulable");
      if (!verdict.is(Kind::kBool)) throw Malformed{"`schedulable` must be true or false"};
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
    if (out_.task == nullptr) throw Malformed{"`task` names no task of the system"};
    for (NodeIndex node = 0; node < out_.task->nodes.size(); ++node) {
      nodes_.emplace(out_.task->nodes[node].name, node);
    }
    out_.gpu = &system_.platform.elements[out_.task->nodes.front().on];
    for (const Node& node : out_.task->nodes) {
      const bool fits = &system_.platform.elements[node.on] == out_.gpu && node.load;
      if (!fits || out_.gpu->kind != ElementKind::kGpu) {
        throw Malformed{"`task` names a task that is not a graph of malleable kernels on one gpu"};
      }
    }
    const auto unit = parse_scaled("1", decimal_places(system_.time_unit), Rounding::kUp);
    out_.t_min = out_.gpu->t_min.value_or(Time::from_ns(unit->value));
    out_.segments.resize(nodes_.size());
  }

  Time as_time(const json::Value& value, std::string_view key) const {
    return Time::from_ns(number(value, key, decimal_places(system_.time_unit)));
  }
  Time time(const json::Value& object, std::string_view key) const {
    return as_time(member(object, key), key);
  }

  NodeIndex node(std::string_view name) const {
    const auto found = nodes_.find(name);
    if (found == nodes_.end()) throw Malformed{fmt::format("there is no node `{}`", name)};
    return found->second;
  }

  void read_step(const json::Value& source) {
    StatedStep step;
    step.r = time(source, "r");
    step.spare = integer(source, "spare");
    for (std::string_view key : {"primary", "launched"}) {
      for (const json::Value& item : list(source, key)) {
        StatedKernel kernel;
        kernel.node = node(text(member(item, "node"), "node"));
        kernel.segment = integer(item, "segment");
        kernel.load = time(item, "load");
        kernel.m = integer(item, "m");
        kernel.c = time(item, "c");
        kernel.step = out_.steps.size();
        step.kernels.push_back(out_.kernels.size());
        if (!places_.emplace(std::pair(kernel.node, kernel.segment), out_.kernels.size()).second) {
          throw Malformed{fmt::format("segment {} of node `{}` is launched twice", kernel.segment,
                                      out_.task->nodes[kernel.node].name)};
        }
        out_.kernels.push_back(kernel);
      }
    }
    out_.steps.push_back(std::move(step));
  }

  void read_segments() {
    const json::Value& source = member(source_, "segments");
    if (!source.is(Kind::kObject)) throw Malformed{"`segments` must be an object"};
    for (const json::Member& entry : source.members()) {
      auto& loads = out_.segments[node(entry.key)];
      if (!entry.value.is(Kind::kArray)) throw Malformed{"`segments` must hold arrays of loads"};
      for (const json::Value& load : entry.value.items()) {
        loads.push_back(as_time(load, "segments"));
      }
    }
  }

  /// A kernel named [node, segment].
  std::size_t place(const json::Value& source) const {
    if (!source.is(Kind::kArray) || source.items().size() != 2) {
      throw Malformed{"edges and barriers must name kernels as [node, segment]"};
    }
    const std::string_view name = text(source.items()[0], "node");
    const std::int64_t segment = number(source.items()[1], "segment", 0);
    const auto found = places_.find({node(name), segment});
    if (found == places_.end()) {
      throw Malformed{fmt::format("no step launches segment {} of node `{}`", segment, name)};
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

std::optional<StatedPlan> read_plan(const System& system, const json::Value& plan,
                                    std::string& problem) {
  try {
    return PlanReader(system, plan).take();
  } catch (const Malformed& malformed) {
    problem = "form: " + malformed.what;
    return std::nullopt;
  }
}

}  // namespace tactus::dag
