#include "tactus/methods/gcaps/fast/shared_demand.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// Bounds without their terms, which are computed from demands that the tasks share, against the
/// second implementation and against bounds with their terms.
namespace tactus::gcaps::tests {
namespace {

Verdict without_terms(std::string_view method, const System& system, std::string_view variant) {
  Options options = options_of(variant);
  options.terms = false;
  return analyze(*find_method(method), system, options);
}

/// More tasks than the other random systems have: copies of all tasks, less and less urgent.
System grown(const System& system, int times, Random& random) {
  System many = system;
  std::int64_t least = 0, cores = 1;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kCpu) cores = element.units;
  }
  for (const Task& task : system.tasks) {
    if (task.priority) least = std::min(least, *task.priority);
  }
  for (int copy = 1; copy < times; ++copy) {
    for (const Task& task : system.tasks) {
      if (task.best_effort) continue;
      Task another = task;
      another.name += "_" + std::to_string(copy);
      another.priority = --least;
      another.gpu_priority.reset();
      *another.core = random.integer(1, cores);
      many.tasks.push_back(another);
    }
  }
  // The less urgent ones have longer periods, and each takes a small part of its own.
  for (Task& task : many.tasks) {
    const std::int64_t longer = times * random.integer(1, 40);
    if (task.period) task.period = longer * *task.period;
    if (task.period) task.deadline = task.period;
    task.gpu_priority.reset();
  }
  return many;
}

/// Those that sum up at once what their terms show apart.
constexpr std::string_view kMethods[] = {"gcaps.suspend", "gcaps.busy",   "tsg-rr.suspend",
                                         "tsg-rr.busy",   "mpcp.suspend", "mpcp.busy",
                                         "fmlp.suspend",  "fmlp.busy"};

TEST(BoundsWithoutTerms, AreThoseOfTheSecondImplementation) {
  Random random(31, 0);
  int schedulable = 0, partly = 0;
  for (int set = 0; set < 1'500; ++set) {
    const System system = random_system_with_default_gpu_priorities(random);
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : variants_of(method)) {
        if (variant == "safe-inherit" || variant == "released") continue;
        SCOPED_TRACE(std::string(method) + " " + std::string(variant) + " " + std::to_string(set));
        const Verdict verdict = without_terms(method, system, variant);
        const naive::Answer expected = naive::analyze(system, method, variant);
        for (const TaskVerdict& task : verdict.tasks) {
          const auto bound = expected.bounds.at(system.tasks[task.task].name);
          ASSERT_EQ(task.bound.has_value(), bound.has_value());
          if (bound) {
            ASSERT_EQ(task.bound->ns(), *bound);
          }
          partly += bound && !expected.schedulable ? 1 : 0;
        }
        schedulable += expected.schedulable ? 1 : 0;
      }
    }
  }
  EXPECT_GT(schedulable, 1'000);
  EXPECT_GT(partly, 1'000);
}

TEST(BoundsWithoutTerms, AreThoseWithTermsInSystemsOfManyTasks) {
  Random random(32, 0);
  int bounds = 0, misses = 0;
  for (int set = 0; set < 150; ++set) {
    const System system = grown(random_system_with_default_gpu_priorities(random),
                                static_cast<int>(random.integer(2, 20)), random);
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : variants_of(method)) {
        if (variant == "safe-inherit" || variant == "released") continue;
        SCOPED_TRACE(std::string(method) + " " + std::string(variant) + " " + std::to_string(set));
        const Verdict with = run(method, system, variant);
        const Verdict without = without_terms(method, system, variant);
        ASSERT_EQ(with.status, without.status) << with.reason;
        ASSERT_EQ(with.tasks.size(), without.tasks.size());
        for (std::size_t k = 0; k < with.tasks.size(); ++k) {
          ASSERT_EQ(with.tasks[k].bound, without.tasks[k].bound);
          ++(with.tasks[k].bound ? bounds : misses);
        }
      }
    }
  }
  EXPECT_GT(bounds, 10'000);
  EXPECT_GT(misses, 100);
}

TEST(SharedDemand, IsTheSumOfItsFirstDemandsInWindowsOfAnyOrder) {
  Random random(33, 0);
  SharedDemand shared;
  std::vector<Recurrence::Demand> all;
  for (int step = 0; step < 20'000; ++step) {
    if (step % 40 == 0) {
      const Time period = Time::from_ns(random.integer(1, 200));
      all.push_back({.work = Time::from_ns(random.integer(0, 20)),
                     .updates = Time::from_ns(random.integer(0, 3)),
                     .period = period,
                     .jitter = Time::from_ns(random.integer(-20, 150))});
      shared.add(all.back());
    }
    const auto count =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all.size())));
    const std::int64_t window = random.integer(1, step % 3 == 0 ? 2'000 : 30);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t period = all[i].period.ns();
      const std::int64_t reach = window + std::max<std::int64_t>(0, all[i].jitter.ns());
      sum += (reach + period - 1) / period * (all[i].work + all[i].updates).ns();
    }
    ASSERT_EQ(shared.sum(Time::from_ns(window), count).ns(), sum) << "step " << step;
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
