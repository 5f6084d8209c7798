#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::experiment {

/// Some sets of one point, one after another. Of sets that are there already, only the curves that
/// were added later are judged.
struct Chunk {
  std::int64_t experiment = 0, point = 0, first = 0, count = 0;
  bool added = false;
};

/// How many sets a worker asks for at a time: as many as it judges in some milliseconds. With fewer,
/// asking takes longer than judging; with more, a run that is killed loses much.
class Portion {
 public:
  std::int64_t sets() const { return sets_; }
  /// So long did it take from one portion of `count` sets to the next.
  void took(std::int64_t ns, std::int64_t count) {
    constexpr std::int64_t kShort = 8'000'000, kLong = 32'000'000;
    if (ns < kShort && count == sets_) sets_ = std::min(2 * sets_, kMost);
    if (ns > kLong) sets_ = std::max(sets_ / 2, kFewest);
  }

 private:
  static constexpr std::int64_t kFewest = 16, kMost = 1024;
  std::int64_t sets_ = kFewest;
};

/// What is left to do. Threads and ranks take chunks of it; their order and size only change how
/// evenly these are busy.
class Agenda {
 public:
  explicit Agenda(std::int64_t workers) : workers_(workers) {}

  /// Adds the sets of a point that are not done yet.
  void add(std::int64_t experiment, std::int64_t point, std::int64_t sets,
           const std::vector<bool>& done, bool added = false) {
    std::int64_t begin = 0;  // of the sets not done, up to the next that is
    const auto add_stretch = [&](std::int64_t end) {
      if (end <= begin) return;
      stretches_.push_back({experiment, point, begin, end - begin, added});
      left_ += end - begin;
    };
    for (std::size_t set = 0; set < done.size(); ++set) {
      if (!done[set]) continue;
      add_stretch(std::min(static_cast<std::int64_t>(set), sets));
      begin = static_cast<std::int64_t>(set) + 1;
    }
    add_stretch(sets);
  }

  /// The next chunk, of so many sets at most; one of no sets when there are no more.
  Chunk next(std::int64_t most) {
    const std::lock_guard guard(lock_);
    if (at_ == stretches_.size()) return {};
    // Small at the end, so that the last one does not take long.
    Chunk& stretch = stretches_[at_];
    Chunk chunk = stretch;
    chunk.count =
        std::min(stretch.count, std::clamp<std::int64_t>(left_ / (4 * workers_), 1, most));
    stretch.first += chunk.count;
    stretch.count -= chunk.count;
    left_ -= chunk.count;
    if (stretch.count == 0) ++at_;
    return chunk;
  }

  std::int64_t left() const {
    const std::lock_guard guard(lock_);
    return left_;
  }

 private:
  mutable std::mutex lock_;
  std::vector<Chunk> stretches_;
  std::size_t at_ = 0;
  std::int64_t left_ = 0, workers_;
};

}  // namespace tactus::experiment
