#include "tactus/decide/deployment.hpp"

#include <algorithm>

#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/runtime/executors/registry.hpp"

namespace tactus::decide {
namespace {

Way way_of(arbiter::tasks::Mode mode) {
  switch (mode) {
    case arbiter::tasks::Mode::kArbiter:
    case arbiter::tasks::Mode::kBoost:
      return Way::kArbiter;
    case arbiter::tasks::Mode::kOff:
      return Way::kRoundRobin;
    default:
      return Way::kLock;
  }
}

}  // namespace

Result<Deployment> deployment_of(const Method& method) {
  if (const auto sharing = arbiter::tasks::find_sharing(method)) {
    return Deployment{way_of(sharing->mode), sharing->variant};
  }
  const auto executor = runtime::find_executor(method);
  if (!executor) return executor.error();
  return Deployment{(*executor)->plays_table ? Way::kTables : Way::kPartitions, kSafe};
}

std::string_view to_string(Way way) {
  switch (way) {
    case Way::kArbiter:
      return "tactusd";
    case Way::kLock:
      return "lock";
    case Way::kRoundRobin:
      return "driver";
    case Way::kPartitions:
      return "partitions";
    case Way::kTables:
      return "table";
  }
  return {};
}

std::string_view needs_of(Way way) {
  switch (way) {
    case Way::kArbiter:
      return "tactusd on a core without tasks of the file (for gcaps.boost.*: --protocol boost); "
             "one "
             "process per task";
    case Way::kLock:
      return "one lock around all GPU work; one process per task";
    case Way::kRoundRobin:
      return "the stock driver; one process per task";
    case Way::kPartitions:
      return "one program that runs all GPU work on SMs of its own (`tactus run --plan`)";
    case Way::kTables:
      return "one program that starts batches by the table (`tactus run --plan`)";
  }
  return {};
}

std::optional<std::int64_t> arbiter_core(const System& system, CoresOf cores) {
  const auto is_free = [&](std::int64_t core) {
    return cores == CoresOf::kOpen ||
           std::none_of(system.tasks.begin(), system.tasks.end(),
                        [&](const Task& task) { return task.core == core; });
  };
  std::int64_t count = 1;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kGpu && element.arbiter_core) {
      return is_free(*element.arbiter_core) ? element.arbiter_core : std::nullopt;
    }
    if (element.kind == ElementKind::kCpu) count = std::max(count, element.units);
  }
  for (std::int64_t core = count; core > 0; --core) {
    if (is_free(core)) return core;
  }
  return std::nullopt;
}

bool suits(Way way, Target target) {
  switch (target) {
    case Target::kTactusd:
      return way == Way::kArbiter;
    case Target::kPartitions:
      return way == Way::kPartitions;
    case Target::kTables:
      return way == Way::kTables;
    case Target::kAny:
      return true;
  }
  return false;
}

}  // namespace tactus::decide
