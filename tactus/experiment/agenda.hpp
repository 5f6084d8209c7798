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

  /// The next chunk; one of no sets when there are no more.
  Chunk next() {
    const std::lock_guard guard(lock_);
    if (at_ == stretches_.size()) return {};
    // Small at the end, so that the last one does not take long; never so large that a killed run
    // loses much.
    constexpr std::int64_t kMost = 16;
    Chunk& stretch = stretches_[at_];
    Chunk chunk = stretch;
    chunk.count =
        std::min(stretch.count, std::clamp<std::int64_t>(left_ / (4 * workers_), 1, kMost));
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
