#include "tactus/watch/watch.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/arbiter/client/costs.hpp"
#include "tactus/client.h"
#include "tactus/methods/promise.hpp"
#include "tactus/trace/recent_times.hpp"

namespace tactus::watch {

using Kind = Departure::Kind;

namespace {

/// Of times that other programs have written down.
std::int64_t between(std::int64_t from, std::int64_t to) {
  std::int64_t time = 0;
  return __builtin_sub_overflow(to, from, &time) || time < 0 ? 0 : time;
}

Time span(std::int64_t from, std::int64_t to) { return Time::from_ns(between(from, to)); }

/// What of the file stands for a part: its first node, where it has several.
decide::Knob time_of(TaskIndex task, const Part& part) {
  return {.what = decide::Knob::What::kNodeTime, .task = task, .node = part.nodes.front()};
}

/// The attributes of a GPU that are costs of the arbiter.
std::optional<Time> Element::*cost_named(std::string_view name) {
  constexpr std::pair<std::string_view, std::optional<Time> Element::*> kCosts[] = {
      {"runlist_update", &Element::runlist_update},
      {"context_switch", &Element::context_switch},
      {"preemption_delay", &Element::preemption_delay},
      {"start_cost", &Element::start_cost},
      {"preempt_cost", &Element::preempt_cost},
      {"resume_cost", &Element::resume_cost}};
  for (const auto& [known, member] : kCosts)
    if (known == name) return member;
  return nullptr;
}

/// A released job of which nobody hears is late when this has passed after its deadline, too.
constexpr std::int64_t kPatienceNs = 20'000'000;

}  // namespace

Watch::Watch(const System& system, const Verdict& promised)
    : system_(system), observed_(system_), tasks_(system_.tasks.size()) {
  observed_.producer = trace::Producer::kProcesses;
  hold_to(promised, observed_);
  observed_.watch_releases(system_);
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    const Task& task = system_.tasks[i];
    horizon_ns_ = std::max(horizon_ns_, task.deadline.value_or(Time()).ns());
    tasks_[i].parts = parts_of(system_, task);
    for (const Part& part : tasks_[i].parts) {
      trace::ObservedNode node;
      node.task = i;
      node.node = part.nodes.front();
      node.element = task.nodes[node.node].on;
      node.label = name_of(part, task);
      if (part.most) node.bound = *part.most;
      tasks_[i].nodes.push_back(observed_.nodes.size());
      observed_.nodes.push_back(std::move(node));
    }
  }
}

void Watch::take(TaskIndex task, const Note& told) {
  try {
    switch (told.kind) {
      case NoteKind::kReleased:
        return released(task, told);
      case NoteKind::kJob:
        return ended(task, told);
      case NoteKind::kSegment:
        return segment(task, told);
      case NoteKind::kNode:
        return node(task, told);
    }
  } catch (const OverflowError&) {  // sums of what nobody can have taken
    take({.kind = Kind::kUnseen, .task = task}, settled_ns_);
  }
}

void Watch::released(TaskIndex index, const Note& note) {
  State& state = tasks_[index];
  const Task& task = system_.tasks[index];
  state.jobs_told = state.live = true;
  state.told_late = false;
  state.job = note;
  state.segments.clear();
  // Arrivals along a path are known to the microsecond; the first task's are exact.
  if (state.last_arrival && task.period && !task.after) {
    const Time gap = span(*state.last_arrival, note.asked_ns);
    if (gap < *task.period) {
      this->note({.kind = Kind::kEarly,
                  .task = index,
                  .seen = gap,
                  .promised = task.period,
                  .knob = decide::Knob{.what = decide::Knob::What::kPeriod, .task = index}},
                 note.asked_ns, note.began_ns);
    }
  }
  state.last_arrival = note.asked_ns;
  auto& releases = observed_.tasks[index].releases;
  if (!releases) return;
  const Time late = span(note.due_ns, note.began_ns);
  const bool before = task.after && note.began_ns < note.asked_ns;
  releases->saw(late, task.jitter, before);
  if (late > task.jitter) {
    this->note({.kind = Kind::kLate,
                .task = index,
                .seen = late,
                .promised = task.jitter,
                .knob = decide::Knob{.what = decide::Knob::What::kJitter, .task = index}},
               note.asked_ns, note.began_ns);
  }
  if (before) this->note({.kind = Kind::kNominal, .task = index}, note.began_ns, note.asked_ns);
}

/// A watch that came in the middle of a job does not know all of it.
void Watch::ended(TaskIndex index, const Note& note) {
  State& state = tasks_[index];
  state.jobs_told = true;
  if (!state.live || state.job.number != note.number) {
    state.live = false;
    state.last_end = note.ended_ns;
    return;
  }
  state.live = false;
  const std::int64_t arrival = std::min(note.asked_ns, note.ended_ns);
  const std::int64_t begin = std::clamp(state.last_end, arrival, note.ended_ns);
  const auto job = static_cast<std::uint32_t>(state.responses.count);
  observed_.book({.task = index,
                  .job = job,
                  .release = Time::from_ns(arrival),
                  .begin = Time::from_ns(begin),
                  .end = Time::from_ns(note.ended_ns)});
  trace::ObservedTask& seen = observed_.tasks[index];
  trace::forget_old(seen.responses);
  state.last_end = note.ended_ns;
  look_at_parts(index, note);
  const Time response = span(arrival, note.ended_ns), covered = span(begin, note.ended_ns);
  state.responses.add(response);
  if (seen.bound && covered > *seen.bound) {
    this->note({.kind = Kind::kBound, .task = index, .seen = covered, .promised = seen.bound},
               arrival, note.ended_ns);
  }
  if (seen.deadline && response > *seen.deadline && !state.told_late) {
    this->note(
        {.kind = Kind::kDeadline, .task = index, .seen = response, .promised = seen.deadline},
        arrival, note.ended_ns);
  }
  if (seen.bound) state.done.push_back({arrival, note.ended_ns, index});
}

void Watch::segment(TaskIndex index, const Note& note) {
  State& state = tasks_[index];
  SeenSegments& seen = state.seen;
  const Time wait = span(note.asked_ns, note.began_ns);
  ++seen.count;
  seen.waits.add(wait);
  seen.longest_wait = std::max(seen.longest_wait, wait);
  seen.off += Time::from_ns(std::max<std::int64_t>(note.off_ns, 0));
  seen.taken_off += note.off_ns > 0 ? 1 : 0;
  const auto outcome =
      static_cast<int>(note.number & ~static_cast<unsigned>(arbiter::client::kGatedSegment));
  if (outcome == TACTUS_UNARBITRATED)
    this->note({.kind = Kind::kAlone, .task = index}, note.asked_ns, note.ended_ns);
  if (outcome == TACTUS_SHARED)
    this->note({.kind = Kind::kShared, .task = index}, note.asked_ns, note.ended_ns);
  if (state.live) {
    state.segments.push_back(note);
    constexpr std::size_t kMostOfAJob = 1000;  // of a program that marks one job only
    if (state.segments.size() > kMostOfAJob) state.live = false;
    return;
  }
  if (state.jobs_told) return;
  // Jobs are not marked. With one segment in each, what it took is known all the same.
  std::size_t one = state.parts.size();
  for (std::size_t p = 0; p < state.parts.size(); ++p) {
    if (!state.parts[p].on_gpu) continue;
    if (one != state.parts.size()) return;
    one = p;
  }
  if (one != state.parts.size()) saw_gpu(index, one, note);
}

/// A program that plays a plan knows its nodes.
void Watch::node(TaskIndex index, const Note& note) {
  const Task& task = system_.tasks[index];
  if (note.number >= task.nodes.size()) return;
  State& state = tasks_[index];
  if (!state.parts.empty()) {  // the plan has nodes where programs have parts
    state.parts.clear();
    for (const std::size_t place : state.nodes) observed_.nodes[place].label.clear();
    state.nodes.clear();
  }
  const auto known = std::find_if(state.nodes.begin(), state.nodes.end(), [&](std::size_t place) {
    return observed_.nodes[place].node == note.number;
  });
  std::size_t place = observed_.nodes.size();
  if (known != state.nodes.end()) {
    place = *known;
  } else {
    trace::ObservedNode made;
    made.task = index;
    made.node = note.number;
    made.element = task.nodes[note.number].on;
    made.label = task.nodes[note.number].name;
    if (note.due_ns > 0) made.bound = Time::from_ns(note.due_ns);
    state.nodes.push_back(place);
    observed_.nodes.push_back(std::move(made));
  }
  trace::ObservedNode& seen = observed_.nodes[place];
  const Time took = span(note.began_ns, note.ended_ns);
  seen.saw(took, 0);
  if (!seen.bound || took <= *seen.bound) return;
  // The knob is the time with the whole element, which this is only where the file says so.
  std::optional<decide::Knob> knob;
  if (task.nodes[note.number].wcet == seen.bound)
    knob = decide::Knob{.what = decide::Knob::What::kNodeTime, .task = index, .node = seen.node};
  this->note({.kind = Kind::kTime,
              .task = index,
              .what = seen.label,
              .seen = took,
              .promised = seen.bound,
              .knob = knob},
             note.began_ns, note.ended_ns);
}

/// The parts of a job, between its release, its segments and its end.
void Watch::look_at_parts(TaskIndex index, const Note& job) {
  State& state = tasks_[index];
  if (state.parts.empty()) return;
  const auto segments = static_cast<std::size_t>(std::count_if(
      state.parts.begin(), state.parts.end(), [](const Part& p) { return p.on_gpu; }));
  if (segments != state.segments.size()) {
    note({.kind = Kind::kSegments,
          .task = index,
          .what = fmt::format("{} GPU segments, not {}", state.segments.size(), segments)},
         job.asked_ns, job.ended_ns);
    return;
  }
  std::int64_t mark = job.began_ns;
  std::size_t next = 0;
  for (std::size_t p = 0; p < state.parts.size(); ++p) {
    if (state.parts[p].on_gpu) {
      const Note& segment = state.segments[next++];
      // What the CPU did before it, where the file has that.
      if (p > 0) {
        saw_cpu(index, p - 1, between(mark, segment.asked_ns), segment.cpu_ns, &state.parts[p]);
      }
      saw_gpu(index, p, segment);
      mark = segment.ended_ns;
    } else if (p + 1 == state.parts.size()) {
      saw_cpu(index, p, between(mark, job.ended_ns), job.cpu_ns, nullptr);
    }
  }
}

/// CPU time is counted from end to end of segments: with it comes what the thread did inside of the one
/// behind. That is taken off as far as the file allows it, and no more time was used than has passed.
void Watch::saw_cpu(TaskIndex index, std::size_t p, std::int64_t wall, std::int64_t cpu,
                    const Part* next) {
  const Part& part = tasks_[index].parts[p];
  const bool gated =
      next != nullptr && (tasks_[index].segments.front().number &
                          static_cast<unsigned>(arbiter::client::kGatedSegment)) != 0;
  Time inside;
  if (next != nullptr) {
    inside = next->launch;
    if (system_.tasks[index].wait == WaitMode::kBusy && next->most) inside += *next->most;
  }
  // Behind a gate the launches come before the segment asks.
  if (gated) wall -= std::min(wall, inside.ns());
  const std::int64_t own = std::max<std::int64_t>(std::max<std::int64_t>(cpu, 0) - inside.ns(), 0);
  saw(tasks_[index].nodes[p], Time::from_ns(std::min(wall, own)), part);
}

void Watch::saw_gpu(TaskIndex index, std::size_t p, const Note& segment) {
  const Part& part = tasks_[index].parts[p];
  const bool gated = (segment.number & static_cast<unsigned>(arbiter::client::kGatedSegment)) != 0;
  Time took = span(segment.began_ns, segment.ended_ns);
  took -= std::min(took, Time::from_ns(std::max<std::int64_t>(segment.off_ns, 0)));
  // Its launches are in it, where it did not wait behind a gate.
  if (!gated) took -= std::min(took, part.launch);
  saw(tasks_[index].nodes[p], took, part);
}

void Watch::saw(std::size_t place, Time took, const Part& part) {
  trace::ObservedNode& seen = observed_.nodes[place];
  seen.saw(took, 0);
  if (!seen.bound || took <= *seen.bound) return;
  const TaskIndex task = seen.task;
  const Note& job = tasks_[task].job;
  const std::int64_t end = std::max(job.asked_ns, tasks_[task].last_end);
  note({.kind = Kind::kTime,
        .task = task,
        .what = seen.label,
        .seen = took,
        .promised = seen.bound,
        .knob = time_of(task, part)},
       job.asked_ns, end);
}

void Watch::take(const arbiter::client::Snapshot& now) {
  const arbiter::Summary& s = now.summary;
  const std::int64_t at = settled_ns_;
  const bool same = last_ && s.begins >= last_->summary.begins && s.late >= last_->summary.late &&
                    s.shared >= last_->summary.shared && now.boost.forced >= last_->boost.forced;
  if (last_ && !same) take({.kind = Kind::kArbiter}, at);
  if (same) {
    const auto more = [&](Kind kind, std::uint64_t count) {
      if (count > 0) take({.kind = kind, .count = count - 1}, at);
    };
    more(Kind::kSlow, s.late - last_->summary.late);
    more(Kind::kForced, now.boost.forced - last_->boost.forced);
  }
  last_ = now;
  const auto& elements = system_.platform.elements;
  const auto gpu = std::find_if(elements.begin(), elements.end(), [](const Element& element) {
    return element.kind == ElementKind::kGpu;
  });
  operations_.clear();
  for (const arbiter::client::SeenCost& cost : arbiter::client::costs_of(now)) {
    SeenOperation seen{std::string(cost.name), Time::from_ns(cost.ns), std::nullopt};
    const auto member = cost_named(cost.name);
    if (gpu != elements.end() && member != nullptr) seen.promised = (*gpu).*member;
    operations_.push_back(seen);
    if (!seen.promised || seen.longest <= *seen.promised) continue;
    const bool told = std::any_of(departures_.begin(), departures_.end(), [&](const Departure& d) {
      return d.kind == Kind::kCost && d.what == seen.name && d.seen >= seen.longest;
    });
    if (told) continue;
    const auto element = static_cast<ElementIndex>(gpu - elements.begin());
    take({.kind = Kind::kCost,
          .what = seen.name,
          .seen = seen.longest,
          .promised = seen.promised,
          .knob =
              decide::Knob{.what = decide::Knob::What::kCost, .element = element, .cost = member}},
         at);
  }
}

void Watch::take_lost(TaskIndex task, std::uint64_t lost, std::int64_t now_ns) {
  State& state = tasks_[task];
  if (lost <= state.lost) return;
  note({.kind = Kind::kUnseen, .task = task, .count = lost - state.lost - 1}, now_ns - horizon_ns_,
       now_ns);
  state.lost = lost;
  state.live = false;
}

void Watch::take(Departure departure, std::int64_t now_ns) {
  note(std::move(departure), now_ns - horizon_ns_, now_ns);
}

/// @pre `count` of it is how often it came beyond once
void Watch::note(Departure departure, std::int64_t from, std::int64_t to) {
  windows_.push_back({from, to, departure.task});
  ++departure.count;
  const auto known = std::find_if(departures_.begin(), departures_.end(),
                                  [&](const Departure& one) { return one.is(departure); });
  if (known == departures_.end()) {
    departures_.push_back(std::move(departure));
    told_.emplace_back();
    return;
  }
  known->count += departure.count;
  const bool less = departure.kind == Kind::kEarly;
  if (departure.seen &&
      (!known->seen || (less ? *departure.seen < *known->seen : *departure.seen > *known->seen)))
    known->seen = departure.seen;
}

std::vector<Departure> Watch::take_news() {
  std::vector<Departure> news;
  for (std::size_t i = 0; i < departures_.size(); ++i) {
    const Departure& now = departures_[i];
    Told& told = told_[i];
    const Time seen = now.seen.value_or(Time());
    const bool worse =
        now.kind == Kind::kEarly ? 11 * seen < 10 * told.seen : 10 * seen > 11 * told.seen;
    if (told.count > 0 && !worse && now.count / 10 < told.count) continue;
    told = {now.count, seen};
    news.push_back(now);
  }
  return news;
}

bool Watch::rests(TaskIndex bound, TaskIndex on) const {
  return bound == on || rests_.empty() || rests_[on][bound];
}

bool Watch::in_doubt(TaskIndex task) const {
  return std::any_of(departures_.begin(), departures_.end(), [&](const Departure& departure) {
    return !departure.task || rests(task, *departure.task);
  });
}

void Watch::settle(std::int64_t now_ns) {
  settled_ns_ = now_ns;
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    State& state = tasks_[i];
    const auto& deadline = observed_.tasks[i].deadline;
    if (!state.live || state.told_late || !deadline) continue;
    if (between(state.job.asked_ns, now_ns) <= deadline->ns() + kPatienceNs) continue;
    state.told_late = true;
    note({.kind = Kind::kDeadline,
          .task = i,
          .seen = span(state.job.asked_ns, now_ns),
          .promised = deadline},
         state.job.asked_ns, now_ns);
  }
  const std::int64_t settled = now_ns - horizon_ns_ - kPatienceNs;
  for (TaskIndex i = 0; i < tasks_.size(); ++i) count(i, settled);
  while (!windows_.empty() && windows_.front().to < settled - 2 * horizon_ns_) windows_.pop_front();
}

/// A job is covered if nothing was there at the same time that its bound rests on and that is not in
/// the model. (What such a job delays is either within its own bound, and does no more harm than the
/// proof allows, or is a departure itself.)
void Watch::count(TaskIndex task, std::int64_t before_ns) {
  State& state = tasks_[task];
  while (!state.done.empty() && state.done.front().to < before_ns) {
    const Window job = state.done.front();
    state.done.pop_front();
    const bool touched = std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
      return (!window.of || rests(task, *window.of)) && window.from <= job.to &&
             job.from <= window.to;
    });
    ++(touched ? state.counted.outside : state.counted.covered);
  }
}

}  // namespace tactus::watch
