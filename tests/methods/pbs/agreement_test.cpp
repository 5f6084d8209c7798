#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "random_systems.hpp"
#include "reference.hpp"
#include "tactus/methods/pbs/search/full_graph.hpp"
#include "tactus/methods/pbs/search/race.hpp"

/// The library against the exhaustive search of reference.hpp, on random small systems.
namespace tactus::pbs::testing {
namespace {

constexpr std::uint64_t kSeed = 20261115;

TaskSet set_of(const System& system) { return std::get<TaskSet>(make_task_set(system)); }

Answer answer_of(const TaskSet& set, bool idle, const Features& features, int threads = 1) {
  const Oracle oracle(set);
  return race(set, oracle, idle, features, Budget(), threads).answer;
}

/// All accelerations but one, and none at all.
std::vector<std::pair<std::string, Features>> switched_off() {
  std::vector<std::pair<std::string, Features>> all;
  const auto add = [&](const char* name, auto change) {
    Features features;
    features.probes = false;
    change(features);
    all.emplace_back(name, features);
  };
  add("no probes", [](Features&) {});
  add("no demand bound", [](Features& f) { f.demand_bound = false; });
  add("no linear program", [](Features& f) { f.lp_weights = false; });
  add("no relaxation", [](Features& f) { f.relaxation = false; });
  add("no maximal packings", [](Features& f) { f.maximal_packings = false; });
  add("no learned intervals", [](Features& f) { f.learned_intervals = false; });
  add("no symmetry", [](Features& f) { f.symmetry = false; });
  add("no cache", [](Features& f) { f.cache = false; });
  // These systems are small: in this way they get what large ones get.
  add("all accelerations at once", [](Features& f) { f.patience = f.needs_from = 0; });
  add("all but dominance and beam", [](Features& f) {
    f.patience = f.needs_from = 0;
    f.dominance = f.beam = false;
  });
  add("all but the beam", [](Features& f) {
    f.patience = f.needs_from = 0;
    f.beam = false;
  });
  add("no dominance", [](Features& f) { f.dominance = false; });
  add("cores from one task on", [](Features& f) {
    f.patience = 0;
    f.core_from = 1;
    f.beam = f.relaxation = false;
  });
  add("no proof by a core", [](Features& f) {
    f.patience = 0;
    f.core_proof = f.beam = false;
  });
  add("every frame possible", [](Features& f) {
    f.patience = 0;
    f.possible_frames = false;
  });
  add("nothing", [](Features& f) {
    f = {false, false, false, false, false, false, false, false, false, false, false, false};
  });
  return all;
}

TEST(Agreement, VerdictsEqualTheExhaustiveSearch) {
  const int systems = scaled(20'000, 5);
  int yes = 0, only_idle = 0, disagreements = 0;
  const auto variants = switched_off();
  for (int i = 0; i < systems && disagreements < 5; ++i) {
    Random random(kSeed, static_cast<std::uint64_t>(i));
    const SystemText text = random_system(random);
    const System system = make(text);
    Reference reference(system);
    const bool feasible = reference.tables() > 0, idling = reference.feasible_with_idling();
    yes += feasible ? 1 : 0;
    only_idle += idling && !feasible ? 1 : 0;

    const Verdict graph = run(kGraph, system);
    const Verdict idle = run(kGraph, system, with({{"idle", "on"}}));
    const auto expected = [](bool good) {
      return good ? Status::kSchedulable : Status::kUnschedulable;
    };
    bool agree = graph.status == expected(feasible) && idle.status == expected(idling);
    // Every table passes the checker.
    for (const Verdict* verdict : {&graph, &idle}) {
      if (verdict->plan) agree = agree && check_own_plan(kGraph, system, *verdict).empty();
    }
    // One acceleration after the other is missing; none may be missed in the verdict.
    const auto& [name, features] = variants[static_cast<std::size_t>(i) % variants.size()];
    const TaskSet set = set_of(system);
    agree = agree && answer_of(set, false, features) == (feasible ? Answer::kYes : Answer::kNo);
    agree = agree && answer_of(set, true, features) == (idling ? Answer::kYes : Answer::kNo);
    // A baseline that meets every deadline is a table.
    for (const bool parallel : {false, true}) {
      const Method& method = parallel ? kEdfParallel : kEdfSerial;
      const Verdict verdict = run(method, system);
      const auto missed = reference.edf_misses(parallel);
      agree = agree && verdict.missed.size() == missed.size();
      for (std::size_t m = 0; agree && m < missed.size(); ++m) {
        agree = verdict.missed[m].task == missed[m].job.task &&
                verdict.missed[m].job == missed[m].job.number &&
                verdict.missed[m].finish == Time::from_ms(missed[m].finish) &&
                verdict.missed[m].deadline == Time::from_ms(missed[m].deadline);
      }
      if (missed.empty()) {
        agree = agree && feasible && check_own_plan(method, system, verdict).empty();
      }
    }
    if (agree) continue;
    ++disagreements;
    ADD_FAILURE() << "system " << i << " (" << name << "), feasible " << feasible << ", idling "
                  << idling << ", graph " << to_string(graph.status) << ", idle "
                  << to_string(idle.status) << "\n"
                  << to_json(text);
  }
  // The systems are of all kinds, or agreement would mean little.
  EXPECT_GT(yes, systems / 5);
  EXPECT_LT(yes, systems * 4 / 5);
  EXPECT_GT(only_idle, systems / 200);
}

/// One after the other, without a batch. The five urgent tasks take 30 of every 40; `long` is longer
/// than 40, so it would have to stand between two of their rounds, where there is room for 20.
TEST(Refuted, WhenNoFrameHasRoomForAKernel) {
  SystemText text;
  for (int i = 0; i < 5; ++i) text.tasks.push_back({fmt::format("urgent{}", i), 40, 40, 6});
  for (int i = 0; i < 20; ++i) text.tasks.push_back({fmt::format("slow{}", i), 2400, 2400, 2 + i});
  text.tasks.push_back({"long", 2400, 2400, 41});
  const System system = make(text);
  const TaskSet set = set_of(system);
  Budget budget;
  budget.states = 5'000;
  const SearchResult result = race(set, Oracle(set), false, {}, budget, 1);
  EXPECT_EQ(result.answer, Answer::kNo);
  EXPECT_EQ(result.proof, Proof::kRelaxed);
}

TEST(Agreement, EveryAccelerationAgreesOnTheSameSystems) {
  const auto variants = switched_off();
  for (int i = 0; i < scaled(600); ++i) {
    Random random(kSeed + 1, static_cast<std::uint64_t>(i));
    const System system = make(random_system(random));
    const TaskSet set = set_of(system);
    const Answer answer = answer_of(set, false, {});
    const Answer idle = answer_of(set, true, {});
    for (const auto& [name, features] : variants) {
      ASSERT_EQ(answer_of(set, false, features), answer) << i << ": " << name;
      ASSERT_EQ(answer_of(set, true, features), idle) << i << ": " << name;
    }
  }
}

TEST(Agreement, TheFullGraphCountsEveryTable) {
  for (int i = 0; i < scaled(1500); ++i) {
    Random random(kSeed + 2, static_cast<std::uint64_t>(i));
    const SystemText text = random_system(random);
    const System system = make(text);
    Reference reference(system);
    const TaskSet set = set_of(system);
    const FullGraph graph = explore(set, Oracle(set), Budget());
    ASSERT_EQ(graph.tables(), reference.tables()) << to_json(text);
    if (graph.end) {
      const Verdict verdict = run(kGraph, system, with({{"all", "on"}}));
      ASSERT_EQ(check_own_plan(kGraph, system, verdict), std::vector<std::string>());
    }
  }
}

TEST(Agreement, MergingEqualStatesLosesNoTable) {
  for (int i = 0; i < scaled(300); ++i) {
    Random random(kSeed + 3, static_cast<std::uint64_t>(i));
    SystemText text = random_system(random);
    text.tasks.resize(std::min<std::size_t>(text.tasks.size(), 3));
    text.batches.clear();
    Reference reference{make(text)};
    if (reference.hyperperiod() > 12) continue;
    EXPECT_EQ(reference.tables(), reference.tables_by_enumeration()) << to_json(text);
  }
}

TEST(Agreement, VerdictsDoNotDependOnTaskOrder) {
  for (int i = 0; i < scaled(1500); ++i) {
    Random random(kSeed + 4, static_cast<std::uint64_t>(i));
    SystemText text = random_system(random);
    const Verdict forward = run(kGraph, make(text));
    std::reverse(text.tasks.begin(), text.tasks.end());
    EXPECT_EQ(run(kGraph, make(text)).status, forward.status) << to_json(text);
  }
}

TEST(Agreement, VerdictsDoNotDependOnTheNumberOfThreads) {
  for (int i = 0; i < scaled(500); ++i) {
    Random random(kSeed + 5, static_cast<std::uint64_t>(i));
    const System system = make(random_system(random));
    const TaskSet set = set_of(system);
    Features features;
    features.probes = i % 2 == 0;
    const Answer alone = answer_of(set, false, features);
    ASSERT_EQ(answer_of(set, false, features, 4), alone) << i;
    Options options;
    options.threads = 3;
    const Verdict verdict = run(kGraph, system, options);
    ASSERT_EQ(verdict.status == Status::kSchedulable, alone == Answer::kYes) << i;
    if (verdict.plan) {
      ASSERT_EQ(check_own_plan(kGraph, system, verdict), std::vector<std::string>());
    }
  }
}

}  // namespace
}  // namespace tactus::pbs::testing
