#include "tests/methods/gcaps/tick_simulator.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "tests/methods/gcaps/naive.hpp"

namespace tactus::gcaps::tests {
namespace {

/// What a job does next. `kBegin` and `kEnd` bracket a GPU segment: runlist updates under GCAPS,
/// lock and unlock under the locking protocols; the round robin has none.
enum class Kind { kCpu, kBegin, kLaunch, kExec, kEnd, kBoth };

struct Stage {
  Kind kind;
  Ticks left = 0;
  /// Of kBoth: what is done of all launches, and of all GPU work.
  std::vector<Launched> launched = {};
  Ticks launching = 0, working = 0;

  Ticks all(Ticks Launched::*part) const {
    Ticks sum = 0;
    for (const Launched& one : launched) sum += one.*part;
    return sum;
  }
  bool over() const {
    if (kind != Kind::kBoth) return left == 0;
    return launching == all(&Launched::launch) && working == all(&Launched::exec);
  }
  bool on_core() const {
    if (kind != Kind::kBoth) return kind == Kind::kCpu || kind == Kind::kLaunch;
    return launching < all(&Launched::launch);
  }
  /// Can the GPU do something for it?
  bool on_gpu() const {
    if (kind != Kind::kBoth) return kind == Kind::kExec;
    Ticks before = 0, done = 0;
    for (const Launched& one : launched) {
      done += one.exec;
      if (working < done) return launching >= before + one.first;
      before += one.launch;
    }
    return false;
  }
  void tick_on_core() { kind == Kind::kBoth ? ++launching : --left; }
  void tick_on_gpu() { kind == Kind::kBoth ? ++working : --left; }
};

struct Live {
  Ticks release = 0;
  std::vector<Stage> stages;
  std::size_t at = 0;
  std::optional<int> asked;  ///< the turn in which the request of this stage was made

  bool done() const { return at == stages.size(); }
  Stage& stage() { return stages[at]; }
  const Stage& stage() const { return stages[at]; }
  void next() {
    ++at;
    asked.reset();
  }
};

class Machine {
 public:
  explicit Machine(const Scenario& scenario)
      : scenario_(scenario),
        live_(scenario.tasks.size()),
        next_job_(scenario.tasks.size()),
        worst_(scenario.tasks.size()),
        context_(scenario.context) {
    for (const SimTask& task : scenario.tasks) cores_.insert(task.core);
  }

  std::vector<Ticks> run(Ticks until) {
    for (now_ = 0; now_ < until; ++now_) {
      settle();
      step();
    }
    settle();
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (live_[i]) note(i);
    }
    return worst_;
  }

 private:
  bool gcaps() const {
    return scenario_.policy == Policy::kGcaps || scenario_.policy == Policy::kGcapsArbiter ||
           inherits();
  }
  bool inherits() const { return scenario_.policy == Policy::kGcapsInherit; }
  bool locking() const { return !gcaps() && scenario_.policy != Policy::kTsgRr; }
  bool in_stage(std::size_t i, Kind kind) const {
    return live_[i] && !live_[i]->done() && live_[i]->stage().kind == kind;
  }
  bool works_on_gpu(std::size_t i) const {
    return live_[i] && !live_[i]->done() && live_[i]->stage().on_gpu();
  }
  bool asks(std::size_t i) const { return in_stage(i, Kind::kBegin) || in_stage(i, Kind::kEnd); }
  void note(std::size_t i) { worst_[i] = std::max(worst_[i], now_ - live_[i]->release); }

  /// Everything that takes no time, until nothing changes.
  void settle() {
    ties_ = scenario_.ties ? scenario_.ties(now_) : trace::Ties{};
    move_on(false);
    end_update_in_progress();
    while (ties_.requests_before_releases && (move_on(false) || serve())) continue;
    while (move_on(true) || serve()) continue;
  }
  bool serve() {
    if (inherits()) return take_or_wait();
    return ties_.newcomers_first ? ask() || grant() : grant() || ask();
  }

  /// The rt_mutex: one task that is on its core takes it or begins to wait. `asked` means that it waits.
  bool take_or_wait() {
    std::vector<std::size_t> asking;
    for (const std::int64_t core : cores_) {
      const std::optional<std::size_t> i = pick(core);
      if (i && asks(*i) && holder_ != i) asking.push_back(*i);
    }
    if (ties_.backwards) std::reverse(asking.begin(), asking.end());
    if (ties_.newcomers_first) {
      std::sort(asking.begin(), asking.end(),
                [&](std::size_t a, std::size_t b) { return cpu_rank(a) > cpu_rank(b); });
    }
    const std::optional<std::size_t> top = most_urgent_waiter();
    for (const std::size_t i : asking) {
      if (holder_ || (top && *top != i && cpu_rank(*top) > cpu_rank(i))) continue;
      holder_ = i;
      live_[i]->asked.reset();
      update_left_ = scenario_.eps;
      if (update_left_ == 0) update_over();
      return true;
    }
    for (const std::size_t i : asking) {
      if (live_[i]->asked) continue;
      live_[i]->asked = turn_++;
      return true;
    }
    return false;
  }
  std::optional<std::size_t> most_urgent_waiter() const {
    std::optional<std::size_t> top;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (!live_[i] || !live_[i]->asked) continue;
      if (!top || cpu_rank(i) > cpu_rank(*top)) top = i;
    }
    return top;
  }

  /// Jobs go, pass stages that are over, and come.
  bool move_on(bool releases) {
    bool moved = false;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      while (progress(i) || (releases && release(i))) moved = true;
    }
    return moved;
  }

  bool release(std::size_t i) {
    const std::vector<SimJob>& jobs = scenario_.tasks[i].jobs;
    if (live_[i] || next_job_[i] == jobs.size() || jobs[next_job_[i]].release > now_) return false;
    start(i, jobs[next_job_[i]++]);
    return true;
  }

  void end(std::size_t i) {
    note(i);
    live_[i].reset();
  }

  /// Goes on to the next stage where this one is over.
  bool progress(std::size_t i) {
    if (!live_[i]) return false;
    Live& job = *live_[i];
    if (job.done()) {
      end(i);
      return true;
    }
    if (asks(i)) {
      // The holder of a lock is boosted, so nothing keeps it from unlocking at once.
      if (!locking() || job.stage().kind != Kind::kEnd) return false;
      holder_.reset();
    } else if (!job.stage().over()) {
      return false;
    }
    job.next();
    return true;
  }

  void start(std::size_t i, const SimJob& job) {
    Live live;
    live.release = job.release;
    const bool bracketed = scenario_.policy != Policy::kTsgRr;
    for (const Piece& piece : job.pieces) {
      if (!piece.gpu) {
        live.stages.push_back({Kind::kCpu, piece.cpu});
        continue;
      }
      if (bracketed) live.stages.push_back({Kind::kBegin});
      if (piece.launched.empty()) {
        live.stages.push_back({Kind::kLaunch, piece.launch});
        live.stages.push_back({Kind::kExec, piece.exec});
      } else {
        live.stages.push_back({Kind::kBoth, 0, piece.launched});
      }
      if (bracketed) live.stages.push_back({Kind::kEnd});
    }
    live_[i] = std::move(live);
  }

  bool grant() {
    if (holder_) return false;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (!live_[i] || !live_[i]->asked) continue;
      if (!best || goes_first(i, *best)) best = i;
    }
    if (!best) return false;
    holder_ = best;
    if (locking()) {
      live_[*best]->next();
    } else {
      update_left_ = scenario_.eps;
      if (update_left_ == 0) update_over();
    }
    return true;
  }

  bool goes_first(std::size_t a, std::size_t b) const {
    if (scenario_.policy == Policy::kFmlp) return *live_[a]->asked < *live_[b]->asked;
    if (scenario_.policy == Policy::kMpcp) return cpu_rank(a) > cpu_rank(b);
    return gpu_rank(a) > gpu_rank(b);
  }

  /// A task asks for the lock only while it runs on its core.
  bool ask() {
    bool changed = false;
    const auto ask_on = [&](std::int64_t core) {
      const std::optional<std::size_t> i = pick(core);
      if (!i || !asks(*i) || live_[*i]->asked) return;
      live_[*i]->asked = turn_++;
      changed = true;
    };
    if (ties_.backwards) {
      std::for_each(cores_.rbegin(), cores_.rend(), ask_on);
    } else {
      std::for_each(cores_.begin(), cores_.end(), ask_on);
    }
    return changed;
  }

  bool lock_held_meanwhile() const { return scenario_.policy == Policy::kGcapsArbiter; }

  /// Whoever is on the GPU and will not be among those who run, leaves from now on. A task that
  /// itself waits for a leaver is not on the GPU.
  void tell_to_leave() {
    if (!leaving_.empty()) return;
    std::set<std::size_t> after = active_;
    if (in_stage(*holder_, Kind::kBegin)) {
      after.insert(*holder_);
    } else {
      after.erase(*holder_);
    }
    after = running_of(after);
    for (const std::size_t i : running_of(active_)) {
      if (after.count(i) > 0 || !works_on_gpu(i)) continue;
      const auto job = static_cast<std::uint32_t>(next_job_[i] - 1);
      const Ticks stays = scenario_.stays ? scenario_.stays(i, job, ++orders_) : scenario_.delay;
      if (stays > 0) leaving_.emplace_back(i, stays);
    }
  }

  /// The time of the update itself has passed.
  void update_over() {
    tell_to_leave();
    if (lock_held_meanwhile() && !leaving_.empty()) {
      all_told_ = true;
    } else {
      end_update();
    }
  }

  /// One tick of leaving: one after another.
  void leave_gpu() {
    if (leaving_.empty()) return;
    auto& [i, left] = leaving_.front();
    Stage& stage = live_[i]->stage();
    if (scenario_.works_while_leaving) stage.tick_on_gpu();
    if (--left == 0 || stage.over() || !stage.on_gpu()) leaving_.erase(leaving_.begin());
  }
  /// Whoever runs again need not leave any more.
  void stay() {
    const std::set<std::size_t> running = running_of(active_);
    std::erase_if(leaving_, [&](const auto& entry) { return running.count(entry.first) > 0; });
  }

  void end_update() {
    all_told_ = false;
    const std::size_t i = *holder_;
    if (in_stage(i, Kind::kBegin)) {
      active_.insert(i);
    } else {
      active_.erase(i);
    }
    live_[i]->next();
    holder_.reset();
    stay();
  }

  using Rank = std::tuple<bool, bool, std::int64_t, std::int64_t>;
  Rank cpu_rank(std::size_t i) const {
    const SimTask& task = scenario_.tasks[i];
    return {locking() && holder_ == i, !task.best_effort, task.priority,
            -static_cast<std::int64_t>(i)};
  }
  Rank gpu_rank(std::size_t i) const {
    const SimTask& task = scenario_.tasks[i];
    return {false, !task.best_effort, task.gpu_priority, -static_cast<std::int64_t>(i)};
  }

  bool ready(std::size_t i) const {
    if (!live_[i] || live_[i]->done()) return false;
    if (asks(i) && inherits()) {
      return !live_[i]->asked || (!holder_ && most_urgent_waiter() == i);  // it was woken
    }
    if (asks(i)) return !live_[i]->asked || (gcaps() && scenario_.busy);
    return live_[i]->stage().on_core() || scenario_.busy;
  }

  /// Who runs on a core: an update that holds the lock, else the most urgent ready task.
  std::optional<std::size_t> pick(std::int64_t core) const {
    if (updates_on(core)) return holder_;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (scenario_.tasks[i].core != core || !ready(i)) continue;
      if (!best || urgency(i) > urgency(*best)) best = i;
    }
    return best;
  }
  /// The holder of an rt_mutex inherits from whoever waits for it.
  Rank urgency(std::size_t i) const {
    const std::optional<std::size_t> waits = inherits() ? most_urgent_waiter() : std::nullopt;
    return waits && holder_ == i ? std::max(cpu_rank(i), cpu_rank(*waits)) : cpu_rank(i);
  }
  bool updates_on(std::int64_t core) const {
    return scenario_.policy == Policy::kGcaps && holder_ && scenario_.tasks[*holder_].core == core;
  }

  /// One tick of every core and of the GPU.
  void step() {
    const bool taken = !leaving_.empty();
    const std::optional<std::size_t> on_gpu = taken ? std::nullopt : pick_gpu();
    const bool updates =
        holder_ && (!inherits() || pick(scenario_.tasks[*holder_].core) == holder_);
    for (const std::int64_t core : cores_) {
      const std::optional<std::size_t> i = pick(core);
      if (i && live_[*i]->stage().on_core()) live_[*i]->stage().tick_on_core();
    }
    if (on_gpu) live_[*on_gpu]->stage().tick_on_gpu();
    leave_gpu();
    if (gcaps() && updates && !all_told_) --update_left_;
  }

  /// After launches and GPU work that end at this instant: a task whose GPU work is done has left the
  /// GPU, a task whose launch is done is on it.
  void end_update_in_progress() {
    if (!gcaps() || !holder_) return;
    if (all_told_) {
      if (leaving_.empty()) end_update();
    } else if (update_left_ == 0) {
      update_over();
    }
  }

  std::optional<std::size_t> pick_gpu() {
    if (scenario_.policy == Policy::kTsgRr) return round_robin();
    if (locking()) {
      return holder_ && works_on_gpu(*holder_) ? holder_ : std::nullopt;
    }
    const std::set<std::size_t> running = running_of(active_);
    if (holder_) {
      std::set<std::size_t> after = active_;
      if (in_stage(*holder_, Kind::kBegin)) {
        after.insert(*holder_);
      } else {
        after.erase(*holder_);
      }
      if (running_of(after) != running) return std::nullopt;
    }
    // Best-effort tasks share the GPU: one tick each in turn.
    std::optional<std::size_t> chosen;
    for (const std::size_t i : running) {
      if (!works_on_gpu(i)) continue;
      if (!chosen || (*chosen <= context_ && i > context_)) chosen = i;
    }
    if (chosen && scenario_.tasks[*chosen].best_effort) context_ = *chosen;
    return chosen;
  }

  /// The rule of the arbiter (docs/use/arbiter.md).
  std::set<std::size_t> running_of(const std::set<std::size_t>& active) const {
    std::optional<std::size_t> owner;
    for (const std::size_t i : active) {
      if (scenario_.tasks[i].best_effort) continue;
      if (!owner || gpu_rank(i) > gpu_rank(*owner)) owner = i;
    }
    return owner ? std::set<std::size_t>{*owner} : active;
  }

  std::optional<std::size_t> round_robin() {
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (works_on_gpu(i)) pending.push_back(i);
    }
    if (pending.empty()) return std::nullopt;
    if (slice_left_ == 0 || !works_on_gpu(context_)) {
      const auto after = std::upper_bound(pending.begin(), pending.end(), context_);
      const std::size_t next = after == pending.end() ? pending.front() : *after;
      switch_left_ = next != context_ && pending.size() > 1 ? scenario_.theta : 0;
      slice_left_ = scenario_.slice;
      context_ = next;
    }
    if (switch_left_ > 0) {
      --switch_left_;
      return std::nullopt;
    }
    --slice_left_;
    return context_;
  }

  const Scenario& scenario_;
  std::set<std::int64_t> cores_;
  std::vector<std::optional<Live>> live_;
  std::vector<std::size_t> next_job_;
  std::vector<Ticks> worst_;
  Ticks now_ = 0;
  int turn_ = 0;
  trace::Ties ties_;  ///< of this instant

  std::optional<std::size_t> holder_;  ///< of the lock
  Ticks update_left_ = 0;
  std::set<std::size_t> active_;                        ///< between Begin and End (GCAPS)
  std::vector<std::pair<std::size_t, Ticks>> leaving_;  ///< the GPU, and how long still
  bool all_told_ = false;     ///< the holder's update waits for those who leave
  std::uint32_t orders_ = 0;  ///< to leave, so far

  std::size_t context_;  ///< whose turn it was on the GPU
  Ticks slice_left_ = 0, switch_left_ = 0;
};

Ticks in_ticks(Time time, Time tick) { return time.ns() / tick.ns(); }

}  // namespace

Scenario scenario_of(const System& system, Policy policy, bool busy, Time tick) {
  Scenario scenario;
  scenario.policy = policy;
  scenario.busy = busy;
  for (const Element& element : system.platform.elements) {
    if (element.runlist_update) scenario.eps = in_ticks(*element.runlist_update, tick);
    if (element.context_switch) scenario.theta = in_ticks(*element.context_switch, tick);
    if (element.time_slice) scenario.slice = in_ticks(*element.time_slice, tick);
    if (element.preemption_delay) scenario.delay = in_ticks(*element.preemption_delay, tick);
  }
  for (const Task& source : system.tasks) {
    SimTask task;
    task.core = *source.core;
    task.best_effort = source.best_effort;
    task.priority = source.priority.value_or(0);
    task.gpu_priority = source.gpu_priority.value_or(task.priority);
    for (const NodeIndex index : naive::walk(source)) {
      const Node& node = source.nodes[index];
      const bool gpu = system.platform.elements[node.on].kind != ElementKind::kCpu;
      if (task.worst.empty() || task.worst.back().gpu != gpu) task.worst.push_back({.gpu = gpu});
      Piece& piece = task.worst.back();
      (gpu ? piece.exec : piece.cpu) += in_ticks(*node.wcet, tick);
      piece.launch += in_ticks(node.launch, tick);
      if (!gpu) continue;
      piece.launched.push_back({in_ticks(node.launch, tick), in_ticks(*node.wcet, tick),
                                in_ticks(node.launch - node.overlap, tick)});
    }
    for (Piece& piece : task.worst) {
      const auto overlaps = [](const Launched& one) { return one.first < one.launch; };
      if (std::none_of(piece.launched.begin(), piece.launched.end(), overlaps)) {
        piece.launched.clear();
      }
    }
    scenario.tasks.push_back(std::move(task));
  }
  return scenario;
}

std::vector<Ticks> worst_responses(const Scenario& scenario, Ticks until) {
  return Machine(scenario).run(until);
}

}  // namespace tactus::gcaps::tests
