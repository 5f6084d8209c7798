#include "tactus/methods/gang/shares/entry_table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/limits.hpp"

namespace tactus::gang {
namespace {

using Units = std::vector<std::int64_t>;

/// All shares: from the fewest units into which every gang fits, up to all units.
class Grid {
 public:
  Grid(Units least, Units most) : least_(std::move(least)), most_(std::move(most)) {
    strides_.resize(least_.size());
    for (std::size_t p = least_.size(); p-- > 0;) {
      strides_[p] = size_;
      const auto width = static_cast<std::size_t>(most_[p] - least_[p] + 1);
      size_ = width > kMaxShares / size_ ? kMaxShares + 1 : size_ * width;
    }
  }

  static constexpr std::size_t kMaxShares = 65'536;
  std::size_t size() const { return size_; }
  const Units& least() const { return least_; }
  const Units& most() const { return most_; }
  Units at(std::size_t index) const {
    Units units = least_;
    for (std::size_t p = 0; p < units.size(); ++p) {
      units[p] += static_cast<std::int64_t>(index / strides_[p]);
      index %= strides_[p];
    }
    return units;
  }
  /// The share with a unit less of one element. @pre there is one.
  std::size_t below(std::size_t index, std::size_t p) const { return index - strides_[p]; }

  /// Calls `visit(index, units)` for every share that has at least these units.
  template <typename Visit>
  void for_each_from(const Units& fewest, Visit visit) const {
    Units units = fewest;
    for (;;) {
      std::size_t index = 0;
      for (std::size_t p = 0; p < units.size(); ++p) {
        index += strides_[p] * static_cast<std::size_t>(units[p] - least_[p]);
      }
      visit(index, units);
      std::size_t p = units.size();
      while (p > 0 && units[p - 1] == most_[p - 1]) --p;
      if (p == 0) return;
      ++units[p - 1];
      std::copy(fewest.begin() + static_cast<std::ptrdiff_t>(p), fewest.end(),
                units.begin() + static_cast<std::ptrdiff_t>(p));
    }
  }

 private:
  Units least_, most_;
  std::vector<std::size_t> strides_;
  std::size_t size_ = 1;
};

/// The fewest units of each of these elements that hold every gang of the task.
Units fewest_units(const GangTask& task, const std::vector<ElementIndex>& elements) {
  Units fewest;
  for (const ElementIndex element : elements) {
    std::int64_t need = 1;
    for (const Piece& piece : task.pieces) {
      if (piece.on == element) need = std::max(need, piece.choices.front().units);
    }
    fewest.push_back(need);
  }
  return fewest;
}

class Search {
 public:
  Search(const System& system, const GangTask& task, Scheduler scheduler, const DeltaChoice& delta,
         std::size_t steps, Shares shares)
      : task_(task),
        stop_(delta.stop),
        steps_left_(steps),
        bound_(system, task, scheduler, delta),
        grid_(make_grid(system, shares)),
        best_(grid_.size()) {
    table_.elements = bound_.elements();
    table_.exact_delta = delta.exact;
  }

  EntryTable run() {
    Entries entries(task_.pieces.size());
    Units widest = grid_.least();
    try_combinations(0, entries, widest);
    for (std::size_t index = 0; index < grid_.size(); ++index) improve(index);
    for (std::size_t index = 0; index < grid_.size(); ++index) {
      Best& best = *best_[index];
      table_.rows.push_back({grid_.at(index), std::move(best.amount), std::move(best.entries)});
    }
    table_.least_length = least_length();
    return std::move(table_);
  }

 private:
  struct Best {
    Fraction amount;
    Entries entries;
  };
  /// A piece with entries to choose from, and the place of its element.
  struct Moldable {
    NodeIndex piece;
    std::size_t p;
  };

  Grid make_grid(const System& system, Shares shares) {
    const auto& elements = bound_.elements();
    Units most;
    for (const ElementIndex element : elements) {
      most.push_back(system.platform.elements[element].units);
    }
    for (NodeIndex i = 0; i < task_.pieces.size(); ++i) {
      const Piece& piece = task_.pieces[i];
      if (!piece.moldable) continue;
      const auto place = std::find(elements.begin(), elements.end(), piece.on);
      moldable_.push_back({i, static_cast<std::size_t>(place - elements.begin())});
    }
    const bool one = shares == Shares::kWholePlatform && combinations(most) <= kMostCombinations;
    Grid grid(one ? most : fewest_units(task_, elements), most);
    if (grid.size() > Grid::kMaxShares) {
      throw LimitReached(fmt::format(
          "task {} could have more than {} shares of the elements where it has measured "
          "kernels",
          quote(system.tasks[task_.task].name), Grid::kMaxShares));
    }
    return grid;
  }

  /// How many combinations of entries fit into these units; counting stops above the most.
  std::size_t combinations(const Units& units) const {
    std::size_t count = 1;
    for (const auto& [index, p] : moldable_) {
      const auto& choices = task_.pieces[index].choices;
      const auto fitting =
          std::partition_point(choices.begin(), choices.end(),
                               [most = units[p]](const TimesEntry& e) { return e.units <= most; });
      count *= static_cast<std::size_t>(fitting - choices.begin());
      if (count > kMostCombinations) return kMostCombinations + 1;
    }
    return count;
  }

  /// All combinations, in lexicographic order, that some share must try: that is so exactly if the
  /// smallest share that holds it has few combinations, since a larger one has no fewer.
  void try_combinations(std::size_t next, Entries& entries, Units& widest) {
    if (steps_left_ == 0 || combinations(widest) > kMostCombinations) return;
    if (next == moldable_.size()) {
      bound_.set(entries);
      grid_.for_each_from(
          widest, [&](std::size_t index, const Units& units) { offer(index, units, entries); });
      return;
    }
    const auto& [index, p] = moldable_[next];
    const auto& choices = task_.pieces[index].choices;
    const std::int64_t before = widest[p];
    for (std::uint32_t entry = 0; entry < choices.size(); ++entry) {
      if (choices[entry].units > grid_.most()[p]) break;
      entries[index] = entry;
      widest[p] = std::max(before, choices[entry].units);
      try_combinations(next + 1, entries, widest);
    }
    widest[p] = before;
    entries[index] = 0;
  }

  /// len + the terms for the entries that are set, if that is below `limit`.
  std::optional<Fraction> below(const Units& units, const Fraction* limit) {
    throw_if_stopped(stop_);
    steps_left_ -= std::min<std::size_t>(steps_left_, 1);
    Fraction amount = to_fraction(bound_.length());
    if (limit != nullptr) {
      Fraction least = amount;
      for (std::size_t p = 0; p < units.size(); ++p) least += bound_.least_term(p, units[p]);
      if (least >= *limit) return std::nullopt;
    }
    for (std::size_t p = 0; p < units.size(); ++p) amount += bound_.term(p, units[p]);
    if (limit != nullptr && amount >= *limit) return std::nullopt;
    return amount;
  }

  /// Remembers the current entries if they are better than the best so far.
  void offer(std::size_t index, const Units& units, const Entries& entries) {
    auto& best = best_[index];
    if (auto amount = below(units, best ? &best->amount : nullptr)) {
      best = Best{std::move(*amount), entries};
    }
  }

  /// A share that was not searched completely: the entries for one unit less, and a search from
  /// those and from the fastest ones.
  void improve(std::size_t index) {
    const Units units = grid_.at(index);
    if (steps_left_ > 0 && combinations(units) <= kMostCombinations) return;
    table_.complete = false;
    for (std::size_t p = 0; p < units.size(); ++p) {
      if (units[p] == grid_.least()[p]) continue;
      const Entries& kept = best_[grid_.below(index, p)]->entries;
      bound_.set(kept);
      offer(index, units, kept);
    }
    Entries fastest(task_.pieces.size());
    for (const auto& [piece, p] : moldable_) {
      fastest[piece] = task_.pieces[piece].fastest_within(units[p]);
    }
    const std::optional<Best> kept = best_[index];
    walk(index, units, fastest);
    if (kept) walk(index, units, kept->entries);
  }

  void walk(std::size_t index, const Units& units, Entries entries) {
    bound_.set(entries);
    Fraction amount = *below(units, nullptr);
    for (bool better = true; better && steps_left_ > 0;) {
      better = false;
      for (const auto& [piece, p] : moldable_) {
        const auto& choices = task_.pieces[piece].choices;
        std::uint32_t chosen = entries[piece];
        for (std::uint32_t other = 0; other < choices.size() && choices[other].units <= units[p];
             ++other) {
          if (other == chosen || steps_left_ == 0) continue;
          entries[piece] = other;
          bound_.set(entries);
          if (auto lower = below(units, &amount)) {
            amount = std::move(*lower);
            chosen = other;
            better = true;
          }
        }
        entries[piece] = chosen;
      }
    }
    auto& best = best_[index];
    if (!best || amount < best->amount) best = Best{std::move(amount), std::move(entries)};
  }

  Time least_length() {
    Entries fastest(task_.pieces.size());
    for (const auto& [piece, p] : moldable_) {
      fastest[piece] = task_.pieces[piece].fastest_within(grid_.most()[p]);
    }
    bound_.set(fastest);
    return bound_.length();
  }

  const GangTask& task_;
  const std::stop_token stop_;
  std::size_t steps_left_;
  EntryBound bound_;
  std::vector<Moldable> moldable_;  ///< filled by `make_grid`
  Grid grid_;
  std::vector<std::optional<Best>> best_;  ///< by share
  EntryTable table_;
};

}  // namespace

const EntryTable::Row& EntryTable::row(std::span<const std::int64_t> share) const {
  Units units;
  for (const ElementIndex element : elements) units.push_back(share[element]);
  return *std::lower_bound(rows.begin(), rows.end(), units,
                           [](const Row& a, const Units& b) { return a.units < b; });
}

EntryTable make_entry_table(const System& system, const GangTask& task, Scheduler scheduler,
                            const DeltaChoice& delta, std::size_t steps, Shares shares) {
  try {
    return Search(system, task, scheduler, delta, steps, shares).run();
  } catch (const EntryBound::ExactDeltaExceeded&) {
    // One kind of Delta for the whole table: amounts of both kinds would not fall with every unit.
    DeltaChoice by_dp = delta;
    by_dp.exact = false;
    return Search(system, task, scheduler, by_dp, steps, shares).run();
  }
}

}  // namespace tactus::gang
