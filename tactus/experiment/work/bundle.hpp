#pragma once

#include <string>
#include <vector>

#include "tactus/exchange/archive.hpp"
#include "tactus/experiment/work/run_experiment.hpp"

/// A store with all that is needed to run it again: experiment files, the systems of own files,
/// where and how it ran, and a list with the SHA-256 of everything in it.
namespace tactus::experiment {

using exchange::ArchiveMember;

/// The members of the bundle of a store. @param more figures and tables, for people
Result<std::vector<ArchiveMember>> bundle_of(const std::string& store, std::string_view version,
                                             std::vector<ArchiveMember> more);

/// What was changed in a bundle after it was made, one line each; empty if nothing was.
std::vector<std::string> tampered(const std::vector<ArchiveMember>& members);

/// The bytes of a member, or null.
const std::string* find_member(const std::vector<ArchiveMember>& members, std::string_view name);
inline constexpr std::string_view kBundledStore = "results.db";

/// What must be run so that the folder has all that the store has. `request` says how.
/// @return how many sets were judged; fewer than all if it was asked to stop (`left`)
Result<RunOutcome> run_again(const std::string& store, const RunRequest& request);

/// Where two stores differ: a line for each of the first few verdicts, and how many do in all.
struct StoreDifference {
  std::vector<std::string> first;
  std::int64_t differing = 0, compared = 0;
};
Result<StoreDifference> compare_stores(const std::string& before, const std::string& now);

}  // namespace tactus::experiment
