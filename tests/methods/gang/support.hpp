#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tactus/methods/gang/bound/theorem2.hpp"
#include "tactus/methods/gang/shares/solver.hpp"
#include "tactus/methods/method.hpp"
#include "tests/support/read.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::gang {

using support::read;
using support::read_file;
using support::scaled;

/// Runs a method with `--name value` settings.
Verdict run(std::string_view method, const System& system,
            std::map<std::string, std::string, std::less<>> settings = {});

/// The tasks as the family sees them; a failure where it does not cover the file.
std::vector<GangTask> tasks_of(const System& system);

/// Every task, moldable gangs with their first entries.
std::vector<PreparedDag> prepare_all(const System& system, bool exact = false);

/// DAGs of rigid gangs, to ask for shares with.
std::vector<Candidate> candidates(std::vector<PreparedDag> dags);

/// Delta of the first DAG on the whole platform, one entry a copy, in node order.
std::vector<std::int64_t> deltas(const System& system, Scheduler scheduler, bool exact = false);

/// Times in the file's unit.
double in_units(const System& system, Time time);
double in_units(const System& system, const Fraction& time);

inline constexpr auto kWorkConserving = Scheduler::kWorkConserving;
inline constexpr auto kSemi = Scheduler::kSemiWorkConserving;

}  // namespace tactus::gang
