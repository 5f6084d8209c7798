#pragma once

#include <cstdint>

namespace tactus::pbs {

/// Which accelerations a search uses. None changes a verdict; the tests switch
/// them off one by one and compare.
struct Features {
  bool probes = true;             ///< try both baselines first
  bool demand_bound = true;       ///< demand_bound.hpp
  bool lp_weights = true;         ///< lp_weights.hpp
  bool relaxation = true;         ///< relaxation.hpp
  bool maximal_packings = true;   ///< packing.hpp
  bool learned_intervals = true;  ///< learned_intervals.hpp; off: single instants ("seen")
  bool symmetry = true;           ///< symmetry.hpp
  bool cache = true;              ///< move_cache.hpp
  bool possible_frames = true;    ///< possible_frames.hpp
  bool core_proof = true;         ///< core_proof.hpp
  bool beam = true;               ///< beam.hpp
  bool dominance = true;          ///< dominance.hpp
  /// From so many ready kernels on, batches are tested for PackingNeed before they are complete.
  int needs_from = 10;
  /// The fewest tasks that a proof by a core of them is tried with.
  int core_from = 8;
  /// Steps of the plain search before the costly accelerations are tried (linear programs, beam).
  std::int64_t patience = 20'000;
};

/// In which order children are tried: it changes how fast a table is found, never whether.
struct ChildOrder {
  bool urgent_first = true;   ///< batches with the most urgent ready job before the others
  std::uint64_t shuffle = 0;  ///< not 0: disturb the order by efficiency, differently each
};

}  // namespace tactus::pbs
