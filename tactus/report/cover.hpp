#pragma once

#include <string>
#include <vector>

#include "tactus/base/json_writer.hpp"
#include "tactus/decide/cover.hpp"
#include "tactus/report/text/terminal.hpp"

/// What the judge of a start says, for people and for programs.
namespace tactus::report {

/// A block for each condition that does not hold or is not known; one line with all that hold.
std::string conditions_text(const std::vector<decide::Condition>& conditions, const Style& style);

/// A JSON array, all of them.
void write_conditions(json::Writer& out, const std::vector<decide::Condition>& conditions);

/// The tier and all conditions under it, as a JSON object.
void write_cover(json::Writer& out, const decide::Cover& cover);

/// "thresholds, cpu-order": their ids.
std::string ids_of(const std::vector<decide::Condition>& conditions,
                   std::string_view between = ", ");

/// Those that are as asked, of a kind.
std::vector<decide::Condition> those(const std::vector<decide::Condition>& conditions,
                                     decide::Holds holds, decide::Whose whose);
std::vector<decide::Condition> those(const std::vector<decide::Condition>& conditions,
                                     decide::Holds holds);

/// The best-effort tasks for which a plan leaves nothing, as the member `never_run`; nothing where
/// there are none.
void write_never_run(json::Writer& out, const System& system, const Verdict& plan);

/// What a proof needs beyond its method, shortly; empty where the usual start does.
std::string need_of(const decide::Cover& cover);
/// What is in the way of every start; empty where one covers it.
std::string obstacle_of(const decide::Cover& cover);

/// "memory contention (...); interrupts ...": what no proof of this system covers, in one line.
std::string not_covered_text(const System& system);

}  // namespace tactus::report
