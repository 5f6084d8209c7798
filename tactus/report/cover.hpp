#pragma once

#include <string>
#include <vector>

#include "tactus/decide/cover.hpp"
#include "tactus/decide/never_run.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/terminal.hpp"

/// What the judge of a start says, for people and for programs.
namespace tactus {

template <>
std::span<const Field<decide::Condition>> fields<decide::Condition>();
template <>
std::span<const Field<decide::Cover>> fields<decide::Cover>();
template <>
std::span<const Field<decide::NeverRun>> fields<decide::NeverRun>();

namespace report {

using AnyWay = codec::Named<decide::Way, decide::Way::kTables>;

inline constexpr std::string_view kCoverDoc = "Does what is started cover the proof?";
inline constexpr std::string_view kNeverRunDoc =
    "Best-effort tasks for which the plan leaves nothing";

/// A block for each condition that does not hold or is not known; one line with all that hold.
std::string conditions_text(const std::vector<decide::Condition>& conditions, const Style& style);

/// "thresholds, cpu-order": their ids.
std::string ids_of(const std::vector<decide::Condition>& conditions,
                   std::string_view between = ", ");

std::vector<std::string> id_list(const std::vector<decide::Condition>& conditions);

/// Those that are as asked, of a kind.
std::vector<decide::Condition> those(const std::vector<decide::Condition>& conditions,
                                     decide::Holds holds, decide::Whose whose);
std::vector<decide::Condition> those(const std::vector<decide::Condition>& conditions,
                                     decide::Holds holds);

/// What a proof needs beyond its method, shortly; empty where the usual start does.
std::string need_of(const decide::Cover& cover);
/// What is in the way of every start; empty where one covers it.
std::string obstacle_of(const decide::Cover& cover);

/// "memory contention (...); interrupts ...": what no proof of this system covers, in one line.
std::string not_covered_text(const System& system);

}  // namespace report
}  // namespace tactus
