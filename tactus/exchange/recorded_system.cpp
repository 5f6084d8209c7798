#include "tactus/exchange/recorded_system.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/rhythms.hpp"
#include "tactus/exchange/triggers.hpp"
#include "tactus/model/reachability.hpp"
#include "tactus/model/reserve.hpp"

namespace tactus::exchange {
namespace {

/// The longest and the shortest that was seen, over all jobs.
struct Seen {
  std::int64_t longest = 0, shortest = INT64_MAX;
  std::int64_t longest_launch = 0;
  std::int64_t jobs = 0;  ///< that did it
};

std::vector<Seen> seen_in(const Folded& folded, const std::vector<Job>& jobs) {
  std::vector<Seen> seen(folded.nodes.size());
  for (const Job& job : jobs) {
    const NodeTimes times = times_of(folded, job);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      seen[i].longest = std::max(seen[i].longest, times.lasts[i]);
      seen[i].shortest = std::min(seen[i].shortest, times.lasts[i]);
      seen[i].longest_launch = std::max(seen[i].longest_launch, times.launch[i]);
      if (times.present[i]) ++seen[i].jobs;
    }
  }
  return seen;
}

/// CPU nodes that never take any time, taken out: what came before them comes before what came after.
std::vector<Edge> without(const std::vector<bool>& dropped, const std::vector<Edge>& edges) {
  std::vector<std::set<NodeIndex>> next(dropped.size()), previous(dropped.size());
  for (const auto& [from, to] : edges) {
    next[from].insert(to);
    previous[to].insert(from);
  }
  for (NodeIndex gone = 0; gone < dropped.size(); ++gone) {
    if (!dropped[gone]) continue;
    for (NodeIndex from : previous[gone]) {
      next[from].erase(gone);
      next[from].insert(next[gone].begin(), next[gone].end());
    }
    for (NodeIndex to : next[gone]) {
      previous[to].erase(gone);
      previous[to].insert(previous[gone].begin(), previous[gone].end());
    }
  }
  std::vector<Edge> kept;
  for (NodeIndex from = 0; from < dropped.size(); ++from) {
    if (dropped[from]) continue;
    for (NodeIndex to : next[from]) kept.emplace_back(from, to);
  }
  return kept;
}

/// Without the edges that say nothing new, because a longer path says it. For a reader only, so that
/// a large graph may keep them.
std::vector<Edge> without_shortcuts(NodeIndex nodes, const std::vector<Edge>& edges) {
  constexpr NodeIndex kLargest = 4000;
  if (nodes > kLargest) return edges;
  const Graph graph(nodes, edges);
  const Reachability reach(graph);
  std::vector<Edge> kept;
  for (const auto& [from, to] : edges) {
    const auto next = graph.successors(from);
    const bool shortcut = std::any_of(next.begin(), next.end(), [&, target = to](NodeIndex other) {
      return other != target && reach.before(other, target);
    });
    if (!shortcut) kept.emplace_back(from, to);
  }
  return kept;
}

class Builder {
 public:
  Builder(const Recording& recording, const RecordedTasks& recorded, const ImportOptions& options,
          std::vector<std::string>& notes)
      : recording_(recording), recorded_(recorded), options_(options), notes_(notes) {}

  System build() {
    system_.name = clean_name(options_.name);
    system_.time_unit = options_.time_unit;
    if (recording_.pinned) number_threads();
    add_elements();
    for (const RecordedTask& task : recorded_.tasks) add_task(task);
    drop_unused_copy_engines();
    if (recording_.triggers.empty()) {
      add_followings(jobs_, options_, system_, notes_);
    } else {
      add_triggers(recording_, recorded_.tasks, options_, system_, notes_);
      for (std::size_t i = 0; i < rhythm_notes_.size(); ++i) {
        if (system_.tasks[i].after) continue;
        notes_.insert(notes_.end(), rhythm_notes_[i].begin(), rhythm_notes_[i].end());
      }
    }
    tell();
    return std::move(system_);
  }

 private:
  static constexpr ElementIndex kCpu = 0;

  static Element element(std::string name, ElementKind kind, std::int64_t units) {
    Element made;
    made.name = std::move(name);
    made.kind = kind;
    made.units = units;
    return made;
  }

  const GpuDevice* device(std::int64_t id) const {
    for (const GpuDevice& one : recording_.devices) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }

  /// The one in which most of its jobs ran.
  static ThreadId main_thread(const RecordedTask& task) {
    std::map<ThreadId, std::size_t> jobs;
    for (const Job& job : task.jobs) ++jobs[job.by];
    return std::max_element(jobs.begin(), jobs.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  void number_threads() {
    std::size_t moving = 0;
    for (const RecordedTask& task : recorded_.tasks) {
      const ThreadId main = main_thread(task);
      threads_.try_emplace(main, threads_.size());
      moving += std::any_of(task.jobs.begin(), task.jobs.end(),
                            [&](const Job& job) { return job.by != main; })
                    ? 1
                    : 0;
    }
    if (moving > 0) {
      notes_.push_back(
          fmt::format("{} tasks ran in several threads; each gets the core of the one in which it "
                      "ran most",
                      moving));
    }
    if (threads_.size() < recorded_.tasks.size()) {
      notes_.emplace_back(
          "tasks of one thread do not preempt each other, but tasks of one core do in the file: "
          "give each its own executor, in the order of the priorities, before you rely on bounds");
    }
  }

  /// The cpu element, and for each device the SMs and the copy engine, in the recording's numbers.
  void add_elements() {
    const auto threads = static_cast<std::int64_t>(recorded_.threads);
    const auto tasks = static_cast<std::int64_t>(recorded_.tasks.size());
    const std::int64_t cores = options_.cores.value_or(
        recording_.pinned ? static_cast<std::int64_t>(threads_.size()) : std::max(threads, tasks));
    system_.platform.elements.push_back(element("cpu", ElementKind::kCpu, cores));
    if (!options_.cores) {
      notes_.push_back(fmt::format(
          "the trace does not say how many cores there are: {} assumed, one per {}; --cores "
          "changes it",
          cores, recording_.pinned ? "thread" : "task and thread"));
    }
    for (std::size_t i = 0; i < recorded_.devices.size(); ++i) {
      const GpuDevice* known = device(recorded_.devices[i]);
      const std::string number = i == 0 ? "" : std::to_string(i);
      Element gpu =
          element("gpu" + number, ElementKind::kGpu,
                  options_.sms.value_or(known != nullptr && known->units > 0 ? known->units : 1));
      if (known != nullptr && known->sm != SmLimits{}) gpu.sm = known->sm;
      if (!options_.sms && (known == nullptr || known->units == 0)) {
        notes_.push_back(fmt::format(
            "the trace does not say how many SMs {} has: 1 assumed; --sms changes it", gpu.name));
      }
      system_.platform.elements.push_back(std::move(gpu));
      system_.platform.elements.push_back(element("copy" + number, ElementKind::kCopy, 1));
    }
  }

  static ElementIndex element_of(std::uint32_t recorded) {
    return recorded == Folded::kCpu ? kCpu : recorded + 1;
  }

  void add_task(const RecordedTask& recorded) {
    Task task;
    const bool renamed = !options_.task.empty() && recorded_.tasks.size() == 1;
    task.name = task_names_.make(clean_name(renamed ? options_.task : recorded.name));
    const std::size_t place =
        recording_.pinned ? threads_.at(main_thread(recorded)) : system_.tasks.size();
    task.core = static_cast<std::int64_t>(place) % system_.platform.elements.front().units + 1;
    std::vector<SeenJob>& jobs = jobs_.emplace_back();
    for (const Job& job : recorded.jobs) {
      jobs.push_back({Time::from_ns(job.start), Time::from_ns(job.end)});
    }
    const auto said = recording_.periods.find(recorded.name);
    if (said != recording_.periods.end()) task.period = said->second;
    // Where one task starts another, what the starts alone show may not count.
    auto& told = recording_.triggers.empty() ? notes_ : rhythm_notes_.emplace_back();
    add_rhythm(jobs, options_, task, told);
    const Folded folded = fold(recorded.shape, options_.fold);
    const std::vector<Seen> seen = seen_in(folded, recorded.jobs);
    std::vector<bool> dropped(folded.nodes.size());
    const auto on_cpu = [](const Folded::Node& node) { return node.element == Folded::kCpu; };
    const bool no_gpu = std::all_of(folded.nodes.begin(), folded.nodes.end(), on_cpu);
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      dropped[i] =
          on_cpu(folded.nodes[i]) && ((options_.gpu_only && !no_gpu) || seen[i].longest == 0);
    }
    if (std::find(dropped.begin(), dropped.end(), false) == dropped.end()) dropped.back() = false;
    std::vector<NodeIndex> node_at(folded.nodes.size());
    UniqueNames names;
    for (std::size_t i = 0; i < folded.nodes.size(); ++i) {
      if (dropped[i]) continue;
      node_at[i] = static_cast<NodeIndex>(task.nodes.size());
      task.nodes.push_back(node_of(recorded, folded.nodes[i], seen[i], names));
    }
    std::vector<Edge> edges = without(dropped, folded.edges);
    for (Edge& edge : edges) edge = {node_at[edge.first], node_at[edge.second]};
    const auto nodes = static_cast<NodeIndex>(task.nodes.size());
    task.graph = Graph(nodes, without_shortcuts(nodes, edges));
    if (recorded.different_jobs > 0) {
      notes_.push_back(fmt::format(
          "task {}: {} of {} jobs do not do the same as the first; what only some jobs do is "
          "there, too",
          quote(task.name), recorded.different_jobs, recorded.jobs.size()));
    }
    system_.tasks.push_back(std::move(task));
  }

  Node node_of(const RecordedTask& recorded, const Folded::Node& folded, const Seen& seen,
               UniqueNames& names) {
    Node node;
    node.on = element_of(folded.element);
    node.name = names.make(name_of(recorded, folded));
    const Reserve reserve{options_.margin};
    node.wcet = reserve.above(Time::from_ns(seen.longest));
    if (!options_.gpu_only) node.launch = reserve.above(Time::from_ns(seen.longest_launch));
    if (options_.bcet) node.bcet = reserve.below(Time::from_ns(seen.shortest));
    add_measured(seen, node);
    if (folded.steps.size() == 1) add_launch_configuration(recorded, folded, node);
    return node;
  }

  void add_measured(const Seen& seen, Node& node) const {
    if (!recording_.times_are.empty()) return;
    Measured measured = Reserve{options_.margin}.measured(Time::from_ns(seen.longest), seen.jobs);
    const ElementIndex device_element = node.on == kCpu ? 1 : node.on;
    const GpuDevice* known =
        recorded_.devices.empty() ? nullptr : device(recorded_.devices[(device_element - 1) / 2]);
    if (known != nullptr && !known->name.empty()) measured.on = clean_name(known->name);
    if (!recording_.date.empty()) measured.date = recording_.date;
    node.measured = std::move(measured);
  }

  std::string name_of(const RecordedTask& recorded, const Folded::Node& folded) const {
    if (folded.steps.empty()) return "cpu";
    const Step& first = recorded.shape.steps[folded.steps.front()];
    const std::string& own = recording_.names[first.name];
    if (folded.steps.size() == 1) {
      const bool whole = recording_.plain_names || folded.element == Folded::kCpu;
      return whole ? clean_name(own) : short_name(own);
    }
    if (options_.fold == Fold::kAnnotation && !recording_.names[first.annotation].empty()) {
      return clean_name(recording_.names[first.annotation]);
    }
    if (options_.fold == Fold::kStream) {
      return fmt::format("stream {}", recorded_.streams[first.lane]);
    }
    return is_copy_engine(folded.element) ? "copies" : "kernels";
  }

  void add_launch_configuration(const RecordedTask& recorded, const Folded::Node& folded,
                                Node& node) {
    const Step& step = recorded.shape.steps[folded.steps.front()];
    if (step.blocks == 0 || step.threads == 0) return;
    ++kernels_;
    node.blocks = step.blocks;
    node.threads = step.threads;
    if (step.registers > 0) node.registers = step.registers;
    if (step.shared_memory > 0) node.shared_memory = step.shared_memory;
    const Element& gpu = system_.platform.elements[node.on];
    if (options_.demand == Demand::kWhole) return;
    if (step.blocks < gpu.units) {
      node.parallelism = step.blocks;
      ++narrow_;
      return;
    }
    if (options_.demand != Demand::kOccupancy || !gpu.sm) return;
    GpuWork work;
    work.threads = step.threads;
    work.registers = step.registers;
    work.shared_memory = step.shared_memory;
    const auto together = blocks_per_sm(work, *gpu.sm);
    if (!together || *together < 1) return;
    const std::int64_t units = (step.blocks + *together - 1) / *together;
    if (units >= gpu.units) return;
    node.parallelism = units;
    ++guessed_;
  }

  /// Only those that copies use; elements behind them move up.
  void drop_unused_copy_engines() {
    auto& elements = system_.platform.elements;
    std::vector<bool> used(elements.size());
    for (const Task& task : system_.tasks) {
      for (const Node& node : task.nodes) used[node.on] = true;
    }
    std::vector<ElementIndex> place(elements.size());
    std::vector<Element> kept;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].kind == ElementKind::kCopy && !used[i]) continue;
      place[i] = static_cast<ElementIndex>(kept.size());
      kept.push_back(std::move(elements[i]));
    }
    elements = std::move(kept);
    for (Task& task : system_.tasks) {
      for (Node& node : task.nodes) node.on = place[node.on];
    }
  }

  void tell() {
    notes_.push_back(
        recording_.times_are.empty()
            ? fmt::format("times are the longest of all jobs, plus {} %: measured, not proved; "
                          "`measured` says of how many jobs",
                          options_.margin)
            : fmt::format("times are {}, plus {} %", recording_.times_are, options_.margin));
    if (options_.gpu_only) {
      notes_.emplace_back(
          "CPU work is left out, as asked: launches, and what the program does between them");
    }
    if (!options_.task.empty() && recorded_.tasks.size() > 1) {
      notes_.push_back(fmt::format("there are {} tasks, so none is called {}",
                                   recorded_.tasks.size(), quote(options_.task)));
    }
    if (narrow_ > 0) {
      notes_.push_back(
          fmt::format("{} of {} kernels have fewer blocks than the GPU has SMs: `parallelism` is "
                      "their number of blocks, because each block had an SM for itself",
                      narrow_, kernels_));
    }
    if (guessed_ > 0) {
      notes_.push_back(
          fmt::format("{} of {} kernels got the SMs that hold their blocks at once (occupancy): a "
                      "guess, because on the whole GPU they were spread wider",
                      guessed_, kernels_));
    }
  }

  const Recording& recording_;
  const RecordedTasks& recorded_;
  const ImportOptions& options_;
  std::vector<std::string>& notes_;
  System system_;
  UniqueNames task_names_;
  std::map<ThreadId, std::size_t> threads_;             ///< their cores, where they have their own
  std::vector<std::vector<std::string>> rhythm_notes_;  ///< by task
  std::vector<std::vector<SeenJob>> jobs_;              ///< by task
  std::size_t kernels_ = 0, narrow_ = 0, guessed_ = 0;
};

}  // namespace

System system_of(const Recording& recording, const RecordedTasks& recorded,
                 const ImportOptions& options, std::vector<std::string>& notes) {
  return Builder(recording, recorded, options, notes).build();
}

}  // namespace tactus::exchange
