#include "tactus/decide/shares.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tactus/decide/knob.hpp"
#include "tactus/decide/search.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"

namespace tactus::decide {
namespace {

constexpr std::string_view kOption = "allocation";

/// The division in a plan; empty where it has none.
std::string shares_of(const Verdict& verdict, const System& system) {
  const auto* plan = dynamic_cast<const rtgpu::AllocationPlan*>(verdict.plan.get());
  if (plan == nullptr || verdict.status != Status::kSchedulable) return {};
  std::string shares;
  for (const auto& entry : plan->entries) {
    shares +=
        fmt::format("{}{}={}", shares.empty() ? "" : ",", system.tasks[entry.task].name, entry.sms);
  }
  return shares;
}

}  // namespace

bool takes_shares(const Method& method) {
  return std::any_of(method.options.begin(), method.options.end(),
                     [](const OptionSpec& option) { return option.name == kOption; });
}

Options with_shares(Options options, const std::string& shares) {
  options.settings[std::string(kOption)] = shares;
  return options;
}

std::optional<Division> best_division(const Method& method, const System& system,
                                      const Options& options, std::int64_t furthest) {
  if (!takes_shares(method)) return std::nullopt;
  // From the longest times down: a division that does there mostly does before.
  constexpr std::int64_t kSteps = 8;
  std::set<std::string> known;
  std::optional<Division> best;
  for (std::int64_t step = kSteps; step >= 0; --step) {
    const std::int64_t permille = std::min(furthest, kAsInFile) +
                                  std::max<std::int64_t>(0, furthest - kAsInFile) * step / kSteps;
    const System longer = turned(system, {.what = Knob::What::kAllTimes}, permille);
    const std::string shares = shares_of(analyze(method, longer, options), system);
    if (shares.empty() || !known.insert(shares).second) continue;
    Judge judge(method, with_shares(options, shares));
    const auto factor = judge.further(system, best ? best->factor : kNoFactor);
    if (factor) best = Division{shares, *factor};
  }
  return best;
}

}  // namespace tactus::decide
