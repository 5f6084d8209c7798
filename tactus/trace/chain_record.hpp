#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "tactus/trace/chain_watch.hpp"

namespace tactus::trace {

/// Follows chains where a job is told when it has ended, with the times of its read and its write:
/// puts these in their order. At one instant writes come first, so that a read there sees them.
class ChainRecord {
 public:
  explicit ChainRecord(const System& system);

  bool follows(TaskIndex task) const { return !follows_.empty() && follows_[task]; }
  /// A job of the task read and wrote then. @pre jobs of one task come in their order
  void job(TaskIndex task, Time read, Time write);
  /// No job that is told from now on reads before `known`.
  void settle(Time known);
  std::vector<ObservedChain> take() { return watch_.take(); }

 private:
  struct Event {
    Time at;
    enum class Kind : std::uint8_t { kWrite, kRead, kWriteAtOnce } kind;
    TaskIndex task;
    std::uint64_t turn;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const;
  };

  std::vector<bool> follows_;  ///< by task; empty without chains
  ChainWatch watch_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t turn_ = 0;
};

}  // namespace tactus::trace
