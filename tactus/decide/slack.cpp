#include "tactus/decide/slack.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tactus::decide {

Slack slack_of(const Method& method, const System& system, const Options& options) {
  Prober prober(method, system, options);
  Slack slack;
  std::map<std::string, std::vector<std::string>> along;  ///< what goes with which values
  slack.method = &method;
  slack.verdict = prober.verdict();
  for (const Knob& knob : knobs_of(prober.system(), &slack.left_out)) {
    if (options.progress) options.progress(name_of(knob, system));
    if (std::string others = turned_along(knob, system); !others.empty()) {
      along[std::move(others)].push_back(name_of(knob, system));
    }
    slack.reaches.push_back(prober.reach(knob));
    slack.stopped = slack.stopped || slack.reaches.back().stopped;
  }
  for (const auto& [others, names] : along) {
    slack.notes.push_back(fmt::format("{} here {}: {}", fmt::join(names, ", "),
                                      names.size() == 1 ? "stands for the time of the node"
                                                        : "stand for the times of their nodes",
                                      others));
  }
  slack.analyses = prober.analyses();
  return slack;
}

Reach scaling_of(const Method& method, const System& system, const Options& options) {
  return Prober(method, system, options).reach({.what = Knob::What::kAllTimes});
}

std::vector<Growth> growth_of(const Method& method, const System& system, const Options& options) {
  constexpr std::size_t kMostNodes = 200;
  std::size_t nodes = 0;
  for (const Task& task : system.tasks) nodes += task.nodes.size();
  if (!method.monotone.times || nodes > kMostNodes) return {};
  Prober prober(method, system, options);
  if (!prober.proved()) return {};
  std::vector<Growth> least;
  for (const Knob& knob : knobs_of(prober.system())) {
    if (knob.what != Knob::What::kNodeTime) continue;
    if (!is_monotone(knob, method, prober.verdict())) return {};
    const Reach reach = prober.reach(knob);
    if (!reach.fails || !reach.exact || reach.now == 0) continue;  // without end, or without share
    const __int128 more = static_cast<__int128>(*reach.holds - reach.now) * 1000 / reach.now;
    const Growth growth{knob.task, knob.node, static_cast<std::int64_t>(more), reach.breaks.task};
    const auto same = std::find_if(least.begin(), least.end(),
                                   [&](const Growth& each) { return each.task == knob.task; });
    if (same == least.end()) {
      least.push_back(growth);
    } else if (growth.permille < same->permille) {
      *same = growth;
    }
  }
  return least;
}

}  // namespace tactus::decide
