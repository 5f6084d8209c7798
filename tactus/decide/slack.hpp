#pragma once

#include <string>
#include <vector>

#include "tactus/decide/reach.hpp"

/// How much room a system has: how far each time, period, deadline, cost and number of units may
/// go until a method no longer proves every deadline.
///
///     const Slack slack = slack_of(method, system, {});
///     slack.all_times().holds;   // 1113: every time may be 1.113 times as long, all at once
namespace tactus::decide {

struct Slack {
  const Method* method = nullptr;
  Verdict verdict;                    ///< on the system as it is
  std::vector<Reach> reaches;         ///< in the order of `knobs_of`
  std::vector<std::string> left_out;  ///< knobs that cannot be turned, and why
  std::vector<std::string> notes;     ///< what is turned along, and not by `--set`
  std::int64_t analyses = 0;          ///< how many systems the method was asked about
  bool stopped = false;

  /// The critical scaling factor, in thousandths, rounded down.
  const Reach& all_times() const { return reaches.front(); }
};

/// @param system as it was read; priorities that the file leaves open stay as they are derived now
Slack slack_of(const Method& method, const System& system, const Options& options);

/// How far the times of all nodes may go together, alone: a few analyses.
Reach scaling_of(const Method& method, const System& system, const Options& options);

/// For each task the node whose time may grow least, as a share of it in thousandths: what a table
/// of bounds can show beside the slack of each task. Empty where that would be neither exact nor
/// cheap.
struct Growth {
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::int64_t permille = 0;  ///< 113: by 11.3 %
  std::optional<TaskIndex> breaks;
};
std::vector<Growth> growth_of(const Method& method, const System& system, const Options& options);

}  // namespace tactus::decide
