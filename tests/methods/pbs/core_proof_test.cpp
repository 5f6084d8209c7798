#include "tactus/methods/pbs/search/core_proof.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_systems.hpp"
#include "reference.hpp"
#include "systems.hpp"
#include "tactus/generate/pbs_slowdown.hpp"
#include "tactus/methods/pbs/search/race.hpp"

/// The proof by a core of the tasks: never about a system that has a table, and of use.
namespace tactus::pbs::testing {
namespace {

constexpr std::uint64_t kSeed = 43;
constexpr std::int64_t kAmple = INT64_MAX;

TaskSet set_of(const System& system) { return std::get<TaskSet>(make_task_set(system)); }

/// The kernels of a core without a table; empty where none is found.
std::vector<std::size_t> core_of(const TaskSet& set) {
  const Oracle oracle(set);
  const Windows windows(set);
  Features features;
  features.core_from = 1;
  features.patience = 0;
  Knowledge know(set, oracle, windows, features, {}, {});
  know.learn_weights();
  CoreProof proof(know);
  return proof.found(kAmple) ? proof.kernels() : std::vector<std::size_t>();
}

TEST(CoreProof, NeverRefutesASystemThatHasATableWithIdling) {
  int refuted = 0, feasible = 0;
  const int count = scaled(4000);
  for (int i = 0; i < count; ++i) {
    Random random(kSeed, static_cast<std::uint64_t>(i));
    const SystemText text = random_system(random);
    const System system = make(text);
    const bool has_table = Reference(system).feasible_with_idling();
    const std::vector<std::size_t> core = core_of(set_of(system));
    ASSERT_FALSE(has_table && !core.empty()) << to_json(text);
    feasible += has_table ? 1 : 0;
    refuted += core.empty() ? 0 : 1;
  }
  EXPECT_GT(feasible, count / 5);
  EXPECT_GT(refuted, count / 20);
}

/// A part of the tasks is the system without the others: written down so, and searched plainly.
TEST(CoreProof, APartOfATaskSetIsTheSystemWithoutTheOtherTasks) {
  int yes = 0, no = 0, listed = 0;
  const int count = scaled(2000);
  for (int i = 0; i < count; ++i) {
    Random random(kSeed, static_cast<std::uint64_t>(i));
    const System system = make(random_system(random));
    const TaskSet set = set_of(system);
    std::vector<std::size_t> kernels;
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (random.integer(0, 2) > 0) kernels.push_back(k);
    }
    if (kernels.empty()) continue;
    System without = system;
    const auto stays = [&](TaskIndex task) {
      return std::any_of(kernels.begin(), kernels.end(),
                         [&](std::size_t k) { return set.kernels[k].index == task; });
    };
    for (TaskIndex task = static_cast<TaskIndex>(without.tasks.size()); task-- > 0;) {
      if (stays(task)) continue;
      without.tasks.erase(without.tasks.begin() + static_cast<std::ptrdiff_t>(task));
      std::erase_if(without.batches, [&](const Batch& batch) {
        return std::find(batch.tasks.begin(), batch.tasks.end(), task) != batch.tasks.end();
      });
      for (Batch& batch : without.batches) {
        for (TaskIndex& other : batch.tasks) other -= other > task ? 1 : 0;
      }
    }
    // Without its entries the model would be guessed anew.
    without.interference.emplace(system.interference.value_or(Interference{}));
    without.interference->model = set.model;
    if (set.model == InterferenceModel::kTable && without.batches.empty()) {
      without.interference->model = InterferenceModel::kNone;
    }
    const TaskSet part = part_of(set, kernels);
    const bool expected = Reference(without).feasible_with_idling();
    ASSERT_EQ(race(part, Oracle(part), true, {}, {}, 1).answer,
              expected ? Answer::kYes : Answer::kNo)
        << i;
    ++(expected ? yes : no);
    listed += part.listed.empty() || part.listed.size() == set.listed.size() ? 0 : 1;
  }
  EXPECT_GT(yes, count / 5);
  EXPECT_GT(no, count / 20);
  EXPECT_GT(listed, count / 50);
}

/// Four kernels that run together in 4, while fewer of them may not: each three need 12 of 5.
TEST(CoreProof, SaysNothingWhereABatchNeedsAllOfItsKernels) {
  SystemText text = {{{"a", 5, 5, 4}, {"b", 5, 5, 4}, {"c", 5, 5, 4}, {"d", 5, 5, 4}}};
  text.batches = R"({"tasks": ["a", "b", "c", "d"], "completion": 4})";
  const System system = make(text);
  ASSERT_TRUE(Reference(system).feasible_with_idling());
  EXPECT_TRUE(core_of(set_of(system)).empty());
  text.batches = "";
  EXPECT_EQ(core_of(set_of(make(text))).size(), 3u);
}

/// Sets of 30 tasks that the search alone does not decide in minutes.
TEST(CoreProof, RefutesLargeSetsThatNothingElseDecides) {
  for (const std::uint64_t seed : {5u, 27u, 28u}) {
    const tactus::Settings settings(kSlowdown.parameters, {{"n", "30"}, {"u", "2.4"}});
    const auto system = generate(kSlowdown, settings, seed, 0);
    ASSERT_TRUE(system);
    const TaskSet set = set_of(*system);
    Budget budget;
    budget.states = 60'000;
    const SearchResult result = race(set, Oracle(set), false, {}, budget, 1);
    EXPECT_EQ(result.answer, Answer::kNo) << seed;
    EXPECT_EQ(result.proof, Proof::kRelaxed) << seed;
    EXPECT_LT(result.core.size(), 20u) << seed;
    EXPECT_FALSE(result.core.empty()) << seed;
    // The part that it names has no table, by a search that knows nothing of cores.
    Features without;
    without.core_proof = false;
    const TaskSet core = part_of(set, result.core);
    EXPECT_EQ(race(core, Oracle(core), true, without, {}, 1).answer, Answer::kNo) << seed;
    EXPECT_EQ(race(set, Oracle(set), false, without, budget, 1).answer, Answer::kStopped) << seed;
    EXPECT_NE(run(kGraph, *system).reason.find("of the 30 tasks alone have no table: "),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tactus::pbs::testing
