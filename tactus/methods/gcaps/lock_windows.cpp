#include "tactus/methods/gcaps/lock_windows.hpp"

#include <algorithm>

#include "tactus/methods/gcaps/locking.hpp"
#include "tactus/methods/terms.hpp"

namespace tactus::gcaps {
namespace {

/// An empty piece still waits its turn.
Time not_empty(Time piece) { return std::max(piece, Time::from_ns(1)); }

/// Does a job have a phase after its last section, even an empty one?
bool has_last_phase(const GpuTask& task) { return !task.uses_gpu() || task.ends_with_cpu_node; }

}  // namespace

void LockWindows::begin(const Inquiry& inquiry, Queue queue) {
  set_ = &inquiry.set;
  mode_ = inquiry.mode;
  queue_ = queue;
  search_ = WindowSearch(inquiry.options.stop);
  first_.clear();
  std::size_t sections = 0;
  for (std::size_t i = 0; i < set_->real_time; ++i) {
    first_.push_back(sections);
    sections += set_->tasks[i].segments.size();
  }
  completion_.resize(sections);  // each is written before it is read
  phase_end_.resize(sections + set_->real_time);
}

/// P_k.
Time LockWindows::phase(const GpuTask& task, std::size_t k) const {
  return k < task.segments.size() ? task.segments[k].cpu_before : task.cpu_after;
}

/// The sum of m.
Time LockWindows::boosted(const GpuTask& task) const {
  return mode_ == Mode::kSuspend ? task.launch : task.gpu();
}

LockWindows::Piece LockWindows::piece(std::size_t task, Time length, Time reach) const {
  const GpuTask& of = set_->tasks[task];
  return {length, of.best_effort ? std::nullopt : of.period, reach, task};
}

/// CPU_h: a task above on the same core, as a whole or phase by phase, each with the boost before it.
void LockWindows::add_cpu_cause(std::size_t h, Time response) {
  const GpuTask& task = set_->tasks[h];
  const Time whole = task.cpu + boosted(task);
  cpu_.begin(h);
  cpu_.add(whole, *task.period, response - whole);
  if (task.uses_gpu()) {
    cpu_.other_way();
    for (std::size_t k = 0; k <= task.segments.size(); ++k) {
      const Time boost = k == 0 ? Time() : boosted_length(mode_, task.segments[k - 1]);
      const Time work = boost + phase(task, k);
      cpu_.add(work, *task.period, phase_end_[first_[h] + h + k] - work);
    }
  }
  cpu_.end();
}

/// I_h: the sections of a task above, as a whole or one by one.
void LockWindows::add_source(std::size_t h) {
  const GpuTask& task = set_->tasks[h];
  const std::size_t eta = task.segments.size();
  sources_.begin(h);
  sources_.add(task.gpu(), *task.period, completion_[first_[h] + eta - 1] - task.gpu());
  if (eta > 1) {
    sources_.other_way();
    for (std::size_t k = 0; k < eta; ++k) {
      const Time length = task.segments[k].length();
      sources_.add(length, *task.period, completion_[first_[h] + k] - length);
    }
  }
  sources_.end();
}

/// Who can be before its requests in the queue, and who can be boosted over its phases.
void LockWindows::find_rivals(std::size_t i) {
  const auto longest_first = [](Pieces& pieces) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.length > b.length; });
  };
  sources_.clear();
  ahead_.clear();
  boosts_.clear();
  for (const std::size_t l : set_->lower_on_core(i)) {
    const GpuTask& task = set_->tasks[l];
    if (!task.uses_gpu()) continue;
    Pieces& boosts = boosts_.emplace_back();
    for (const Segment& segment : task.segments) {
      boosts.push_back(piece(l, boosted_length(mode_, segment), task.deadline));
    }
    longest_first(boosts);
  }
  if (!set_->tasks[i].uses_gpu()) return;
  const bool by_priority = queue_ == Queue::kPriority;
  if (by_priority) ahead_.emplace_back();  // of the lower tasks, one in all
  for (const std::size_t x : set_->gpu_users) {
    if (x == i) continue;
    if (by_priority && x < i) {
      add_source(x);
      continue;
    }
    if (!by_priority) ahead_.emplace_back();
    const GpuTask& task = set_->tasks[x];
    for (std::size_t k = 0; k < task.segments.size(); ++k) {
      const Time reach = x < i ? completion_[first_[x] + k] : task.deadline;
      ahead_.back().push_back(piece(x, task.segments[k].length(), reach));
    }
  }
  for (Pieces& pieces : ahead_) longest_first(pieces);
}

/// S: one request waits for one piece of each list, and for sources. The window is closed at both
/// ends: a source may ask at the instant of the request, and when the lock becomes free (F8, F11).
void LockWindows::find_wait(std::size_t i) {
  constexpr Time kNs = Time::from_ns(1);
  Time blocking;
  for (const Pieces& pieces : ahead_) {
    if (!pieces.empty()) blocking += pieces.front().length;
  }
  const Time wait = search_.window(
      blocking, set_->tasks[i].limit(), [&](Time w) { return blocking + sources_.open(w + kNs); },
      [&](Time w, Causes::SureGrowths& sure) {
        sources_.add_growths(w + kNs, 0, sources_.all.size(), Causes::Counted::kAll, sure);
      });
  wait_ = wait == kNoWindow ? kNoWindow : wait + kNs;
}

/// v: how long a phase takes. Meanwhile one section of each task below can be boosted. A request is
/// made on the core: before one the window is closed, for who comes when the work is done keeps the
/// task from asking.
void LockWindows::next_phase(std::size_t i, std::size_t k) {
  const GpuTask& task = set_->tasks[i];
  const Time closing = k < task.segments.size() ? Time::from_ns(1) : Time();
  const Time own = not_empty(phase(task, k));
  own_ += own;
  ++phases_;
  Time start = own;
  for (const Pieces& boosts : boosts_) start += boosts.front().length;
  const Time window = search_.window(
      start, task.limit(), [&](Time v) { return start + cpu_.open(v + closing); },
      [&](Time v, Causes::SureGrowths& sure) {
        cpu_.add_growths(v + closing, 0, cpu_.all.size(), Causes::Counted::kAll, sure);
      });
  for (const Cause& cause : cpu_.all) {
    cpu_.raise(cause, window == kNoWindow ? kNoWindow : window + closing);
  }
}

/// The longest pieces, each at most as often as its task has jobs that matter, `count` in all.
Time LockWindows::longest(const Pieces& pieces, std::size_t count, Time window) {
  Time sum;
  auto left = static_cast<std::int64_t>(count);
  for (const Piece& piece : pieces) {
    if (left == 0) break;
    const std::int64_t jobs = piece.period ? jobs_in(window, *piece.period, piece.reach) : left;
    const std::int64_t taken = std::min(left, jobs);
    sum += taken * piece.length;
    left -= taken;
  }
  return sum;
}

/// What its phases and sections so far need in a window of this length.
Time LockWindows::need(Time window) const {
  Time sum = own_ + cpu_.capped(window);
  for (const Pieces& boosts : boosts_) sum += longest(boosts, phases_, window);
  if (sections_ == 0) return sum;
  for (const Pieces& pieces : ahead_) sum += longest(pieces, sections_, window);
  return sum + sources_.capped(window);
}

FixedPoint LockWindows::window_of(std::size_t i, std::span<const Time> responses) {
  const GpuTask& task = set_->tasks[i];
  const std::size_t eta = task.segments.size();
  // Until more is known of it.
  const auto completions = std::span(completion_).subspan(first_[i], eta);
  const auto phase_ends = std::span(phase_end_).subspan(first_[i] + i, eta + 1);
  std::fill(completions.begin(), completions.end(), task.deadline);
  std::fill(phase_ends.begin(), phase_ends.end(), task.deadline);
  cpu_.clear();
  for (const std::size_t h : set_->hpp(i)) add_cpu_cause(h, responses[h]);
  find_rivals(i);
  if (!sources_.all.empty()) find_wait(i);
  own_ = Time();
  phases_ = sections_ = 0;
  const auto growths = [&](Time window, Causes::SureGrowths& sure) {
    for (const Causes* causes : {&cpu_, &sources_}) {
      causes->add_growths(window, 0, causes->all.size(), Causes::Counted::kCapped, sure);
    }
  };
  FixedPoint found;
  const auto go_on = [&] {
    found = search_.least(
        std::max(own_, found.value), task.limit(), [&](Time window) { return need(window); },
        growths);
    return found.found();
  };
  for (std::size_t k = 0; k <= eta; ++k) {
    if (k < eta || has_last_phase(task)) {
      next_phase(i, k);
      if (!go_on()) return found;
    }
    phase_ends[k] = found.value + task.jitter;
    if (k == eta) return found;
    own_ += not_empty(task.segments[k].length());
    ++sections_;
    for (const Cause& cause : sources_.all) sources_.raise(cause, wait_);
    if (!go_on()) return found;
    completions[k] = found.value + task.jitter;
  }
  return found;
}

void LockWindows::ends_within(std::size_t i, Time response) {
  const std::size_t eta = set_->tasks[i].segments.size();
  for (Time& end : std::span(completion_).subspan(first_[i], eta)) end = std::min(end, response);
  for (Time& end : std::span(phase_end_).subspan(first_[i] + i, eta + 1)) {
    end = std::min(end, response);
  }
}

std::vector<Term> LockWindows::terms_of(std::size_t i, Time window) const {
  const GpuTask& task = set_->tasks[i];
  std::vector<Term> all;
  const auto add = [&](std::string_view label, std::optional<std::size_t> by, Time amount,
                       std::string_view how) {
    if (amount == Time()) return;
    Term& term = all.emplace_back();
    term.label = label;
    if (by) term.by = set_->tasks[*by].index;
    term.amount = amount;
    term.how = how;
  };
  // A job that is late before its end has done a part of its work only.
  Time cpu, launch, exec;
  bool overlaps = false;
  for (std::size_t k = 0; k < phases_; ++k) cpu += phase(task, k);
  for (std::size_t k = 0; k < sections_; ++k) {
    launch += task.segments[k].launch - task.segments[k].overlap;
    overlaps = overlaps || task.segments[k].overlap > Time();
    exec += task.segments[k].exec;
  }
  add("own CPU work", {}, cpu, "its nodes on the cpu");
  add("own GPU launches", {}, launch, overlaps ? kLaunchesBeforeWork : "launch times of its nodes");
  add("own GPU work", {}, exec, "its kernels and copies");
  add("empty pieces", {}, own_ - cpu - launch - exec,
      "1 ns for each piece without work, which waits its turn, too");
  for (const Cause& cause : cpu_.all) {
    all.push_back(cpu_.term_of(cause, "CPU preemption", set_->tasks[cause.task].index, window));
  }
  if (sections_ > 0) {
    for (const Cause& cause : sources_.all) {
      all.push_back(
          sources_.term_of(cause, "GPU lock, higher", set_->tasks[cause.task].index, window));
    }
    for (const Pieces& pieces : ahead_) {
      if (pieces.empty()) continue;
      const Time amount = longest(pieces, sections_, window);
      if (queue_ == Queue::kPriority) {
        add("GPU lock, lower", {}, amount,
            "the longest sections of lower tasks, one per own request");
      } else {
        add("GPU lock", pieces.front().task, amount,
            "its longest sections, one ahead of each own request");
      }
    }
  }
  for (const Pieces& boosts : boosts_) {
    add("boosted", boosts.front().task, longest(boosts, phases_, window),
        "its longest boosted sections, one per own phase");
  }
  std::erase_if(all, [](const Term& term) { return term.amount == Time(); });
  return readable_terms(std::move(all));
}

}  // namespace tactus::gcaps
