#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// What must happen at run time for the bounds of a method to hold, as far as the rooms that
/// simulate and run need to know it. A method names a behaviour; the room `simulate` keeps a policy
/// under that name, the room `runtime` an executor (the `registry.cpp` of each). A new method that
/// behaves like another names the same behaviour, and then works with every verb:
///
///     .behaviour = {.name = "kernel-graph", .recipe = "dag-small"},
struct Behaviour {
  std::string_view name = {};      ///< empty if none is described
  std::string_view why_none = {};  ///< if it is empty: the reason, for people who ask for a run
  std::string_view recipe = {};    ///< small random systems in which to search for violations
  /// The method knows when jobs arrive: at the file's offsets, strictly periodic.
  bool fixes_releases = false;
  /// The bounds hold whether or not the dispatcher preempts: the scenario may choose.
  bool may_preempt = false;
};

/// Why a room has no such part ("a policy", "an executor") for a behaviour that it does not know.
std::string why_no(std::string_view part, const Behaviour& behaviour);

}  // namespace tactus
