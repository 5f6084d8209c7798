#include "tactus/methods/pbs/kernel_time.hpp"

#include "tactus/methods/gpu_time.hpp"

namespace tactus::pbs {

std::optional<KernelTime> kernel_time(const System& system, const Task& task) {
  KernelTime sum;
  for (const Node& node : task.nodes) {
    auto time = whole_gpu_time(system, task, node);
    if (!time) return std::nullopt;
    sum.wcet += time->wcet;
    sum.bcet += time->bcet;
    if (!time->note.empty()) sum.notes.push_back(std::move(time->note));
  }
  return sum;
}

}  // namespace tactus::pbs
