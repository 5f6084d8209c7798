#pragma once

#include <optional>
#include <vector>

#include "tactus/methods/pbs/features.hpp"
#include "tactus/methods/pbs/search/relaxation.hpp"
#include "tactus/methods/pbs/table.hpp"

namespace tactus::pbs {

/// How an answer was found.
enum class Proof {
  kNone,
  kProbe,      ///< a baseline meets every deadline
  kTooLong,    ///< some wcet exceeds its deadline
  kDemand,     ///< the demand bound at the start
  kRelaxed,    ///< infeasible even if idling were allowed
  kExhausted,  ///< every schedule was tried
  kFound,      ///< the search found a table
};

struct SearchResult {
  Answer answer = Answer::kStopped;
  Proof proof = Proof::kNone;
  Stop stop = Stop::kNone;
  bool feasible_with_idling = false;  ///< known; false may also be "not known"
  std::vector<Frame> frames;          ///< of a table, when the answer is yes
  Counters counters;
  /// The proof kRelaxed: kernels that already have no table; empty where it is about all of them.
  std::vector<std::size_t> core;
  std::optional<DemandBound::Overload> overload;  ///< the proof kDemand, at deadlines of the root
  int shift = 0;                                  ///< of the weights in it
};

/// Decides whether a table exists (theory.md): exact, or stopped by the
/// budget. With `idle`, whether one exists that may leave the GPU idle while jobs are ready.
///
/// @pre at most 64 kernels.
SearchResult search(const TaskSet& set, const Oracle& oracle, bool idle, const Features& features,
                    ChildOrder order, Budget budget);

}  // namespace tactus::pbs
