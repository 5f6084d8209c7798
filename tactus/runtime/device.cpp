#include "tactus/runtime/device.hpp"

#include <set>

namespace tactus::runtime {

std::int64_t width_of(const KernelSeen& seen) {
  std::set<std::int32_t> sms;
  for (const BlockSeen& block : seen.blocks) sms.insert(block.sm);
  return std::ssize(sms);
}

}  // namespace tactus::runtime
