#include "tactus/runtime/measure/measure_batches.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/pbs/batches/block_placement.hpp"
#include "tactus/methods/pbs/kernel_time.hpp"
#include "tactus/methods/pbs/pbs_task_set.hpp"
#include "tactus/model/reserve.hpp"
#include "tactus/runtime/executors/background.hpp"
#include "tactus/runtime/executors/batch_kernel.hpp"
#include "tactus/runtime/executors/table_place.hpp"

namespace tactus::runtime {
namespace {

constexpr std::size_t kMostOrders = 5000;
constexpr Time kPause = Time::from_ms(2);
constexpr Time kNoise = Time::from_us(20);  ///< of launching, for kernels of any length

/// Calls `visit` with every ascending choice of 2 .. `most` of `count` things; stops at false.
template <typename Visit>
bool for_each_choice(std::uint32_t count, std::size_t most, std::vector<std::uint32_t>& chosen,
                     Visit&& visit) {
  if (chosen.size() >= 2 && !visit(chosen)) return false;
  if (chosen.size() == most) return true;
  for (std::uint32_t i = chosen.empty() ? 0 : chosen.back() + 1; i < count; ++i) {
    chosen.push_back(i);
    if (!for_each_choice(count, most, chosen, visit)) return false;
    chosen.pop_back();
  }
  return true;
}

class Measurement {
 public:
  Measurement(const System& system, Device& device, const MeasureBatchesOptions& options,
              const TablePlace& place, Background& background)
      : system_(system),
        device_(device),
        options_(options),
        place_(place),
        background_(background) {
    RunOptions filled;
    filled.fill = options.fill;
    filling_ = Filling(filled, device.capabilities());
  }

  Result<MeasuredOrder> measure(std::vector<TaskIndex> order) {
    MeasuredOrder measured{std::move(order), {}, {}};
    for (int i = 0; i < options_.repeats + 1; ++i) {
      if (options_.stop.stop_requested()) return Error{"interrupted"};
      const auto took = run_once(measured.order);
      if (!took) return took.error();
      if (i > 0) measured.samples.push_back(*took);  // the first fills the caches
    }
    std::sort(measured.samples.begin(), measured.samples.end());
    const auto count = std::ssize(measured.samples);
    const std::int64_t rank =
        std::max<std::int64_t>((count * options_.quantile + 999'999) / 1'000'000, 1);
    const Time seen = measured.samples[static_cast<std::size_t>(rank - 1)];
    measured.completion = Reserve{options_.margin, Reserve::kMeasured}.above(seen) + kNoise;
    for (const TaskIndex task : measured.order) {
      measured.completion = std::max(measured.completion, wcet(task));
    }
    return measured;
  }

 private:
  Time wcet(TaskIndex task) const { return pbs::kernel_time(system_, system_.tasks[task])->wcet; }

  Result<Time> run_once(const std::vector<TaskIndex>& order) {
    // Batches of a table start after a pause, and an idle GPU starts later than a busy one.
    const Time go_on = device_.now() + kPause;
    do {
      const auto paused = device_.wait(go_on);
      if (!paused) return paused.error();
      for (const Completion& completion : *paused) {
        if (const auto took = background_.took(completion); !took) return took.error();
      }
    } while (device_.now() < go_on);
    const Time begin = device_.now();
    for (const TaskIndex task : order) {
      if (device_.runs_graph(task, 0)) {
        const Replay replay{.task = task,
                            .partition = place_.partition,
                            .priority = place_.priority,
                            .least = wcet(task),
                            .longest = wcet(task)};
        if (auto problem = device_.launch(replay, task)) return *problem;
        continue;
      }
      Kernel kernel = batch_kernel(system_, task, filling_.alone(wcet(task)), place_.sms);
      kernel.partition = place_.partition;
      kernel.priority = place_.priority;
      kernel.least = kernel.longest = wcet(task);
      if (auto problem = device_.launch(kernel, task)) return *problem;
    }
    Time end = begin;
    for (std::size_t left = order.size(); left > 0;) {
      const auto done = device_.wait(std::nullopt);
      if (!done) return done.error();
      if (done->empty()) return Error{"the machine lost a kernel"};
      for (const Completion& completion : *done) {
        const auto took = background_.took(completion);
        if (!took) return took.error();
        if (*took) continue;
        if (completion.failed) return Error{completion.problem};
        end = std::max(end, completion.end);
        --left;
      }
    }
    return end - begin;
  }

  const System& system_;
  Device& device_;
  const MeasureBatchesOptions& options_;
  const TablePlace& place_;
  Background& background_;
  Filling filling_;
};

/// SMs of the file's GPU, as a table for it needs them.
std::int64_t sms_of(const System& system) {
  std::int64_t sms = 0;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kGpu) sms = std::max(sms, element.units);
  }
  return sms;
}

}  // namespace

Result<std::vector<std::vector<TaskIndex>>> eligible_orders(const System& system,
                                                            std::size_t max_size) {
  const auto made = pbs::make_task_set(system);
  if (!made) return Error{made.error().reason};
  const auto& set = std::get<pbs::TaskSet>(made);
  std::vector<std::vector<TaskIndex>> orders;
  std::vector<std::uint32_t> chosen;
  const bool all = for_each_choice(
      static_cast<std::uint32_t>(set.size()), max_size, chosen,
      [&](std::vector<std::uint32_t> order) {
        do {
          if (!pbs::fits(set, order)) continue;
          auto& tasks = orders.emplace_back();
          for (const std::uint32_t kernel : order) tasks.push_back(set.kernels[kernel].index);
        } while (orders.size() <= kMostOrders && std::next_permutation(order.begin(), order.end()));
        return orders.size() <= kMostOrders;
      });
  if (all) return orders;
  return Error{
      fmt::format("there are more than {} submission orders to measure; a smaller "
                  "--max-size leaves fewer",
                  kMostOrders)};
}

std::vector<Batch> batches_from(const std::vector<MeasuredOrder>& orders) {
  const auto set_of = [](const MeasuredOrder& measured) {
    std::vector<TaskIndex> set = measured.order;
    std::sort(set.begin(), set.end());
    return set;
  };
  std::vector<Batch> batches;
  for (auto first = orders.begin(); first != orders.end();) {
    const std::vector<TaskIndex> set = set_of(*first);
    const auto last = std::find_if(first, orders.end(), [&](const MeasuredOrder& measured) {
      return set_of(measured) != set;
    });
    const auto worst = std::max_element(
        first, last, [](const auto& a, const auto& b) { return a.completion < b.completion; });
    Batch common;
    common.tasks = set;
    common.completion = worst->completion;
    batches.push_back(std::move(common));
    for (; first != last; ++first) {
      if (first->completion == worst->completion) continue;
      Batch better;
      better.tasks = first->order;
      better.completion = first->completion;
      better.ordered = true;
      batches.push_back(std::move(better));
    }
  }
  return batches;
}

Result<MeasuredBatches> measure_batches(const System& system, Device& device,
                                        const MeasureBatchesOptions& options) {
  const auto orders = eligible_orders(system, options.max_size);
  if (!orders) return orders.error();
  const RunOptions defaults;
  BestEffort best_effort(system, defaults);
  const auto place =
      make_table_place(system, device, best_effort, sms_of(system), options.best_effort_shares);
  if (!place) return place.error();
  MeasuredBatches measured;
  {
    trace::Observed beside;
    if (!place->note.empty()) beside.notes.push_back(place->note);
    if (auto problem = best_effort.prepare(place->left, device, beside)) return *problem;
    measured.notes = std::move(beside.notes);
  }
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].best_effort || !device.runs_graph(task, 0)) continue;
    Replay replay;
    replay.task = task;
    replay.partition = place->partition;
    replay.priority = place->priority;
    if (const auto how = device.prepare(replay); !how) return how.error();
  }
  if (auto problem = device.start()) return *problem;
  Background background(system, device, best_effort);
  if (auto problem = background.start()) return *problem;
  Measurement measurement(system, device, options, *place, background);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].best_effort) continue;
    auto single = measurement.measure({task});
    if (!single) return single.error();
    measured.singles.push_back(std::move(*single));
  }
  for (std::size_t i = 0; i < orders->size(); ++i) {
    if (options.progress) options.progress(fmt::format("batch {} of {}", i + 1, orders->size()));
    auto batch = measurement.measure((*orders)[i]);
    if (!batch) return batch.error();
    measured.orders.push_back(std::move(*batch));
  }
  measured.system = system;
  // A batch of one counts with the kernel's own time, which must cover its launch as well.
  for (const MeasuredOrder& single : measured.singles) {
    Task& task = measured.system.tasks[single.order.front()];
    Node& node = task.nodes.front();
    if (task.nodes.size() > 1 || !node.wcet || single.samples.back() <= *node.wcet) continue;
    node.wcet = single.completion;
  }
  measured.system.batches = batches_from(measured.orders);
  measured.system.interference.reset();
  if (!measured.system.batches.empty()) {
    measured.system.interference = Interference{InterferenceModel::kTable, std::nullopt};
  }
  return measured;
}

}  // namespace tactus::runtime
