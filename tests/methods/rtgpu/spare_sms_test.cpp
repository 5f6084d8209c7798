#include "tactus/methods/rtgpu/spare_sms.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tactus/generate/recipe.hpp"
#include "tests/methods/rtgpu/comparison.hpp"

/// What tasks gain at most when they share the SMs that are spare, against every way to share them;
/// and searches that need it.
namespace tactus::rtgpu {
namespace {

struct Shared {
  TaskSet set;
  std::vector<std::vector<std::int64_t>> times;  ///< by task and count - its least
  Counts least, most;
  std::int64_t spare = 0;

  std::int64_t time(std::size_t k, std::int64_t sms) const {
    return times[k][static_cast<std::size_t>(sms - set.tasks[k].min_sms)];
  }
};

/// A few tasks whose times fall with their SMs, in steps of any size; some are assigned already.
Shared random_shared(Random& random) {
  Shared one;
  one.set.real_time = static_cast<std::size_t>(random.integer(1, 4));
  one.set.sms = random.integer(8, 16);
  for (std::size_t k = 0; k < one.set.real_time; ++k) {
    ChainTask& task = one.set.tasks.emplace_back();
    task.min_sms = random.integer(0, 2);
    const std::int64_t last = task.has_kernels() ? one.set.sms : task.min_sms;
    std::int64_t time = random.integer(50, 1'000);
    auto& row = one.times.emplace_back();
    for (std::int64_t sms = task.min_sms; sms <= last; ++sms) {
      row.push_back(time);
      if (random.integer(0, 2) > 0) time -= random.integer(0, time / 2);
    }
    one.least.push_back(task.min_sms);
  }
  one.spare = random.integer(0, one.set.sms - one.set.least_sms());
  for (std::size_t k = 0; k < one.set.real_time; ++k) {
    const bool assigned = !one.set.tasks[k].has_kernels() || random.integer(0, 3) == 0;
    one.most.push_back(one.least[k] + (assigned ? 0 : one.spare));
  }
  return one;
}

void for_every_way(const Shared& one, const std::function<void(const Counts&)>& visit) {
  Counts counts = one.least;
  const std::function<void(std::size_t, std::int64_t)> go = [&](std::size_t k, std::int64_t left) {
    if (k == counts.size()) return visit(counts);
    const std::int64_t room = std::min(left, one.most[k] - one.least[k]);
    for (std::int64_t more = 0; more <= room; ++more) {
      counts[k] = one.least[k] + more;
      go(k + 1, left - more);
    }
    counts[k] = one.least[k];
  };
  go(0, one.spare);
}

TEST(SpareSms, CannotMakeTheLongestTimeShorterThanThis) {
  Random random(1, 0);
  for (int set = 0; set < testing::sets(2000); ++set) {
    const Shared one = random_shared(random);
    const auto times = TimesByCount::make(
        one.set, [&](std::size_t k, std::int64_t sms) { return Time::from_ns(one.time(k, sms)); });
    ASSERT_TRUE(times);
    for (std::size_t first = 0; first < one.set.real_time; ++first) {
      std::int64_t best = INT64_MAX;
      for_every_way(one, [&](const Counts& counts) {
        std::int64_t longest = 0;
        for (std::size_t k = first; k < counts.size(); ++k) {
          longest = std::max(longest, one.time(k, counts[k]));
        }
        best = std::min(best, longest);
      });
      ASSERT_EQ(times->least_longest(first, one.least, one.most, one.spare).ns(), best)
          << "set " << set;
    }
  }
}

TEST(SpareSms, CannotMakeTheSumSmallerThanThis) {
  Random random(2, 0);
  int exact = 0;
  const int count = testing::sets(2000);
  for (int set = 0; set < count; ++set) {
    const Shared one = random_shared(random);
    const auto times = TimesByCount::make(
        one.set, [&](std::size_t k, std::int64_t sms) { return Time::from_ns(one.time(k, sms)); });
    std::vector<std::int64_t> weights;
    for (std::size_t k = 0; k < one.set.real_time; ++k) weights.push_back(random.integer(1, 5));
    std::int64_t best = INT64_MAX;
    for_every_way(one, [&](const Counts& counts) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < counts.size(); ++k) sum += weights[k] * one.time(k, counts[k]);
      best = std::min(best, sum);
    });
    const auto bound =
        static_cast<std::int64_t>(times->least_sum(weights, one.least, one.most, one.spare));
    ASSERT_LE(bound, best) << "set " << set;
    exact += bound == best ? 1 : 0;
  }
  EXPECT_GT(exact, count / 10);
}

TEST(SpareSms, FewestFindsTheFirstCountThatIsShortEnough) {
  Random random(3, 0);
  for (int set = 0; set < testing::sets(500); ++set) {
    const Shared one = random_shared(random);
    const auto times = TimesByCount::make(
        one.set, [&](std::size_t k, std::int64_t sms) { return Time::from_ns(one.time(k, sms)); });
    const std::int64_t most = random.integer(0, 1'000);
    const auto& row = one.times[0];
    std::optional<std::int64_t> first;
    for (std::size_t i = row.size(); i-- > 0;) {
      if (row[i] <= most) first = one.set.tasks[0].min_sms + static_cast<std::int64_t>(i);
    }
    ASSERT_EQ(times->fewest(0, Time::from_ns(most)), first);
  }
}

/// Sets at the edge, with several SMs to share: there the search goes back and forth.
void expect_grid_allocation_at_the_edge(std::string_view method, bool one_core, auto analyse) {
  Random random(77, 0);
  int found = 0, none = 0;
  const int count = testing::sets(250);
  for (int set = 0; set < count; ++set) {
    testing::Shape shape{.tasks_most = 4, .sms_most = 12, .utilization = 30 + set % 30};
    if (one_core) shape.cores_most = 1;
    const System system = testing::random_system(random, shape);
    const reference::Model model = reference::model_of(system);
    const bool paper = set % 2 == 1;
    const auto expected = reference::first_by_grid(
        model, [&](const reference::Model& m, const Counts& c) { return analyse(m, c, paper); });
    const Verdict verdict =
        testing::analyze_with(method, system, testing::with(paper ? "paper" : "safe"));
    ASSERT_EQ(testing::counts_of(verdict), expected) << "set " << set << " " << verdict.reason;
    ++(expected ? found : none);
  }
  EXPECT_GT(found, count / 20);
  EXPECT_GT(none, count / 20);
}

TEST(Search, OfSelfSuspensionFindsTheFirstAllocationOfTheGridAtTheEdge) {
  expect_grid_allocation_at_the_edge("self-suspension", false, reference::self_suspension);
}

/// A closer look can raise the least counts of several tasks at once beyond all SMs together. A
/// task would then be left with no SM, on which a kernel has no time: a division by zero.
TEST(Search, EndsWhenACloserLookAsksForMoreSmsThanThereAre) {
  const Recipe& recipe = *find_recipe("rtgpu-table1");
  const std::map<std::string, std::string, std::less<>> given = {
      {"copies", "2"}, {"sms", "8"}, {"utilization", "1.4"}};
  const auto system = generate(recipe, Settings(recipe.parameters, given), 591262282, 36);
  ASSERT_TRUE(system);
  const Verdict verdict = testing::analyze_with("self-suspension", *system, testing::with("paper"));
  const auto expected = reference::first_by_grid(
      reference::model_of(*system), [](const reference::Model& model, const Counts& counts) {
        return reference::self_suspension(model, counts, true);
      });
  EXPECT_EQ(expected, std::nullopt);
  EXPECT_EQ(verdict.status, Status::kUnschedulable) << verdict.reason;
}

TEST(Search, OfStgmFindsTheFirstAllocationOfTheGridAtTheEdge) {
  expect_grid_allocation_at_the_edge("stgm", true, reference::stgm);
}

}  // namespace
}  // namespace tactus::rtgpu
