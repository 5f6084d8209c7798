#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/methods/pbs/batches/oracle.hpp"
#include "tactus/methods/pbs/search/budget.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/methods/pbs/windows.hpp"

namespace tactus::pbs {

/// The whole scheduling graph of the paper, as a diagnostic: every vertex (time, ready set) that
/// some sequence of eligible batches reaches without a missed deadline; equal vertices are merged,
/// nothing is pruned. Compare Fig. 5c.
struct FullGraph {
  struct Edge {
    Move move;
    std::uint64_t orders = 0;  ///< submission orders of the batch with that completion
    std::size_t to = 0;
  };
  struct Vertex {
    Ticks time = 0;
    Mask ready = 0;
    std::int64_t executed = 0;
    std::uint64_t paths = 0;  ///< ways to get here, different orders counted; what merging saves
    bool leads_to_end = false;
    std::vector<Edge> edges;
  };

  std::vector<Vertex> vertices;    ///< by number of executed jobs
  std::optional<std::size_t> end;  ///< the vertex in which all jobs have run
  Stop stop = Stop::kNone;         ///< why the graph is incomplete

  std::uint64_t edges() const;
  /// Feasible tables; different batch orders are counted.
  std::uint64_t tables() const { return end ? vertices[*end].paths : 0; }
  /// Vertices of at most this many executed jobs, and how many there would be without merging.
  std::uint64_t merged(std::int64_t up_to_job = INT64_MAX) const;
  std::uint64_t unmerged(std::int64_t up_to_job = INT64_MAX) const;
  /// Vertices by number of executed jobs, merged and, if asked for, unmerged.
  PlanTable counts(bool with_unmerged) const;
  /// One table: always the first edge that leads to the end.
  std::vector<Frame> first_table(const TaskSet& set, const Oracle& oracle) const;
  /// Graphviz; large graphs are cut after `kMostDrawn` vertices, and say so.
  std::string dot(const System& system, const TaskSet& set) const;

  static constexpr std::size_t kMostDrawn = 2000;
};

/// @pre at most 64 kernels.
FullGraph explore(const TaskSet& set, const Oracle& oracle, Budget budget);

}  // namespace tactus::pbs
