#include "tactus/runtime/executors/partitions.hpp"

#include <fmt/core.h>

namespace tactus::runtime {

std::optional<Error> refuse_beyond(const Capabilities& machine, std::int64_t sms) {
  if (sms <= machine.sms) return std::nullopt;
  return Error{fmt::format("the plan needs {} SMs; the {} has {}", sms, machine.name, machine.sms)};
}

Result<std::vector<Partition>> carve(Device& device, trace::Observed& observed,
                                     const RunOptions& options, const std::vector<Claim>& claims,
                                     const BestEffort& best_effort) {
  const Capabilities& machine = device.capabilities();
  std::int64_t total = 0;
  std::vector<std::int64_t> sms;
  for (const Claim& claim : claims) {
    total += claim.sms;
    sms.push_back(claim.sms);
  }
  if (auto problem = refuse_beyond(machine, total)) return *problem;
  std::vector<Partition> partitions;
  if (claims.size() == 1 && total == machine.sms) {
    partitions.push_back({kWholeGpu, total, total});
  } else {
    std::vector<std::int64_t> all = sms;
    if (const std::int64_t left = best_effort.sms_beside(sms, machine); left > 0)
      all.push_back(left);
    auto made = device.partition(all);
    if (!made) return made.error();
    partitions = std::move(*made);
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    observed.shares.push_back({claims[i].task, claims[i].element, sms[i], partitions[i].got});
    if (options.strict && partitions[i].got != sms[i]) {
      return Error{fmt::format("asked for {} SMs, got {}, and --strict accepts no other number",
                               sms[i], partitions[i].got)};
    }
  }
  return partitions;
}

}  // namespace tactus::runtime
