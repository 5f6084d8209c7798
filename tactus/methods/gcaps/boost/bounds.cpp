#include "tactus/methods/gcaps/boost/bounds.hpp"

#include <algorithm>

namespace tactus::gcaps::boost {

void Bounds::set_up(const Arrangement& arrangement) {
  by_rank_ = arrangement.by_rank;
  limit_ = arrangement.limit;
  rank_ = ranks_of(view_, by_rank_);
  highest_limit_ = limit_.empty() ? 0 : *std::max_element(limit_.begin(), limit_.end());
  std::vector<bool> is_limit(by_rank_.size() + 1);
  for (const std::size_t limit : limit_) is_limit[limit] = true;
  next_limit_.assign(by_rank_.size(), kNoRank);
  for (std::size_t rank = by_rank_.size(), next = kNoRank; rank-- > 0;) {
    next_limit_[rank] = next;
    if (is_limit[rank]) next = rank;
  }

  find_copy_waits();
  const std::size_t tasks = view_.set->real_time;
  items_.clear();
  first_item_.assign(1, 0);
  has_low_.assign(tasks, false);
  block_.assign(tasks, Time());
  for (std::size_t i = 0; i < tasks; ++i) {
    if (rank_[i] != kNoRank) add_items(i);
    first_item_.push_back(items_.size());
  }

  found_.assign(tasks, {});
  response_.resize(tasks);
  completion_.resize(view_.sections.size());
  windows_.assign(view_.sections.size(), {});
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::span<const Time> phases = view_.phases_of(i);
    Time sum = view_.task(i).jitter;
    for (std::size_t k = 0; k < view_.eta(i); ++k) {
      sum += phases[k] + view_.sections[view_.first[i] + k].exec;
      completion_[view_.first[i] + k] = sum;
    }
    response_[i] = sum + phases.back();
  }
}

/// Nothing takes copies off: those of lower tasks, off or not, go on until they come to a kernel. That
/// is one run of copies of each, for once a section has started no lower one does.
void Bounds::find_copy_waits() {
  copy_waits_.assign(view_.sections.size(), Time());
  const TaskSet& set = *view_.set;
  const Copies& copies = set.copies;
  if (copies.uses.empty()) return;
  std::vector<CopyQueue> queues = copies.queues();
  for (std::size_t i = set.real_time; i < set.tasks.size(); ++i) {
    copies.join(i, &CopyUse::longest_run, queues);
  }
  for (std::size_t rank = by_rank_.size(); rank-- > 0;) {
    const std::size_t i = by_rank_[rank];
    for (const CopyUse& use : copies.of(i)) {
      copy_waits_[view_.first[i] + use.segment] += queues[use.engine].wait();
    }
    copies.join(i, &CopyUse::longest_run, queues);
  }
}

/// Sections of lower rank that are not taken off for task i. Each of its sections waits for one of
/// them at most, so that no more than the longest so many matter.
void Bounds::add_items(std::size_t i) {
  const Costs& costs = view_.costs;
  has_low_[i] = view_.best_effort_gpu || highest_limit_ > rank_[i];
  const std::size_t begin = items_.size();
  for (std::size_t s = 0; s < view_.sections.size(); ++s) {
    const Section& section = view_.sections[s];
    if (rank_[section.task] <= rank_[i] || limit_[s] > rank_[i]) continue;
    const GpuTask& lower = view_.task(section.task);
    items_.push_back({length(s), *lower.period, lower.deadline});
  }
  const auto from = items_.begin() + static_cast<std::ptrdiff_t>(begin);
  const std::size_t most = std::min(items_.size() - begin, view_.eta(i));
  std::partial_sort(from, from + static_cast<std::ptrdiff_t>(most), items_.end(),
                    [](const Item& a, const Item& b) { return a.length > b.length; });
  items_.resize(begin + most);
  if (most > 0) block_[i] = items_[begin].length;
  if (has_low_[i]) block_[i] = std::max(block_[i], costs.low());
}

/// Block: what the first so many sections of task i wait for lower work, each for one piece of it.
Time Bounds::blocking(std::size_t i, std::size_t units, Time window) const {
  Time total;
  auto left = static_cast<std::int64_t>(units);
  const Time low = has_low_[i] ? view_.costs.low() : Time();
  for (std::size_t k = first_item_[i]; k < first_item_[i + 1] && left > 0; ++k) {
    const Item& item = items_[k];
    if (has_low_[i] && item.length <= low) break;
    const std::int64_t times = std::min(left, jobs_in(window, item.period, item.deadline));
    total += times * item.length;
    left -= times;
  }
  return total + left * low;
}

/// Does somebody have to go for task h, and come back after it, who matters to this rank? Every
/// section that is taken off for h has a limit above the rank of h; it matters to those whose rank is
/// not below that limit.
bool Bounds::preempts(std::size_t h, std::size_t seen_from) const {
  return next_limit_[rank_[h]] <= seen_from;
}

/// Task h as it delays a section of this rank: as a whole, or section by section.
void Bounds::add_source(Causes& to, std::size_t h, std::size_t seen_from) const {
  const bool preempting = preempts(h, seen_from);
  const Time pair = preempting ? view_.costs.pair() : Time();
  const Time tail = preempting ? view_.costs.on : Time();
  const Time period = *view_.task(h).period;
  const std::size_t begin = view_.first[h], end = view_.first[h + 1];
  Time whole;
  for (std::size_t s = begin; s < end; ++s) whole += length(s) + pair;
  to.begin(h);
  to.add(whole, period, completion_[end - 1] + tail - whole);
  if (end - begin > 1) {
    to.other_way();
    for (std::size_t s = begin; s < end; ++s) {
      const Time each = length(s) + pair;
      to.add(each, period, completion_[s] + tail - each);
    }
  }
  to.end();
}

/// Windows of the sections of task i; leaves the sources that were counted in `seen_`, by rank.
void Bounds::find_windows(std::size_t i) {
  const std::size_t own_rank = rank_[i];
  seen_.clear();
  for (std::size_t rank = 0; rank < own_rank; ++rank) add_source(seen_, by_rank_[rank], own_rank);
  if (!use_windows_) return;
  const Time limit = view_.task(i).limit(), block = block_[i];
  const Time ns = Time::from_ns(1);
  // Of those from one rank to another, in a window that is longer by `more`.
  const auto growths_of_seen = [&](std::size_t from, std::size_t to, Time more) {
    return [this, from, to, more](Time window, Causes::SureGrowths& sure) {
      seen_.add_growths(window + more, from, to, Causes::Counted::kAll, sure);
    };
  };
  Time start = kNoWindow;
  bool start_known = false;
  for (std::size_t s = view_.first[i]; s < view_.first[i + 1]; ++s) {
    const Time needed = block + demand(s);
    if (limit_[s] == own_rank) {
      const Time whole = search_.window(
          needed, limit, [&](Time w) { return needed + seen_.open(w); },
          growths_of_seen(0, own_rank, Time()));
      windows_[s] = {whole, whole};
      continue;
    }
    if (!start_known) {
      const Time waited = search_.window(
          block, limit, [&](Time w) { return block + seen_.open(w + ns); },
          growths_of_seen(0, own_rank, ns));
      start = waited == kNoWindow ? kNoWindow : waited + ns;
      start_known = true;
    }
    windows_[s] = {start, kNoWindow};
    if (start == kNoWindow) continue;
    // Once it is started, only those that may take it off delay it.
    const Time before = needed + seen_.open(start, limit_[s], own_rank);
    windows_[s].whole = search_.window(
        start, limit, [&](Time w) { return before + seen_.open(w, 0, limit_[s]); },
        growths_of_seen(0, limit_[s], Time()));
  }
}

/// In which window of the section do jobs of task h delay it?
Time Bounds::window_for(std::size_t section, std::size_t h) const {
  const Window& window = windows_[section];
  return rank_[h] < limit_[section] ? window.whole : window.start;
}

/// R and F of one task from those of the others. Its windows begin at its release.
bool Bounds::judge(std::size_t i) {
  const Time jitter = view_.task(i).jitter, limit = view_.task(i).limit();
  const std::span<const Time> phases = view_.phases_of(i);
  const std::size_t eta = view_.eta(i), first = view_.first[i];
  if (eta > 0) find_windows(i);
  own_ = best_effort_starts_ = Time();
  phases_ = sections_ = 0;
  if (mode_ == Mode::kSuspend) {
    begin_suspend(i);
  } else {
    begin_busy(i);
  }
  Found& found = found_[i];
  found.reached = true;
  found.terms.clear();
  Time r;
  for (std::size_t k = 0; k <= eta; ++k) {
    if (k == eta && !view_.has_last_phase(i)) break;
    next_phase(i, std::max(phases[k], Time::from_ns(1)));
    if (k < eta) next_section(i, first + k);
    const FixedPoint piece = search_.least(
        std::max(own_, r), limit, [&](Time window) { return prefix(i, sections_, window); },
        [&](Time from, Causes::SureGrowths& sure) { add_prefix_growths(sections_, from, sure); });
    if (!piece.found()) {
      found.response = piece;
      found.response.value += jitter;
      if (terms_) explain(i, found);
      return false;
    }
    r = piece.value;
    if (k < eta) completion_[first + k] = std::max(completion_[first + k], r + jitter);
  }
  response_[i] = std::max(response_[i], r + jitter);
  found.response = {FixedPoint::Outcome::kFound, r + jitter, r};
  if (terms_) explain(i, found);
  return true;
}

bool Bounds::in_priority_order(std::size_t tasks) {
  for (std::size_t i = 0; i < tasks; ++i) {
    if (!judge(i)) return false;
  }
  return true;
}

/// Some task needs what is known only of a less urgent one: all start from below, and grow until all
/// equations hold.
bool Bounds::until_nothing_changes() {
  std::vector<Time> responses, completions;
  do {
    responses = response_;
    completions = completion_;
    for (std::size_t i = 0; i < view_.set->real_time; ++i) {
      if (judge(i)) continue;
      // What others have found is not final.
      for (std::size_t other = 0; other < found_.size(); ++other) {
        if (other != i) found_[other] = {};
      }
      return false;
    }
  } while (responses != response_ || completions != completion_ ||
           (releases_ != nullptr && releases_->follow(response_, response_.size())));
  return true;
}

/// The same in priority order where only releases need what is known of a less urgent task. Those who
/// cannot rely on a task without a bound keep theirs.
bool Bounds::until_releases_settle() {
  std::size_t kept = view_.set->real_time;
  do {
    const bool passes = in_priority_order(kept);
    const auto failure = std::find_if(found_.begin(), found_.end(), [](const Found& found) {
      return !found.reached || !found.response.found();
    });
    if (!passes) kept = releases_->closed(static_cast<std::size_t>(failure - found_.begin()));
  } while (releases_->follow(response_, kept));
  for (std::size_t i = kept; i < found_.size(); ++i) {
    if (found_[i].response.outcome != FixedPoint::Outcome::kExceeded) found_[i] = {};
  }
  return kept == found_.size();
}

bool Bounds::find(const Arrangement& arrangement, bool terms) {
  terms_ = terms;
  search_.restart();
  if (releases_ != nullptr) releases_->restart();
  set_up(arrangement);
  const bool as_on_cpu = std::is_sorted(by_rank_.begin(), by_rank_.end());
  if (!as_on_cpu) return until_nothing_changes();
  return releases_ != nullptr ? until_releases_settle() : in_priority_order(found_.size());
}

}  // namespace tactus::gcaps::boost
