#include <algorithm>

#include "tactus/simulate/gcaps.hpp"
#include "tactus/simulate/segments.hpp"

namespace tactus::simulate {
namespace {

/// Contexts with pending GPU work take turns in file order: slices of L, theta before a slice
/// whenever the context changes and it is not alone.
class RoundRobin final : public SegmentPolicy {
 public:
  RoundRobin(const System& system, bool busy)
      : SegmentPolicy(system, {.brackets = false, .spins_in_exec = busy}) {
    for (const Element& element : system.platform.elements) {
      if (element.kind != ElementKind::kGpu) continue;
      slice_ = element.time_slice.value_or(Time());
      theta_ = element.context_switch.value_or(Time());
    }
  }

  void choose(const View& view, Choice& choice) override {
    look(view);
    for (std::size_t core = 0; core < core_count(); ++core) {
      std::optional<TaskIndex> best;
      for (const TaskIndex task : tasks_on(core)) {
        const bool ready = current(task) && (!at(task, kExec) || spins());
        if (ready && (!best || cpu_rank(task) > cpu_rank(*best))) best = task;
      }
      if (best) put_on_core(view, *best, choice);
    }
    choose_gpu(view, choice);
  }

 private:
  void choose_gpu(const View& view, Choice& choice) {
    spend(view.now() - since_);
    since_ = view.now();
    working_ = false;
    if (!at(context_, kExec) || slice_left_ == Time()) {
      const std::optional<TaskIndex> next = next_context();
      if (!next) return;
      switch_left_ = *next != context_ && !alone(*next) ? theta_ : Time();
      slice_left_ = slice_;
      context_ = *next;
    }
    working_ = true;
    if (switch_left_ > Time()) {
      choice.wake_at(view.now() + switch_left_);
    } else {
      put_on_gpu(context_, choice);
      choice.wake_at(view.now() + slice_left_);
    }
  }

  /// The time since the last decision is subtracted from the switch, then from the slice.
  void spend(Time passed) {
    if (!working_) return;
    const Time switching = std::min(passed, switch_left_);
    switch_left_ -= switching;
    slice_left_ -= passed - switching;
  }

  std::optional<TaskIndex> next_context() const {
    for (std::size_t k = 1; k <= task_count(); ++k) {
      const auto task = static_cast<TaskIndex>((context_ + k) % task_count());
      if (at(task, kExec)) return task;
    }
    return std::nullopt;
  }
  bool alone(TaskIndex task) const {
    for (TaskIndex other = 0; other < task_count(); ++other) {
      if (other != task && at(other, kExec)) return false;
    }
    return true;
  }

  Time slice_, theta_;
  TaskIndex context_ = 0;  ///< whose context the GPU holds
  Time switch_left_, slice_left_;
  bool working_ = false;  ///< since the last decision
  Time since_;
};

}  // namespace

std::unique_ptr<Policy> make_round_robin(const System& system, bool busy) {
  return std::make_unique<RoundRobin>(system, busy);
}

}  // namespace tactus::simulate
