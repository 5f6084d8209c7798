#include "tactus/decide/standing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tactus/decide/cover.hpp"
#include "tactus/methods/needs.hpp"
#include "tactus/methods/promise.hpp"

namespace tactus::decide {
namespace {

/// Bounds of what an arbiter runs assume that it has a core; those of gates may say which it shares.
bool counts_on_a_missing_core(const System& system, const Method& method,
                              const std::optional<Way>& way) {
  const bool gates = method.behaviour.processes == GpuBetween::kGates;
  if (!gates && way != Way::kArbiter) return false;
  const auto& elements = system.platform.elements;
  const bool shares = gates && std::any_of(elements.begin(), elements.end(), [](const Element& e) {
                        return e.arbiter_core.has_value();
                      });
  return !shares && !arbiter_core(system, CoresOf::kFile);
}

Standing standing_of(const System& system, const Method& method, const Verdict& verdict) {
  Standing standing;
  const Result<Deployment> deployment = deployment_of(method);
  const bool run = deployment && describes(*deployment, verdict.variant);
  if (run) standing.way = deployment->way;
  switch (verdict.status) {
    case Status::kNotApplicable:
      return standing;
    case Status::kUndecided:
      standing.group = Group::kUndecided;
      return standing;
    case Status::kUnschedulable:
      standing.group = Group::kNotProved;
      return standing;
    case Status::kSchedulable:
      break;
  }
  standing.least = least_slack(system, verdict);
  standing.group = Group::kNotRunHere;
  standing.no_core = counts_on_a_missing_core(system, method, standing.way);
  if (!is_guaranteed(verdict.variant)) {
    standing.why_not = "published bounds are not guaranteed";
  } else if (!deployment) {
    standing.why_not = deployment.error().message;
  } else if (!run) {
    standing.why_not = fmt::format("it needs: {}", needs_of(method, verdict.variant));
  } else if (deployment->way == Way::kArbiter && !arbiter_core(system, CoresOf::kFile)) {
    standing.why_not = "tactusd needs a core without tasks of the file, and there is none";
  } else {
    standing.group = Group::kRunnable;
  }
  return standing;
}

/// Tasks that fail by themselves, and not only because others do.
std::int64_t failing(const Verdict& verdict) {
  return std::count_if(verdict.tasks.begin(), verdict.tasks.end(), [](const TaskVerdict& task) {
    return !task.schedulable && !task.conditional_bound;
  });
}

}  // namespace

std::optional<LeastSlack> least_slack(const System& system, const Verdict& verdict) {
  std::optional<LeastSlack> least;
  const auto look = [&](Time limit, Time bound, const std::string& whose) {
    const auto left = static_cast<__int128>((limit - bound).ns());
    const auto permille =
        static_cast<std::int64_t>(left * 1000 / std::max<std::int64_t>(1, limit.ns()));
    if (!least || permille < least->permille) least = LeastSlack{whose, permille};
  };
  for (const TaskVerdict& task : verdict.tasks) {
    if (!task.deadline) continue;
    if (!task.bound) return std::nullopt;
    look(*task.deadline, *task.bound, system.tasks[task.task].name);
  }
  for (const ChainVerdict& found : verdict.chains) {
    const Chain& chain = system.chains[found.chain];
    for (const auto& limit : {chain.reaction, chain.age}) {
      if (limit && found.bound) look(*limit, *found.bound, fmt::format("chain {}", chain.name));
    }
  }
  return least;
}

std::vector<Question> questions(std::span<const Method* const> methods, const Options& options,
                                Variants variants) {
  std::vector<Question> all;
  for (const Method* method : methods) all.push_back({method, options});
  if (variants == Variants::kAsAsked) return all;
  for (const Method* method : methods) {
    const Result<Deployment> deployment = deployment_of(*method);
    if (!deployment || describes(*deployment, options.variant)) continue;
    all.push_back({method, options});
    all.back().options.variant = deployment->variant;
  }
  return all;
}

std::vector<Standing> standings(const System& system, std::span<const Question> questions,
                                std::span<const Verdict> verdicts) {
  std::vector<Standing> all;
  for (std::size_t k = 0; k < verdicts.size(); ++k) {
    all.push_back(standing_of(system, *questions[k].method, verdicts[k]));
    all.back().place = k;
  }
  const auto rank = [&](const Standing& standing) {
    const bool proved = standing.group <= Group::kNotRunHere;
    const std::int64_t badness = !proved          ? failing(verdicts[standing.place])
                                 : standing.least ? -standing.least->permille
                                                  : 1;
    // What rests on a core that is not there comes behind what does not.
    return std::tuple(standing.group, standing.no_core, badness, !standing.way.has_value());
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Standing& a, const Standing& b) { return rank(a) < rank(b); });
  return all;
}

}  // namespace tactus::decide
