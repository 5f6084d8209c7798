#include "tactus/arbiter/tasks/task_placement.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tactus/base/file.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::arbiter::tasks {
namespace {

std::int64_t cores_of(const System& system) {
  std::int64_t cores = 0;
  for (const Element& element : system.platform.elements)
    if (element.kind == ElementKind::kCpu) cores = std::max(cores, element.units);
  return cores;
}

bool may_be_real_time() {
  sched_param parameter{};
  parameter.sched_priority = 10;
  const bool may = sched_setscheduler(0, SCHED_FIFO, &parameter) == 0;
  parameter.sched_priority = 0;
  sched_setscheduler(0, SCHED_OTHER, &parameter);
  return may;
}

/// Hardware threads of one core slow each other down: first one of each core, then the others.
void put_core_mates_last(std::vector<int>& cpus) {
  const auto is_first_of_core = [](int cpu) {
    const auto mates = read_text_file(
        fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    return !mates || std::atoi(mates->c_str()) == cpu;
  };
  std::stable_partition(cpus.begin(), cpus.end(), is_first_of_core);
}

bool share_a_core(const System& system) {
  std::set<std::int64_t> seen;
  return std::any_of(system.tasks.begin(), system.tasks.end(),
                     [&](const Task& task) { return !seen.insert(task.core.value_or(1)).second; });
}

void spread_out(System& system) {
  for (Element& element : system.platform.elements)
    if (element.kind == ElementKind::kCpu)
      element.units = static_cast<std::int64_t>(system.tasks.size());
  for (std::size_t i = 0; i < system.tasks.size(); ++i)
    system.tasks[i].core = static_cast<std::int64_t>(i) + 1;
}

}  // namespace

Placement place_tasks(System& system, bool realtime, std::int64_t others, CoresOf cores) {
  Placement placement;
  placement.cpus = host::usable_cpus();
  put_core_mates_last(placement.cpus);
  const std::int64_t free =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(placement.cpus.size()) - others);
  placement.real_time = realtime && may_be_real_time();
  if (realtime && !placement.real_time) {
    placement.notes.push_back("this process has no right to real-time scheduling");
    if (cores == CoresOf::kFile && static_cast<std::int64_t>(system.tasks.size()) <= free) {
      spread_out(system);
      placement.notes.push_back("each task has its own core, and the bounds are computed for that");
    }
  }
  if (!placement.real_time && share_a_core(system)) {
    placement.notes.push_back(
        "tasks share a core without their CPU priorities, and no bound can be expected to hold "
        "there; --realtime asks for them");
  }
  placement.pinned = cores_of(system) <= free;
  if (placement.pinned && !placement.real_time) {
    // Without priorities, control threads on one CPU would wait for each other's time slices.
    const auto first = placement.cpus.begin() + 1 + cores_of(system);
    placement.control_cpus.assign(first, placement.cpus.end());
  }
  if (!placement.pinned)
    placement.notes.push_back(
        fmt::format("the tasks of the file use {} cores, but of the {} CPUs here {} can be given "
                    "to them: tasks "
                    "are not pinned, and no bound can be expected to hold",
                    cores_of(system), placement.cpus.size(), free));
  return placement;
}

}  // namespace tactus::arbiter::tasks
