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
      for (const std::string_view variant : kCovering) {
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
