#include "tactus/generate/rtgpu_small.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

/// Order of draws: cores, copy engines, SMs, whether lower bounds differ, the number of tasks; then
/// task by task its core, its chain and its timing; last the best-effort task.
namespace tactus::rtgpu {
namespace {

class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}

  System system() {
    const std::int64_t cores = random_.chance(0.15) ? 2 : 1;
    copies_ = random_.chance(0.3) ? 2 : 1;
    add_element("cpu", ElementKind::kCpu, cores);
    for (std::int64_t i = 1; i <= copies_; ++i) {
      add_element(fmt::format("copy{}", i), ElementKind::kCopy, 1);
    }
    gpu_ = static_cast<ElementIndex>(system_.platform.elements.size());
    add_element("gpu", ElementKind::kGpu, random_.integer(3, 8));
    lowers_ = random_.chance(0.7);
    const std::int64_t count = random_.integer(2, 4);
    for (std::int64_t i = 0; i < count; ++i) add_task(i, count, cores);
    if (random_.chance(0.25)) add_best_effort();
    return std::move(system_);
  }

 private:
  static constexpr ElementIndex kCpu = 0;

  void add_element(std::string name, ElementKind kind, std::int64_t units) {
    Element& element = system_.platform.elements.emplace_back();
    element.name = std::move(name);
    element.kind = kind;
    element.units = units;
  }

  void add_task(std::int64_t index, std::int64_t count, std::int64_t cores) {
    Task& task = system_.tasks.emplace_back();
    task.name = fmt::format("t{}", index + 1);
    task.core = random_.integer(1, cores);
    total_ = 0;
    const bool two_copies = random_.chance(0.5);
    if (random_.chance(0.8)) add_cpu(task);
    for (std::int64_t kernels = random_.integer(task.nodes.empty() ? 1 : 0, 2); kernels > 0;
         --kernels) {
      add_copy(task);
      add_kernel(task);
      if (two_copies) add_copy(task);
      if (random_.chance(0.8)) add_cpu(task);
    }
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
    const double share = random_.real(0.3, 1.4) / static_cast<double>(count);
    const std::int64_t period =
        std::max<std::int64_t>(2, std::llround(static_cast<double>(total_) / share));
    task.period = Time::from_ms(period);
    task.deadline =
        random_.chance(0.5) ? task.period : Time::from_ms(random_.integer(period / 2 + 1, period));
  }

  /// Only its copies matter to the others.
  void add_best_effort() {
    Task& task = system_.tasks.emplace_back();
    task.name = "background";
    task.best_effort = true;
    task.core = 1;
    add_copy(task);
    if (random_.chance(0.5)) add_kernel(task);
    add_cpu(task);
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }

  struct Range {
    Time least, most;
  };
  Range range(std::int64_t longest) {
    const std::int64_t most = random_.integer(1, longest);
    total_ += most;
    return {Time::from_ms(lowers_ ? random_.integer(0, most) : most), Time::from_ms(most)};
  }
  static Node& add(Task& task, ElementIndex on) {
    Node& node = task.nodes.emplace_back();
    node.name = fmt::format("n{}", task.nodes.size());
    node.on = on;
    return node;
  }
  void add_rigid(Task& task, ElementIndex on, std::int64_t longest) {
    const Range drawn = range(longest);
    Node& node = add(task, on);
    node.bcet = drawn.least;
    node.wcet = drawn.most;
  }

  void add_cpu(Task& task) { add_rigid(task, kCpu, 6); }
  void add_copy(Task& task) {
    add_rigid(task, static_cast<ElementIndex>(random_.integer(1, copies_)), 5);
  }
  void add_kernel(Task& task) {
    if (random_.chance(0.25)) {
      add_curve(task);
    } else if (random_.chance(0.25)) {
      add_rigid(task, gpu_, 8);
      task.nodes.back().parallelism = random_.integer(1, 2);
    } else {
      static constexpr std::int64_t kAlphas[] = {1000, 1450, 1700, 1800};  // thousandths
      const Range drawn = range(16);
      Node& node = add(task, gpu_);
      node.load = drawn.most;
      node.load_min = drawn.least;
      node.overhead = Time::from_ns(drawn.most.ns() / 8);
      node.interleave = Factor{kAlphas[random_.integer(0, 3)] * 1'000'000};
    }
    if (random_.chance(0.15)) task.nodes.back().launch = Time::from_ms(1);
  }

  /// A measured curve: upper bounds mostly fall with the SMs, lower bounds may fall or rise.
  void add_curve(Task& task) {
    Node& node = add(task, gpu_);
    std::int64_t most = random_.integer(4, 12);
    total_ += most;
    const std::int64_t sms = system_.platform.elements[gpu_].units;
    for (std::int64_t units = random_.integer(1, 2); units <= sms; units += random_.integer(1, 3)) {
      const std::int64_t least = lowers_ ? random_.integer(0, most) : most;
      node.times.push_back({units, Time::from_ms(most), Time::from_ms(least), {}});
      most = std::max<std::int64_t>(1, most * random_.integer(5, 11) / 10);
    }
  }

  Random& random_;
  System system_;
  ElementIndex gpu_ = 0;
  std::int64_t copies_ = 1;
  std::int64_t total_ = 0;  ///< of the task's upper bounds, ms
  bool lowers_ = true;
};

System make(Settings&, Random& random) { return Draw(random).system(); }

}  // namespace

const Recipe kSmall = {
    "rtgpu-small",
    "small systems that are hardly schedulable, to search for violations of the RTGPU family",
    {},
    make};

}  // namespace tactus::rtgpu
