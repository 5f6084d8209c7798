#include "tactus/methods/dag/plan.hpp"

namespace tactus::dag {
namespace {

/// Above this many pairs a plan lists no `edges`; its `barriers` say the same.
constexpr std::size_t kMaxListedEdges = 1'000'000;

/// Writes a plan's parts; kernels are named [node, segment].
class FieldWriter {
 public:
  FieldWriter(json::Writer& out, const System& system, const DagPlan& plan)
      : out_(out),
        unit_(system.time_unit),
        task_(system.tasks[plan.task]),
        plan_(plan),
        segments_(task_.graph.size(), plan.schedule) {}

  void time(std::string_view key, Time value) { out_.key(key).number(format_time(value, unit_)); }

  void steps() {
    out_.key("steps").begin_array();
    for (const Step& step : plan_.schedule.steps) {
      out_.begin_object();
      time("r", step.r);
      kernels("primary", plan_.schedule.primary(step));
      kernels("launched", plan_.schedule.launched(step));
      out_.key("spare").integer(step.spare);
      out_.end_object();
    }
    out_.end_array();
  }

  void segments() {
    out_.key("segments").begin_object();
    for (NodeIndex node = 0; node < task_.nodes.size(); ++node) {
      out_.key(task_.nodes[node].name).begin_array();
      for (std::uint32_t place : segments_.of(node)) {
        out_.number(format_time(plan_.schedule.kernels[place].load, unit_));
      }
      out_.end_array();
    }
    out_.end_object();
  }

  void edges() {
    if (plan_.ordering == Ordering::kBarriers && barrier_pairs() > kMaxListedEdges) {
      out_.key("edges").null();
      return;
    }
    out_.key("edges").begin_array();
    for (const auto& [from, to] :
         extra_edges(task_.graph, plan_.schedule, segments_, plan_.ordering)) {
      out_.begin_object();
      reference(out_.key("from"), from);
      reference(out_.key("to"), to);
      out_.end_object();
    }
    out_.end_array();
  }

  /// The same as `edges`, as one empty node between two steps of a CUDA graph.
  void barriers() {
    out_.key("barriers").begin_array();
    const auto& steps = plan_.schedule.steps;
    for (std::size_t j = 1; j < steps.size() && plan_.ordering == Ordering::kBarriers; ++j) {
      out_.begin_object();
      references("after", steps[j - 1]);
      references("before", steps[j]);
      out_.end_object();
    }
    out_.end_array();
  }

 private:
  void kernels(std::string_view key, std::span<const Kernel> list) {
    out_.key(key).begin_array();
    for (const Kernel& kernel : list) {
      out_.begin_object();
      out_.key("node").string(task_.nodes[kernel.node].name);
      out_.key("segment").integer(kernel.segment);
      time("load", kernel.load);
      out_.key("m").integer(kernel.m);
      time("c", kernel.c);
      out_.end_object();
    }
    out_.end_array();
  }

  void reference(json::Writer& out, std::uint32_t place) {
    const Kernel& kernel = plan_.schedule.kernels[place];
    out.begin_array();
    out.string(task_.nodes[kernel.node].name).integer(kernel.segment);
    out.end_array();
  }
  void references(std::string_view key, const Step& step) {
    out_.key(key).begin_array();
    for (std::uint32_t place = step.begin; place < step.end; ++place) reference(out_, place);
    out_.end_array();
  }

  std::size_t barrier_pairs() const {
    std::size_t pairs = 0;
    const auto& steps = plan_.schedule.steps;
    for (std::size_t j = 1; j < steps.size(); ++j) {
      pairs += plan_.schedule.all(steps[j - 1]).size() * plan_.schedule.all(steps[j]).size();
    }
    return pairs;
  }

  json::Writer& out_;
  TimeUnit unit_;
  const Task& task_;
  const DagPlan& plan_;
  Segments segments_;
};

}  // namespace

std::string DagPlan::kernel_name(const System& system, const Segments& segments,
                                 std::uint32_t place) const {
  const Kernel& kernel = schedule.kernels[place];
  const std::string& name = system.tasks[task].nodes[kernel.node].name;
  return segments.is_cut(kernel.node) ? name + "." + std::to_string(kernel.segment) : name;
}

void DagPlan::write_fields(json::Writer& out, const System& system) const {
  FieldWriter fields(out, system, *this);
  out.key("task").string(system.tasks[task].name);
  fields.time("bound", schedule.bound);
  if (deadline) {
    fields.time("deadline", *deadline);
    out.key("schedulable").boolean(schedule.bound <= *deadline);
  } else {
    out.key("deadline").null();
  }
  out.key("cuts").integer(static_cast<std::int64_t>(cuts(system)));
  fields.steps();
  fields.segments();
  fields.edges();
  fields.barriers();
}

}  // namespace tactus::dag
