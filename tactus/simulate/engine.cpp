#include "tactus/simulate/engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <queue>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/simulate/occupancy.hpp"
#include "tactus/trace/chain_watch.hpp"
#include "tactus/trace/script.hpp"

namespace tactus::simulate {
namespace {

class Engine {
 public:
  Engine(const System& system, Policy& policy, const trace::Scenario& scenario, const Until& until,
         trace::TraceSink* sink)
      : system_(system),
        policy_(policy),
        scenario_(scenario),
        until_(until),
        sink_(sink),
        jobs_(system.tasks.size()),
        next_(system.tasks.size()),
        ended_(system.tasks.size()),
        starts_(system.tasks.size()),
        least_(system.tasks.size()),
        waiting_(system.tasks.size()),
        released_(system.tasks.size()),
        view_(system_, scenario_, jobs_, ready_, now_),
        occupancy_(system.platform),
        load_(system.platform.elements.size()),
        sharers_(system.platform.elements.size()),
        shown_in_use_(system.platform.elements.size()),
        chains_(system),
        seen_(system) {
    seen_.scenario = scenario;
    seen_.busy.resize(system.platform.elements.size());
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      if (const auto& before = system.tasks[task].after) {
        starts_[*before].push_back(task);
        least_[*before] = least_time(system.tasks[*before]);
      } else {
        arrive(task, scenario.first_release(system, task), 0);
      }
      await_release(task);
      if (until.duration || system.tasks[task].best_effort || wanted(task) == 0) continue;
      ++(system.tasks[task].period ? periodic_left_ : singles_left_);
    }
  }

  trace::Observed run() {
    try {
      end_ = until_.duration ? *until_.duration : scenario_.span_of(system_, until_.jobs);
      latest_end_ = 2 * end_;
    } catch (const OverflowError&) {  // the limit of decisions comes first
    }
    try {
      while (seen_.broken_rule.empty() && !over() && go_on()) {
        settle();
        ++seen_.events;
        const Time next = next_event();
        if (next == Time::max()) {
          // A script may end later than its jobs.
          if (scenario_.script && until_.duration && now_ < end_) advance_to(end_);
          break;
        }
        advance_to(now_ < end_ ? std::min(next, end_) : next);
      }
    } catch (const OverflowError& error) {
      seen_.cut_short = error.what();
    } catch (const trace::BadScript&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // of a policy that is not ours
      seen_.broken_rule = fmt::format("at {} ns the policy failed: {}", now_.ns(), error.what());
    } catch (...) {
      seen_.broken_rule = fmt::format("at {} ns the policy failed", now_.ns());
    }
    finish();
    return std::move(seen_);
  }

 private:
  /// A job that is to come.
  struct Coming {
    Time arrival = Time::max(), release = Time::max();
    Time late = {};  ///< of the time between them, the part that the scenario has chosen
  };
  /// What a script needs to know of it.
  void note(TaskIndex task, std::uint32_t number, const Coming& came) {
    if (!scenario_.record) return;
    scenario_.record->note_release(task, number, came.arrival);
    if (system_.tasks[task].jitter == Time()) return;
    scenario_.record->note_time(task, number, {.part = trace::Piece::Part::kRelease}, came.late);
  }

  bool go_on() {
    if (until_.stop.stop_requested()) seen_.cut_short = "it was interrupted";
    if (seen_.events >= until_.events) {
      seen_.cut_short = fmt::format("the limit of {} decisions was reached", until_.events);
    }
    return seen_.cut_short.empty();
  }

  bool over() const {
    if (now_ < end_ || singles_left_ > 0) return false;
    return periodic_left_ == 0 || now_ >= latest_end_;
  }

  /// Everything that happens at this instant, until time must pass for the policy's choice.
  void settle() {
    do {
      choice_.clear();
      policy_.before_releases(view_, choice_);
    } while (grant());
    do {
      release_due();
      choice_.clear();
      policy_.choose(view_, choice_);
    } while (grant());
    if (until_.audit) {
      const std::string_view problem = policy_.audit(view_, choice_);
      if (!problem.empty()) {
        seen_.broken_rule = fmt::format("at {} ns {}", now_.ns(), problem);
        return;
      }
    }
    apply();
  }

  /// Ends the gated works that the policy lets through; true when there were any.
  bool grant() {
    for (const WorkId id : choice_.granted) {
      ready_.erase(jobs_[id.task].works[id.index].ready_at);
      complete(id);
    }
    return !choice_.granted.empty();
  }

  /// Task by task, in the order of the file.
  void release_due() {
    due_tasks_.clear();
    for (; !releases_.empty() && releases_.top().at <= now_; releases_.pop()) {
      due_tasks_.push_back(releases_.top().task);
    }
    std::sort(due_tasks_.begin(), due_tasks_.end());
    for (const TaskIndex task : due_tasks_) {
      releasing_ = task;
      // A job without any work ends at once, and the next may be due as well.
      while (!jobs_[task].live && next_[task].release <= now_) release(task);
      releasing_.reset();
      if (!jobs_[task].live) await_release(task);
    }
  }
  /// Each task without a live job waits for its next release, unless there is none.
  void await_release(TaskIndex task) {
    if (next_[task].release != Time::max()) releases_.push({next_[task].release, task});
  }
  /// The next job of a task comes then; `Time::max()`: there is none.
  void arrive(TaskIndex task, Time arrival, std::uint32_t number) {
    next_[task] = {arrival, arrival};
    if (arrival == Time::max()) return;
    next_[task].late = scenario_.late_by(system_, task, number);
    next_[task].release += next_[task].late;
  }
  /// A job that has completed starts those that wait for it.
  void start_others(TaskIndex task, const Job& job) {
    for (const TaskIndex other : starts_[task]) {
      const auto number = static_cast<std::uint32_t>(released_[other] + waiting_[other].size()) +
                          (next_[other].release == Time::max() ? 0 : 1);
      const Time late = scenario_.late_by(system_, other, number);
      const Coming coming = {job.release + least_[task], now_ + late, late};
      if (next_[other].release != Time::max()) {
        waiting_[other].push_back(coming);
        continue;
      }
      next_[other] = coming;
      if (!jobs_[other].live) await_release(other);
    }
  }

  void release(TaskIndex task) {
    Job& job = jobs_[task];
    job.live = true;
    job.number = released_[task]++;
    job.release = next_[task].arrival;
    job.late = next_[task].release - job.release;
    job.begin = std::max(job.release, ended_[task]);
    job.reads = true;
    job.clear();
    policy_.expand(view_, task, job);
    job.left = static_cast<std::uint32_t>(job.works.size());
    for (Work& work : job.works) work.length = work.remaining;
    note(task, job.number, next_[task]);
    const Task& source = system_.tasks[task];
    if (source.after) {
      next_[task] = {};
      if (!waiting_[task].empty()) {
        next_[task] = waiting_[task].front();
        waiting_[task].erase(waiting_[task].begin());
      }
    } else if (source.period) {
      const Time gap = scenario_.gap_after(system_, task, job.number);
      arrive(task, gap == Time::max() ? gap : next_[task].arrival + gap, job.number + 1);
    } else {
      arrive(task, Time::max(), 0);  // once; a best-effort task again when it ends
    }
    // First all of them, since a work that takes no time makes others ready at once.
    due_.clear();
    for (std::uint32_t i = 0; i < job.works.size(); ++i) {
      if (job.works[i].waiting_for == 0) due_.push_back({task, i});
    }
    for (const WorkId id : due_) get_ready(id);
    if (job.works.empty()) end_job(task);
  }

  void get_ready(WorkId id) {
    Work& work = jobs_[id.task].works[id.index];
    if (work.remaining == Time() && !work.gated) {
      complete(id);
    } else {
      work.ready_at = ready_.push_back(id);
      work.ready_turn = ready_turn_++;
      policy_.became_ready(view_, id);
    }
  }

  /// The first piece of a job that runs reads what there is.
  void read(TaskIndex task) {
    if (std::exchange(jobs_[task].reads, false)) chains_.starts(task, now_);
  }

  void complete(WorkId id) {
    Job& job = jobs_[id.task];
    Work& work = job.works[id.index];
    read(id.task);
    stop(id, work);
    if (work.executed != (work.gated ? Time() : work.length)) {
      break_rule(id, "ends without having run its length");
    }
    work.done = true;
    --job.left;
    policy_.finished(view_, id);
    for (std::uint32_t link = work.first_link; link != Work::kNoLink; link = job.links[link].next) {
      const std::uint32_t next = job.links[link].to;
      if (--job.works[next].waiting_for == 0) get_ready({id.task, next});
    }
    if (job.left == 0 && job.live) end_job(id.task);
  }

  void end_job(TaskIndex task) {
    Job& job = jobs_[task];
    job.live = false;
    ended_[task] = now_;
    read(task);
    chains_.ends(task, now_);
    const Task& source = system_.tasks[task];
    seen_.book({.task = task,
                .job = job.number,
                .release = job.release,
                .begin = job.begin,
                .end = now_,
                .late = job.late},
               sink_);
    if (!until_.duration && !source.best_effort) {
      if (!source.period) --singles_left_;
      if (source.period && seen_.tasks[task].responses.size() == wanted(task)) --periodic_left_;
    }
    // Best-effort work without a period comes back at once, unless it takes no time at all.
    if (!source.period && source.best_effort && now_ > job.release) {
      if (!source.after) {
        arrive(task,
               scenario_.script
                   ? scenario_.script->release(task, job.number + 1).value_or(Time::max())
                   : now_,
               job.number + 1);
      }
    }
    if (releasing_ != task) await_release(task);
    start_others(task, job);
  }

  /// The jobs that a periodic task must have had at the end.
  std::size_t wanted(TaskIndex task) const {
    return scenario_.script ? scenario_.script->jobs(task).size() : until_.jobs;
  }

  /// Works without remaining length end, in the order in which they became ready.
  void finish_due() {
    if (now_ < next_end_) return;
    due_.clear();
    std::erase_if(running_, [&](WorkId id) {
      if (jobs_[id.task].works[id.index].end != now_) return false;
      due_.push_back(id);
      return true;
    });
    sort_by_turn(due_);
    for (const WorkId id : due_) ready_.erase(jobs_[id.task].works[id.index].ready_at);
    for (const WorkId id : due_) complete(id);
  }
  void sort_by_turn(std::vector<WorkId>& works) const {
    if (works.size() < 2) return;
    std::sort(works.begin(), works.end(), [&](WorkId a, WorkId b) {
      return jobs_[a.task].works[a.index].ready_turn < jobs_[b.task].works[b.index].ready_turn;
    });
  }

  /// Puts the choice into effect: stops what is not chosen, starts what is.
  void apply() {
    for (const auto& [id, length] : choice_.resized) {
      Work& work = jobs_[id.task].works[id.index];
      if (work.started) return break_rule(id, "is given another length after its start");
      work.remaining = work.length = length;
    }
    ++decision_;
    next_end_ = Time::max();
    starting_.clear();
    std::size_t going_on = 0;
    for (const Choice::Run& run : choice_.runs) {
      Work& work = jobs_[run.id.task].works[run.id.index];
      if (work.chosen_in == decision_) return break_rule(run.id, "is chosen twice");
      work.chosen_in = decision_;
      going_on += work.running ? 1 : 0;
      if (work.running && work.unit == run.unit) {
        expect(work.end);
        continue;
      }
      if (!jobs_[run.id.task].live || work.done || work.waiting_for > 0 || work.gated) {
        return break_rule(run.id, "is not ready, but chosen");
      }
      if (work.started && !work.preemptible) {
        return break_rule(run.id, "is moved, but not preemptible");
      }
      starting_.push_back(run);
    }
    if (going_on < running_.size() && !preempt_others()) return;
    // Whatever moves or ends makes room before anything starts.
    for (const Choice::Hold& hold : holds_) occupancy_.give(hold.element, hold.unit, 1);
    for (const Choice::Run& run : starting_) {
      stop(run.id, jobs_[run.id.task].works[run.id.index]);
    }
    for (const Choice::Run& run : starting_) start(run);
    running_.clear();
    for (const Choice::Run& run : choice_.runs) running_.push_back(run.id);
    holds_.assign(choice_.holds.begin(), choice_.holds.end());
    for (const Choice::Hold& hold : holds_) take(hold.element, hold.unit, 1);
    record_holds();
    record_usage();
  }

  /// Stops what runs and is not chosen again; false when it must not be.
  bool preempt_others() {
    due_.clear();
    for (const WorkId id : running_) {
      if (jobs_[id.task].works[id.index].chosen_in != decision_) due_.push_back(id);
    }
    sort_by_turn(due_);
    for (const WorkId id : due_) {
      Work& work = jobs_[id.task].works[id.index];
      if (!work.preemptible) {
        break_rule(id, "is preempted, but must not be");
        return false;
      }
      stop(id, work);
    }
    return true;
  }

  void start(const Choice::Run& run) {
    Work& work = jobs_[run.id.task].works[run.id.index];
    if (run.unit >= system_.platform.elements[work.element].units) {
      return break_rule(run.id, "is on no such unit");
    }
    read(run.id.task);
    work.end = now_ + work.remaining;
    expect(work.end);
    work.running = work.started = true;
    work.unit = run.unit;
    work.since = now_;
    load_[work.element] += work.width + first_sharer(work, +1);
    take(work.element, work.unit, work.width);
  }
  /// Copies that share an engine keep it busy once, however many they are.
  std::int64_t first_sharer(const Work& work, int change) {
    if (work.width > 0 || system_.platform.elements[work.element].kind != ElementKind::kCopy) {
      return 0;
    }
    std::int64_t& sharers = sharers_[work.element];
    sharers += change;
    return (change > 0 ? sharers == 1 : sharers == 0) ? 1 : 0;
  }
  void expect(Time end) { next_end_ = std::min(next_end_, end); }

  void stop(WorkId id, Work& work) {
    if (!work.running) return;
    work.running = false;
    load_[work.element] -= work.width + first_sharer(work, -1);
    occupancy_.give(work.element, work.unit, work.width);
    work.executed += now_ - work.since;
    work.remaining = work.end - now_;
    if (sink_ == nullptr || work.since == now_) return;
    sink_->add(trace::Interval{id.task, jobs_[id.task].number, work.node, work.element, work.unit,
                               work.width, work.activity, work.since, now_,
                               work.remaining > Time() && !finishing_});
  }

  void take(ElementIndex element, std::uint32_t unit, std::uint32_t width) {
    if (occupancy_.take(element, unit, width)) return;
    seen_.broken_rule = fmt::format("at {} ns element {} is used beyond its capacity", now_.ns(),
                                    quote(system_.platform.elements[element].name));
  }

  /// Holds do not end by themselves: they are recorded piece by piece from event to event.
  void record_holds() {
    if (sink_ == nullptr) return;
    for (const Held& held : held_) {
      const auto same = [&](const Choice::Hold& hold) {
        return hold.task == held.hold.task && hold.element == held.hold.element &&
               hold.unit == held.hold.unit && hold.activity == held.hold.activity;
      };
      if (std::any_of(choice_.holds.begin(), choice_.holds.end(), same)) continue;
      end_hold(held);
    }
    std::vector<Held> now_held;
    for (const Choice::Hold& hold : choice_.holds) {
      const auto before = std::find_if(held_.begin(), held_.end(), [&](const Held& held) {
        return hold.task == held.hold.task && hold.element == held.hold.element &&
               hold.unit == held.hold.unit && hold.activity == held.hold.activity;
      });
      now_held.push_back({hold, before == held_.end() ? now_ : before->since});
    }
    held_ = std::move(now_held);
  }

  void record_usage() {
    if (sink_ == nullptr) return;
    for (ElementIndex i = 0; i < shown_in_use_.size(); ++i) {
      const std::int64_t units = occupancy_.in_use(i);
      if (units == shown_in_use_[i]) continue;
      shown_in_use_[i] = units;
      sink_->add(trace::Usage{i, now_, units});
    }
  }

  struct Held {
    Choice::Hold hold;
    Time since;
  };
  void end_hold(const Held& held) {
    if (held.since == now_) return;
    sink_->add(trace::Interval{held.hold.task, jobs_[held.hold.task].number, 0, held.hold.element,
                               held.hold.unit, 1, held.hold.activity, held.since, now_});
  }

  Time next_event() const {
    const Time next = std::min(next_end_, choice_.wake.value_or(Time::max()));
    return releases_.empty() ? next : std::min(next, releases_.top().at);
  }

  void advance_to(Time next) {
    const Time passed = next - now_;
    for (ElementIndex i = 0; i < load_.size(); ++i) seen_.busy[i] += passed * load_[i];
    now_ = next;
    finish_due();
  }

  /// Jobs that have not ended count with what they have taken.
  void finish() {
    seen_.end = now_;
    seen_.chains = chains_.take();
    if (scenario_.record) scenario_.record->end = now_;
    finishing_ = true;
    for (TaskIndex task = 0; task < jobs_.size(); ++task) {
      Job& job = jobs_[task];
      if (job.live) {
        for (std::uint32_t i = 0; i < job.works.size(); ++i) stop({task, i}, job.works[i]);
        book_unfinished(task, job.number, {job.release, job.release + job.late, {}}, job.begin,
                        sink_);
      }
      book_waiting(task);
    }
    if (sink_ != nullptr) {
      for (const Held& held : held_) end_hold(held);
    }
  }

  /// Jobs that were released while the one before them was live. The first are drawn, too.
  void book_waiting(TaskIndex task) {
    constexpr std::uint32_t kMostDrawn = 10'000, kMostCounted = 20'000'000;
    if (!system_.tasks[task].period) return;
    Coming next = next_[task];
    for (std::uint32_t number = released_[task]; next.release < now_; ++number) {
      const std::uint64_t counted = number - released_[task];
      if (counted == kMostCounted) {
        if (seen_.cut_short.empty())
          seen_.cut_short = fmt::format("more than {} jobs wait at the end", kMostCounted);
        return;
      }
      book_unfinished(task, number, next, now_, counted < kMostDrawn ? sink_ : nullptr);
      note(task, number, next);
      if (system_.tasks[task].after) {
        const std::size_t place = number - released_[task];
        if (place >= waiting_[task].size()) return;
        next = waiting_[task][place];
        continue;
      }
      const Time gap = scenario_.gap_after(system_, task, number);
      if (gap >= now_ - next.arrival) return;
      next.arrival += gap;
      next.late = scenario_.late_by(system_, task, number + 1);
      next.release = next.arrival + next.late;
    }
  }

  void book_unfinished(TaskIndex task, std::uint32_t number, const Coming& came, Time begin,
                       trace::TraceSink* sink) {
    seen_.book({.task = task,
                .job = number,
                .release = came.arrival,
                .begin = begin,
                .end = now_,
                .ended = false,
                .late = came.release - came.arrival},
               sink);
  }

  void break_rule(WorkId id, std::string_view problem) {
    const Task& task = system_.tasks[id.task];
    const Work& work = jobs_[id.task].works[id.index];
    seen_.broken_rule = fmt::format("at {} ns task {}, node {} {}", now_.ns(), quote(task.name),
                                    quote(task.nodes[work.node].name), problem);
  }

  const System& system_;
  Policy& policy_;
  const trace::Scenario& scenario_;
  const Until& until_;
  trace::TraceSink* sink_;
  Time now_;
  Time end_ = Time::max();         ///< of the run, as planned
  Time latest_end_ = Time::max();  ///< how long to wait for jobs that pile up
  bool finishing_ = false;         ///< what still runs is not preempted: the run is over
  /// Tasks that have not had their jobs: those without a period, and the others.
  std::size_t singles_left_ = 0, periodic_left_ = 0;
  std::vector<Job> jobs_;  ///< by task
  ReadyList ready_;
  std::uint64_t ready_turn_ = 0;
  std::vector<WorkId> due_;
  /// The next releases of the tasks without a live job, soonest first.
  struct Release {
    Time at;
    TaskIndex task;
    friend bool operator>(const Release& a, const Release& b) { return a.at > b.at; }
  };
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
  std::vector<TaskIndex> due_tasks_;
  std::optional<TaskIndex> releasing_;  ///< the task whose jobs are being released
  std::vector<Coming> next_;            ///< by task
  std::vector<Time> ended_;             ///< by task: its last job
  // Of tasks that start others:
  std::vector<std::vector<TaskIndex>> starts_;  ///< by task: these
  std::vector<Time> least_;                     ///< by task: how long it takes at least
  std::vector<std::vector<Coming>> waiting_;    ///< by task that is started: behind the next
  std::vector<std::uint32_t> released_;         ///< by task
  View view_;
  Choice choice_;
  std::uint64_t decision_ = 0;   ///< its number
  std::vector<WorkId> running_;  ///< all that run
  Time next_end_ = Time::max();
  std::vector<Choice::Run> starting_;  ///< the part of the choice that does not simply go on
  std::vector<Choice::Hold> holds_;    ///< of the last choice
  Occupancy occupancy_;
  std::vector<std::int64_t> load_;          ///< by element: width of all works that run
  std::vector<std::int64_t> sharers_;       ///< by element: copies side by side
  std::vector<std::int64_t> shown_in_use_;  ///< by element, in the trace
  std::vector<Held> held_;
  trace::ChainWatch chains_;
  trace::Observed seen_;
};

}  // namespace

trace::Observed run(const System& system, Policy& policy, const trace::Scenario& scenario,
                    const Until& until, trace::TraceSink* sink) {
  policy.see_completions(until.completions);
  return Engine(system, policy, scenario, until, sink).run();
}

}  // namespace tactus::simulate
