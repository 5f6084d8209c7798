// A method, a policy and a recipe of your own, for `tactus --plugin` (docs/use/own-methods.md).
//
// The policy runs one job at a time, in the order of release, and of that job one node at a time.
// If every deadline is met and none is longer than its period, then a job finds at most one job of
// every other task before it. So its response is at most the work of one job of each task.
#include <algorithm>

#include "tactus/simulate/plugin.hpp"

namespace {

using namespace tactus;

constexpr std::string_view kVariants[] = {kSafe};

/// What one job of a task needs.
Time work_of(const Task& task) {
  Time work;
  for (const Node& node : task.nodes) work += node.launch + *node.wcet;
  return work;
}

/// Why the method does not cover a system; nothing if it does.
std::optional<Refusal> refusal(const System& system) {
  for (const Task& task : system.tasks) {
    if (task.best_effort || !task.period || !task.deadline || *task.deadline > *task.period) {
      return Refusal{"task `" + task.name + "` has no deadline within its period", task.at};
    }
    for (const Node& node : task.nodes) {
      if (!node.wcet) return Refusal{"node `" + node.name + "` has no wcet", node.at};
    }
  }
  return std::nullopt;
}

Verdict analyze_in_turn(const System& system, const Options&) {
  if (auto why = refusal(system)) return Verdict::not_applicable(std::move(*why));
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  verdict.hold_only_together = true;  // the argument above needs every deadline
  Time all;
  for (const Task& task : system.tasks) all += work_of(task);
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    TaskVerdict task;
    task.task = index;
    task.deadline = system.tasks[index].deadline;
    task.bound = all;
    task.schedulable = all <= *task.deadline;
    const Time own = work_of(system.tasks[index]);
    task.terms = {{.label = "own work", .amount = own}, {.label = "others", .amount = all - own}};
    if (!task.schedulable) verdict.status = Status::kUnschedulable;
    verdict.tasks.push_back(std::move(task));
  }
  return verdict;
}

/// One job at a time, in the order of release; ties go to the task that is listed first.
class InTurn final : public simulate::Policy {
 public:
  void expand(const simulate::View& view, TaskIndex index, simulate::Job& job) override {
    const Task& task = view.system().tasks[index];
    for (NodeIndex n = 0; n < task.nodes.size(); ++n) {
      const Node& node = task.nodes[n];
      simulate::Work work;
      work.node = n;
      work.element = node.on;
      work.preemptible = false;
      work.remaining =
          node.launch + view.scenario().length(index, job.number, {.number = n, .node = n},
                                               node.bcet, *node.wcet);
      job.add(work);
    }
    for (const auto& [from, to] : task.graph.edges()) job.precede(from, to);
  }

  void choose(const simulate::View& view, simulate::Choice& choice) override {
    std::optional<simulate::WorkId> first;
    for (const simulate::WorkId id : view.ready()) {
      if (!first || is_before(view, id, *first)) first = id;
    }
    if (first) choice.run(*first, 0);
  }

  /// Audited runs ask whether a choice keeps the rule: nothing idles while work is ready.
  std::string_view audit(const simulate::View& view,
                         const simulate::Choice& choice) const override {
    const bool idle = choice.runs.empty() && view.ready().begin() != view.ready().end();
    return idle ? "nothing runs while work is ready" : "";
  }

 private:
  static bool is_before(const simulate::View& view, simulate::WorkId a, simulate::WorkId b) {
    const auto& first = view.job(a.task);
    const auto& second = view.job(b.task);
    // A node that has been started stays: nothing here may be preempted.
    if (view.work(a).started != view.work(b).started) return view.work(a).started;
    if (first.release != second.release) return first.release < second.release;
    return a.task < b.task || (a.task == b.task && a.index < b.index);
  }
};

Result<std::unique_ptr<simulate::Policy>> make_in_turn(const System&, const Verdict&) {
  return std::unique_ptr<simulate::Policy>(std::make_unique<InTurn>());
}

constexpr Parameter kParameters[] = {{"tasks", "3", "Tasks of a system"}};

/// Chains of a node on the CPU and a node on the GPU, near the limit of what the method proves.
System draw_small(Settings& settings, Random& random) {
  const std::int64_t tasks = settings.integer("tasks", 1, 100);
  System system;
  for (const auto& [name, kind] :
       {std::pair("cpu", ElementKind::kCpu), std::pair("gpu", ElementKind::kGpu)}) {
    Element& element = system.platform.elements.emplace_back();
    element.name = name;
    element.kind = kind;
  }
  const auto milliseconds = [](std::int64_t count) { return Time::from_ns(count * 1'000'000); };
  for (std::int64_t i = 1; i <= tasks; ++i) {
    Task& task = system.tasks.emplace_back();
    task.name = "t" + std::to_string(i);
    task.period = milliseconds(random.integer(5 * tasks, 12 * tasks));
    task.deadline = task.period;
    for (ElementIndex element = 0; element < 2; ++element) {
      Node& node = task.nodes.emplace_back();
      node.name = "n" + std::to_string(element + 1);
      node.on = element;
      node.wcet = milliseconds(random.integer(1, 4));
      node.bcet = Time();
    }
    task.graph = Graph(2, {{0, 1}});
  }
  return system;
}

const Method kInTurn = {
    .id = "mine.in-turn",
    .title = "one job at a time, in the order of release",
    .paper = "your own",
    .assumes = "a wcet per node, deadlines within periods",
    .needs = "a dispatcher that runs one job at a time",
    .variants = kVariants,
    .analyze = analyze_in_turn,
    .behaviour = {.name = "in-turn", .recipe = "in-turn-small"},
};

}  // namespace

TACTUS_PLUGIN(plugin) {
  plugin.add_method(kInTurn);
  plugin.add_policy<make_in_turn>("in-turn", "one job at a time, in the order of release");
  plugin.add_recipe<draw_small>("in-turn-small", "Two nodes per task, for mine.in-turn",
                                kParameters);
}
