#include "tactus/runtime/gpu/sm_runs.hpp"

#include <fmt/format.h>

namespace tactus::runtime::gpu {

Result<std::vector<GroupRun>> assign_groups(std::span<const std::int64_t> widths, std::int64_t step,
                                            std::int64_t groups) {
  std::vector<GroupRun> runs;
  std::int64_t next = 0;
  for (const std::int64_t width : widths) {
    if (width < 1) return Error{fmt::format("a partition of {} SMs was asked for", width)};
    const std::int64_t count = (width - 1) / step + 1;
    runs.push_back({next, count, count * step});
    next += count;
  }
  if (next <= groups) return runs;
  return Error{fmt::format(
      "the partitions need {} SMs after rounding up to multiples of {}, but only {} can be divided",
      next * step, step, groups * step)};
}

}  // namespace tactus::runtime::gpu
