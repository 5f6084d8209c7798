#include "tactus/generate/rtgpu_table1.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "tactus/generate/cores_and_priorities.hpp"
#include "tactus/generate/shares.hpp"

/// The generator behind Figs. 8 to 11 of the RTGPU paper. Order of draws: one share of the
/// utilisation per task; then task after task its kernel type, and along its chain each length.
namespace tactus::rtgpu {
namespace {

constexpr std::array<Parameter, 15> kParameters = {{
    {"tasks", "5", "tasks a system, N"},
    {"subtasks", "5", "CPU segments per task, M; M-1 kernels"},
    {"sms", "10", "physical SMs"},
    {"utilization", "1.0", "total utilization U, on one CPU, one bus and one SM"},
    {"split", "scaled",
     "of U: scaled (uniform draws, scaled to U, as in the paper), uunifast, or discard, drs (<= "
     "1)"},
    {"copies", "2", "copies per kernel: 2, or 1 (no copy back)"},
    {"ratio", "1.0", "length of GPU work and copies to CPU work (Fig. 8: 0.5, 2, 8)"},
    {"lower", "1.0", "lower bounds as a part of the upper ones"},
    {"overhead", "0.12", "part of a kernel that more SMs do not speed up"},
    {"cpu-min", "1", "shortest CPU segment, ms"},
    {"cpu-max", "20", "longest CPU segment, ms"},
    {"copy-min", "1", "shortest copy, ms"},
    {"copy-max", "5", "longest copy, ms"},
    {"gpu-min", "1", "shortest kernel on one SM, ms"},
    {"gpu-max", "20", "longest kernel on one SM, ms"},
}};

/// Latency extension of computation, branch, memory and special-function kernels.
constexpr std::array<std::int64_t, 4> kBillionths = {1'800'000'000, 1'700'000'000, 1'700'000'000,
                                                     1'450'000'000};

/// Shares below this would give periods beyond any clock.
constexpr double kLeastShare = 1e-6;
constexpr double kLeastMs = 0.001, kMostMs = 1e6;

Time rounded_to_us(double ms) { return Time::from_us(std::llround(ms * 1e3)); }

struct Lengths {
  std::int64_t tasks, subtasks, sms, copies;
  double utilization, lower, overhead;
  std::optional<Splitter> splitter;  ///< none: uniform draws, scaled to their sum
  Range cpu, copy, gpu;
};

Lengths read(Settings& settings) {
  Lengths l{};
  l.tasks = settings.integer("tasks", 1, 100'000);
  l.subtasks = settings.integer("subtasks", 1, 1'000);
  l.sms = settings.integer("sms", 1, 1'000'000);
  l.copies = settings.integer("copies", 1, 2);
  l.utilization = settings.real("utilization", 0.001, 1'000);
  static constexpr std::string_view kSplits[] = {"scaled", kSplitterNames[0], kSplitterNames[1],
                                                 kSplitterNames[2]};
  if (const std::size_t split = settings.choice("split", kSplits); split > 0) {
    l.splitter = static_cast<Splitter>(split - 1);
  }
  l.lower = settings.real("lower", 0, 1);
  l.overhead = settings.real("overhead", 0, 1);
  l.cpu = settings.range("cpu-min", "cpu-max", kLeastMs, kMostMs);
  l.copy = settings.range("copy-min", "copy-max", kLeastMs, kMostMs);
  l.gpu = settings.range("gpu-min", "gpu-max", kLeastMs, kMostMs);
  // The CPU range stays; the others are stretched, or widened downwards.
  const double ratio = settings.real("ratio", 0.001, 1'000);
  for (Range* range : {&l.copy, &l.gpu}) {
    *range = {range->low * std::min(1.0, ratio), range->high * ratio};
  }
  const double nodes =
      static_cast<double>(l.tasks) * static_cast<double>((2 + l.copies) * (l.subtasks - 1) + 1);
  settings.expect_size(nodes, nodes);
  return l;
}

void add_platform(System& system, std::int64_t sms) {
  const auto add = [&](std::string_view name, ElementKind kind, std::int64_t units) {
    Element& element = system.platform.elements.emplace_back();
    element.name = name;
    element.kind = kind;
    element.units = units;
  };
  add("cpu", ElementKind::kCpu, 1);
  add("copy", ElementKind::kCopy, 1);
  add("gpu", ElementKind::kGpu, sms);
}

/// Adds the chain of one task. @return the sum of its lengths.
Time add_chain(const Lengths& l, Random& random, Task& task) {
  constexpr ElementIndex kCpu = 0, kCopy = 1, kGpu = 2;
  const Factor alpha{kBillionths[static_cast<std::size_t>(random.integer(0, 3))]};
  Time sum;
  const auto add = [&](ElementIndex on, char letter, std::int64_t number, Range range) {
    const Time length =
        std::max(rounded_to_us(random.real(range.low, range.high)), Time::from_us(1));
    const double us = static_cast<double>(length.ns()) / 1e3;
    const Time least = Time::from_us(static_cast<std::int64_t>(us * l.lower));
    Node& node = task.nodes.emplace_back();
    node.name = fmt::format("{}{}", letter, number);
    node.on = on;
    sum += length;
    if (on != kGpu) {
      node.wcet = length;
      node.bcet = least;
      return;
    }
    node.load = length;
    node.load_min = least;
    node.overhead = std::min(length, Time::from_us(std::llround(us * l.overhead)));
    node.interleave = alpha;
  };
  add(kCpu, 'c', 0, l.cpu);
  for (std::int64_t i = 0; i + 1 < l.subtasks; ++i) {
    add(kCopy, 'h', i, l.copy);
    add(kGpu, 'g', i, l.gpu);
    if (l.copies == 2) add(kCopy, 'd', i, l.copy);
    add(kCpu, 'c', i + 1, l.cpu);
  }
  task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  return sum;
}

/// The utilisation of each task.
std::vector<double> draw_shares(const Lengths& l, Settings& settings, Random& random) {
  const auto count = static_cast<std::size_t>(l.tasks);
  std::vector<double> shares;
  if (l.splitter) {
    const auto made = split(*l.splitter, l.utilization, count, Bounds{0, 1}, random);
    if (!made) {
      settings.refuse(fmt::format("{} tasks of at most 1 cannot have the utilization {} together",
                                  l.tasks, l.utilization));
    }
    shares = made.value_or(std::vector<double>(count));
    for (double& share : shares) share = std::max(share, kLeastShare);
    return shares;
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    shares.push_back(std::max(random.real(), kLeastShare));
    sum += shares.back();
  }
  // A share above 1 can be feasible, thanks to several SMs: nothing is rejected.
  for (double& share : shares) share = share / sum * l.utilization;
  return shares;
}

System make_table1(Settings& settings, Random& random) {
  const Lengths l = read(settings);
  System system;
  add_platform(system, l.sms);
  if (!settings.error().empty()) return system;

  const std::vector<double> shares = draw_shares(l, settings, random);
  for (std::int64_t i = 0; i < l.tasks; ++i) {
    Task& task = system.tasks.emplace_back();
    task.name = fmt::format("t{}", i + 1);
    const Time length = add_chain(l, random, task);
    const double share = shares[static_cast<std::size_t>(i)];
    task.period =
        std::max(rounded_to_us(static_cast<double>(length.ns()) / 1e6 / share), Time::from_us(1));
    task.deadline = task.period;
  }
  give_deadline_monotonic_priorities(system.tasks);
  return system;
}

}  // namespace

const Recipe kTable1 = {"rtgpu-table1",
                        "task sets of the RTGPU evaluation (Table 1), deadline monotonic, T = D",
                        kParameters, make_table1};

}  // namespace tactus::rtgpu
