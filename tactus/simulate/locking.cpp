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
        asked_(system.tasks.size()) {}

  void before_releases(const View& view, Choice& choice) override {
    if (trace::ties_at(view.scenario(), view.now()).requests_before_releases) serve(view, choice);
  }

  void choose(const View& view, Choice& choice) override {
    if (serve(view, choice)) return;
    for (std::size_t core = 0; core < core_count(); ++core) {
      if (const std::optional<TaskIndex> task = pick(core)) put_on_core(view, *task, choice);
    }
    if (holder_ && at(*holder_, kExec)) put_on_gpu(*holder_, choice);
  }

 private:
  /// Requests and grants of this instant. True when somebody was let through: then all is to be
  /// looked at again.
  bool serve(const View& view, Choice& choice) {
    look(view);
    if (holder_ && at(*holder_, kEnd)) {
      choice.grant(*current(*holder_));
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
      asked_[*holder_].reset();
      choice.grant(*current(*holder_));
      return true;
    }
    all_ask();
    return false;
  }

  bool boosted(TaskIndex task) const override { return holder_ == task; }
  bool give_lock() {
    std::optional<TaskIndex> best;
    for (TaskIndex task = 0; task < task_count(); ++task) {
      if (asked_[task] && (!best || goes_first(task, *best))) best = task;
    }
    holder_ = best;
    return best.has_value();
  }
  bool goes_first(TaskIndex a, TaskIndex b) const {
    return queue_ == Queue::kFifo ? *asked_[a] < *asked_[b] : cpu_rank(a) > cpu_rank(b);
  }

  /// A task asks for the lock only while it is on its core.
  bool ask(bool backwards) {
    bool changed = false;
    for (std::size_t k = 0; k < core_count(); ++k) {
      const std::optional<TaskIndex> task = pick(backwards ? core_count() - 1 - k : k);
      if (!task || !at(*task, kBegin) || asked_[*task]) continue;
      asked_[*task] = turn_++;
      changed = true;
    }
    return changed;
  }

  bool ready(TaskIndex task) const {
    if (!current(task)) return false;
    if (at(task, kBegin)) return !asked_[task];
    return !at(task, kExec) || spins();
  }
  std::optional<TaskIndex> pick(std::size_t core) const {
    std::optional<TaskIndex> best;
    const auto rank = [&](TaskIndex task) { return cpu_rank(task, boosted(task)); };
    for (const TaskIndex task : tasks_on(core)) {
      if (ready(task) && (!best || rank(task) > rank(*best))) best = task;
    }
    return best;
  }

  Queue queue_;
  std::vector<std::optional<std::uint64_t>> asked_;  ///< by task: the turn in which it asked
  std::optional<TaskIndex> holder_;
  std::uint64_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_locking(const System& system, bool busy, Queue queue) {
  return std::make_unique<Locking>(system, busy, queue);
}

}  // namespace tactus::simulate
