#include "tactus/runtime/executors/loop.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/trace/recent_times.hpp"

namespace tactus::runtime {
namespace {

/// One wait for a real machine takes no longer than this, so that an interrupt is noticed.
constexpr Time kLongestWait = Time::from_ms(50);
constexpr std::int64_t kLookEvery = 100'000'000;  ///< ns of real time
/// Jobs that may wait for the one before, in a run without an end.
constexpr std::size_t kMostWaiting = 1000;

}  // namespace

Loop::Loop(const System& system, Executor& executor, Device& device, const RunOptions& options)
    : system_(system),
      executor_(executor),
      device_(device),
      options_(options),
      observed_(system),
      overruns_(system, options),
      jobs_(system.tasks.size()),
      starts_(system.tasks.size()),
      chains_(system) {
  observed_.producer = trace::Producer::kExecutor;
  observed_.scenario = options.scenario;
  observed_.watch_releases(system);
  for (trace::ObservedTask& task : observed_.tasks) task.took_part = false;
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    least_.push_back(least_time(system.tasks[task]));
    if (const auto before = system.tasks[task].after) starts_[*before].push_back(task);
    jobs_[task].on_arrival =
        options.arrivals != nullptr && options.arrivals->expects(system.tasks[task].name);
  }
}

void Loop::note_machine() {
  const Capabilities capabilities = device_.capabilities();
  observed_.machine = {capabilities.name, capabilities.sms, capabilities.partition_step,
                       capabilities.features};
  virtual_time_ = capabilities.virtual_time;
  if (!virtual_time_ && options_.scenario.lateness != trace::Scenario().lateness) {
    observed_.notes.emplace_back(
        "releases are late as this machine makes them: the jitter of the scenario is not played");
  }
}

Result<trace::Observed> Loop::run() {
  if (auto problem = device_.start()) return *problem;
  note_machine();  // starting may have found out more
  releases_end_ = options_.until_stopped ? Time::max()
                  : options_.duration    ? *options_.duration
                                         : options_.scenario.span_of(system_, options_.jobs);
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    if (takes_part(task) && !system_.tasks[task].after && !jobs_[task].on_arrival) {
      plan_release(task, options_.scenario.first_release(system_, task));
    }
  }
  for (;;) {
    if (options_.stop.stop_requested() && !interrupted()) {
      // A run without an end is complete when it is stopped.
      if (options_.until_stopped) {
        end_releases();
      } else {
        observed_.cut_short = "it was interrupted";
      }
    }
    look_now_and_then();
    if (options_.arrivals != nullptr) options_.arrivals->doorbell().hear();
    if (!interrupted()) {
      take_arrivals();
      release_due();
      wake_.reset();
      executor_.start_ready(*this);
      if (error_) return *error_;
    }
    if (over()) break;
    std::optional<Time> until = interrupted() ? std::nullopt : next_event();
    if (in_flight_.empty() && !until) {
      if (!arrivals_open()) return Error{"nothing is left to wait for, but jobs are left"};
      if (virtual_time_) {  // an input comes in real time
        options_.arrivals->doorbell().sleep_until_ns(host::now_ns() + kLongestWait.ns());
        continue;
      }
    }
    if (!virtual_time_) {
      const Time soon = device_.now() + kLongestWait;
      until = until ? std::min(*until, soon) : soon;
    }
    const auto completions = device_.wait(until);
    if (!completions) return completions.error();
    for (const Completion& completion : *completions) handle(completion);
  }
  observed_.end = device_.now();
  chains_.settle(Time::max());
  observed_.chains = chains_.take();
  book_unfinished();
  if (options_.strict) check_widths();
  overruns_.report(observed_);
  note_arrivals();
  std::uint64_t forgotten = 0;
  for (const trace::ObservedTask& task : observed_.tasks) forgotten += task.forgotten;
  if (forgotten > 0) {
    observed_.notes.push_back(fmt::format(
        "the times of {} earlier jobs are not kept: means and quantiles are of the last ones, the "
        "longest is of all",
        forgotten));
  }
  return std::move(observed_);
}

bool Loop::over() const {
  if (!in_flight_.empty()) return false;
  return interrupted() || (!more_to_come() && !arrivals_open());
}

/// May an input still come?
bool Loop::arrivals_open() const {
  if (options_.arrivals == nullptr) return false;
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    if (!jobs_[task].on_arrival || !takes_part(task)) continue;
    if (options_.until_stopped || options_.duration ? device_.now() < releases_end_
                                                    : jobs_[task].released < options_.jobs) {
      return true;
    }
  }
  return false;
}

void Loop::take_arrivals() {
  if (options_.arrivals == nullptr) return;
  for (const Arrivals::Arrival& come : options_.arrivals->take()) {
    const auto named = [&](const Task& task) { return task.name == come.task; };
    const auto found = std::find_if(system_.tasks.begin(), system_.tasks.end(), named);
    const auto task = static_cast<TaskIndex>(found - system_.tasks.begin());
    if (task == jobs_.size() || !takes_part(task)) continue;
    const Time now = device_.now();
    Time at = virtual_time_ ? std::max(Time::from_ns(come.at_ns), now)
                            : now - Time::from_ns(host::now_ns() - come.at_ns);
    at = std::max(at, Time());
    if (at >= releases_end_ && (options_.until_stopped || options_.duration)) {
      ++dropped_;
      continue;
    }
    Job& job = jobs_[task];
    const Time least = job.last_arrival ? *job.last_arrival + found->period.value_or(Time()) : at;
    if (at < least) ++job.early;
    job.last_arrival = std::max(at, least);
    const auto number = static_cast<std::uint32_t>(job.released + job.coming.size());
    job.coming.push_back(coming_at(task, number, *job.last_arrival, *job.last_arrival));
  }
}

/// A run without an end is asked to end: what runs is ended, with what it starts; what waits is not
/// begun.
void Loop::end_releases() {
  releases_end_ = Time();
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    Job& job = jobs_[task];
    dropped_ += job.waiting.size() + (job.on_arrival ? job.coming.size() : 0);
    job.waiting.clear();
    if (!system_.tasks[task].after) job.coming.clear();
  }
}

void Loop::note_arrivals() {
  if (dropped_ > 0) {
    observed_.notes.push_back(fmt::format(
        "{} jobs waited for the one before when the run was stopped, and were not run", dropped_));
  }
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    if (!jobs_[task].on_arrival) continue;
    const std::string name = quote(system_.tasks[task].name);
    if (jobs_[task].early > 0) {
      observed_.notes.push_back(fmt::format(
          "{} inputs of task {} came less than its period after the one before, and waited",
          jobs_[task].early, name));
    }
    if (const auto refused = options_.arrivals->refused(system_.tasks[task].name); refused > 0) {
      observed_.notes.push_back(
          fmt::format("{} inputs of task {} were refused: too many waited", refused, name));
    }
  }
}

bool Loop::more_to_come() const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [](const Job& job) { return job.live || !job.coming.empty(); });
}

std::optional<Time> Loop::next_event() const {
  std::optional<Time> next = wake_;
  for (const Job& job : jobs_) {
    if (job.coming.empty()) continue;
    const Time release = job.coming.front().release;
    next = next ? std::min(*next, release) : release;
  }
  if (options_.duration && arrivals_open()) {
    next = next ? std::min(*next, releases_end_) : releases_end_;
  }
  return next;
}

void Loop::plan_release(TaskIndex task, Time at) {
  Job& job = jobs_[task];
  // What follows its own end is counted where there is no duration: others may set none.
  // Best-effort work follows as long as there is other work.
  const bool counted = !options_.duration && !options_.until_stopped &&
                       !system_.tasks[task].period &&
                       !(system_.tasks[task].best_effort && releases_end_ > Time());
  const bool more = at < releases_end_ || (counted && job.released < options_.jobs);
  if (more) job.coming.push_back(coming_at(task, job.released, at, at));
}

/// Real machines make releases late by themselves.
Loop::Coming Loop::coming_at(TaskIndex task, std::uint32_t number, Time arrival, Time due) const {
  const Time late = virtual_time_ ? options_.scenario.late_by(system_, task, number) : Time();
  return {arrival, due, due + late};
}

/// The end of a job releases those that wait for it; a job that is skipped skips theirs, so that all
/// along a path have the same numbers.
void Loop::start_others(TaskIndex task, Time arrival, std::optional<Time> end) {
  for (const TaskIndex other : starts_[task]) {
    if (!takes_part(other)) continue;
    Job& job = jobs_[other];
    const auto number = static_cast<std::uint32_t>(job.released + job.coming.size());
    const Time nominal = arrival + least_[task];
    Coming coming = coming_at(other, number, nominal, end.value_or(nominal));
    coming.skipped = !end;
    job.coming.push_back(coming);
  }
}

bool Loop::will_come(TaskIndex task, std::uint32_t number) const {
  const Job& job = jobs_[task];
  if (number < job.released) return false;
  const auto& before = system_.tasks[task].after;
  if (!before) return !job.coming.empty();
  return number < job.released + job.coming.size() || number < jobs_[*before].released ||
         will_come(*before, number);
}

void Loop::release_due() {
  const Time now = device_.now();
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    Job& job = jobs_[task];
    const bool comes = system_.tasks[task].after || job.on_arrival;
    const bool follows_itself = !system_.tasks[task].period && !comes;
    while (!job.coming.empty() && job.coming.front().release <= now) {
      const Coming came = job.coming.front();
      job.coming.pop_front();
      observed_.tasks[task].took_part = true;
      const std::uint32_t number = job.released++;
      if (!follows_itself && !comes) {
        plan_release(task, came.arrival + options_.scenario.gap_after(system_, task, number));
      }  // else the next one follows the end of this, or of one of its predecessor's
      if (skips(task, came)) {
        skip(task, number);
        start_others(task, came.arrival, std::nullopt);
        if (!job.live && follows_itself) plan_release(task, now);
        continue;
      }
      watch_release(task, came, now);
      const Time arrival = std::min(came.arrival, now);
      const Released released = {number, arrival, std::max(came.release, arrival) - arrival};
      if (job.live) {
        job.waiting.push_back(released);
      } else {
        begin_job(task, released);
      }
    }
  }
}

void Loop::watch_release(TaskIndex task, const Coming& came, Time now) {
  trace::ObservedTask& seen = observed_.tasks[task];
  seen.late.push_back(now - came.due);
  if (seen.releases)
    seen.releases->saw(now - came.due, system_.tasks[task].jitter, now < came.arrival);
}

void Loop::skip(TaskIndex task, std::uint32_t number) {
  jobs_[task].skip = false;
  overruns_.skipped(task);
  if (options_.skipped) options_.skipped(task, number);
}

/// After an overrun; or because the job before is past its deadline and still running. An input that
/// was taken is not skipped: too many of them are refused when they come.
bool Loop::skips(TaskIndex task, const Coming& came) {
  Job& job = jobs_[task];
  if (came.skipped) return true;
  if (job.on_arrival) return false;
  if (job.skip || (options_.until_stopped && job.waiting.size() >= kMostWaiting)) return true;
  const auto& deadline = observed_.tasks[task].deadline;
  if (!job.live || !deadline || job.arrival + *deadline >= came.release) return false;
  if (!options_.overrun_callback) return options_.on_overrun == OnOverrun::kSkipNext;
  if (!std::exchange(job.told, true)) {
    const Time now = device_.now();
    const Overrun late = {task, job.number, std::nullopt, now, *deadline, now - job.arrival};
    job.sheds = overruns_.decide(late, observed_) == OnOverrun::kSkipNext;
  }
  return job.sheds;
}

void Loop::begin_job(TaskIndex task, const Released& released) {
  Job& job = jobs_[task];
  job.number = released.number;
  const Graph& graph = executor_.steps(task);
  job.live = true;
  job.told = job.sheds = false;
  job.arrival = released.arrival;
  job.late = released.late;
  job.begin = std::max(job.arrival, job.last_end);
  job.end = job.begin;
  job.steps.assign(graph.size(), {});
  job.left = graph.size();
  for (std::uint32_t step = 0; step < graph.size(); ++step) {
    job.steps[step].waiting_for = graph.predecessors(step).size();
    job.steps[step].requested = job.begin;
    if (job.steps[step].waiting_for == 0) ready_.push_back({task, step});
  }
}

void Loop::end_job(TaskIndex task) {
  Job& job = jobs_[task];
  // First: who is told of the job may bring the next input at once.
  if (job.on_arrival) options_.arrivals->ended(system_.tasks[task].name);
  observed_.book({.task = task,
                  .job = job.number,
                  .release = job.arrival,
                  .begin = job.begin,
                  .end = job.end,
                  .late = job.late},
                 options_.sink);
  const auto& deadline = observed_.tasks[task].deadline;
  if (deadline && job.end - job.arrival > *deadline && !job.told) {
    overran({task, job.number, std::nullopt, device_.now(), *deadline, job.end - job.arrival});
  }
  if (options_.until_stopped) forget_what_is_old();
  job.live = false;
  job.last_end = job.end;
  start_others(task, job.arrival, job.end);
  follow_chains(task);
  if (!job.waiting.empty()) {
    const Released next = job.waiting.front();
    job.waiting.pop_front();
    begin_job(task, next);
  } else if (!system_.tasks[task].period && !system_.tasks[task].after && !job.on_arrival) {
    plan_release(task, std::max(job.end, device_.now()));
  }
}

/// It read at its first start. No job that is live, or to come, reads before it begins.
void Loop::follow_chains(TaskIndex task) {
  if (!chains_.follows(task)) return;
  const Job& ended = jobs_[task];
  Time read = ended.end;
  for (const Step& step : ended.steps) {
    if (step.seen) read = std::min(read, step.start);
  }
  chains_.job(task, read, ended.end);
  Time known = device_.now();
  for (TaskIndex other = 0; other < jobs_.size(); ++other) {
    if (!chains_.follows(other)) continue;
    const Job& job = jobs_[other];
    if (job.live) known = std::min(known, job.begin);
    if (job.coming.empty()) continue;
    known = std::min({known, job.coming.front().arrival, job.coming.front().due});
  }
  chains_.settle(std::min(known, ended.end));
}

void Loop::book_unfinished() {
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    const Job& job = jobs_[task];
    const auto book = [&](const Released& released, Time begin) {
      observed_.book({.task = task,
                      .job = released.number,
                      .release = released.arrival,
                      .begin = begin,
                      .end = observed_.end,
                      .ended = false,
                      .late = released.late},
                     options_.sink);
    };
    if (job.live) book({job.number, job.arrival, job.late}, std::min(job.begin, observed_.end));
    for (const Released& released : job.waiting) book(released, observed_.end);
  }
}

void Loop::overran(const Overrun& overrun) {
  if (overruns_.decide(overrun, observed_) == OnOverrun::kSkipNext) jobs_[overrun.task].skip = true;
}

void Loop::look_now_and_then() {
  if (!options_.look || host::now_ns() < next_look_) return;
  next_look_ = host::now_ns() + kLookEvery;
  observed_.end = device_.now();
  std::vector<LiveJob> live;
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    const Job& job = jobs_[task];
    if (job.live) live.push_back({task, job.number, job.begin});
  }
  options_.look(observed_, live);
}

void Loop::forget_what_is_old() {
  for (trace::ObservedTask& task : observed_.tasks) {
    task.forgotten += trace::forget_old(task.responses);
    trace::forget_old(task.late);
  }
  if (observed_.batches) trace::forget_old(observed_.batches->late);
}

void Loop::check_widths() {
  for (const trace::ObservedNode& piece : observed_.nodes) {
    if (!piece.width_differs()) continue;
    observed_.fail(fmt::format("{} of task {} ran on {} to {} units instead of {}",
                               quote(piece.label), quote(system_.tasks[piece.task].name),
                               piece.narrowest, piece.widest, piece.asked));
  }
}

bool Loop::is_ready(StepId step) const {
  return std::find(ready_.begin(), ready_.end(), step) != ready_.end();
}

void Loop::begin_operation(StepId id, Operation operation, std::int64_t unit) {
  Step& step = jobs_[id.task].steps[id.step];
  const bool first = !step.started;
  if (first) std::erase(ready_, id);
  step.started = true;
  ++step.operations;
  ++step.in_flight;
  const OpId op = next_op_++;
  in_flight_[op] = {id, static_cast<std::uint32_t>(unit)};
  if (!has_callback(id, Phase::kBefore)) return submit(op, operation);
  step.held.emplace_back(op, operation);
  if (first) call(id, Phase::kBefore);
}

void Loop::submit(OpId op, const Operation& operation) {
  auto problem = std::visit(
      [&]<typename What>(const What& what) {
        if constexpr (std::is_same_v<What, CpuWork>) {
          return device_.run(what, op);
        } else if constexpr (std::is_same_v<What, Copy>) {
          return device_.copy(what, op);
        } else {
          return device_.launch(what, op);
        }
      },
      operation);
  if (problem && !error_) error_ = std::move(problem);
}

/// A launch that the plan has as a piece of its own is not the node.
bool Loop::has_callback(StepId id, Phase phase) const {
  const std::uint32_t first = executor_.pieces(id).front();
  if (first == Executor::kNoPiece) return false;
  const trace::ObservedNode& piece = observed_.nodes[first];
  return piece.element == system_.tasks[piece.task].nodes[piece.node].on &&
         device_.has_callback(piece.task, piece.node, phase);
}

void Loop::call(StepId id, Phase phase) {
  const trace::ObservedNode& piece = observed_.nodes[executor_.pieces(id).front()];
  CpuWork work;
  work.task = piece.task;
  work.node = piece.node;
  work.core = executor_.callback_core(id);
  work.phase = phase;
  in_flight_[next_op_] = {id, static_cast<std::uint32_t>(work.core), phase};
  submit(next_op_++, work);
}

void Loop::launch(StepId step, const Kernel& kernel) { begin_operation(step, kernel); }
void Loop::launch(StepId step, GraphId graph) { begin_operation(step, graph); }
void Loop::launch(StepId step, const Replay& replay) { begin_operation(step, replay); }
void Loop::run(StepId step, const CpuWork& work) { begin_operation(step, work, work.core); }
void Loop::copy(StepId step, const Copy& copy) { begin_operation(step, copy, copy.engine); }

void Loop::count_in(Step& step, const Completion& completion) {
  const bool first = !std::exchange(step.seen, true);
  step.start = first ? completion.start : std::min(step.start, completion.start);
  step.end = first ? completion.end : std::max(step.end, completion.end);
}

void Loop::handle(const Completion& completion) {
  const auto [id, unit, phase] = in_flight_.extract(completion.op).mapped();
  Step& step = jobs_[id.task].steps[id.step];
  count_in(step, completion);
  if (completion.failed) observed_.fail(completion.problem);
  if (phase == Phase::kBefore) {
    for (const auto& [op, operation] : std::exchange(step.held, {})) submit(op, operation);
    return;
  }
  if (phase == Phase::kAfter) {
    Completion whole = completion;
    whole.kernels = std::exchange(step.kernels, {});
    return end_step(id, whole);
  }
  if (completion.kernels.empty()) {
    for (const std::uint32_t piece : executor_.pieces(id)) {
      show(observed_.nodes[piece], unit, completion.start, completion.end);
    }
  }
  if (--step.in_flight > 0) return;
  if (!has_callback(id, Phase::kAfter)) return end_step(id, completion);
  step.kernels = completion.kernels;
  call(id, Phase::kAfter);
}

void Loop::end_step(StepId id, const Completion& completion) {
  record(id, completion);
  executor_.finished(id, completion, observed_);
  finish_step(id);
}

void Loop::show(const trace::ObservedNode& piece, std::uint32_t unit, Time start, Time end) {
  if (options_.sink == nullptr) return;
  options_.sink->add(trace::Interval{piece.task, jobs_[piece.task].number, piece.node,
                                     piece.element, unit, 1, trace::Activity::kRun, start, end});
}

void Loop::record(StepId id, const Completion& completion) {
  const Step& step = jobs_[id.task].steps[id.step];
  const auto pieces = executor_.pieces(id);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i] == Executor::kNoPiece) continue;
    trace::ObservedNode& piece = observed_.nodes[pieces[i]];
    const auto saw = [&](Time took, std::int64_t width) {
      piece.saw(took, width);
      if (!piece.bound || took <= *piece.bound) return;
      overran(
          {piece.task, jobs_[piece.task].number, piece.node, device_.now(), *piece.bound, took});
    };
    if (completion.kernels.empty()) {
      saw(step.end - (piece.waits ? step.requested : step.start), step.operations);
      continue;
    }
    const KernelSeen& seen = completion.kernels[i];
    // Callbacks are part of the node; without them only what the device saw counts.
    const bool with = has_callback(id, Phase::kBefore) || has_callback(id, Phase::kAfter);
    const Time start = with ? step.start : seen.start, end = with ? step.end : seen.end;
    saw(end - (piece.waits ? step.requested : start), width_of(seen));
    if (seen.pieces_done != seen.pieces) {
      observed_.fail(fmt::format("{} of task {} did {} of its {} pieces of work",
                                 quote(piece.label), quote(system_.tasks[piece.task].name),
                                 seen.pieces_done, seen.pieces));
    }
    if (!piece.blocks_shown) {
      show(piece, piece.unit, seen.start, seen.end);
      continue;
    }
    for (const BlockSeen& block : seen.blocks) {
      show(piece, static_cast<std::uint32_t>(block.sm), block.start, block.end);
    }
  }
}

void Loop::finish_step(StepId id) {
  Job& job = jobs_[id.task];
  const Time end = job.steps[id.step].end;
  job.end = std::max(job.end, end);
  for (const NodeIndex next : executor_.steps(id.task).successors(id.step)) {
    Step& after = job.steps[next];
    after.requested = std::max(after.requested, end);
    if (--after.waiting_for == 0) ready_.push_back({id.task, next});
  }
  if (--job.left == 0) end_job(id.task);
}

}  // namespace tactus::runtime
