#include "tactus/generate/common.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tactus/generate/common_forms.hpp"
#include "tactus/generate/cores_and_priorities.hpp"
#include "tactus/generate/gpu_costs.hpp"
#include "tactus/generate/shares.hpp"

/// Order of draws: the split of the utilisation; then, per task, its period, the shares of GPU work
/// and of copies, the number of GPU segments, the split of the GPU work and of the CPU work among
/// them, and per segment the launch share and the serial share of its kernel. The form changes no
/// draw.
namespace tactus::common {
namespace {

constexpr auto kParameters = std::to_array<Parameter>({
    {"form", "as-is",
     "as-is, one-core, own-copies, held or one-graph: the same draws for families that cannot "
     "take them as they are (docs/use/reproduction.md)"},
    {"tasks", "4", "tasks"},
    {"cpus", "5", "CPU cores"},
    {"spare", "1", "how many of them, the last ones, stay without tasks: 1, for an arbiter, or 0"},
    {"sms", "16", "SMs of the GPU"},
    {"drawn-sms", "16", "SMs of the GPU on which the utilisation counts"},
    {"utilization", "1",
     "sum over the tasks of CPU work, copies and kernels on the whole GPU, divided by the period"},
    {"share-max", "0.9", "largest utilisation of a task"},
    {"period-min", "30", "shortest period, ms"},
    {"periods", "4", "number of periods, each twice the one before"},
    {"gpu-min", "0.4", "least share of the work that is GPU work (copies, launches, kernels)"},
    {"gpu-max", "0.6", "largest share of the work that is GPU work"},
    {"copy-min", "0.05", "least share of the GPU work that is copies"},
    {"copy-max", "0.15", "largest share of the GPU work that is copies"},
    {"launch-min", "0.05", "least share of a kernel that is launch code on the CPU"},
    {"launch-max", "0.15", "largest share of a kernel that is launch code on the CPU"},
    {"segments-max", "2", "most GPU segments of a task"},
    {"serial-min", "0.02", "least part of a kernel's time on one SM that more SMs do not shorten"},
    {"serial-max", "0.07", "largest such part (ResNet-50 and ViT-B/16 on an H200: 0.03 and 0.02)"},
    {"neighbours", "1",
     "how many times as long a kernel takes on a part of the SMs, because others use the memory "
     "beside it (three networks on an H200: at most 1.4 beside a training, 2.1 beside the worst "
     "neighbour)"},
    {"lower", "0.5", "lower bounds of all times as a part of the upper ones"},
    {"jitter", "0", "jitter of every task, as a part of its period"},
    {"chain", "0", "1: a chain over all tasks, from the first to the last"},
    kRunlistUpdate,
    kContextSwitch,
    kTimeSlice,
    kPreemptCost,
    kResumeCost,
    kStartCost,
});

constexpr double kLeastShare = 0.001;

struct Setup {
  Form form;
  std::int64_t tasks, cpus, spare, sms, drawn_sms, period_least, periods, segments_most;
  double utilisation, share_most, neighbours, lower, jitter;
  bool chain;
  Range gpu, copy, launch, serial;
  Element gpu_element;
};

Setup read(Settings& settings) {
  Setup setup{};
  setup.form = static_cast<Form>(settings.choice("form", kFormNames));
  setup.tasks = settings.integer("tasks", 1, 16);
  setup.cpus = settings.integer("cpus", 2, 1024);
  setup.spare = settings.integer("spare", 0, 1);
  setup.sms = settings.integer("sms", 1, 1024);
  setup.drawn_sms = settings.integer("drawn-sms", 1, 1024);
  setup.utilisation = settings.real("utilization", kLeastShare, 16);
  setup.share_most = settings.real("share-max", kLeastShare, 1);
  setup.period_least = settings.integer("period-min", 1, 1'000'000);
  setup.periods = settings.integer("periods", 1, 10);
  setup.gpu = settings.range("gpu-min", "gpu-max", 0.001, 1);
  setup.copy = settings.range("copy-min", "copy-max", 0, 1);
  setup.launch = settings.range("launch-min", "launch-max", 0, 1);
  setup.segments_most = settings.integer("segments-max", 1, 20);
  setup.serial = settings.range("serial-min", "serial-max", 0, 1);
  setup.neighbours = settings.real("neighbours", 1, 1'000);
  setup.lower = settings.real("lower", 0, 1);
  setup.jitter = settings.real("jitter", 0, 1);
  setup.chain = settings.integer("chain", 0, 1) == 1;
  Element& gpu = setup.gpu_element;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = setup.sms;
  read_gpu_costs(settings).put_on(gpu);
  const auto count = static_cast<std::size_t>(setup.tasks);
  if (settings.error().empty() &&
      !can_split(setup.utilisation, count, {kLeastShare, setup.share_most})) {
    settings.refuse(fmt::format("{} tasks of at most {} cannot have the utilization {} together",
                                setup.tasks, setup.share_most, setup.utilisation));
  }
  const double nodes =
      static_cast<double>(setup.tasks) * static_cast<double>(4 * setup.segments_most + 1);
  settings.expect_size(nodes, nodes);
  return setup;
}

/// Adds the chain of one task: per GPU segment CPU work, a copy to the GPU, a kernel, a copy back;
/// CPU work at the end.
class Chain {
 public:
  Chain(const Setup& setup, Task& task) : setup_(setup), task_(task) {}

  void add_cpu(double ms) { add('c', kCpu, ms); }
  void add_copy(char letter, double ms) { add(letter, kCopy, ms); }

  /// @param ms with all SMs that it was drawn for
  void add_kernel(double ms, double launch, double serial) {
    const auto curve = [&](double sms) { return serial + (1 - serial) / sms; };
    const double one_sm = ms / curve(static_cast<double>(setup_.drawn_sms));
    Node& node = add('g', kGpu, one_sm * curve(static_cast<double>(setup_.sms)));
    node.launch = time_of_ms(launch);
    for (std::int64_t m = 1; m <= setup_.sms; ++m) {
      TimesEntry& entry = node.times.emplace_back();
      entry.units = m;
      const double factor = m < setup_.sms ? setup_.neighbours : 1;  // nobody is beside all SMs
      entry.wcet = time_of_ms(one_sm * curve(static_cast<double>(m)) * factor);
      entry.bcet = lower(entry.wcet);
    }
  }

  void end() { task_.graph = Graph::chain(static_cast<NodeIndex>(task_.nodes.size())); }

 private:
  Time lower(Time time) const {
    return Time::from_ns(static_cast<std::int64_t>(static_cast<double>(time.ns()) * setup_.lower));
  }

  Node& add(char letter, ElementIndex on, double ms) {
    Node& node = task_.nodes.emplace_back();
    node.name = fmt::format("{}{}", letter, task_.nodes.size());
    node.on = on;
    node.wcet = std::max(time_of_ms(ms), Time::from_ns(1));
    node.bcet = std::min(lower(*node.wcet), *node.wcet);
    return node;
  }

  const Setup& setup_;
  Task& task_;
};

void draw_task(const Setup& setup, double share, Random& random, Task& task) {
  const std::int64_t period = setup.period_least << random.integer(0, setup.periods - 1);
  task.period = task.deadline = Time::from_ms(period);
  const double work = share * static_cast<double>(period);
  const double gpu = work * setup.gpu.draw(random);
  const double copies = gpu * setup.copy.draw(random);
  const auto segments = static_cast<std::size_t>(random.integer(1, setup.segments_most));
  const std::vector<double> gpu_parts = split_uniformly(gpu - copies, segments, random);
  const std::vector<double> cpu_parts = split_uniformly(work - gpu, segments + 1, random);
  Chain chain(setup, task);
  for (std::size_t k = 0; k < segments; ++k) {
    const double copy = copies / static_cast<double>(2 * segments);
    const double launch = gpu_parts[k] * setup.launch.draw(random);
    chain.add_cpu(cpu_parts[k]);
    chain.add_copy('h', copy);
    chain.add_kernel(gpu_parts[k] - launch, launch, setup.serial.draw(random));
    chain.add_copy('d', copy);
  }
  chain.add_cpu(cpu_parts[segments]);
  chain.end();
}

/// Late releases, and a requirement from end to end. They change no draw.
void connect(const Setup& setup, System& system) {
  for (Task& task : system.tasks) {
    const auto period = static_cast<double>(task.period.value_or(Time()).ns());
    task.jitter = Time::from_ns(static_cast<std::int64_t>(period * setup.jitter));
  }
  if (!setup.chain) return;
  tactus::Chain& chain = system.chains.emplace_back();
  chain.name = "end to end";
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) chain.tasks.push_back(i);
}

System make(Settings& settings, Random& random) {
  const Setup setup = read(settings);
  System system;
  if (!settings.error().empty()) return system;
  Element cpu, copy;
  cpu.name = "cpu";
  cpu.kind = ElementKind::kCpu;
  cpu.units = setup.cpus;
  copy.name = "copy";
  copy.kind = ElementKind::kCopy;
  for (const Element& element : {cpu, copy, setup.gpu_element}) {
    system.platform.elements.push_back(element);
  }
  const auto shares =
      split(Splitter::kDrs, setup.utilisation, static_cast<std::size_t>(setup.tasks),
            {kLeastShare, setup.share_most}, random)
          .value();  // read() saw to it
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Task& task = system.tasks.emplace_back();
    task.name = fmt::format("t{}", i + 1);
    draw_task(setup, shares[i], random, task);
  }
  give_rate_monotonic_priorities(system.tasks);
  place_on_cores(system.tasks, shares, setup.cpus - setup.spare);
  system = rewritten(std::move(system), setup.form);
  connect(setup, system);
  return system;
}

}  // namespace

const Recipe kCommon = {
    "common",
    "chains of CPU work, copies and kernels with a known curve, in a form for every family",
    kParameters, make};

}  // namespace tactus::common
