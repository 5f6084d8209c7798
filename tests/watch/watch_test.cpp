// What a watch makes of what programs write down: each way of leaving the model by its name.
#include "tactus/watch/watch.hpp"

#include <algorithm>
#include <random>

#include "tactus/client.h"
#include "tests/watch/robot.hpp"

namespace tactus::watch {
namespace {

using Kind = Departure::Kind;
constexpr std::int64_t kMs = 1'000'000;
constexpr TaskIndex kCamera = 0, kPlan = 1;

/// A camera whose jobs are told in ms from its arrival.
class WatchedRobot : public testing::Test {
 protected:
  struct Job {
    double released = 0, grab = 2, wait = 0, filter = 4.5, off = 0, ended = 0;
    int outcome = TACTUS_RUNNING;
    int segments = 1;
  };
  static std::int64_t ms(double time) { return static_cast<std::int64_t>(time * kMs); }

  void camera(double arrival, const Job& job) {
    Note note{.kind = NoteKind::kReleased, .number = number_};
    note.asked_ns = note.due_ns = ms(arrival);
    note.began_ns = ms(arrival + job.released);
    watch_.take(kCamera, note);
    double now = arrival + job.released + job.grab;
    for (int k = 0; k < job.segments; ++k) {
      Note segment{.kind = NoteKind::kSegment, .number = static_cast<std::uint32_t>(job.outcome)};
      segment.asked_ns = segment.due_ns = ms(now);
      segment.began_ns = ms(now + job.wait);
      segment.ended_ns = ms(now + job.wait + job.filter);
      segment.off_ns = ms(job.off);
      segment.cpu_ns = ms(job.grab + 1);
      watch_.take(kCamera, segment);
      now += job.wait + job.filter;
    }
    note.kind = NoteKind::kJob;
    note.ended_ns = ms(std::max(now, arrival + job.ended));
    watch_.take(kCamera, note);
    ++number_;
  }
  void plan(double arrival, double ended) {
    Note note{.kind = NoteKind::kReleased, .number = number_};
    note.asked_ns = note.due_ns = note.began_ns = ms(arrival);
    watch_.take(kPlan, note);
    note.kind = NoteKind::kJob;
    note.ended_ns = ms(arrival + ended);
    note.cpu_ns = ms(10);
    watch_.take(kPlan, note);
    ++number_;
  }
  std::optional<Departure> found(Kind kind) const {
    for (const Departure& one : watch_.departures())
      if (one.kind == kind) return one;
    return std::nullopt;
  }

  System system_ = robot();
  Proof proof_ = proof_of(system_);
  Watch watch_{system_, proof_.verdict()};
  std::uint32_t number_ = 7;
};

TEST_F(WatchedRobot, IsCoveredAsLongAsItDoesWhatTheFileSays) {
  for (int k = 0; k < 10; ++k) camera(1000 + 20 * k, {.released = 1, .wait = 0.5, .off = 0});
  plan(1000, 60);
  watch_.settle(2000 * kMs);
  EXPECT_TRUE(watch_.departures().empty()) << sentence_of(system_, watch_.departures().front());
  EXPECT_EQ(watch_.counted(kCamera).covered, 10u);
  EXPECT_EQ(watch_.counted(kPlan).covered, 1u);
  EXPECT_EQ(watch_.counted(kCamera).outside, 0u);
  EXPECT_EQ(watch_.observed().tasks[kCamera].releases->latest, Time::from_ms(1));
  EXPECT_EQ(watch_.segments(kCamera).longest_wait, Time::from_us(500));
  EXPECT_FALSE(watch_.in_doubt(kCamera));
}

TEST_F(WatchedRobot, TakesLongerOnTheGpu) {
  camera(1000, {.filter = 7});  // 1 of launch, 4 of the file
  const auto seen = found(Kind::kTime);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->what, "filter");
  EXPECT_EQ(seen->seen, Time::from_ms(6));
  EXPECT_EQ(seen->promised, Time::from_ms(4));
  EXPECT_EQ(sentence_of(system_, *seen), "camera: filter took 6, more than the 4 of the file");
}

TEST_F(WatchedRobot, TakesLongerOnTheCpu) {
  camera(1000, {.grab = 3});
  ASSERT_TRUE(found(Kind::kTime));
  EXPECT_EQ(found(Kind::kTime)->what, "grab");
  EXPECT_EQ(found(Kind::kTime)->seen, Time::from_ms(3));
}

TEST_F(WatchedRobot, DoesNotPayForWhatOthersTake) {
  camera(1000, {.wait = 5, .filter = 8, .off = 3.5});
  EXPECT_FALSE(found(Kind::kTime));
  EXPECT_EQ(watch_.segments(kCamera).off, Time::from_us(3500));
  EXPECT_EQ(watch_.segments(kCamera).taken_off, 1u);
}

TEST_F(WatchedRobot, ComesEarly) {
  camera(1000, {});
  camera(1019, {});
  const auto seen = found(Kind::kEarly);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->seen, Time::from_ms(19));
  camera(1040, {});
  camera(1050, {});
  EXPECT_EQ(found(Kind::kEarly)->count, 2u);
  EXPECT_EQ(found(Kind::kEarly)->seen, Time::from_ms(10)) << "the shortest counts";
}

TEST_F(WatchedRobot, WakesUpLate) {
  camera(1000, {.released = 1.25});
  ASSERT_TRUE(found(Kind::kLate));
  EXPECT_EQ(found(Kind::kLate)->seen, Time::from_us(1250));
  EXPECT_EQ(watch_.observed().tasks[kCamera].releases->late, 1u);
}

TEST_F(WatchedRobot, HasOtherSegmentsThanTheFile) {
  camera(1000, {.segments = 2});
  ASSERT_TRUE(found(Kind::kSegments));
  EXPECT_EQ(found(Kind::kSegments)->what, "2 GPU segments, not 1");
}

TEST_F(WatchedRobot, RunsWithoutTheArbiter) {
  camera(1000, {.outcome = TACTUS_UNARBITRATED});
  EXPECT_TRUE(found(Kind::kAlone));
  camera(1020, {.outcome = TACTUS_SHARED});
  EXPECT_TRUE(found(Kind::kShared));
}

TEST_F(WatchedRobot, ExceedsItsBoundAndItsDeadline) {
  camera(1000, {.ended = 19});
  EXPECT_TRUE(found(Kind::kBound));
  EXPECT_FALSE(found(Kind::kDeadline));
  camera(1020, {.ended = 21});
  EXPECT_TRUE(found(Kind::kDeadline));
}

TEST_F(WatchedRobot, IsPlayedByAPlanThatKnowsItsNodes) {
  Note note{.kind = NoteKind::kReleased, .number = 1};
  note.asked_ns = note.due_ns = note.began_ns = 1000 * kMs;
  watch_.take(kCamera, note);
  Note node{.kind = NoteKind::kNode, .number = 1};
  node.due_ns = 4 * kMs;
  node.began_ns = 1002 * kMs;
  node.ended_ns = 1007 * kMs;
  watch_.take(kCamera, node);
  note.kind = NoteKind::kJob;
  note.ended_ns = 1007 * kMs;
  watch_.take(kCamera, note);
  EXPECT_FALSE(found(Kind::kSegments)) << "it marks no segments";
  ASSERT_TRUE(found(Kind::kTime));
  EXPECT_EQ(found(Kind::kTime)->seen, Time::from_ms(5));
  EXPECT_EQ(found(Kind::kTime)->knob->node, 1u);
  node.number = 99;
  watch_.take(kCamera, node);  // no such node
}

TEST_F(WatchedRobot, IsLateWhileItStillRuns) {
  Note note{.kind = NoteKind::kReleased, .number = 1};
  note.asked_ns = note.due_ns = note.began_ns = 1000 * kMs;
  watch_.take(kCamera, note);
  watch_.settle(1019 * kMs);
  EXPECT_FALSE(found(Kind::kDeadline));
  watch_.settle(1050 * kMs);
  watch_.settle(1060 * kMs);
  ASSERT_TRUE(found(Kind::kDeadline));
  EXPECT_EQ(found(Kind::kDeadline)->count, 1u);
  note.kind = NoteKind::kJob;
  note.ended_ns = 1070 * kMs;
  watch_.take(kCamera, note);
  EXPECT_EQ(found(Kind::kDeadline)->count, 1u) << "the same job";
}

TEST_F(WatchedRobot, CountsJobsBesideADepartureAsOutside) {
  plan(1000, 60);
  camera(1020, {.filter = 9});
  camera(1060, {});
  camera(1160, {});
  plan(1100, 60);
  watch_.settle(3000 * kMs);
  EXPECT_EQ(watch_.counted(kCamera).outside, 1u);
  EXPECT_EQ(watch_.counted(kCamera).covered, 2u);
  EXPECT_EQ(watch_.counted(kPlan).outside, 1u) << "the camera took longer while it was there";
  EXPECT_EQ(watch_.counted(kPlan).covered, 1u);
  EXPECT_TRUE(watch_.in_doubt(kPlan));
}

TEST_F(WatchedRobot, DoesNotCountWhatDoesNotRestOnIt) {
  watch_.set_rests_on(proof_.rests_on());
  EXPECT_TRUE(watch_.rests(kPlan, kCamera));
  EXPECT_FALSE(watch_.rests(kCamera, kPlan));
  camera(1000, {});
  plan(1000, 99);  // later than its bound
  watch_.settle(3000 * kMs);
  ASSERT_TRUE(found(Kind::kBound));
  EXPECT_EQ(watch_.counted(kCamera).covered, 1u);
  EXPECT_EQ(watch_.counted(kPlan).outside, 1u);
}

TEST_F(WatchedRobot, TellsNewsOnceUntilItGetsWorse) {
  const auto news = [&] {
    const std::vector<Departure> all = watch_.take_news();
    return std::count_if(all.begin(), all.end(),
                         [](const Departure& one) { return one.kind == Kind::kTime; });
  };
  camera(1000, {.filter = 7});
  EXPECT_EQ(news(), 1);
  camera(1020, {.filter = 7});
  EXPECT_EQ(news(), 0);
  camera(1040, {.filter = 9});
  EXPECT_EQ(news(), 1) << "worse";
  for (int k = 0; k < 40; ++k) camera(1060 + 20 * k, {.filter = 9});
  EXPECT_EQ(news(), 1) << "ten times as often";
  EXPECT_EQ(news(), 0);
}

TEST_F(WatchedRobot, LosesNotesAndSaysSo) {
  watch_.take_lost(kCamera, 3, 1000 * kMs);
  watch_.take_lost(kCamera, 3, 1001 * kMs);
  ASSERT_TRUE(found(Kind::kUnseen));
  EXPECT_EQ(found(Kind::kUnseen)->count, 3u);
}

TEST_F(WatchedRobot, SeesWhatTheArbiterCosts) {
  arbiter::client::Snapshot now;
  now.summary.rule = 0;
  now.summary.put_back_max_ns = 50'000;
  now.summary.take_off_max_ns = 40'000;
  watch_.take(now);
  EXPECT_TRUE(watch_.departures().empty());
  now.summary.take_off_max_ns = 70'000;
  now.summary.late = 2;
  watch_.take(now);
  watch_.take(now);
  ASSERT_TRUE(found(Kind::kCost));
  EXPECT_EQ(found(Kind::kCost)->what, "runlist_update");
  EXPECT_EQ(found(Kind::kCost)->seen, Time::from_us(120));
  EXPECT_EQ(found(Kind::kCost)->count, 1u) << "as long as it does not get longer";
  ASSERT_EQ(watch_.operations().size(), 3u);
  EXPECT_EQ(watch_.operations()[1].name, "context_switch");
  EXPECT_EQ(watch_.operations()[1].longest, Time::from_us(120));
  EXPECT_EQ(watch_.operations()[1].promised, Time::from_us(100));
  ASSERT_TRUE(found(Kind::kSlow));
  EXPECT_EQ(found(Kind::kSlow)->count, 2u);
  now.summary.late = 0;
  watch_.take(now);
  EXPECT_TRUE(found(Kind::kArbiter)) << "it counts from the beginning again";
}

TEST_F(WatchedRobot, BearsWhateverIsWrittenDown) {
  std::mt19937_64 random(1);
  const auto any = [&] {
    const auto bits = static_cast<std::int64_t>(random());
    return random() % 4 == 0 ? bits : bits % (100 * kMs);
  };
  for (int k = 0; k < 100'000; ++k) {
    Note note{.kind = static_cast<NoteKind>(random() % 6),
              .number = static_cast<std::uint32_t>(random() % 3)};
    note.asked_ns = any(), note.due_ns = any(), note.began_ns = any(), note.ended_ns = any();
    note.off_ns = any(), note.cpu_ns = any();
    watch_.take(static_cast<TaskIndex>(random() % 3), note);
    if (k % 100 == 0) watch_.settle(static_cast<std::int64_t>(random() >> 8));
  }
  static_cast<void>(proof_.room(watch_.departures()));
}

TEST(RoomLeft, IsWhatTheAnalysisSaysOfTheValuesThatWereSeen) {
  const System system = robot();
  const Proof proof = proof_of(system);
  Departure slow{.kind = Kind::kTime,
                 .task = kCamera,
                 .what = "filter",
                 .seen = Time::from_ms(6),
                 .promised = Time::from_ms(4)};
  slow.knob = decide::Knob{.what = decide::Knob::What::kNodeTime, .task = kCamera, .node = 1};
  System longer = system;
  longer.tasks[kCamera].nodes[1].wcet = Time::from_ms(6);
  EXPECT_EQ(proof.as_seen({slow}), longer);
  const Verdict expected = analyze(proof.method(), longer);
  const Room room = proof.room({slow});
  ASSERT_EQ(room.status, Status::kSchedulable);
  EXPECT_EQ(room.bounds[kCamera], expected.tasks[0].bound);
  EXPECT_EQ(room.bounds[kPlan], expected.tasks[1].bound);
  ASSERT_TRUE(room.scale);
  const decide::Knob all{.what = decide::Knob::What::kAllTimes};
  const auto status = [&](std::int64_t scale) {
    return analyze(proof.method(), decide::turned(longer, all, scale)).status;
  };
  EXPECT_EQ(status(*room.scale), Status::kSchedulable);
  EXPECT_EQ(status(*room.scale + 1), Status::kUnschedulable);
  slow.seen = Time::from_ms(90);
  EXPECT_EQ(proof.room({slow}).status, Status::kUnschedulable);
}

TEST(RoomLeft, KeepsThePrioritiesOfThePlan) {
  System system = robot();
  const Method& method = *find_method("gcaps.suspend.prio");
  const Verdict verdict = analyze(method, system);
  ASSERT_TRUE(verdict.plan);
  const Proof proof(system, method, verdict, {});
  const Verdict again = proof.on(system);
  ASSERT_EQ(again.tasks.size(), verdict.tasks.size());
  for (std::size_t i = 0; i < again.tasks.size(); ++i)
    EXPECT_LE(again.tasks[i].bound, verdict.tasks[i].bound);
  system.tasks[kCamera].nodes[1].wcet = Time::from_ms(90);
  EXPECT_EQ(proof.on(system).status, Status::kUnschedulable);
}

TEST(RoomLeft, IsRoundedDown) {
  Task task;
  task.deadline = Time::from_ns(3000);
  EXPECT_EQ(permille_left(task, Time::from_ns(2999)), 0);
  EXPECT_EQ(permille_left(task, Time::from_ns(1000)), 666);
  EXPECT_EQ(permille_left(task, Time::from_ns(3001)), -1);
  EXPECT_EQ(permille_left(task, std::nullopt), std::nullopt);
}

}  // namespace
}  // namespace tactus::watch
