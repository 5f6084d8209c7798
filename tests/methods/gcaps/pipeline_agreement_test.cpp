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
