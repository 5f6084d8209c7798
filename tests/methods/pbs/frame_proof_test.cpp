#include <gtest/gtest.h>

#include "random_systems.hpp"
#include "reference.hpp"
#include "systems.hpp"
#include "tactus/generate/pbs_slowdown.hpp"
#include "tactus/methods/pbs/search/race.hpp"
#include "tactus/methods/pbs/weights/frame_proof.hpp"
#include "tactus/methods/pbs/weights/lp_weights.hpp"

/// The proof by frames: never about a system that has a table, and of use.
namespace tactus::pbs::testing {
namespace {

constexpr std::uint64_t kSeed = 41;
constexpr int kPrograms = 40;

TaskSet set_of(const System& system) { return std::get<TaskSet>(make_task_set(system)); }

/// What the search would do with a system that it did not decide at once.
struct Frames {
  explicit Frames(const TaskSet& task_set)
      : set(task_set),
        oracle(set),
        windows(set),
        source(set, oracle, {}),
        constraints(source, set.hyperperiod),
        frames(set, windows, constraints.shift()) {}

  /// By how long each part of the hyperperiod takes.
  void learn_durations() {
    for (std::size_t k = 0; k < windows.count(); ++k) {
      for (std::size_t to = k + 1; to <= windows.count(); ++to) {
        const Ticks from = windows.start(k),
                    until = to == windows.count() ? set.hyperperiod : windows.start(to);
        const std::int64_t duration =
            least_duration(set, constraints.within(frames, from, until), from, until);
        too_long = too_long || duration > constraints.scaled(until - from);
        frames.learn(from, until, duration);
      }
    }
    constraints.restrict_to(frames);
  }
  bool refuted(Ticks horizon) {
    const FramePlaces places(windows, source, frames, horizon);
    return FrameProof(places, source, constraints.shift(), [] { return false; }).found(kPrograms);
  }

  const TaskSet& set;
  Oracle oracle;
  Windows windows;
  BatchSource source;
  WeightConstraints constraints;
  PossibleFrames frames;
  bool too_long = false;  ///< some part takes longer than it is
};

TEST(FrameProof, NeverRefutesASystemThatHasATableWithIdling) {
  int refuted = 0, feasible = 0;
  for (int i = 0; i < scaled(3000); ++i) {
    Random random(kSeed, static_cast<std::uint64_t>(i));
    const SystemText text = random_system(random);
    const System system = make(text);
    const TaskSet set = set_of(system);
    Features plain;
    plain.frame_proof = plain.lp_weights = plain.possible_frames = plain.beam = false;
    const Answer truth = race(set, Oracle(set), true, plain, {}, 1).answer;
    ASSERT_NE(truth, Answer::kStopped);
    Frames frames(set);
    if (!frames.constraints.usable()) continue;
    const bool at_once = frames.refuted(set.hyperperiod);
    frames.learn_durations();
    bool later = frames.too_long;
    for (const Ticks horizon : {set.hyperperiod / 2, set.hyperperiod}) {
      later = later || frames.refuted(horizon);
    }
    if (truth == Answer::kYes) {
      ++feasible;
      ASSERT_FALSE(at_once || later) << at_once << frames.too_long << to_json(text);
    }
    refuted += later ? 1 : 0;
  }
  EXPECT_GT(feasible, scaled(3000) / 5);
  EXPECT_GT(refuted, scaled(3000) / 20);
}

/// Sets of 30 tasks that the search alone does not decide in minutes: each has one kernel that is
/// nearly as long as the shortest periods leave room for.
TEST(FrameProof, RefutesLargeSetsThatTheSearchAloneDoesNotDecide) {
  for (const std::uint64_t seed : {14u, 29u}) {
    const tactus::Settings settings(kSlowdown.parameters, {{"n", "30"}, {"u", "2.4"}});
    const auto system = generate(kSlowdown, settings, seed, 0);
    ASSERT_TRUE(system);
    const TaskSet set = set_of(*system);
    Budget budget;
    budget.states = 20'000;
    const SearchResult result = race(set, Oracle(set), false, {}, budget, 1);
    EXPECT_EQ(result.answer, Answer::kNo) << seed;
    EXPECT_EQ(result.proof, Proof::kRelaxed) << seed;
    Features without;
    without.frame_proof = false;
    EXPECT_EQ(race(set, Oracle(set), false, without, budget, 1).answer, Answer::kStopped) << seed;
  }
}

/// Two jobs of half a period each fit one after the other, and a tick more does not; the frame of
/// the long kernel has to stand between two jobs of the short one.
TEST(FrameProof, IsExactToTheTickWhereOneFrameHasOnePlace) {
  for (const int longest : {6, 7}) {
    const System system = make({{{"a", 4, 4, 1}, {"c", 12, 12, longest}}});
    const TaskSet set = set_of(system);
    Frames frames(set);
    frames.learn_durations();
    EXPECT_EQ(frames.too_long || frames.refuted(12), longest == 7);
  }
}

}  // namespace
}  // namespace tactus::pbs::testing
