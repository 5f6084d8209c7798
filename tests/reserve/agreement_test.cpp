// Random sequences of requests and departures: the controller and its slow version say the same.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/base/random.hpp"
#include "tests/reserve/requests.hpp"
#include "tests/reserve/slow.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::reserve {
namespace {

std::string some(Random& random, std::int64_t least, std::int64_t most) {
  return std::to_string(random.integer(least, most));
}

tests::Request draw(Random& random, int name) {
  tests::Request request;
  request.name = fmt::format("t{}", name);
  const std::int64_t period = random.integer(4, 20) * 5;
  request.period = std::to_string(period);
  if (random.chance(0.5)) request.deadline = some(random, period / 2, period);
  if (random.chance(0.2)) request.jitter = some(random, 0, 4);
  request.core = some(random, 1, 3);
  if (random.chance(0.3)) {
    request.pieces = {{some(random, 1, 6), "", ""}};
    return request;
  }
  const std::int64_t segments = random.integer(1, 2);
  for (std::int64_t k = 0; k < segments; ++k) {
    if (k > 0 || random.chance(0.8)) request.pieces.push_back({some(random, 0, 3), "", ""});
    request.pieces.push_back({"", some(random, 0, 9), some(random, 0, 1)});
  }
  if (random.chance(0.6)) request.pieces.push_back({some(random, 0, 3), "", ""});
  return request;
}

void compare(const Controller& fast, const slow::Controller& slow) {
  std::vector<const slow::Entry*> here, gone;
  for (const slow::Entry& entry : slow.entries()) (entry.left ? gone : here).push_back(&entry);
  const auto reservations = fast.reservations();
  ASSERT_EQ(reservations.size(), here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    const slow::Entry& entry = *here[i];
    ASSERT_EQ(reservations[i].task.name, entry.task.name);
    EXPECT_EQ(std::vector<int>(reservations[i].cuts.begin(), reservations[i].cuts.end()), entry.tr);
    const slow::Bound& bound = slow.in_force().at(entry.task.name);
    EXPECT_EQ(reservations[i].values.response.ns(), bound.R) << entry.task.name;
    ASSERT_EQ(reservations[i].values.completions.size(), bound.F.size());
    for (std::size_t k = 0; k < bound.F.size(); ++k) {
      EXPECT_EQ(reservations[i].values.completions[k].ns(), bound.F[k]);
    }
  }
  const auto phantoms = fast.phantoms();
  ASSERT_EQ(phantoms.size(), gone.size());
  for (const Controller::Phantom& phantom : phantoms) {
    for (const slow::Entry* entry : gone) {
      if (entry->task.name != phantom.task.name) continue;
      const auto until = slow.until(*entry);
      ASSERT_EQ(phantom.until.has_value(), until.has_value());
      EXPECT_EQ(phantom.until.value_or(Time()).ns(), until.value_or(0)) << phantom.task.name;
    }
  }
}

struct Seen {
  int admitted = 0, refused = 0, again = 0, phantoms = 0;
};

void play(std::uint64_t index, Seen& seen) {
  Random random(44, index);
  Rules rules;
  rules.mode = random.chance(0.3) ? gcaps::Mode::kBusy : gcaps::Mode::kSuspend;
  rules.enforced = random.chance(0.5);
  rules.best_effort = random.chance(0.5);
  rules.cpu_trusted = rules.mode == gcaps::Mode::kBusy || random.chance(0.5);
  rules.all_places = random.chance(0.3);
  const auto cost = [&] { return fmt::format("0.{}", random.integer(0, 9)); };
  const System platform = tests::platform_of("3", cost(), cost(), cost());
  Controller fast(platform, rules);
  slow::Controller slow(platform, rules);
  std::vector<std::string> names;
  std::int64_t now = 0;
  for (int step = 0; step < 14; ++step) {
    SCOPED_TRACE(fmt::format("sequence {}, step {}", index, step));
    now += random.integer(0, 30) * 1'000'000;
    const double what = random.real();
    if (what < 0.65 || names.empty()) {
      const Task task = tests::task_of(draw(random, step));
      const Answer answer = fast.ask(Time::from_ns(now), task);
      const auto expected = slow.ask(now, task);
      ASSERT_NE(answer.kind, Answer::Kind::kNotCovered) << answer.not_covered->reason;
      ASSERT_EQ(answer.kind == Answer::Kind::kAdmitted, expected.admitted);
      ASSERT_EQ(answer.again.has_value(), expected.again.has_value());
      EXPECT_EQ(answer.again.value_or(Time()).ns(), expected.again.value_or(0));
      if (expected.admitted) names.push_back(task.name);
      ++(expected.admitted ? seen.admitted : seen.refused);
      seen.again += expected.again ? 1 : 0;
    } else if (what < 0.95) {
      const auto at =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(names.size()) - 1));
      ASSERT_TRUE(fast.gone(names[at], Time::from_ns(now), Time::from_ns(now)));
      slow.gone(names[at], now);
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
      seen.phantoms += fast.phantoms().size() > 1 ? 1 : 0;
    } else {
      fast.idle(Time::from_ns(now));
      slow.pass(now);
      slow.idle();
    }
    compare(fast, slow);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ReserveAgreement, WithTheSlowVersionOnRandomSequences) {
  Seen seen;
  const int sequences = support::scaled(300);
  for (int index = 0; index < sequences && !HasFailure(); ++index) {
    play(static_cast<std::uint64_t>(index), seen);
  }
  EXPECT_GT(seen.admitted, sequences);
  EXPECT_GT(seen.refused, sequences / 2);
  EXPECT_GT(seen.again, sequences / 20) << "departures that matter";
  EXPECT_GT(seen.phantoms, sequences / 20) << "several at a time";
}

/// The lemma: what decides between two old segments never changes, and no bound falls.
TEST(ReserveAgreement, ANewcomerReordersNobody) {
  int inserted = 0;
  for (int index = 0; index < support::scaled(300); ++index) {
    Random random(45, static_cast<std::uint64_t>(index));
    Rules rules;
    rules.cpu_trusted = true;
    rules.enforced = random.chance(0.5);
    Controller controller(tests::platform_of("3", "0.5", "0.3", "0.1"), rules);
    for (int step = 0; step < 8; ++step) {
      struct Before {
        std::string name;
        std::vector<std::size_t> cuts;
        std::size_t rank;
        Values values;
      };
      const auto ranked = [&] {
        std::vector<Before> all;
        std::size_t rank = 0;
        for (const auto& one : controller.reservations()) {
          all.push_back({one.task.name, one.cuts, rank, one.values});
          if (!one.cuts.empty()) ++rank;
        }
        return all;
      };
      const std::vector<Before> before = ranked();
      if (controller.ask(Time(), tests::task_of(draw(random, step))).kind !=
          Answer::Kind::kAdmitted)
        continue;
      ++inserted;
      std::map<std::string, Before> after;
      for (const Before& one : ranked()) after.emplace(one.name, one);
      for (const Before& a : before) {
        EXPECT_LE(a.values.response, after.at(a.name).values.response);
        for (std::size_t s = 0; s < a.cuts.size(); ++s) {
          for (const Before& b : before) {
            if (b.cuts.empty()) continue;
            EXPECT_EQ(b.rank < a.cuts[s], after.at(b.name).rank < after.at(a.name).cuts[s]);
            for (std::size_t z = 0; z < b.cuts.size(); ++z) {
              if (a.cuts[s] < b.cuts[z]) {
                EXPECT_LT(after.at(a.name).cuts[s], after.at(b.name).cuts[z]);
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(inserted, 500);
}

}  // namespace
}  // namespace tactus::reserve
