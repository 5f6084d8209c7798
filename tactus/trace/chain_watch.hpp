#pragma once

#include <optional>
#include <vector>

#include "tactus/trace/observed.hpp"

namespace tactus::trace {

/// Follows the values of chains through a run: each job reads the register before it at its start,
/// and writes its own at its end. A value is the time at which the first task read it.
class ChainWatch {
 public:
  explicit ChainWatch(const System& system);

  /// A job of the task reads now. Ends at the same instant have been told before.
  void starts(TaskIndex task, Time now);
  /// It writes now.
  void ends(TaskIndex task, Time now);

  std::vector<ObservedChain> take() { return std::move(seen_); }

 private:
  /// A task of a chain.
  struct Member {
    std::optional<Time> reading;  ///< what its live job is based on
    std::optional<Time> written;
  };
  void output(std::size_t chain, const Member& last, Time now);

  std::vector<std::vector<Member>> members_;  ///< by chain and place
  struct Place {
    std::size_t chain, place;
  };
  std::vector<std::vector<Place>> places_;  ///< by task
  std::vector<ObservedChain> seen_;
};

}  // namespace tactus::trace
