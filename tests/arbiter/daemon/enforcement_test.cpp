// What is held back, demoted and let through, with a clock of the test.
#include "tactus/arbiter/daemon/enforcement.hpp"

#include <gtest/gtest.h>

namespace tactus::arbiter::daemon {
namespace {

constexpr pid_t kProcess = 50;
constexpr ReservationId kNumber = 3;

class Held : public testing::Test {
 protected:
  Held() { publish(); }

  void publish() {
    auto next = std::make_shared<Book>(book);
    enforcement.hold_to(next, now);
  }
  void submit(std::uint32_t job = 0, ClientId client = 1,
              std::optional<ReservationId> reservation = kNumber) {
    Enforcement::Submission submission;
    submission.batch.client = client;
    submission.batch.segment = ++segments[client];
    submission.job = job;
    submission.arrived = now;
    enforcement.submit(submission, reservation, now);
  }
  void complete(ClientId client = 1) { coordinator.complete(client, segments[client], now, now); }
  void pass(std::int64_t time) {
    now += time;
    enforcement.look(now);
  }
  const boost::Batch& batch(ClientId client = 1) { return *coordinator.turns().find(client); }
  std::vector<Breach> breaches() {
    std::vector<Breach> all;
    for (const auto& one : enforcement.take_breaches()) all.push_back(one.how);
    return all;
  }
  static Book some_book() {
    Book book{.notice = 2, .start = 3, .off = 5, .on = 4, .relied_on = true, .terms = {}};
    Terms terms;
    terms.process = kProcess;
    terms.period = 100;
    terms.segments = {{-1, 10, 60}, {0, 7, 90}};
    terms.priority = -1;
    book.terms[kNumber] = terms;
    return book;
  }

  std::int64_t now = 1'000;
  Book book = some_book();
  std::map<ClientId, std::uint32_t> segments;
  BoostCoordinator coordinator{1'000'000, 100};
  Enforcement enforcement{coordinator};
};

using Breaches = std::vector<Breach>;

TEST_F(Held, TheSegmentsOfAJobHaveTheirPlacesAndTimes) {
  submit(1);
  EXPECT_EQ(batch().urgency, Urgency::real_time(-1));
  EXPECT_EQ(batch().threshold, -1);
  EXPECT_EQ(batch().on_before_ns, 1'000 + 60 - 2 - 5);
  now += 5;
  complete();
  submit(1);
  EXPECT_EQ(batch().threshold, 0);
  EXPECT_EQ(batch().on_before_ns, 1'000 + 90 - 2 - 5);
  EXPECT_EQ(breaches(), Breaches{});
}

TEST_F(Held, ASegmentMayBeOnForItsTimeAndThatOfItsStart) {
  submit(1);
  EXPECT_EQ(enforcement.deadline(now), now + 10 + 3);
  pass(12);
  EXPECT_EQ(batch().demoted, 0U);
  pass(1);
  EXPECT_EQ(batch().demoted, 1U);
  EXPECT_EQ(breaches(), Breaches{Breach::kLength});
  EXPECT_EQ(enforcement.deadline(now), std::nullopt);
}

TEST_F(Held, TimeOffDoesNotCount) {
  book.terms[4] = book.terms[kNumber];
  book.terms[4].process = 51;
  book.terms[4].priority = 0;
  book.terms[4].segments = {{0, 20, 90}};
  publish();
  submit(1);
  pass(8);
  submit(1, 2, 4);  // takes it off
  now += 5;
  coordinator.done(1, now, true);
  EXPECT_EQ(coordinator.turns().on()->client, 2U);
  EXPECT_EQ(coordinator.used_ns(1, now), std::nullopt);
  pass(20);
  complete(2);
  now += 4;
  coordinator.done(1, now, true);
  EXPECT_EQ(coordinator.used_ns(1, now), 8 - 3) << "its start and its return are not its own time";
  EXPECT_EQ(breaches(), Breaches{});
}

TEST_F(Held, WhatIsOnWhenItsTimeComesIsDemoted) {
  book.terms[kNumber].segments[0].length = 500;
  publish();
  submit(1);
  pass(52);
  EXPECT_EQ(breaches(), Breaches{});
  pass(1);
  EXPECT_EQ(breaches(), Breaches{Breach::kLate});
}

TEST_F(Held, WhatCouldNotBeOffInTimeIsDemotedBeforeItIsStarted) {
  submit(0, 9, std::nullopt);  // best effort is on
  coordinator.take_actions();
  submit(1);
  now += 51;  // 1 000 + 53 - 3 is the last time to start it
  coordinator.done(9, now, true);
  EXPECT_EQ(breaches(), Breaches{Breach::kLate});
}

TEST_F(Held, WhoComesTooEarlyIsKeptUntilItsPeriodIsOver) {
  submit(1);
  now += 10;
  complete();
  now += 40;
  submit(2);
  EXPECT_TRUE(enforcement.keeps(1));
  EXPECT_EQ(coordinator.turns().find(1), nullptr);
  EXPECT_EQ(enforcement.deadline(now), 1'100);
  pass(49);
  EXPECT_TRUE(enforcement.keeps(1));
  publish();
  EXPECT_TRUE(enforcement.keeps(1)) << "whoever else comes meanwhile";
  pass(1);
  EXPECT_FALSE(enforcement.keeps(1));
  EXPECT_EQ(batch().on_before_ns, 1'100 + 60 - 2 - 5);
  EXPECT_EQ(breaches(), Breaches{});
}

TEST_F(Held, ASurplusSegmentIsDemotedAtOnce) {
  for (int k = 0; k < 2; ++k) {
    submit(1);
    now += 3;
    complete();
  }
  submit(1);
  EXPECT_EQ(batch().demoted, 1U);
  EXPECT_EQ(breaches(), Breaches{Breach::kIndex});
}

TEST_F(Held, WhoSaysNothingBeginsAJobWithTheFirstSegment) {
  submit();
  EXPECT_EQ(breaches(), Breaches{Breach::kIndex}) << "it said that it would say";
  book.terms[4] = book.terms[kNumber];
  book.terms[4].undeclared = 20;
  publish();
  submit(0, 2, 4);
  EXPECT_EQ(batch(2).on_before_ns, 1'000 - 20 + 60 - 2 - 5);
  EXPECT_EQ(breaches(), Breaches{});
}

TEST_F(Held, ValuesThatRiseCountForTheJobThatIsUnderWay) {
  submit(1);
  book.terms[kNumber].segments[0].completion = 80;
  book.terms[kNumber].priority = -2;
  book.terms[kNumber].segments[0].threshold = -2;
  publish();
  EXPECT_EQ(batch().on_before_ns, 1'000 + 80 - 2 - 5);
  EXPECT_EQ(batch().threshold, -2);
}

TEST_F(Held, ValuesFallForJobsThatArriveLater) {
  book.terms[kNumber].falls = {{1'050, {40, 70}}};
  publish();
  submit(1);
  EXPECT_EQ(batch().on_before_ns, 1'000 + 60 - 2 - 5);
  now += 110;
  complete();
  submit(2);
  EXPECT_EQ(batch().on_before_ns, 1'110 + 40 - 2 - 5);
}

TEST_F(Held, WhoGivesItsReservationUpIsDemotedAndThenBestEffort) {
  submit(1);
  book.terms.clear();
  publish();
  EXPECT_EQ(batch().demoted, 1U);
  complete();
  submit(2);
  EXPECT_EQ(batch().demoted, 0U);
  EXPECT_TRUE(batch().urgency.best_effort);
  EXPECT_EQ(breaches(), Breaches{});
}

TEST_F(Held, WhoTakesAReservationUpGoesOnWithItsArrivals) {
  submit(1);
  now += 10;
  complete();
  book.terms[kNumber].process = 77;
  publish();
  submit(1, 2);
  EXPECT_TRUE(enforcement.keeps(2));
  EXPECT_EQ(enforcement.deadline(now), 1'100);
}

TEST_F(Held, WhoIsInTheMiddleOfAJobIsBestEffortUntilItPauses) {
  book.terms[kNumber].undeclared = 0;
  book.terms[kNumber].pause = 20;
  publish();
  EXPECT_FALSE(enforcement.in_step(kNumber));
  const auto does_one = [&] {
    submit();
    const bool best_effort = batch().urgency.best_effort;
    enforcement.completed(1, segments[1], now);
    complete();
    return best_effort;
  };
  EXPECT_TRUE(does_one()) << "it may be the second one of a job";
  now += 15;
  EXPECT_TRUE(does_one()) << "this may be the same job, too";
  now += 40;
  EXPECT_FALSE(does_one());
  EXPECT_TRUE(enforcement.in_step(kNumber));
  EXPECT_EQ(breaches(), Breaches{});
}

TEST_F(Held, WhatWasSeenIsCounted) {
  const auto tally = book.terms[kNumber].tally;
  for (int job = 1; job <= 2; ++job) {
    for (int k = 0; k < 2; ++k) {
      submit(static_cast<std::uint32_t>(job));
      now += 6 + job;
      enforcement.completed(1, segments[1], now);
      complete();
    }
    now += 200;
  }
  EXPECT_EQ(tally->jobs, 2U);
  EXPECT_EQ(tally->longest_ns, 16);
  submit(2);
  EXPECT_EQ(breaches(), Breaches{Breach::kIndex});
  EXPECT_EQ(tally->demotions, 1U);
}

TEST_F(Held, StartUpIsBestEffort) {
  book.terms[kNumber].begun = false;
  publish();
  submit(1);
  EXPECT_TRUE(batch().urgency.best_effort);
  book.terms[kNumber].begun = true;
  publish();
  EXPECT_TRUE(batch().urgency.best_effort) << "the segment that is under way";
  complete();
  submit(2);
  EXPECT_EQ(batch().urgency, Urgency::real_time(-1));
}

TEST_F(Held, WhoDiesIsForgotten) {
  submit(1);
  complete();
  submit(2);
  ASSERT_TRUE(enforcement.keeps(1));
  enforcement.forget(1);
  coordinator.gone(1, now);
  pass(1'000);
  EXPECT_TRUE(coordinator.turns().batches.empty());
  EXPECT_EQ(enforcement.deadline(now), std::nullopt);
}

}  // namespace
}  // namespace tactus::arbiter::daemon
