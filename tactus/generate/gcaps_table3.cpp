#include "tactus/generate/gcaps_table3.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "tactus/generate/cores_and_priorities.hpp"
#include "tactus/generate/drawn_memory.hpp"
#include "tactus/generate/gpu_costs.hpp"
#include "tactus/generate/shares.hpp"

/// Order of draws: for each CPU the number of tasks, its utilisation and the split of it (or, with
/// `tasks`, for each task its utilisation); for each task of it the period, its GPU probability and
/// whether it uses the GPU, then for a GPU user G/C, the number of segments, the split of G, the
/// split of C, and each launch share. Last, the tasks that become best-effort.
///
/// The authors' release (github.com/rtenlab/gcaps-super-repo, 83fbe6c) draws in another way than the
/// paper describes; `split`, `cores` and `steps` have a value for each difference, so that the
/// published figures can be had, and what each difference does to them.
namespace tactus::gcaps {
namespace {

constexpr auto kTable3Parameters = std::to_array<Parameter>({
    {"cpus", "4", "CPU cores"},
    {"tasks-min", "3", "fewest tasks per CPU"},
    {"tasks-max", "6", "most tasks per CPU"},
    {"util-min", "0.4", "least utilisation of a CPU"},
    {"util-max", "0.6", "largest utilisation of a CPU"},
    {"split", "uunifast",
     "of a CPU's utilisation: uunifast (a share is at least 0.01), or discard, drs (within "
     "task-util); released: as in the authors' release, where the largest share comes from the "
     "largest number (UUniFast inverted), also of segments, and shares are whole hundredths"},
    {"tasks", "0", "tasks of the whole set, each with its own utilisation; 0: CPU by CPU as above"},
    {"task-util-min", "0.05", "least utilisation of a task"},
    {"task-util-max", "0.3", "largest utilisation of a task"},
    {"cores", "worst-fit",
     "worst-fit: allocated again, largest utilisation first, as in the paper; drawn: each task "
     "stays on the CPU it was drawn for, as in the authors' release (with `tasks`: worst-fit in "
     "the order of the draws)"},
    {"steps", "no",
     "released: numbers in steps, as in the authors' release: hundredths, and with `tasks` "
     "utilisations in twentieths, without the largest"},
    {"period-min", "30", "shortest period, ms"},
    {"period-max", "500", "longest period, ms"},
    {"gpu-min", "0.4", "least probability that a task uses the GPU"},
    {"gpu-max", "0.6", "largest probability that a task uses the GPU"},
    {"ratio-min", "0.2", "least G/C of a GPU-using task"},
    {"ratio-max", "2", "largest G/C of a GPU-using task"},
    {"segments-max", "3", "most GPU segments of a task"},
    {"launch-min", "0.1", "least share of a segment that is launch code"},
    {"launch-max", "0.3", "largest share of a segment that is launch code"},
    {"best-effort", "0", "share of the tasks that lose their priority"},
    kRunlistUpdate,
    kContextSwitch,
    kTimeSlice,
    kPreemptCost,
    kResumeCost,
    kStartCost,
    {"arbiter-core", "0", "the core that the arbiter shares; 0: not given"},
});

constexpr std::int64_t kMostSegments = 100;

/// How a total is shared out: `Splitter`, and one more, which is no uniform one.
constexpr std::string_view kSplits[] = {kSplitterNames[0], kSplitterNames[1], kSplitterNames[2],
                                        "released"};

double in_hundredths(double value) { return std::round(100 * value) / 100; }

/// What the authors' release has in the place of UUniFast: of what is left, each share takes
/// u^(1/k), where UUniFast leaves so much; k shares follow. So the first is the largest. That number
/// is drawn as the largest of k uniform ones, which needs no `pow`. Then they are shuffled.
void split_inverted(double total, Random& random, std::span<double> shares) {
  double left = total;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    double taken = i + 1 == shares.size() ? 1 : 0;
    for (std::size_t k = i + 1; k < shares.size(); ++k) taken = std::max(taken, random.real());
    shares[i] = in_hundredths(taken * left);
    left -= taken * left;
  }
  for (std::size_t i = shares.size(); i > 1; --i) {
    std::swap(shares[i - 1],
              shares[static_cast<std::size_t>(random.integer(0, std::int64_t(i) - 1))]);
  }
}

/// All settings.
struct Setup {
  std::int64_t cpus, tasks, segments_most;
  IntegerRange tasks_a_cpu, period;
  Range utilisation, gpu, ratio, launch;
  Bounds task_utilisation;
  std::optional<Splitter> splitter;  ///< nothing: inverted, as in the authors' release
  bool worst_fit, steps;
  double best_effort;
  Platform platform;

  /// May a task's share of a CPU be outside of `task_utilisation`?
  bool ignores_bounds() const { return !splitter || *splitter == Splitter::kUUniFast; }
  /// A number of that range.
  double draw(const Range& range, Random& random) const {
    if (!steps) return range.draw(random);
    return static_cast<double>(
               random.integer(std::lround(100 * range.low), std::lround(100 * range.high))) /
           100;
  }
  /// The utilisation of a task that is drawn for no CPU.
  double draw_task_utilisation(Random& random) const {
    const auto [low, high] = task_utilisation;
    if (!steps) return random.real(low, high);
    constexpr double kStep = 0.05;
    const std::int64_t last = std::max<std::int64_t>(std::lround((high - low) / kStep) - 1, 0);
    return low + kStep * static_cast<double>(random.integer(0, last));
  }
  /// Of the time of a task, among its segments.
  void split_segments(double total, Random& random, std::span<double> parts) const {
    if (splitter) {
      split_uniformly(total, random, parts);
    } else {
      split_inverted(total, random, parts);
    }
  }
};

/// Every number of tasks must be able to share every utilisation of a CPU, so that no draw fails.
void check_split(const Setup& setup, Settings& settings) {
  if (setup.tasks > 0 || setup.ignores_bounds()) return;
  const auto check = [&](std::int64_t count, double total) {
    if (can_split(total, static_cast<std::size_t>(count), setup.task_utilisation)) return;
    settings.refuse(fmt::format("{} tasks of [{}, {}] cannot have the utilisation {} together",
                                count, setup.task_utilisation.low, setup.task_utilisation.high,
                                total));
  };
  // The extremes decide: the least utilisation with the most tasks, and the opposite.
  check(setup.tasks_a_cpu.high, setup.utilisation.low);
  check(setup.tasks_a_cpu.low, setup.utilisation.high);
}

Element read_gpu(Settings& settings) {
  Element gpu;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  read_gpu_costs(settings).put_on(gpu);
  const std::int64_t arbiter_core = settings.integer("arbiter-core", 0, 1'000'000);
  if (arbiter_core > 0) gpu.arbiter_core = arbiter_core;
  return gpu;
}

Setup read(Settings& settings) {
  Setup setup{};
  setup.cpus = settings.integer("cpus", 1, 1024);
  setup.tasks_a_cpu = settings.integers("tasks-min", "tasks-max", 1, 1000);
  setup.utilisation = settings.range("util-min", "util-max", 0, 1);
  const std::size_t split = settings.choice("split", kSplits);
  if (split < std::size(kSplitterNames)) setup.splitter = static_cast<Splitter>(split);
  setup.tasks = settings.integer("tasks", 0, 1'000'000);
  const Range task_utilisation = settings.range("task-util-min", "task-util-max", 0, 1);
  setup.task_utilisation = {task_utilisation.low, task_utilisation.high};
  static constexpr std::string_view kCores[] = {"worst-fit", "drawn"};
  setup.worst_fit = settings.choice("cores", kCores) == 0;
  static constexpr std::string_view kSteps[] = {"no", "released"};
  setup.steps = settings.choice("steps", kSteps) == 1;
  setup.period = settings.integers("period-min", "period-max", 1, 1'000'000);
  setup.gpu = settings.range("gpu-min", "gpu-max", 0, 1);
  setup.ratio = settings.range("ratio-min", "ratio-max", 0, 1e6);
  setup.segments_most = settings.integer("segments-max", 1, kMostSegments);
  setup.launch = settings.range("launch-min", "launch-max", 0, 1);
  setup.best_effort = settings.real("best-effort", 0, 1);
  Element cpu;
  cpu.name = "cpu";
  cpu.kind = ElementKind::kCpu;
  cpu.units = setup.cpus;
  setup.platform.elements = {std::move(cpu), read_gpu(settings)};
  const std::int64_t most_tasks =
      setup.tasks > 0 ? setup.tasks : setup.cpus * setup.tasks_a_cpu.high;
  const double nodes = static_cast<double>(most_tasks) *
                       static_cast<double>(setup.gpu.high > 0 ? 2 * setup.segments_most + 1 : 1);
  settings.expect_size(nodes, nodes);
  if (settings.error().empty()) check_split(setup, settings);
  return setup;
}

/// The tasks of the system to be, and the utilisation of each.
struct Drafts {
  std::vector<Task>& tasks;
  std::vector<double> utilisations = {};
};

/// @pre the name is empty
void set_name(std::string& name, char kind, std::size_t number) {
  name += kind;
  if (number < 10) {
    name += static_cast<char>('0' + number);
    return;
  }
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  name.append(digits, end);
}

/// C, G, C, G, ..., C with eta GPU segments, or one CPU segment.
void add_nodes(Task& task, double demand, const Setup& setup, Random& random) {
  const auto add = [&](char kind, ElementIndex on, double wcet, double launch) {
    Node& node = task.nodes.emplace_back();
    set_name(node.name, kind, task.nodes.size());
    node.on = on;
    node.wcet = time_of_ms(wcet);
    if (launch > 0) node.launch = time_of_ms(launch);
  };
  if (!random.chance(setup.draw(setup.gpu, random))) {
    add('c', 0, demand, 0);
  } else {
    const double ratio = setup.draw(setup.ratio, random);
    const double cpu = demand / (1 + ratio);
    const auto eta = static_cast<std::size_t>(random.integer(1, setup.segments_most));
    task.nodes.reserve(2 * eta + 1);
    std::array<double, kMostSegments> gpu_parts;
    std::array<double, kMostSegments + 1> cpu_parts;
    setup.split_segments(demand - cpu, random, std::span(gpu_parts).first(eta));
    setup.split_segments(cpu, random, std::span(cpu_parts).first(eta + 1));
    for (std::size_t k = 0; k < eta; ++k) {
      add('c', 0, cpu_parts[k], 0);
      const double launch = gpu_parts[k] * setup.draw(setup.launch, random);
      add('g', 1, gpu_parts[k] - launch, launch);
    }
    add('c', 0, cpu_parts[eta], 0);
  }
  task.graph = take_chain(static_cast<NodeIndex>(task.nodes.size()));
}

Task& draw_task(double utilisation, const Setup& setup, Random& random, Drafts& drafts) {
  Task& task = drafts.tasks.emplace_back();
  task.nodes = take_node_memory();
  drafts.utilisations.push_back(utilisation);
  set_name(task.name, 't', drafts.tasks.size());
  const std::int64_t period = setup.period.draw(random);
  task.period = task.deadline = Time::from_ms(period);
  add_nodes(task, utilisation * static_cast<double>(period), setup, random);
  return task;
}

/// CPU by CPU, a utilisation each, split among its tasks.
void draw_by_cpu(const Setup& setup, Random& random, Drafts& drafts) {
  constexpr double kLeastShare = 0.01;
  for (std::int64_t cpu = 0; cpu < setup.cpus; ++cpu) {
    const auto count = static_cast<std::size_t>(setup.tasks_a_cpu.draw(random));
    const double total = setup.draw(setup.utilisation, random);
    std::vector<double> shares(count);
    if (setup.splitter) {  // check_split saw to it that there are some
      shares = split(*setup.splitter, total, count, setup.task_utilisation, random).value();
    } else {
      split_inverted(total, random, shares);
    }
    for (double share : shares) {
      if (setup.ignores_bounds()) share = std::max(share, kLeastShare);
      draw_task(share, setup, random, drafts).core = cpu + 1;
    }
  }
}

void draw_tasks(const Setup& setup, Random& random, Drafts& drafts) {
  const std::int64_t most = setup.tasks > 0 ? setup.tasks : setup.cpus * setup.tasks_a_cpu.high;
  drafts.tasks.reserve(static_cast<std::size_t>(most));
  drafts.utilisations.reserve(static_cast<std::size_t>(most));
  if (setup.tasks == 0) draw_by_cpu(setup, random, drafts);
  for (std::int64_t i = 0; i < setup.tasks; ++i) {
    draw_task(setup.draw_task_utilisation(random), setup, random, drafts);
  }
}

void make_some_best_effort(std::vector<Task>& tasks, double share, Random& random) {
  const auto count = static_cast<std::size_t>(share * static_cast<double>(tasks.size()));
  if (count == 0) return;
  std::vector<std::size_t> left(tasks.size());
  std::iota(left.begin(), left.end(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto pick = random.integer(0, static_cast<std::int64_t>(left.size()) - 1);
    Task& task = tasks[left[static_cast<std::size_t>(pick)]];
    task.best_effort = true;
    task.priority.reset();
    left.erase(left.begin() + pick);
  }
}

System make_table3(Settings& settings, Random& random) {
  const Setup& setup = settings.read_once(read);
  System system;
  if (!settings.error().empty()) return system;
  system.platform = setup.platform;
  system.tasks = take_task_memory();
  Drafts drafts{system.tasks};
  draw_tasks(setup, random, drafts);
  give_rate_monotonic_priorities(system.tasks);
  if (setup.worst_fit) {
    place_on_cores(system.tasks, drafts.utilisations, setup.cpus);
  } else if (setup.tasks > 0) {
    place_on_cores_in_order(system.tasks, drafts.utilisations, setup.cpus);
  }
  make_some_best_effort(system.tasks, setup.best_effort, random);
  return system;
}

}  // namespace

const Recipe kTable3 = {
    "gcaps-table3",
    "task sets of the GCAPS evaluation (Table 3), rate monotonic, worst-fit decreasing",
    kTable3Parameters, make_table3};

}  // namespace tactus::gcaps
