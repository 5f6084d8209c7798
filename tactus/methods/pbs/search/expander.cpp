#include "tactus/methods/pbs/search/expander.hpp"

#include <algorithm>
#include <numeric>

namespace tactus::pbs {
namespace {

constexpr std::int64_t kCacheShare = 4;  // of the memory limit
constexpr std::int64_t kMostCacheBytes = std::int64_t{256} << 20;

/// A number in [0, 1) that looks random.
double noise(std::uint64_t seed, Mask batch) {
  std::uint64_t z = (batch + seed) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9;
  return static_cast<double>(z >> 40) * 0x1p-24;
}

}  // namespace

Expander::Expander(const TaskSet& set, const Windows& windows, BatchSource& source,
                   DemandBound& demand, const Features& features, ChildOrder order, Budget& budget,
                   Counters& counters)
    : windows_(windows),
      source_(source),
      demand_(demand),
      symmetry_(features.symmetry ? Symmetry(set) : Symmetry()),
      use_cache_(features.cache),
      needs_from_(features.needs_from),
      order_(order),
      budget_(budget),
      counters_(counters),
      cache_(static_cast<std::size_t>(std::min(budget.memory / kCacheShare, kMostCacheBytes))) {
  std::vector<std::int64_t> wcets;
  for (const Kernel& kernel : set.kernels) wcets.push_back(kernel.wcet);
  set_weights(wcets);
}

void Expander::set_weights(std::span<const std::int64_t> weights) {
  weights_.assign(weights.begin(), weights.end());
  by_density_.resize(weights_.size());
  std::iota(by_density_.begin(), by_density_.end(), std::uint8_t{0});
  const auto density = [&](std::size_t i) {
    return weights_[i] / static_cast<double>(std::max<std::int64_t>(source_.sizes()[i], 1));
  };
  std::stable_sort(by_density_.begin(), by_density_.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return density(a) > density(b); });
}

double Expander::worth(const Move& move) const {
  double sum = 0;
  for_each(move.batch, [&](std::size_t i) { sum += weights_[i]; });
  const double plain = sum / static_cast<double>(move.completion);
  return order_.shuffle == 0 ? plain : plain * (1 + noise(order_.shuffle, move.batch) / 2);
}

void Expander::sort_best_first(const FrameTest& test, std::size_t from, std::vector<Move>& out) {
  ranked_.clear();
  for (std::size_t i = from; i < out.size(); ++i) {
    const bool urgent = order_.urgent_first && (out[i].batch & test.most_urgent()) != 0;
    ranked_.push_back({urgent, worth(out[i]), out[i]});
  }
  std::sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
    if (a.urgent != b.urgent) return a.urgent;
    return a.worth != b.worth ? a.worth > b.worth : a.move.batch > b.move.batch;
  });
  for (const Ranked& ranked : ranked_) out[from++] = ranked.move;
}

bool Expander::enough(const std::vector<Move>& out) {
  constexpr std::int64_t kAskEvery = 1 << 12;
  if (++counters_.batches % kAskEvery != 0) return false;
  return budget_.spent(counters_, static_cast<std::int64_t>(out.capacity() * sizeof(Move)), 0);
}

Ticks Expander::singles(const State& state, const FrameTest& test, std::vector<Move>& out) {
  Ticks rejected_from = kAlways;
  for_each(state.ready, [&](std::size_t i) {
    const Ticks completion = source_.wcet(i), end = state.time + completion;
    ++counters_.batches;
    const std::size_t forced = test.forced_count(end);
    if (end > test.last_end()) {
      rejected_from = std::max(rejected_from, test.last_end() - completion + 1);
    } else if ((test.forced(forced) & ~bit(i)) != 0) {
      rejected_from = std::max(rejected_from, test.limit_without(forced) - completion + 1);
    } else if (symmetry_.canonical(bit(i), state.ready)) {
      out.push_back({bit(i), completion});
    }
  });
  return rejected_from;
}

Ticks Expander::by_level(const State& state, const FrameTest& test, Which which,
                         std::vector<Move>& out) {
  Ticks rejected_from = kAlways;
  std::size_t forced_count = 0;
  PackingEnumerator packings(source_.sizes(), source_.capacity());
  for (const BatchSource::Level& level : source_.levels_of(state.ready)) {
    const Ticks end = state.time + level.completion;
    if (end > test.last_end()) {
      // Longer levels end later still, and their bound is the lower one.
      return std::max(rejected_from, test.last_end() - level.completion + 1);
    }
    forced_count = test.forced_count(end, forced_count);
    if (forced_count > 0) {
      rejected_from =
          std::max(rejected_from, test.limit_without(forced_count) - level.completion + 1);
    }
    const Mask forced = test.forced(forced_count);
    if ((forced & ~level.up_to) != 0) continue;
    State after = {end, state.ready, state.window};
    while (after.window + 1 < windows_.count() && windows_.start(after.window + 1) <= end) {
      after.ready |= windows_.arrivals(++after.window);
    }
    needs_.clear();
    if (std::popcount(level.up_to) >= needs_from_)
      demand_.needs(after.window, after.ready, end, needs_);
    for (PackingNeed& need : needs_) need.members &= state.ready;
    packings.require(needs_);
    const auto emit = [&](Mask batch) {
      if (enough(out)) return false;
      if ((batch & level.exactly) != 0 && !std::has_single_bit(batch) &&
          symmetry_.canonical(batch, state.ready) && source_.joins_by_level(batch)) {
        out.push_back({batch, level.completion});
      }
      return true;
    };
    if (which == Which::kMaximal) {
      packings.maximal(forced, level.up_to & ~forced, emit);
    } else {
      packings.all(forced, level.up_to & ~forced, emit);
    }
    if (packings.least_shortage() != INT64_MAX) {
      // Earlier by more than what is short, the need would be met; before that window it is another.
      const Ticks earlier = (packings.least_shortage() - 1) >> demand_.shift();
      rejected_from = std::max(
          {rejected_from, state.time - earlier, windows_.start(after.window) - level.completion});
    }
  }
  return rejected_from;
}

Ticks Expander::from_listed(const State& state, const FrameTest& test,
                            const std::vector<Move>& listed, std::vector<Move>& out) {
  Ticks rejected_from = kAlways;
  for (const Move& move : listed) {
    if ((move.batch & ~state.ready) != 0) continue;
    if (enough(out)) break;
    const Ticks end = state.time + move.completion;
    const std::size_t forced = test.forced_count(end);
    if (end > test.last_end()) {
      rejected_from = std::max(rejected_from, test.last_end() - move.completion + 1);
    } else if ((test.forced(forced) & ~move.batch) != 0) {
      rejected_from = std::max(rejected_from, test.limit_without(forced) - move.completion + 1);
    } else {
      out.push_back(move);
    }
  }
  return rejected_from;
}

Ticks Expander::greedy(const State& state, std::vector<Move>& out) {
  const FrameTest test(windows_, state);
  const std::size_t from = out.size();
  const auto& sizes = source_.sizes();
  std::size_t forced_count = 0;
  for (const BatchSource::Level& level : source_.levels_of(state.ready)) {
    const Ticks end = state.time + level.completion;
    if (end > test.last_end()) break;
    forced_count = test.forced_count(end, forced_count);
    const Mask forced = test.forced(forced_count);
    if ((forced & ~level.up_to) != 0) continue;
    const std::size_t level_from = out.size();
    const auto fill = [&](auto kernel, auto last) {
      ++counters_.batches;
      Mask batch = 0;
      std::int64_t room = source_.capacity();
      const auto take = [&](std::size_t i) {
        if (sizes[i] > room) return;
        room -= sizes[i];
        batch |= bit(i);
      };
      for_each(forced, take);
      if (batch != forced) return;
      // One of the level itself comes first: a batch without it belongs to a shorter level.
      if ((batch & level.exactly) == 0) take(std::bit_width(level.exactly) - 1);
      for (; kernel != last; ++kernel) {
        if ((level.up_to & ~batch & bit(*kernel)) != 0) take(*kernel);
      }
      if ((batch & level.exactly) == 0 || std::has_single_bit(batch)) return;
      if (!symmetry_.canonical(batch, state.ready) || !source_.joins_by_level(batch)) return;
      const auto known = [&](const Move& move) { return move.batch == batch; };
      const auto first = out.begin() + static_cast<std::ptrdiff_t>(level_from);
      if (std::find_if(first, out.end(), known) != out.end()) return;
      out.push_back({batch, level.completion});
    };
    const auto& by_deadline = windows_.by_deadline(state.window);
    const auto& by_level = source_.by_level_order();
    fill(by_deadline.begin(), by_deadline.end());
    fill(by_density_.begin(), by_density_.end());
    fill(by_level.rbegin(), by_level.rend());  // the longest that are no longer
  }
  singles(state, test, out);
  sort_best_first(test, from, out);
  return kAlways;
}

bool Expander::extendable(const Move& move, Mask ready) const {
  bool found = false;
  for_each(ready & ~move.batch, [&](std::size_t i) {
    found = found || source_.fastest(move.batch | bit(i)) <= move.completion;
  });
  return found;
}

const MoveList& Expander::list_for(Mask ready) {
  if (use_cache_) {
    if (const MoveList* known = cache_.find(ready)) return *known;
  }
  std::vector<Move> moves;
  for_each(ready, [&](std::size_t i) { moves.push_back({bit(i), source_.wcet(i)}); });
  for (const Move& move : source_.fastest_listed()) {
    if ((move.batch & ~ready) == 0) moves.push_back(move);
  }
  std::erase_if(moves, [&](const Move& move) {
    return (source_.closed() && extendable(move, ready)) || !symmetry_.canonical(move.batch, ready);
  });
  std::stable_sort(moves.begin(), moves.end(),
                   [&](const Move& a, const Move& b) { return worth(a) > worth(b); });

  MoveList list;
  for (const Move& move : moves) list.completions.push_back(move.completion);
  std::sort(list.completions.begin(), list.completions.end());
  list.completions.erase(std::unique(list.completions.begin(), list.completions.end()),
                         list.completions.end());
  list.entries.reserve(moves.size());
  for (const Move& move : moves) {
    const auto at =
        std::lower_bound(list.completions.begin(), list.completions.end(), move.completion);
    list.entries.push_back({move.batch, static_cast<std::uint32_t>(at - list.completions.begin())});
  }
  if (use_cache_) return cache_.insert(ready, std::move(list));
  return uncached_ = std::move(list);
}

Ticks Expander::packings(const State& state, std::vector<Move>& out) {
  const FrameTest test(windows_, state);
  if (!source_.by_level()) return from_list(state, test, out);
  // By level the deadlines select first: a list that ignores the time would be several times
  // longer, and most masks of a long search occur only once (measured at 20 tasks: 3 times slower).
  const std::size_t from = out.size();
  Ticks rejected_from = singles(state, test, out);
  rejected_from = std::max(rejected_from, from_listed(state, test, source_.fastest_listed(), out));
  const Which which = source_.closed() ? Which::kMaximal : Which::kAll;
  rejected_from = std::max(rejected_from, by_level(state, test, which, out));
  sort_best_first(test, from, out);
  return rejected_from;
}

Ticks Expander::from_list(const State& state, const FrameTest& test, std::vector<Move>& out) {
  const MoveList& list = list_for(state.ready);
  Ticks rejected_from = kAlways;
  std::size_t forced_count = 0;
  forced_.clear();
  for (const Ticks completion : list.completions) {
    const Ticks end = state.time + completion;
    if (end > test.last_end()) {
      rejected_from = std::max(rejected_from, test.last_end() - completion + 1);
      break;
    }
    forced_count = test.forced_count(end, forced_count);
    if (forced_count > 0) {
      rejected_from = std::max(rejected_from, test.limit_without(forced_count) - completion + 1);
    }
    forced_.push_back(test.forced(forced_count));
  }
  counters_.batches += static_cast<std::int64_t>(list.entries.size());
  const auto append = [&](Mask with, Mask without) {
    for (const MoveList::Entry& entry : list.entries) {
      if (entry.completion >= forced_.size()) continue;
      if (((forced_[entry.completion] | with) & ~entry.batch) != 0) continue;
      if ((entry.batch & without) != 0) continue;
      out.push_back({entry.batch, list.completions[entry.completion]});
    }
  };
  if (order_.urgent_first) {
    append(test.most_urgent(), 0);
    append(0, test.most_urgent());
  } else {
    append(0, 0);
  }
  return rejected_from;
}

Ticks Expander::everything(const State& state, std::vector<Move>& out) {
  const FrameTest test(windows_, state);
  Ticks rejected_from = singles(state, test, out);
  rejected_from = std::max(rejected_from, from_listed(state, test, source_.listed(), out));
  if (source_.by_level()) {
    rejected_from = std::max(rejected_from, by_level(state, test, Which::kAll, out));
  }
  return rejected_from;
}

}  // namespace tactus::pbs
