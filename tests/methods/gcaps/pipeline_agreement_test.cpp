#include <numeric>

#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/boost/support.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/pipelines.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// Jitter and tasks that start tasks: the product against second implementations from the same
/// equations, to the nanosecond.
namespace tactus::gcaps::tests {
namespace {

constexpr std::array<std::string_view, 2> kCovering = {"safe", "safe-arbiter"};

naive::Bounds bounds_of(const Verdict& verdict, const System& system) {
  naive::Bounds bounds;
  for (const TaskVerdict& task : verdict.tasks) {
    std::optional<naive::Ns>& bound = bounds[system.tasks[task.task].name];
    if (!task.bound) continue;
    bound = task.bound->ns();
    EXPECT_EQ(sum(task.terms), *task.bound);
  }
  return bounds;
}

std::string describe(const naive::Bounds& bounds) {
  std::string text;
  for (const auto& [name, bound] : bounds) {
    text += name + "=" + (bound ? std::to_string(*bound) : "null") + " ";
  }
  return text;
}

struct Count {
  int schedulable = 0, partly = 0;
};

TEST(PipelineAgreement, OfTheTenMethodsWithTheSlowOnes) {
  const int systems = scaled(2'000, 10);
  Count count;
  for (int index = 0; index < systems; ++index) {
    Random random(39, static_cast<std::uint64_t>(index));
    const System system = with_pipelines(random_system(random), random, {.chains = 0});
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : variants_of(method)) {
        if (variant != kWindows && std::ranges::count(kCovering, variant) == 0) continue;
        SCOPED_TRACE("system " + std::to_string(index) + ", " + std::string(variant) + " " +
                     std::string(method));
        const Verdict verdict = run(method, system, variant);
        const naive::Answer expected = naive::analyze(system, method, variant);
        const naive::Bounds bounds = bounds_of(verdict, system);
        ASSERT_EQ(verdict.status,
                  expected.schedulable ? Status::kSchedulable : Status::kUnschedulable)
            << verdict.reason;
        ASSERT_EQ(bounds, expected.bounds)
            << "product " << describe(bounds) << "\nnaive   " << describe(expected.bounds);
        count.schedulable += expected.schedulable ? 1 : 0;
        count.partly +=
            !expected.schedulable && std::any_of(bounds.begin(), bounds.end(),
                                                 [](auto& b) { return b.second.has_value(); })
                ? 1
                : 0;
      }
    }
  }
  EXPECT_GE(count.schedulable, systems * 2);  // of 20 answers each
  EXPECT_GE(count.partly, systems);
}

TEST(PipelineAgreement, OfBoostWithTheSlowOneWhereLateTasksSpin) {
  const int systems = scaled(1'500, 10);
  for (int index = 0; index < systems; ++index) {
    Random random(41, static_cast<std::uint64_t>(index));
    const System system = with_pipelines(boost::tests::random_system(random), random,
                                         {.jitters = 1, .afters = 0, .chains = 0, .longest = 80});
    SCOPED_TRACE("system " + std::to_string(index));
    const naive::Bounds bounds = bounds_of(run("gcaps.boost.busy", system, "safe"), system);
    const boost::naive::Answer expected = boost::naive::analyze(system, true, false);
    const naive::Bounds slow(expected.responses.begin(), expected.responses.end());
    ASSERT_EQ(bounds, slow) << "product " << describe(bounds) << "\nnaive   " << describe(slow);
  }
}

/// Job by job: the next of each task that arrives after the end of the one before.
std::int64_t slow_fixed_bound(const std::vector<std::array<std::int64_t, 3>>& tasks) {
  std::int64_t cycle = 1, longest = 0;  // of {period, offset, length}
  for (const auto& task : tasks) cycle = std::lcm(cycle, task[0]);
  const auto [T, o, L] = tasks.front();
  for (std::int64_t k = 0; k < cycle / T; ++k) {
    std::int64_t e = o + (k + 1) * T + L;
    for (std::size_t j = 1; j < tasks.size(); ++j) {
      const auto [period, offset, length] = tasks[j];
      std::int64_t arrival = offset - 100 * period;
      while (arrival < e) arrival += period;
      e = arrival + length;
    }
    longest = std::max(longest, e - o - k * T);
  }
  return longest;
}

TEST(PipelineAgreement, OfFixedChainsWithASlowVersion) {
  for (int index = 0; index < scaled(3'000); ++index) {
    Random random(43, static_cast<std::uint64_t>(index));
    Sketch sketch(4);
    std::vector<std::array<std::int64_t, 3>> tasks;
    std::int64_t any = 0;
    std::string names;
    const std::int64_t count = random.integer(1, 4);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t period = random.integer(2, 12), offset = random.integer(0, 30);
      const std::int64_t length = random.integer(1, period);
      tasks.push_back({period, offset, length});
      any += period + length;
      const std::string name = "t" + std::to_string(k);
      names += (k == 0 ? "\"" : ",\"") + name + "\"";
      sketch.task(name, static_cast<int>(k) + 1, std::to_string(period), std::to_string(length),
                  "\"offset\":" + std::to_string(offset));
    }
    std::string text = sketch.text();
    text.insert(text.size() - 1, ",\"chains\":[{\"name\":\"x\",\"phases\":\"fixed\",\"tasks\":[" +
                                     names + "]},{\"name\":\"y\",\"tasks\":[" + names + "]}]");
    const Verdict verdict = run("mpcp.suspend", read(text), "safe");
    ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
    ASSERT_EQ(verdict.chains[0].bound->ns(), slow_fixed_bound(tasks) * kMs) << text;
    ASSERT_EQ(verdict.chains[1].bound->ns(), any * kMs) << text;
    ASSERT_LE(verdict.chains[0].bound, verdict.chains[1].bound);
  }
}

/// From 32 tasks on, the bounds without terms are found in another way.
TEST(PipelineAgreement, OfManyTasksWithAndWithoutTerms) {
  int bounds = 0;
  for (int index = 0; index < scaled(60); ++index) {
    Random random(42, static_cast<std::uint64_t>(index));
    Sketch sketch(2);
    sketch.runlist_update("0.01");
    for (int k = 0; k < 45; ++k) {
      const std::string cpu = std::to_string(random.integer(1, 4));
      const std::string gpu = ", 1+" + std::to_string(random.integer(1, 3)) + ", 1";
      sketch.task("t" + std::to_string(k), static_cast<int>(random.integer(1, 2)),
                  std::to_string(random.integer(400, 900)), cpu + (random.chance(0.4) ? gpu : ""),
                  "\"jitter\":" + std::to_string(random.integer(0, 60)));
    }
    const System system = sketch.system();
    for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
      for (const std::string_view variant : kCovering) {
        Options options;
        options.variant = variant;
        const Verdict with = analyze(*find_method(method), system, options);
        options.terms = false;
        const Verdict without = analyze(*find_method(method), system, options);
        ASSERT_EQ(with.status, without.status);
        for (std::size_t k = 0; k < with.tasks.size(); ++k) {
          ASSERT_EQ(with.tasks[k].bound, without.tasks[k].bound) << method << " " << k;
          bounds += with.tasks[k].bound ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(bounds, 1'000);
}

TEST(PipelineAgreement, OfBoostWithTheSlowOne) {
  const int systems = scaled(2'000, 10);
  int schedulable = 0;
  for (int index = 0; index < systems; ++index) {
    Random random(40, static_cast<std::uint64_t>(index));
    const System system = with_pipelines(boost::tests::random_system(random), random,
                                         {.jitters = 0.5, .afters = 0.3, .chains = 0});
    const bool given =
        run("gcaps.boost.suspend.prio", system, "safe").status == Status::kNotApplicable;
    for (const bool busy : {false, true}) {
      for (const bool order : {false, true}) {
        if (order && given) continue;
        const std::string method =
            std::string("gcaps.boost.") + (busy ? "busy" : "suspend") + (order ? ".prio" : "");
        SCOPED_TRACE("system " + std::to_string(index) + ", " + method);
        const Verdict verdict = run(method, system, "safe");
        const boost::naive::Answer expected = boost::naive::analyze(system, busy, order);
        ASSERT_EQ(verdict.status == Status::kSchedulable, expected.schedulable) << verdict.reason;
        const naive::Bounds bounds = bounds_of(verdict, system);
        const naive::Bounds slow(expected.responses.begin(), expected.responses.end());
        ASSERT_EQ(bounds, slow) << "product " << describe(bounds) << "\nnaive   " << describe(slow);
        schedulable += expected.schedulable ? 1 : 0;
      }
    }
  }
  EXPECT_GE(schedulable, systems / 4);
}

}  // namespace
}  // namespace tactus::gcaps::tests
