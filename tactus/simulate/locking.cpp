#include <deque>

#include "tactus/simulate/gcaps.hpp"
#include "tactus/simulate/segments.hpp"
#include "tactus/trace/ties.hpp"

namespace tactus::simulate {
namespace {

/// Begin locks, End unlocks at once. Waiting for the lock suspends; the holder is boosted while it
/// is on its core.
class Locking final : public SegmentPolicy {
 public:
  Locking(const System& system, bool busy, Queue queue)
      : SegmentPolicy(system, {.brackets = true, .spins_in_exec = busy}),
        queue_(queue),
        asked_(system.tasks.size()),
        asked_ranks_(system.tasks.size()) {}

  void before_releases(const View& view, Choice& choice) override {
    if (trace::ties_at(view.scenario(), view.now()).requests_before_releases) serve(view, choice);
  }

  void choose(const View& view, Choice& choice) override {
    if (serve(view, choice)) return;
    for (std::size_t core = 0; core < core_count(); ++core) {
      if (const std::optional<TaskIndex> task = pick(core)) put_on_core(view, *task, choice);
    }
    if (holder_ && at(*holder_, kExec)) put_on_gpu(*holder_, choice);
    choose_copies(view, choice);
  }

 private:
  /// Requests and grants of this instant. True when somebody was let through: then all is to be
  /// looked at again.
  bool serve(const View& view, Choice& choice) {
    if (holder_ && at(*holder_, kEnd)) {
      choice.grant(request(*holder_));
      holder_.reset();
      return true;
    }
    const trace::Ties ties = trace::ties_at(view.scenario(), view.now());
    const auto all_ask = [&] {
      while (ask(ties.backwards)) continue;
    };
    if (ties.newcomers_first) all_ask();
    while (!holder_ && (give_lock() || ask(ties.backwards))) {
      if (!holder_) continue;
      stop_asking(*holder_);
      choice.grant(request(*holder_));
      return true;
    }
    all_ask();
    return false;
  }

  bool boosted(TaskIndex task) const override { return holder_ == task; }
  bool give_lock() {
    if (asked_ranks_.empty()) return false;
    holder_ = queue_ == Queue::kFifo ? in_turn_.front() : task_of_cpu_rank(asked_ranks_.largest());
    return true;
  }
  void stop_asking(TaskIndex holder) {
    asked_[holder] = false;
    asked_ranks_.erase(cpu_rank(holder));
    if (queue_ == Queue::kFifo) in_turn_.pop_front();
    changed(holder);
  }

  /// A task asks for the lock only while it is on its core.
  bool ask(bool backwards) {
    bool asked_now = false;
    for (std::size_t k = 0; k < core_count(); ++k) {
      const std::optional<TaskIndex> task = pick(backwards ? core_count() - 1 - k : k);
      if (!task || !at(*task, kBegin) || asked_[*task]) continue;
      asked_[*task] = true;
      asked_ranks_.insert(cpu_rank(*task));
      if (queue_ == Queue::kFifo) in_turn_.push_back(*task);
      changed(*task);
      asked_now = true;
    }
    return asked_now;
  }

  bool ready(TaskIndex task) const override {
    if (at(task, kBegin)) return !asked_[task];
    return wants_core(task);
  }
  std::optional<TaskIndex> pick(std::size_t core) const {
    if (holder_ && core_of(*holder_) == core && ready(*holder_)) return holder_;
    return most_urgent(core);
  }

  Queue queue_;
  std::vector<bool> asked_;        ///< by task: it waits for the lock
  RankSet asked_ranks_;            ///< the same by CPU rank
  std::deque<TaskIndex> in_turn_;  ///< the same in the order they asked, for a FIFO queue
  std::optional<TaskIndex> holder_;
};

}  // namespace

std::unique_ptr<Policy> make_locking(const System& system, bool busy, Queue queue) {
  return std::make_unique<Locking>(system, busy, queue);
}

}  // namespace tactus::simulate
