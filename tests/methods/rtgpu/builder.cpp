#include "tests/methods/rtgpu/builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tactus::rtgpu::testing {

Options with(std::string_view variant, std::string allocation) {
  Options options;
  options.variant = variant;
  if (!allocation.empty()) options.settings.emplace("allocation", std::move(allocation));
  return options;
}

Time ms(double value) { return Time::from_ns(std::llround(value * 1e6)); }

Builder::Builder(std::int64_t sms, std::int64_t cores, int buses) {
  system_.name = "test";
  const auto add = [&](std::string name, ElementKind kind, std::int64_t units) {
    Element& element = system_.platform.elements.emplace_back();
    element.name = std::move(name);
    element.kind = kind;
    element.units = units;
  };
  add("cpu", ElementKind::kCpu, cores);
  for (int i = 1; i <= buses; ++i) {
    add(i == 1 ? "copy" : fmt::format("copy{}", i), ElementKind::kCopy, 1);
  }
  gpu_ = static_cast<ElementIndex>(system_.platform.elements.size());
  add("gpu", ElementKind::kGpu, sms);
}

Time Builder::ticks(double value) const {
  return Time::from_ns(std::llround(value * static_cast<double>(tick_.ns())));
}

Builder& Builder::tick(Time length) {
  tick_ = length;
  if (length == Time::from_ns(1)) system_.time_unit = TimeUnit::kNs;
  return *this;
}

Builder& Builder::task(std::string name, double period, double deadline) {
  Task task;
  task.name = std::move(name);
  task.period = ticks(period);
  task.deadline = deadline == 0 ? task.period : ticks(deadline);
  system_.tasks.push_back(std::move(task));
  return *this;
}

Builder& Builder::best_effort(std::string name) {
  system_.tasks.emplace_back();
  system_.tasks.back().name = std::move(name);
  system_.tasks.back().best_effort = true;
  return *this;
}

Builder& Builder::core(std::int64_t core) {
  system_.tasks.back().core = core;
  return *this;
}

Builder& Builder::priority(std::int64_t priority) {
  system_.tasks.back().priority = priority;
  return *this;
}

Node& Builder::node(ElementIndex on) {
  auto& nodes = system_.tasks.back().nodes;
  Node& node = nodes.emplace_back();
  node.name = fmt::format("n{}", nodes.size() - 1);
  node.on = on;
  return node;
}

Builder& Builder::cpu(double wcet, double bcet) {
  Node& made = node(0);
  made.wcet = ticks(wcet);
  made.bcet = ticks(bcet);
  return *this;
}

Builder& Builder::copy(double wcet, double bcet, int bus) {
  Node& made = node(static_cast<ElementIndex>(1 + bus));
  made.wcet = ticks(wcet);
  made.bcet = ticks(bcet);
  return *this;
}

Builder& Builder::kernel(double load, double load_min, double overhead, double alpha) {
  Node& made = node(gpu_);
  made.load = ticks(load);
  made.load_min = ticks(load_min);
  made.overhead = ticks(overhead);
  made.interleave = Factor{std::llround(alpha * 1e9)};
  return *this;
}

Builder& Builder::rigid(double wcet, double bcet, std::int64_t parallelism) {
  Node& made = node(gpu_);
  made.wcet = ticks(wcet);
  made.bcet = ticks(bcet);
  made.parallelism = parallelism;
  return *this;
}

Builder& Builder::times(const std::vector<Measured>& entries) {
  Node& made = node(gpu_);
  for (const Measured& entry : entries) {
    made.times.push_back({entry.units, ticks(entry.wcet), ticks(entry.bcet), {}});
  }
  return *this;
}

Builder& Builder::launch(double length) {
  system_.tasks.back().nodes.back().launch = ticks(length);
  return *this;
}

System Builder::build() const {
  System system = system_;
  for (Task& task : system.tasks) {
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }
  return system;
}

namespace {

/// One node after the other, with lengths drawn from `random`.
class RandomChain {
 public:
  RandomChain(Random& random, const Shape& shape, std::int64_t sms, int buses, Builder& out)
      : random_(random), shape_(shape), sms_(sms), buses_(buses), out_(out) {}

  double total = 0;  ///< of upper bounds, kernels on one SM

  void cpu() {
    draw(8, [&](double up, double low) { out_.cpu(up, low); });
  }
  void copy() {
    const int bus = static_cast<int>(random_.integer(0, buses_ - 1));
    draw(5, [&](double up, double low) { out_.copy(up, low, bus); });
  }
  void kernel() {
    if (random_.chance(shape_.measured)) {
      curve();
    } else if (shape_.odd && random_.chance(0.25)) {
      const std::int64_t width = random_.integer(1, 2);
      draw(8, [&](double up, double low) { out_.rigid(up, low, width); });
    } else {
      draw(16, [&](double up, double low) {
        static constexpr double kAlphas[] = {1, 1.45, 1.7, 1.8};
        const auto overhead =
            static_cast<double>(random_.integer(0, static_cast<std::int64_t>(up) / 4));
        out_.kernel(up, low, overhead, kAlphas[random_.integer(0, 3)]);
      });
    }
    if (shape_.odd && random_.chance(0.2)) out_.launch(static_cast<double>(random_.integer(0, 2)));
  }

 private:
  /// Some counts of SMs; upper bounds that mostly fall, lower bounds that do as they like.
  void curve() {
    std::vector<Builder::Measured> entries;
    double upper = static_cast<double>(random_.integer(4, 16)), lower = upper;
    total += upper;
    for (std::int64_t units = random_.integer(1, 2); units <= sms_;
         units += random_.integer(1, 3)) {
      double least = static_cast<double>(random_.integer(0, static_cast<std::int64_t>(upper)));
      if (!shape_.lowers_rise) least = std::min(least, lower);
      entries.push_back({units, upper, lower = least});
      const std::int64_t next = std::llround(upper * random_.real(0.4, 1.2));
      upper = static_cast<double>(std::max<std::int64_t>(shape_.odd ? 0 : 1, next));
    }
    if (entries.empty()) entries.push_back({1, upper, 0});
    out_.times(entries);
  }

  template <typename Add>
  void draw(std::int64_t most, Add add) {
    const std::int64_t upper = shape_.odd && random_.chance(0.12) ? 0 : random_.integer(1, most);
    const std::int64_t lower = shape_.lowers ? random_.integer(0, upper) : upper;
    total += static_cast<double>(upper);
    add(static_cast<double>(upper), static_cast<double>(lower));
  }

  Random& random_;
  const Shape& shape_;
  std::int64_t sms_;
  int buses_;
  Builder& out_;
};

}  // namespace

System random_system(Random& random, const Shape& shape) {
  const std::int64_t cores = random.integer(1, shape.cores_most);
  const int buses = static_cast<int>(random.integer(1, shape.buses_most));
  const std::int64_t sms = random.integer(1, shape.sms_most);
  Builder out(sms, cores, buses);
  out.tick(Time::from_ns(1));
  const std::int64_t count = random.integer(2, shape.tasks_most);
  std::vector<double> totals;
  for (std::int64_t i = 0; i < count; ++i) {
    out.task(fmt::format("t{}", i), 1).core(random.integer(1, cores));
    RandomChain chain(random, shape, sms, buses, out);
    if (shape.odd && random.chance(0.4)) {
      for (std::int64_t left = random.integer(1, 6); left > 0; --left) {
        const std::int64_t kind = random.integer(0, 2);
        kind == 0 ? chain.cpu() : kind == 1 ? chain.copy() : chain.kernel();
      }
      chain.cpu();
    } else {
      const bool two_copies = random.chance(0.5);
      chain.cpu();
      for (std::int64_t m = random.integer(1, 3); m > 1; --m) {
        chain.copy();
        chain.kernel();
        if (two_copies) chain.copy();
        chain.cpu();
      }
    }
    totals.push_back(chain.total);
  }
  if (shape.odd && random.chance(0.3)) {
    out.best_effort("background");
    RandomChain chain(random, shape, sms, buses, out);
    chain.copy();
    chain.kernel();
    chain.copy();
  }
  System system = out.build();
  // Periods for a total utilisation around the target, unevenly shared.
  for (std::size_t i = 0; i < totals.size(); ++i) {
    Task& task = system.tasks[i];
    if (totals[i] == 0) {  // every segment came out zero: not a task
      task.nodes.back().wcet = Time::from_ns(1);
      totals[i] = 1;
    }
    const double share =
        random.real(0.4, 1.6) * shape.utilization / 100.0 / static_cast<double>(totals.size());
    task.period = Time::from_ns(std::max<std::int64_t>(2, std::llround(totals[i] / share)));
    task.deadline =
        random.chance(0.5)
            ? *task.period
            : Time::from_ns(random.integer(task.period->ns() / 2 + 1, task.period->ns()));
  }
  for (Task& task : system.tasks) {
    if (!task.best_effort) continue;
    task.nodes.front().wcet = std::max(*task.nodes.front().wcet, Time::from_ns(1));
  }
  return system;
}

System spare_sms_hurt() {
  return Builder(8)
      .task("hi", 23)
      .cpu(3)
      .kernel(8, 8, 0, 1.45)
      .cpu(4, 2)
      .task("lo", 34)
      .cpu(2)
      .copy(4)
      .kernel(7, 3, 0, 1.8)
      .cpu(6, 3)
      .build();
}

}  // namespace tactus::rtgpu::testing
