#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

/// Who decides between tasks that are processes of their own which of them has the GPU.
enum class GpuBetween : std::uint8_t {
  kNobody,  ///< they are not: one program runs all of them
  kArbiter,
  kGates,  ///< an arbiter that starts and ends GPU segments (gcaps.boost)
  kDriver,
  kFifoLock,
  kPriorityLock,
};

/// What must happen at run time for the bounds of a method to hold, as far as the rooms that
/// simulate and run need to know it. A method names a behaviour; the room `simulate` keeps a policy
/// under that name, the room `runtime` an executor (the `registry.cpp` of each). A new method that
/// behaves like another has the same behaviour, and then works with every verb:
///
///     .behaviour = {.name = "kernel-graph", .recipe = "dag-small"},
///
/// What is said of a behaviour is said here; those registries hold code.
struct Behaviour {
  std::string_view name = {};      ///< empty if none is described
  std::string_view why_none = {};  ///< if it is empty: the reason, for people who ask for a run
  std::string_view recipe = {};    ///< small random systems in which to search for violations
  GpuBetween processes = GpuBetween::kNobody;  ///< if tasks are processes
  bool busy_wait = false;                      ///< the core is kept while the GPU works
  /// The method knows when jobs arrive: at the file's offsets, strictly periodic.
  bool fixes_releases = false;
  /// The bounds hold whether or not the dispatcher preempts: the scenario may choose.
  bool may_preempt = false;
};

/// Why a room has no such part ("a policy", "an executor") for a behaviour that it does not know.
std::string why_no(std::string_view part, const Behaviour& behaviour);

}  // namespace tactus
