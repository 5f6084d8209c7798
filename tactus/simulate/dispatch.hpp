#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/simulate/policy.hpp"

/// What dispatchers of blocks and gangs share.
namespace tactus::simulate {

/// Above this many blocks a job is not simulated: every one of them is looked at when something
/// happens.
inline constexpr std::int64_t kMostBlocks = 100'000;

/// The first and the last work of a kernel: what precedes it precedes `start`, what follows it
/// follows `end`.
struct Launch {
  std::uint32_t start = 0, end = 0;
};

/// Adds a work that takes no time and no unit; it joins what precedes it with what follows it.
std::uint32_t add_barrier(Job& job, const Work& like);

/// Adds a block for each of `lengths`, between two barriers where there are several. A block cannot
/// be preempted unless the scenario says so, and draws a random number for the shuffled order.
Launch add_blocks(const View& view, TaskIndex task, Job& job, Work block,
                  std::span<const Time> lengths);

/// Ready works, in the order in which a dispatcher goes through them (`Scenario::order`).
class WaitingList {
 public:
  enum class Answer {
    kTaken,   ///< off the list
    kWaits,   ///< stays on it
    kEnough,  ///< stays on it, and no work behind it is asked
  };

  /// Adds a work; works come in the order in which they become ready.
  void add(const View& view, WorkId id);
  void remove(WorkId id);
  /// Asks `offer` about one after the other.
  template <typename Offer>
  void walk(Offer offer) {
    put_in_order();
    auto kept = entries_.begin(), next = kept;
    for (; next != entries_.end(); ++next) {
      const Answer answer = offer(next->id);
      if (answer == Answer::kEnough) break;
      if (answer == Answer::kWaits) *kept++ = *next;
    }
    entries_.erase(kept, next);
    in_order_ = entries_.size();
  }

 private:
  struct Entry {
    std::uint64_t key;
    WorkId id;
  };
  void put_in_order();

  std::vector<Entry> entries_;
  std::size_t in_order_ = 0;  ///< of them, from the front
  std::uint64_t added_ = 0;   ///< works, ever
};

/// Takes a work off a list of what runs; the order of that does not matter.
inline void remove(std::vector<Choice::Run>& runs, WorkId id) {
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const Choice::Run& run) { return run.id == id; });
  *found = runs.back();
  runs.pop_back();
}

/// Units from `first` on, handed out in sets, the lowest first.
class UnitPool {
 public:
  UnitPool(std::int64_t first, std::int64_t units)
      : first_(static_cast<std::uint32_t>(first)), free_(units) {}

  bool has(std::int64_t width) const { return width <= free_; }
  /// Takes this many units; the lowest of them names the set. @pre has(width).
  std::uint32_t take(std::int64_t width);
  /// Gives back a set by its name.
  void give(std::uint32_t name);

 private:
  std::uint32_t take_lowest();

  std::uint32_t first_ = 0;
  std::int64_t free_ = 0;                  ///< in all
  std::vector<std::uint64_t> given_back_;  ///< one bit per place
  std::size_t lowest_ = 0;                 ///< no word before it has a bit set
  /// By place, of the units that were ever taken: the place of the next of the same set.
  std::vector<std::uint32_t> next_;
};

}  // namespace tactus::simulate
