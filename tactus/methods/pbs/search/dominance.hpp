#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// Dead states of the idle relaxation, for the states that are even worse: in the same window, with
/// the same ready jobs and more, at the same time or later.
///
/// Why these are dead too, where a batch without one of its kernels is a batch that takes no longer
/// (BatchSource::closed): from a schedule of the worse state remove the jobs that the better one has
/// not got, and wait where that makes a frame shorter; what remains is a schedule of the better one.
class DeadStates {
 public:
  explicit DeadStates(std::size_t windows)
      : most_entries_(std::clamp<std::size_t>(kMostInAll / windows, 64, kMostInOneWindow)),
        lists_(windows) {}

  void add(std::uint32_t window, Mask ready, Ticks from) {
    List& list = lists_[window];
    std::erase_if(list.entries, [&](const Entry& entry) {
      return (ready & ~entry.ready) == 0 && from <= entry.from;
    });
    if (list.entries.size() < most_entries_) {
      list.entries.push_back({ready, from});
    } else {
      list.entries[list.oldest++ % most_entries_] = {ready, from};
    }
  }

  /// From when on a state of the window is dead because a better one is; nothing when none is known
  /// that is dead at this time.
  std::optional<Ticks> find(const State& state) {
    std::vector<Entry>& entries = lists_[state.window].entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if ((entries[i].ready & ~state.ready) != 0 || entries[i].from > state.time) continue;
      // What was of use will be again: it comes closer to the front.
      std::swap(entries[i], entries[i / 2]);
      return entries[i / 2].from;
    }
    return std::nullopt;
  }

 private:
  /// A longer list costs more time than it saves; all together are about 16 MB at most.
  static constexpr std::size_t kMostInOneWindow = 2048, kMostInAll = 1'000'000;
  struct Entry {
    Mask ready = 0;
    Ticks from = 0;
  };
  struct List {
    std::vector<Entry> entries;
    std::size_t oldest = 0;
  };
  std::size_t most_entries_;
  std::vector<List> lists_;
};

}  // namespace tactus::pbs
