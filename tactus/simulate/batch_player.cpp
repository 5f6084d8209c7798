#include "tactus/simulate/batch_player.hpp"

#include <algorithm>
#include <tuple>

#include "tactus/methods/pbs/batches/block_placement.hpp"
#include "tactus/methods/pbs/batches/oracle.hpp"
#include "tactus/methods/pbs/kernel_time.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/methods/releases.hpp"

namespace tactus::simulate {
namespace {

using Made = Result<std::unique_ptr<Policy>>;

/// Runs batches one after the other; the derived class says which one is next.
class BatchPolicy : public Policy {
 public:
  explicit BatchPolicy(const System& system) : system_(system), times_(system.tasks.size()) {
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      if (!system.tasks[i].best_effort) times_[i] = *pbs::kernel_time(system, system.tasks[i]);
    }
  }

  /// Best-effort kernels are never submitted.
  void expand(const View&, TaskIndex task, Job& job) override {
    const Task& source = system_.tasks[task];
    if (source.best_effort) return;
    // The hardware chooses the SMs of a batch: a kernel is shown on one unit, and takes part of it
    // only if there is one unit per task.
    const ElementIndex gpu = source.nodes.front().on;
    const Element& element = system_.platform.elements[gpu];
    const bool own_unit = task / element.units < element.lanes;
    Work kernel;
    kernel.element = gpu;
    kernel.remaining = times_[task].wcet;
    kernel.width = own_unit ? 1 : 0;
    kernel.preemptible = false;
    job.add(kernel);
  }

  void choose(const View& view, Choice& choice) override {
    if (running_.empty()) {
      const Batch batch = next(view, choice);
      for (const TaskIndex task : batch.tasks) running_.push_back({task, 0});
      const Time length = length_of(view, batch);
      for (const WorkId id : running_) choice.resize(id, length);
    }
    for (const WorkId id : running_) {
      const auto units =
          static_cast<std::uint32_t>(system_.platform.elements[view.work(id).element].units);
      choice.run(id, id.task % units);
    }
  }

  std::string_view audit(const View& view, const Choice& choice) const override {
    std::size_t started = 0;
    for (const Choice::Run& run : choice.runs) started += view.work(run.id).started ? 1 : 0;
    return started == 0 || started == choice.runs.size() ? "" : "a kernel joins a running batch";
  }

  void finished(const View&, WorkId id) override { std::erase(running_, id); }

 protected:
  struct Batch {
    std::vector<TaskIndex> tasks;  ///< in submission order
    Time completion;
  };
  /// The batch to start now, with the live job of each of its tasks; nothing if there is none.
  virtual Batch next(const View& view, Choice& choice) = 0;

 private:
  /// As long as the longest of its kernels, which the scenario draws.
  Time length_of(const View& view, const Batch& batch) const {
    Time length;
    for (const TaskIndex task : batch.tasks) {
      const Time least = std::max(times_[task].bcet, Time::from_ns(1));
      length = std::max(
          length, view.scenario().length(task, view.job(task).number, {}, least, batch.completion));
    }
    return length;
  }

  const System& system_;
  std::vector<pbs::KernelTime> times_;  ///< by task
  std::vector<WorkId> running_;
};

class TablePlayer final : public BatchPolicy {
 public:
  /// @param on_time the same system, whose jobs arrive when the table counts on them
  TablePlayer(const System& system, const System& on_time, const pbs::ScheduleTable& table)
      : BatchPolicy(system), hyperperiod_(table.time(table.hyperperiod())) {
    for (const pbs::Frame& source : table.frames()) {
      Frame& frame = frames_.emplace_back();
      frame.batch.completion = table.time(source.end - source.start);
      for (const pbs::Frame::Job& job : source.batch) {
        const TaskIndex task = table.task_of(job.kernel);
        frame.batch.tasks.push_back(task);
        frame.complete_at =
            std::max(frame.complete_at,
                     on_time.tasks[task].offset + job.number * *on_time.tasks[task].period);
      }
    }
  }

 private:
  struct Frame {
    Batch batch;
    Time complete_at;  ///< when all its jobs have arrived, in the first hyperperiod
  };

  Batch next(const View& view, Choice& choice) override {
    for (;;) {
      const Frame& frame = frames_[place_];
      const Time arrived = round_ + frame.complete_at;
      if (arrived > view.now()) {
        choice.wake_at(arrived);
        return {};
      }
      if (++place_ == frames_.size()) {
        place_ = 0;
        round_ += hyperperiod_;
      }
      // A job that is not there now will not come: the run releases no more jobs of its task.
      Batch batch = frame.batch;
      std::erase_if(batch.tasks, [&](TaskIndex task) { return !view.job(task).live; });
      if (!batch.tasks.empty()) return batch;
    }
  }

  Time hyperperiod_;
  std::vector<Frame> frames_;
  std::size_t place_ = 0;
  Time round_;  ///< start of the hyperperiod that is being played
};

/// Earliest deadline first, alone or with all kernels that the oracles accept.
class EdfPlayer final : public BatchPolicy {
 public:
  EdfPlayer(const System& system, pbs::TaskSet set, pbs::Batching batching)
      : BatchPolicy(system), set_(std::move(set)), oracle_(set_), batching_(batching) {}

 private:
  Batch next(const View& view, Choice&) override {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < set_.size(); ++i) {
      if (view.job(set_.kernels[i].index).live) ready.push_back(i);
    }
    const auto urgency = [&](std::uint32_t i) {
      const Time arrival = view.job(set_.kernels[i].index).release;
      return std::tuple(arrival + set_.time(set_.kernels[i].deadline), arrival, i);
    };
    std::sort(ready.begin(), ready.end(),
              [&](std::uint32_t a, std::uint32_t b) { return urgency(a) < urgency(b); });
    std::vector<std::uint32_t> order;
    Batch batch;
    for (const std::uint32_t kernel : ready) {
      if (!order.empty() && batching_ == pbs::Batching::kSerial) break;
      order.push_back(kernel);
      const auto completion = oracle_.completion(order);
      if (completion && pbs::fits(set_, order)) {
        batch.tasks.push_back(set_.kernels[kernel].index);
        batch.completion = set_.time(*completion);
      } else {
        order.pop_back();
      }
    }
    return batch;
  }

  const pbs::TaskSet set_;
  const pbs::Oracle oracle_;
  const pbs::Batching batching_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_table_player(const System& system, const Verdict& verdict) {
  const auto* table = dynamic_cast<const pbs::ScheduleTable*>(verdict.plan.get());
  if (table == nullptr) return Error{"there is no table to play"};
  const auto late = where_late(system, Instead::kTable);
  const System& on_time = late ? late->system() : system;
  return Made(std::make_unique<TablePlayer>(system, on_time, *table));
}

Result<std::unique_ptr<Policy>> make_edf_player(const System& system, const Verdict& verdict,
                                                pbs::Batching batching) {
  if (verdict.plan != nullptr) return make_table_player(system, verdict);
  auto set = pbs::make_task_set(system);
  if (!set) return Error{set.error().reason};
  return Made(
      std::make_unique<EdfPlayer>(system, std::get<pbs::TaskSet>(std::move(set)), batching));
}

}  // namespace tactus::simulate
