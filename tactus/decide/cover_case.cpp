#include "tactus/decide/cover_case.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/gpu_element.hpp"

namespace tactus::decide {

CoverCase::CoverCase(const System& of, const Verdict& proof, const Start& how)
    : system(of),
      verdict(proof),
      start(how),
      boost(dynamic_cast<const gcaps::boost::BoostPlan*>(proof.plan.get())),
      plan(boost != nullptr ? &boost->priorities
                            : dynamic_cast<const gcaps::PriorityPlan*>(proof.plan.get())),
      entries(system.tasks.size()) {
  if (plan == nullptr) return;
  for (const auto& entry : plan->entries) {
    entries[entry.task] = &entry;
    if (on_gpu(entry.task))
      most_urgent = std::max(most_urgent.value_or(entry.gpu_priority), entry.gpu_priority);
  }
}

void CoverCase::add(std::string id, Holds holds, std::string what, std::string_view from,
                    std::string help, Whose whose) {
  if (holds == Holds::kYes) help.clear();
  conditions.push_back(
      {std::move(id), std::move(what), holds, std::string(from), std::move(help), whose});
}

std::string CoverCase::shown(Time time) const {
  static constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s", "units"};
  return fmt::format("{} {}", format_time(time, system.time_unit),
                     kUnits[static_cast<std::size_t>(system.time_unit)]);
}

bool CoverCase::on_gpu(TaskIndex task) const { return uses_gpu(system, system.tasks[task]); }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.size() <= kMost + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                     names.size() - kMost);
}

Holds Tasks::holds() const {
  return !others.empty() ? Holds::kNo : !unseen.empty() ? Holds::kNotKnown : Holds::kYes;
}

std::string Tasks::say(std::string_view no, std::string_view not_known,
                       std::string_view yes) const {
  switch (holds()) {
    case Holds::kNo:
      return std::string(no) + listed(others);
    case Holds::kNotKnown:
      return std::string(not_known) + listed(unseen);
    case Holds::kYes:
      break;
  }
  return std::string(yes);
}

}  // namespace tactus::decide
