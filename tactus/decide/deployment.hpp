#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/methods/method.hpp"

namespace tactus::decide {

/// How tactus makes the plans of a method happen on this machine.
enum class Way {
  kArbiter,     ///< tactusd decides who has the GPU
  kLock,        ///< processes take a lock around their GPU work
  kRoundRobin,  ///< the driver decides
  kPartitions,  ///< one program, SMs divided
  kTables,      ///< one program, batches by a table
};

struct Deployment {
  Way way = Way::kArbiter;
  std::string_view variant;  ///< of the analysis: the one that describes such a run
};

/// How plans of a method are run here, or why they are not.
Result<Deployment> deployment_of(const Method& method);

/// "tactusd", "a lock", ...: one or two words for a table.
std::string_view to_string(Way way);
/// What must be there for it, in one line.
std::string_view needs_of(Way way);

/// Whose cores: those that the file gives its tasks, or may all tasks be moved?
enum class CoresOf { kFile, kOpen };
/// The core that is kept for the arbiter: the one that the file names, or the last one that no task
/// must be on. Nothing where tasks are on it, or on all of them.
std::optional<std::int64_t> arbiter_core(const System& system, CoresOf cores);

/// What a caller is ready to deploy.
enum class Target { kTactusd, kPartitions, kTables, kAny };
bool suits(Way way, Target target);

}  // namespace tactus::decide
