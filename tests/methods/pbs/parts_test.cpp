#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "random_systems.hpp"
#include "reference.hpp"
#include "tactus/methods/pbs/batches/block_placement.hpp"
#include "tactus/methods/pbs/batches/packing.hpp"
#include "tactus/methods/pbs/search/learned_intervals.hpp"
#include "tactus/methods/pbs/weights/linear_program.hpp"
#include "tactus/methods/pbs/weights/lp_weights.hpp"
#include "tactus/methods/pbs/weights/possible_frames.hpp"

/// The parts of the search, each against its definition.
namespace tactus::pbs::testing {
namespace {

constexpr std::uint64_t kSeed = 7;

TaskSet set_of(const System& system) { return std::get<TaskSet>(make_task_set(system)); }

TEST(Placement, PutsExample21InOneOrderOnly) {
  const System system = make(example_21(true));
  const TaskSet set = set_of(system);
  EXPECT_FALSE(fits(set, std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(fits(set, std::vector<std::uint32_t>{1, 0}));
  Placement gpu(set);
  ASSERT_TRUE(gpu.add(1) && gpu.add(0));
  // j2 on SM0, j1 three times on SM1, then the tie at 64 goes to SM0.
  EXPECT_EQ(gpu.free()[0][0], 0);
  EXPECT_EQ(gpu.free()[1][0], 64);
}

TEST(Placement, EqualsBlockByBlockPlacement) {
  int fitting = 0, tried = 0;
  for (int i = 0; i < scaled(3000); ++i) {
    Random random(kSeed, static_cast<std::uint64_t>(i));
    SystemText text;
    text.gpu = fmt::format(
        "\"units\": {}, \"sm\": {{\"threads\": {}, \"blocks\": {}, \"registers\": 4096, "
        "\"shared_memory\": 100}}",
        random.integer(1, 5), random.integer(4, 16) * 32, random.integer(2, 12));
    const auto n = random.integer(2, 4);
    for (std::int64_t k = 0; k < n; ++k) {
      text.tasks.push_back({fmt::format("t{}", k), 10, 10, 1, 0,
                            fmt::format(", \"blocks\": {}, \"threads\": {}, \"registers\": {}, "
                                        "\"shared_memory\": {}",
                                        random.integer(1, 8), random.integer(1, 4) * 32,
                                        random.integer(0, 16), random.integer(0, 25))});
    }
    const System system = make(text);
    const Reference reference(system);
    const TaskSet set = set_of(system);
    std::vector<std::size_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      const std::vector<std::uint32_t> same(order.begin(), order.end());
      const bool expected = reference.fits(order);
      ASSERT_EQ(fits(set, same), expected) << to_json(text);
      if (expected) {
        EXPECT_FALSE(exceeds_gpu(set, same));
      }
      fitting += expected ? 1 : 0;
      ++tried;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(fitting, tried / 10);
  EXPECT_LT(fitting, tried * 9 / 10);
}

TEST(Placement, NeedsOnlyTheSumWhereAllBlocksAreAlike) {
  const System system = make({{{"a", 10, 10, 1, 0, ", \"blocks\": 9, \"threads\": 96"},
                               {"b", 10, 10, 1, 0, ", \"blocks\": 7, \"threads\": 96"}},
                              {},
                              "\"units\": 4, \"sm\": {\"threads\": 400}"});
  EXPECT_EQ(common_capacity(set_of(system)), 16);
  EXPECT_TRUE(fits(set_of(system), std::vector<std::uint32_t>{0, 1}));
}

TEST(Packings, AreExactlyTheMaximalOnes) {
  for (int i = 0; i < scaled(2000); ++i) {
    Random random(kSeed + 1, static_cast<std::uint64_t>(i));
    const auto n = static_cast<std::size_t>(random.integer(1, 9));
    std::vector<std::int64_t> sizes(n);
    for (std::int64_t& size : sizes) size = random.integer(1, 12);
    const std::int64_t capacity = random.integer(1, 30);
    const Mask everything = bit(n) - 1;
    const Mask fixed =
        static_cast<Mask>(random.next()) & everything & static_cast<Mask>(random.next());
    const auto size_of = [&](Mask set) {
      std::int64_t sum = 0;
      for_each(set, [&](std::size_t k) { sum += sizes[k]; });
      return sum;
    };
    std::set<Mask> all, maximal;
    for (Mask set = 0; set <= everything; ++set) {
      if ((fixed & ~set) != 0 || size_of(set) > capacity) continue;
      all.insert(set);
      bool extendable = false;
      for_each(everything & ~set, [&](std::size_t k) {
        extendable = extendable || size_of(set | bit(k)) <= capacity;
      });
      if (!extendable) maximal.insert(set);
    }
    PackingEnumerator enumerator(sizes, capacity);
    std::vector<Mask> found;
    const auto collect = [&](Mask set) {
      found.push_back(set);
      return true;
    };
    enumerator.maximal(fixed, everything & ~fixed, collect);
    EXPECT_EQ(found.size(), maximal.size());
    EXPECT_EQ(std::set<Mask>(found.begin(), found.end()), maximal);
    found.clear();
    enumerator.all(fixed, everything & ~fixed, collect);
    EXPECT_EQ(found.size(), all.size());
    EXPECT_EQ(std::set<Mask>(found.begin(), found.end()), all);
  }
}

TEST(LinearProgram, FindsAKnownOptimum) {
  // max 3x + 2y, x <= 4, y <= 5, x + y <= 6, 2x + y <= 9: x = 3, y = 3.
  LinearProgram program({3, 2}, {4, 5});
  ASSERT_TRUE(program.add_cut({1, 1}, 6));
  ASSERT_TRUE(program.add_cut({2, 1}, 9));
  EXPECT_NEAR(program.solution()[0], 3, 1e-9);
  EXPECT_NEAR(program.solution()[1], 3, 1e-9);
}

TEST(Weights, NeverExceedTheCompletionOfAnyEligibleBatch) {
  std::size_t checked = 0;
  for (int i = 0; i < scaled(3000); ++i) {
    Random random(kSeed + 2, static_cast<std::uint64_t>(i));
    const SystemText text = random_system(random);
    const System system = make(text);
    const TaskSet set = set_of(system);
    const Oracle oracle(set);
    const BatchSource source(set, oracle, {});
    const WeightConstraints constraints(source, set.hyperperiod);
    std::vector<Weights> vectors = lp_weights(set, constraints, 4);
    vectors.push_back(constraints.plain());
    for (Mask batch = 1; batch < bit(set.size()); ++batch) {
      const auto options = options_of(set, oracle, batch);
      // What exceeds the hyperperiod can never run, and needs no respect.
      if (options.empty() || options.front().completion > set.hyperperiod) continue;
      for (const Weights& weights : vectors) {
        std::int64_t sum = 0;
        for_each(batch, [&](std::size_t k) {
          ASSERT_GE(weights[k], 0);
          sum += weights[k];
        });
        ASSERT_LE(sum, constraints.scaled(options.front().completion)) << to_json(text);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 10'000u);
}

/// Every frame of every table with idling, found by trying all starts of all batches.
void for_every_frame_of_a_table(const TaskSet& set, const Oracle& oracle, auto visit) {
  const Windows windows(set);
  std::map<std::tuple<Ticks, Mask, std::uint32_t>, bool> known;
  const std::function<bool(const State&)> completes = [&](const State& state) {
    const auto key = std::tuple(state.time, state.ready, state.window);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    bool good = false;
    const auto follow = [&](const std::optional<State>& next) { return !next || completes(*next); };
    for (Mask batch = state.ready; batch != 0; batch = (batch - 1) & state.ready) {
      for (const BatchOption& option : options_of(set, oracle, batch)) {
        const Move move = {batch, option.completion};
        if (state.time + move.completion > windows.limit(state, batch)) continue;
        if (!follow(windows.after(state, move))) continue;
        good = true;
        visit(state.time, move);
      }
    }
    // Wait for one tick, unless a job would become late or be overrun by its successor.
    bool may_wait = true;
    for_each(state.ready, [&](std::size_t i) {
      may_wait = may_wait && state.time + 1 <= windows.last_start(state.window, i);
    });
    if (may_wait) {
      State later = {state.time + 1, state.ready, state.window};
      if (windows.end(state.window) == later.time) later.ready |= windows.arrivals(++later.window);
      good = completes(later) || good;
    }
    return known[key] = good;
  };
  completes(windows.root());
}

TEST(PossibleFrames, KeepEveryFrameOfEveryTable) {
  std::size_t kept = 0, ruled_out = 0;
  for (int i = 0; i < scaled(1500); ++i) {
    Random random(kSeed + 9, static_cast<std::uint64_t>(i));
    const SystemText text = random_system(random);
    const System system = make(text);
    const TaskSet set = set_of(system);
    const Oracle oracle(set);
    const Windows windows(set);
    const BatchSource source(set, oracle, {});
    WeightConstraints constraints(source, set.hyperperiod);
    PossibleFrames frames(set, windows, constraints.shift());
    std::vector<Weights> vectors = {constraints.plain()};
    for (int round = 0; round < 3; ++round) {
      for (const Weights& weights : vectors) frames.learn(weights);
      if (!constraints.restrict_to(frames)) break;
      vectors = lp_weights(set, constraints, 4);
      ++ruled_out;
    }
    for_every_frame_of_a_table(set, oracle, [&](Ticks, const Move& move) {
      const auto sets = frames.together(move.completion);
      ASSERT_TRUE(std::any_of(sets.begin(), sets.end(), [&](Mask group) {
        return (move.batch & ~group) == 0;
      })) << to_json(text);
      for (const Weights& weights : vectors) {
        std::int64_t sum = 0;
        for_each(move.batch, [&](std::size_t k) { sum += weights[k]; });
        ASSERT_LE(sum, constraints.scaled(move.completion)) << to_json(text);
      }
      ++kept;
    });
  }
  EXPECT_GT(kept, 10'000u);
  EXPECT_GT(ruled_out, 100u);
}

TEST(Weights, OfTheLinearProgramAreAtLeastAsHeavyAsThePlainOnes) {
  // On the objective they maximise; that is all that makes them worth their time.
  double plain_sum = 0, lp_sum = 0;
  for (int i = 0; i < 300; ++i) {
    Random random(kSeed + 3, static_cast<std::uint64_t>(i));
    const System system = make(random_system(random));
    const TaskSet set = set_of(system);
    const Oracle oracle(set);
    const BatchSource source(set, oracle, {});
    const WeightConstraints constraints(source, set.hyperperiod);
    const auto value = [&](const Weights& weights) {
      double sum = 0;
      for (std::size_t k = 0; k < set.size(); ++k) {
        sum += static_cast<double>(weights[k]) * static_cast<double>(set.hyperperiod) /
               static_cast<double>(set.kernels[k].period);
      }
      return sum;
    };
    plain_sum += value(constraints.plain());
    lp_sum += value(lp_weights(set, constraints, 1).front());
  }
  EXPECT_GT(lp_sum, plain_sum);
}

TEST(LearnedIntervals, StayDisjointAndJoinWhatTheyTouch) {
  for (int i = 0; i < scaled(500); ++i) {
    Random random(kSeed + 4, static_cast<std::uint64_t>(i));
    LearnedIntervals intervals;
    Record record;
    std::set<Ticks> dead;
    for (int step = 0; step < 12; ++step) {
      const Ticks from = random.integer(0, 40), to = from + random.integer(0, 6);
      intervals.add(record, {from, to});
      for (Ticks t = from; t <= to; ++t) dead.insert(t);
    }
    std::size_t runs = 0;
    for (Ticks t = -1; t <= 50; ++t) {
      const auto found = intervals.find(record, t);
      ASSERT_EQ(found.has_value(), dead.contains(t));
      if (!found) continue;
      EXPECT_LE(found->from, t);
      EXPECT_GE(found->to, t);
      EXPECT_FALSE(dead.contains(found->from - 1));
      EXPECT_FALSE(dead.contains(found->to + 1));
      if (found->from == t) ++runs;
    }
    EXPECT_EQ(intervals.size(), runs);
  }
}

TEST(Records, AreFoundAgainAfterTheTableHasGrown) {
  RecordTable table;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    auto [record, fresh] = table.find_or_insert(i % 97, Mask{i} * 0x9e3779b97f4a7c15);
    ASSERT_TRUE(fresh);
    record.feasible = i;
  }
  EXPECT_EQ(table.size(), 20'000u);
  EXPECT_LT(table.bytes(), 20'000u * 92);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const Record* record = table.find(i % 97, Mask{i} * 0x9e3779b97f4a7c15);
    ASSERT_NE(record, nullptr);
    ASSERT_EQ(record->feasible, i);
    ASSERT_EQ(table.find(i % 97, Mask{i} * 0x9e3779b97f4a7c15 + 1), nullptr);
  }
}

TEST(Options, KeepEveryDistinctCompletion) {
  const System system = make(slower_order_needed());
  const TaskSet set = set_of(system);
  const auto options = options_of(set, Oracle(set), 0b11);
  ASSERT_EQ(options.size(), 2u);
  EXPECT_EQ(options[0].completion, 4);
  EXPECT_EQ(options[0].order, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(options[1].completion, 6);
  EXPECT_EQ(options[1].order, (std::vector<std::uint32_t>{1, 0}));
}

TEST(Oracle, AnOrderedEntryWinsOverAForbiddingSet) {
  SystemText text = slower_order_needed();
  text.batches =
      "{\"tasks\": [\"a\", \"b\"], \"forbid\": true}, "
      "{\"tasks\": [\"b\", \"a\"], \"completion\": 6, \"ordered\": true}";
  const TaskSet set = set_of(make(text));
  const Oracle oracle(set);
  EXPECT_EQ(oracle.completion(std::vector<std::uint32_t>{0, 1}), std::nullopt);
  EXPECT_EQ(oracle.completion(std::vector<std::uint32_t>{1, 0}), 6);
  EXPECT_EQ(oracle.completion(std::vector<std::uint32_t>{0, 2}), std::nullopt) << "never guessed";
}

}  // namespace
}  // namespace tactus::pbs::testing
