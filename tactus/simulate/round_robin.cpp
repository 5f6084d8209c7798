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
      : SegmentPolicy(system, {.brackets = false, .spins_in_exec = busy}),
        contexts_(system.tasks.size()) {
    for (const Element& element : system.platform.elements) {
      if (element.kind != ElementKind::kGpu) continue;
      slice_ = element.time_slice.value_or(Time());
      theta_ = element.context_switch.value_or(Time());
    }
  }

  void choose(const View& view, Choice& choice) override {
    for (std::size_t core = 0; core < core_count(); ++core) {
      if (const auto best = most_urgent(core)) put_on_core(view, *best, choice);
    }
    choose_copies(view, choice);
    choose_gpu(view, choice);
  }

 private:
  bool ready(TaskIndex task) const override { return wants_core(task); }
  void changed(TaskIndex task) override {
    SegmentPolicy::changed(task);
    contexts_.put(task, at(task, kExec));
  }

  void choose_gpu(const View& view, Choice& choice) {
    spend(view.now() - since_);
    since_ = view.now();
    working_ = false;
    if (!at(context_, kExec) || slice_left_ == Time()) {
      const std::optional<TaskIndex> next = next_context();
      if (!next) return;
      switch_left_ = *next != context_ && contexts_.count() > 1 ? theta_ : Time();
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
    if (contexts_.empty()) return std::nullopt;
    const std::size_t after = contexts_.next(context_ + 1);
    return static_cast<TaskIndex>(after != RankSet::kNone ? after : contexts_.next());
  }

  RankSet contexts_;  ///< tasks with pending GPU work
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
