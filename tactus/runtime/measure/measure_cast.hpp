#pragma once

#include <string>
#include <vector>

#include "tactus/runtime/driver/enemies.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"
#include "tactus/runtime/measure/measure_width.hpp"

/// Before nodes are measured: who takes part, and where.
namespace tactus::runtime {

inline bool is_emulated(const MeasureOptions& options) { return options.backend == "emulator"; }
/// Then nothing disturbs anything there, and no driver is asked.
inline bool has_gpu(const MeasureOptions& options) {
  return !is_emulated(options) && options.backend != "cpu";
}

/// Who takes part: what is measured, and the other GPU nodes as neighbours.
struct Cast {
  std::vector<Party> parties;
  std::vector<std::string> notes;
};

Cast cast_of(const System& system, const Workload& workload, const MeasureOptions& options);

/// The system with a best-effort task for each enemy, which is how a device knows a graph.
struct Arena {
  System system;
  Workload workload;
  std::vector<Party> enemies;
};

/// @param enemies null: there are none
Arena arena_of(const System& system, const Workload& workload, const driver::Enemies* enemies,
               const MeasureOptions& options);

}  // namespace tactus::runtime
