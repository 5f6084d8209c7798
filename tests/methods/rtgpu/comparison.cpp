#include "tests/methods/rtgpu/comparison.hpp"

#include <fmt/core.h>

namespace tactus::rtgpu::testing {

using reference::Counts;
using reference::Model;

std::optional<Time> time_of(const std::optional<reference::Ns>& ns) {
  return ns ? std::optional(Time::from_ns(*ns)) : std::nullopt;
}

Verdict analyze_with(std::string_view method, const System& system, const Options& options) {
  return analyze(*find_method(method), system, options);
}

const AllocationPlan& plan_of(const Verdict& verdict) {
  return dynamic_cast<const AllocationPlan&>(*verdict.plan);
}

std::optional<Counts> counts_of(const Verdict& verdict) {
  if (verdict.status != Status::kSchedulable) return std::nullopt;
  Counts counts;
  for (const auto& entry : plan_of(verdict).entries) counts.push_back(entry.sms);
  return counts;
}

std::optional<Counts> random_counts(Random& random, const Model& model) {
  Counts counts;
  std::int64_t spare = model.sms;
  for (const auto& task : model.tasks) spare -= task.min_sms;
  if (spare < 0) return std::nullopt;
  for (const auto& task : model.tasks) {
    const std::int64_t extra = task.min_sms == 0 ? 0 : random.integer(0, spare);
    counts.push_back(task.min_sms + extra);
    spare -= extra;
  }
  return counts;
}

std::string option_of(const System& system, const Model& model, const Counts& counts) {
  std::string text;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    text += fmt::format("{}{}={}", k == 0 ? "" : ",", system.tasks[model.tasks[k].index].name,
                        counts[k]);
  }
  return text;
}

}  // namespace tactus::rtgpu::testing
