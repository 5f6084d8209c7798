#include "tactus/runtime/device.hpp"

#include <set>

namespace tactus::runtime {

std::int64_t width_of(const KernelSeen& seen) {
  if (seen.partition_width > 0) return seen.partition_width;
  std::set<std::int32_t> sms;
  for (const BlockSeen& block : seen.blocks) sms.insert(block.sm);
  return std::ssize(sms);
}

}  // namespace tactus::runtime
