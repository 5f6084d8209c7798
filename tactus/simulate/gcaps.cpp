#include "tactus/simulate/gcaps.hpp"

#include <algorithm>

#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/simulate/segments.hpp"
#include "tactus/trace/ties.hpp"

namespace tactus::simulate {
namespace {

/// How runlist updates are served.
enum class Updates {
  kOnCore,     ///< on the caller's core, never preempted
  kElsewhere,  ///< by an arbiter, on no core of the system
  kInherit,    ///< on the caller's core at its priority, under an rt_mutex with inheritance
};

class Gcaps final : public SegmentPolicy {
 public:
  Gcaps(const System& system, bool busy, Updates updates)
      : SegmentPolicy(system, {.brackets = true, .spins_in_exec = busy}),
        updates_(updates),
        epsilon_(gpu().runlist_update.value_or(Time())),
        delay_(gpu().preemption_delay.value_or(Time())),
        asked_(system.tasks.size()),
        active_(system.tasks.size()),
        asked_ranks_(system.tasks.size()),
        waiting_ranks_(system.tasks.size()),
        active_ranks_(system.tasks.size()),
        active_best_effort_(system.tasks.size()),
        turn_(static_cast<TaskIndex>(system.tasks.size() - 1)) {}

  void before_releases(const View& view, Choice& choice) override {
    if (trace::ties_at(view.scenario(), view.now()).requests_before_releases) serve(view, choice);
  }

  void choose(const View& view, Choice& choice) override {
    if (serve(view, choice)) return;
    bool updating = holder_ && !inherits();
    for (std::size_t core = 0; core < core_count(); ++core) {
      const std::optional<TaskIndex> task = pick(core);
      if (!task) continue;
      if (updates_on(core) && task == holder_) {
        hold_core(*task, trace::Activity::kUpdate, choice);
        updating = true;
      } else {
        put_on_core(view, *task, choice);
      }
    }
    go_on(view, updating);
    if (updating) choice.wake_at(update_end_);
    choose_copies(view, choice);
    choose_gpu(view, choice);
  }

 private:
  /// Updates that end, requests and grants of this instant. True when somebody was let through: then
  /// all is to be looked at again.
  bool serve(const View& view, Choice& choice) {
    forget_leavers(view);
    const bool over = holder_ && !halted_ && view.now() >= update_end_;
    if (over && update_over(view, choice)) return true;
    if (inherits()) return serve_rt_mutex(view, choice);
    const bool newcomers_first = trace::ties_at(view.scenario(), view.now()).newcomers_first;
    while (newcomers_first && ask()) continue;
    while (!holder_ && (give_lock(view) || ask())) {
      if (holder_ && epsilon_ == Time() && update_over(view, choice)) return true;
    }
    while (holder_ && ask()) continue;
    return false;
  }

  bool inherits() const { return updates_ == Updates::kInherit; }

  /// An update under an rt_mutex stands still while something more urgent is on its core.
  void go_on(const View& view, bool updating) {
    if (!holder_ || updating == !halted_) return;
    if (updating) {
      update_end_ = view.now() + *halted_;
      halted_.reset();
    } else {
      halted_ = update_end_ - view.now();
    }
  }

  /// Tasks on their cores take the lock, or wait for it without their cores. Whoever takes it must be
  /// more urgent than all that wait; if it becomes free, the most urgent of these is woken, and
  /// must come to its core to take it.
  bool serve_rt_mutex(const View& view, Choice& choice) {
    const trace::Ties ties = trace::ties_at(view.scenario(), view.now());
    for (;;) {
      std::optional<TaskIndex> taker, waiter;
      for (std::size_t k = 0; k < core_count(); ++k) {
        const std::size_t core = ties.backwards ? core_count() - 1 - k : k;
        const std::optional<TaskIndex> task = pick(core);
        if (!task || !asks(*task) || task == holder_) continue;
        const bool first = waiting_ranks_.empty() || cpu_rank(*task) >= waiting_ranks_.largest();
        if (holder_ || !first) {
          waiter = task;
        } else if (!taker || (ties.newcomers_first && cpu_rank(*task) > cpu_rank(*taker))) {
          taker = task;
        }
      }
      if (taker) {
        const std::size_t woken = waiting_ranks_.largest();
        set_waiting(*taker, false);
        holder_ = taker;
        halted_.reset();
        update_end_ = view.now() + epsilon_;
        changed(*taker);
        if (woken != RankSet::kNone) changed(task_of_cpu_rank(woken));
        if (epsilon_ == Time() && update_over(view, choice)) return true;
      } else if (waiter) {
        set_waiting(*waiter, true);
      } else {
        return false;
      }
    }
  }
  void set_waiting(TaskIndex task, bool waits) {
    waiting_ranks_.put(cpu_rank(task), waits);
    changed(task);
  }
  bool waits_for_rt_mutex(TaskIndex task) const {
    if (task == holder_ || !waiting_ranks_.contains(cpu_rank(task))) return false;
    return holder_ || waiting_ranks_.largest() != cpu_rank(task);
  }

  /// Waiting requests are served in the order of GPU priority.
  bool give_lock(const View& view) {
    if (asked_ranks_.empty()) return false;
    holder_ = task_of_gpu_rank(asked_ranks_.largest());
    update_end_ = view.now() + epsilon_;
    return true;
  }

  /// A task asks for the lock only while it is on its core.
  bool ask() {
    bool asked_now = false;
    for (std::size_t core = 0; core < core_count(); ++core) {
      const std::optional<TaskIndex> task = pick(core);
      if (!task || !asks(*task) || asked_[*task]) continue;
      set_asked(*task, true);
      asked_now = true;
    }
    return asked_now;
  }

  /// The time of the update itself has passed: the tasks that must go are told to leave. With an
  /// arbiter the update ends when the last of them has left. True when it has ended.
  bool update_over(const View& view, Choice& choice) {
    if (!told_) tell_to_leave(view);
    if (arbiter() && !leaving_.empty() && leaving_.back().until > view.now()) {
      told_ = true;
      update_end_ = leaving_.back().until;
      return false;
    }
    if (told_) leaving_.clear();
    told_ = false;
    take_effect(*holder_, choice);
    holder_.reset();
    if (!waiting_ranks_.empty()) changed(task_of_cpu_rank(waiting_ranks_.largest()));
    return true;
  }

  /// Tasks that are on the GPU and do not run after the update leave from now on, one after
  /// another. An owner that still waits for another task to leave is not on the GPU.
  void tell_to_leave(const View& view) {
    const std::optional<TaskIndex> before = owner(), after = owner_after();
    if (delay_ == Time() || !leaving_.empty() || !after || before == after) return;
    Time until = view.now();
    const auto leaves = [&](TaskIndex task) {
      if (!at(task, kExec)) return;
      ++orders_;
      until += view.scenario().length(
          task, view.job(task).number,
          {leave_piece(orders_), 0, orders_, trace::Piece::Part::kOperation}, Time(), delay_);
      leaving_.push_back({task, until});
    };
    if (before) return leaves(*before);
    for (std::size_t task = active_best_effort_.next(); task != RankSet::kNone;
         task = active_best_effort_.next(task + 1)) {
      leaves(static_cast<TaskIndex>(task));
    }
  }
  /// Removes the tasks that have left, and those that run again and need not leave any more.
  void forget_leavers(const View& view) {
    if (told_) return;
    const std::optional<TaskIndex> real_time = owner();
    std::erase_if(leaving_, [&](const Leaving& one) {
      const bool runs = real_time ? one.task == *real_time : active_[one.task];
      return one.until <= view.now() || runs || !at(one.task, kExec);
    });
  }

  void take_effect(TaskIndex task, Choice& choice) {
    set_active(task, at(task, kBegin));
    set_asked(task, false);
    choice.grant(request(task));
  }

  bool arbiter() const { return updates_ == Updates::kElsewhere; }
  bool updates_on(std::size_t core) const {
    return !arbiter() && holder_ && core_of(*holder_) == core;
  }
  /// On the CPU, or waiting busily for the lock or the GPU.
  bool ready(TaskIndex task) const override {
    if (asks(task) && inherits()) return !waits_for_rt_mutex(task);
    if (asks(task)) return !asked_[task] || spins();
    return wants_core(task);
  }
  /// An update that holds the lock, else the most urgent ready task. Under an rt_mutex an update is
  /// as urgent as whoever waits for it.
  std::optional<TaskIndex> pick(std::size_t core) const {
    if (!updates_on(core)) return most_urgent(core);
    const std::optional<TaskIndex> other = inherits() ? most_urgent(core) : std::nullopt;
    if (!other) return holder_;
    const bool lent = !waiting_ranks_.empty() && waiting_ranks_.largest() > cpu_rank(*other);
    return lent ? holder_ : other;
  }
  void set_asked(TaskIndex task, bool asked) {
    asked_[task] = asked;
    asked_ranks_.put(gpu_rank(task), asked);
    changed(task);
  }
  void set_active(TaskIndex task, bool active) {
    active_[task] = active;
    if (best_effort(task)) {
      active_best_effort_.put(task, active);
    } else {
      active_ranks_.put(gpu_rank(task), active);
    }
  }

  /// The active real-time task with the highest GPU priority, if any.
  std::optional<TaskIndex> owner() const {
    if (active_ranks_.empty()) return std::nullopt;
    return task_of_gpu_rank(active_ranks_.largest());
  }
  /// Does the update in progress change who runs? Best-effort tasks run together when no real-time
  /// task is active, so one of them coming or going is then a change too.
  bool changes_owner() {
    const std::optional<TaskIndex> before = owner();
    return before != owner_after() || !before;
  }
  /// The owner once the update in progress has taken effect.
  std::optional<TaskIndex> owner_after() {
    const bool was_active = active_[*holder_];
    set_active(*holder_, at(*holder_, kBegin));
    const std::optional<TaskIndex> after = owner();
    set_active(*holder_, was_active);
    return after;
  }

  void choose_gpu(const View& view, Choice& choice) {
    for (const Leaving& one : leaving_) {  // no task is put on before all that must go are off
      if (one.until <= view.now()) continue;
      hold_gpu(one.task, trace::Activity::kSwitch, choice);
      choice.wake_at(one.until);
      return;
    }
    if (holder_ && changes_owner()) return;
    if (const std::optional<TaskIndex> real_time = owner()) {
      if (at(*real_time, kExec)) put_on_gpu(*real_time, choice);
      return;
    }
    share_among_best_effort(view, choice);
  }

  /// The next in the file after the one that had the last turn, which itself comes last.
  std::optional<TaskIndex> next_best_effort() const {
    const auto first_in = [&](std::size_t begin, std::size_t end) -> std::optional<TaskIndex> {
      for (std::size_t task = active_best_effort_.next(begin); task < end;
           task = active_best_effort_.next(task + 1)) {
        if (at(static_cast<TaskIndex>(task), kExec)) return static_cast<TaskIndex>(task);
      }
      return std::nullopt;
    };
    const std::size_t behind = turn_ + 1;
    if (const auto later = first_in(behind, task_count())) return later;
    return first_in(0, behind);
  }

  /// Time-shared in slices; the cost of their switches affects no bound.
  void share_among_best_effort(const View& view, Choice& choice) {
    const auto wants = [&](TaskIndex task) { return active_[task] && at(task, kExec); };
    if (!wants(turn_) || view.now() >= turn_end_) {
      const auto next = next_best_effort();
      if (!next) return;
      turn_ = *next;
      turn_end_ = view.now() + gpu().time_slice.value_or(Time::from_ms(1));
    }
    put_on_gpu(turn_, choice);
    choice.wake_at(turn_end_);
  }

  Updates updates_;
  Time epsilon_, delay_;
  std::vector<bool> asked_, active_;  ///< by task
  RankSet asked_ranks_;               ///< of `asked_`, by GPU rank
  RankSet waiting_ranks_;             ///< for the rt_mutex, by CPU rank
  RankSet active_ranks_;              ///< of the real-time tasks in `active_`, by GPU rank
  RankSet active_best_effort_;        ///< the others, by task
  std::optional<TaskIndex> holder_;   ///< of the update lock
  Time update_end_;
  std::optional<Time> halted_;  ///< what is left of an update that is kept off its core
  /// On the GPU without getting anything done, since an update has taken it away.
  struct Leaving {
    TaskIndex task;
    Time until;
  };
  std::vector<Leaving> leaving_;  ///< in the order in which they are gone
  bool told_ = false;             ///< the update in progress waits for them
  std::uint32_t orders_ = 0;      ///< to leave, so far
  TaskIndex turn_;                ///< best-effort task whose slice it is, or was last
  Time turn_end_;
};

}  // namespace

std::unique_ptr<Policy> make_gcaps(const System& system, bool busy, const Verdict& verdict) {
  const Updates updates = verdict.variant == "safe-arbiter"   ? Updates::kElsewhere
                          : verdict.variant == "safe-inherit" ? Updates::kInherit
                                                              : Updates::kOnCore;
  auto policy = std::make_unique<Gcaps>(system, busy, updates);
  if (const auto* plan = dynamic_cast<const gcaps::PriorityPlan*>(verdict.plan.get())) {
    std::vector<std::pair<TaskIndex, std::int64_t>> priorities;
    for (const auto& entry : plan->entries) priorities.emplace_back(entry.task, entry.gpu_priority);
    policy->set_gpu_priorities(priorities);
  }
  return policy;
}

}  // namespace tactus::simulate
