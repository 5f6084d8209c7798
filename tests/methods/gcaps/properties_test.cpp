#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// What must hold whatever the numbers, on random systems.
namespace tactus::gcaps::tests {
namespace {

constexpr int kSystems = 3'000;

constexpr std::array<std::string_view, 8> kPlainMethods = {
    "gcaps.suspend", "gcaps.busy", "tsg-rr.suspend", "tsg-rr.busy",
    "mpcp.suspend",  "mpcp.busy",  "fmlp.suspend",   "fmlp.busy"};

/// Calls `test(system, random)` on each of the random systems, and stops at the first failure.
template <typename Make, typename Test>
void for_random_systems(std::uint64_t seed, Make make, Test test) {
  for (int index = 0; index < scaled(kSystems); ++index) {
    Random random(seed, static_cast<std::uint64_t>(index));
    const System system = make(random);
    SCOPED_TRACE(fmt::format("system {}", index));
    test(system, random);
    if (testing::Test::HasFailure()) return;
  }
}

/// No bound counts as infinity.
Time or_infinity(const TaskVerdict& task) { return task.bound.value_or(Time::max()); }

/// Counts strict inequalities, so that a test can tell that it compared different things.
int expect_at_least(const Verdict& larger, const Verdict& smaller) {
  int strictly = 0;
  EXPECT_EQ(larger.tasks.size(), smaller.tasks.size());
  for (std::size_t i = 0; i < larger.tasks.size(); ++i) {
    const Time most = or_infinity(larger.tasks[i]), least = or_infinity(smaller.tasks[i]);
    EXPECT_GE(most.ns(), least.ns()) << larger.variant << " versus " << smaller.variant << " "
                                     << larger.method << ", task " << i;
    strictly += most > least ? 1 : 0;
  }
  return strictly;
}

bool uses_gpu(const System& system, const Task& task) {
  return std::any_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
    return system.platform.elements[node.on].kind != ElementKind::kCpu;
  });
}

System without_delay(System system) {
  for (Element& element : system.platform.elements) element.preemption_delay.reset();
  return system;
}

TEST(Property, SafeIsAtLeastSafeArbiterIsAtLeastPaperForUsersOfTheGpu) {
  int repaired = 0, on_core = 0;
  for_random_systems(1, random_system, [&](const System& random, Random&) {
    // While the old owner leaves, an arbiter serves nobody and a driver does: with a delay neither
    // variant is above the other.
    const System system = without_delay(random);
    for (const std::string_view method : {"gcaps.suspend", "gcaps.busy"}) {
      const Verdict safe = run(method, system, "safe");
      const Verdict arbiter = run(method, system, "safe-arbiter");
      const Verdict paper = run(method, system, "paper");
      on_core += expect_at_least(safe, arbiter);
      for (std::size_t i = 0; i < arbiter.tasks.size(); ++i) {
        const TaskVerdict &more = arbiter.tasks[i], &less = paper.tasks[i];
        if (!more.bound || !less.bound || !uses_gpu(system, system.tasks[more.task])) continue;
        EXPECT_GE(*more.bound, *less.bound) << method << ", task " << i;
        repaired += *more.bound > *less.bound ? 1 : 0;
      }
    }
  });
  EXPECT_GE(on_core, kSystems / 2);
  EXPECT_GE(repaired, kSystems / 2);
}

TEST(Property, SafeRoundRobinIsAtLeastPaper) {
  int repaired = 0;
  for_random_systems(2, random_system, [&](System system, Random&) {
    make_kernels_of_copies(system);  // as published, copies take slices
    for (const std::string_view method : {"tsg-rr.suspend", "tsg-rr.busy"}) {
      repaired += expect_at_least(run(method, system, "safe"), run(method, system, "paper"));
    }
  });
  EXPECT_GE(repaired, kSystems / 2);
}

TEST(Property, AnAssignmentPassesWheneverThePlainMethodDoes) {
  int gained = 0;
  for_random_systems(3, random_system, [&](const System& system, Random&) {
    for (const std::string plain : {"gcaps.suspend", "gcaps.busy"}) {
      for (const std::string_view variant : kAllVariants) {
        const Verdict without = run(plain, system, variant);
        const Verdict with = run(plain + ".prio", system, variant);
        EXPECT_EQ(with.plan != nullptr, with.status == Status::kSchedulable);
        if (without.status == Status::kSchedulable) {
          EXPECT_EQ(with.status, Status::kSchedulable) << plain << " " << variant;
        } else if (with.status == Status::kSchedulable) {
          ++gained;
        }
      }
    }
  });
  EXPECT_GE(gained, kSystems / 50);
}

TEST(Property, AnAssignmentWrittenIntoTheFilePassesThePlainMethod) {
  int gained = 0;
  for_random_systems(4, random_system, [&](const System& system, Random&) {
    for (const std::string plain : {"gcaps.suspend", "gcaps.busy"}) {
      for (const std::string_view variant : kAllVariants) {
        const Verdict assigned = run(plain + ".prio", system, variant);
        const auto* plan = dynamic_cast<const PriorityPlan*>(assigned.plan.get());
        if (plan == nullptr) continue;
        System written = system;
        for (const PriorityPlan::Entry& entry : plan->entries) {
          EXPECT_EQ(entry.priority, *system.tasks[entry.task].priority);
          gained += system.tasks[entry.task].gpu_priority != entry.gpu_priority ? 1 : 0;
          written.tasks[entry.task].gpu_priority = entry.gpu_priority;
        }
        // The plan keeps the CPU order on every core, so the file is accepted; and every task
        // has at most the bound that its own test gave (with deadlines as jitters).
        const Verdict plainly = run(plain, written, variant);
        EXPECT_EQ(plainly.status, Status::kSchedulable) << plain << " " << variant;
        expect_at_least(assigned, plainly);
      }
    }
  });
  EXPECT_GE(gained, kSystems / 50);
}

/// A node that may be made longer.
struct Place {
  std::size_t task = 0, node = 0;
};

std::vector<Place> places(const System& system, bool on_gpu_only) {
  std::vector<Place> found;
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    for (std::size_t n = 0; n < system.tasks[t].nodes.size(); ++n) {
      const Element& element = system.platform.elements[system.tasks[t].nodes[n].on];
      if (!on_gpu_only || element.kind != ElementKind::kCpu) found.push_back({t, n});
    }
  }
  return found;
}

/// Does more work never give a smaller bound? (Not with deadlines for jitters, nor in MPCP as
/// published.)
bool is_monotone(std::string_view method, std::string_view variant) {
  return !(method.starts_with("mpcp") && variant == "paper") && variant != "released";
}

class Growth {
 public:
  explicit Growth(const System& system) {
    for (const std::string_view method : kPlainMethods) {
      for (const std::string_view variant : variants_of(method)) {
        if (!is_monotone(method, variant)) continue;
        before_.push_back({variant, run(method, system, variant)});
      }
    }
  }
  /// Expects no bound of the grown system to be smaller; counts those that are larger.
  int expect_no_bound_to_shrink(const System& grown) const {
    int larger = 0;
    for (const auto& [variant, before] : before_) {
      const Verdict after = run(before.method, grown, variant);
      EXPECT_EQ(after.tasks.size(), before.tasks.size());
      larger += expect_at_least(after, before);
    }
    return larger;
  }

 private:
  std::vector<std::pair<std::string_view, Verdict>> before_;  ///< by variant
};

Time growth(Random& random) {
  constexpr std::int64_t kMost[] = {1, 1'000, kMs, 10 * kMs};
  return Time::from_ns(random.integer(1, kMost[random.integer(0, 3)]));
}

TEST(Property, BoundsDoNotShrinkWhenAnExecutionTimeGrows) {
  int larger = 0;
  const auto make = random_system_with_default_gpu_priorities;
  for_random_systems(5, make, [&](const System& system, Random& random) {
    const Growth growing(system);
    // Every node of one system in ten; one node of the others.
    std::vector<Place> chosen = places(system, false);
    if (!random.chance(0.1)) {
      const auto last = static_cast<std::int64_t>(chosen.size()) - 1;
      chosen = {chosen[static_cast<std::size_t>(random.integer(0, last))]};
    }
    for (const Place& place : chosen) {
      System grown = system;
      *grown.tasks[place.task].nodes[place.node].wcet += growth(random);
      larger += growing.expect_no_bound_to_shrink(grown);
    }
  });
  EXPECT_GE(larger, kSystems);
}

TEST(Property, BoundsDoNotShrinkWhenALaunchGrows) {
  int larger = 0;
  const auto make = random_system_with_default_gpu_priorities;
  for_random_systems(6, make, [&](const System& system, Random& random) {
    const std::vector<Place> all = places(system, true);
    if (all.empty()) return;
    const auto last = static_cast<std::int64_t>(all.size()) - 1;
    const Place place = all[static_cast<std::size_t>(random.integer(0, last))];
    System grown = system;
    grown.tasks[place.task].nodes[place.node].launch += growth(random);
    larger += Growth(system).expect_no_bound_to_shrink(grown);
  });
  EXPECT_GE(larger, kSystems);
}

TEST(Property, BoundsDoNotShrinkWhenRunlistUpdatesGrow) {
  int larger = 0;
  const auto make = random_system_with_default_gpu_priorities;
  for_random_systems(7, make, [&](const System& system, Random& random) {
    System grown = system;
    for (Element& element : grown.platform.elements) {
      if (element.runlist_update) *element.runlist_update += growth(random);
    }
    larger += Growth(system).expect_no_bound_to_shrink(grown);
  });
  EXPECT_GE(larger, kSystems);
}

TEST(Property, BoundsDoNotShrinkWhenLeavingTheGpuTakesLonger) {
  int larger = 0;
  const auto make = random_system_with_default_gpu_priorities;
  for_random_systems(9, make, [&](const System& system, Random& random) {
    System grown = system;
    for (Element& element : grown.platform.elements) {
      if (element.kind != ElementKind::kGpu) continue;
      element.preemption_delay = element.preemption_delay.value_or(Time()) + growth(random);
    }
    larger += Growth(system).expect_no_bound_to_shrink(grown);
  });
  EXPECT_GE(larger, kSystems);
}

TEST(Property, ADelayOfNothingChangesNothing) {
  for_random_systems(10, random_system, [&](const System& random, Random&) {
    const System system = without_delay(random);
    System zero = system;
    for (Element& element : zero.platform.elements) element.preemption_delay = Time();
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : kAllVariants) {
        const Verdict without = run(method, system, variant), with = run(method, zero, variant);
        EXPECT_EQ(without.warnings, with.warnings);
        for (std::size_t i = 0; i < without.tasks.size(); ++i) {
          EXPECT_EQ(without.tasks[i].bound, with.tasks[i].bound) << variant << " " << method;
        }
      }
    }
  });
}

/// The terms of one task: all non-zero, and where they name jobs, made as they say.
void expect_sound_terms(const TaskVerdict& task, const System& system) {
  for (const Term& term : task.terms) {
    EXPECT_GT(term.amount, Time()) << term.label;
    EXPECT_FALSE(term.label.empty());
    EXPECT_TRUE(term.by == Term::kNoTask || term.by < system.tasks.size());
    EXPECT_NE(term.by, task.task);
    if (term.jobs == 0) continue;
    EXPECT_EQ(term.amount, term.jobs * term.each) << term.label;
    if (term.period == Time()) continue;  // another product than jobs in a window
    ASSERT_LT(term.by, system.tasks.size()) << term.label;
    EXPECT_EQ(term.period, *system.tasks[term.by].period) << term.label;
    EXPECT_GE(term.jitter, Time()) << term.label;
    if (task.bound) {
      EXPECT_EQ(term.jobs, ceil_div(*task.bound + term.jitter, term.period)) << term.label;
    }
  }
}

TEST(Property, TermsAddUpToTheBoundOrToMoreThanTheDeadline) {
  int bounds = 0, failures = 0, conditional = 0, with_jobs = 0;
  for_random_systems(8, random_system, [&](const System& system, Random&) {
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : kAllVariants) {
        const Verdict verdict = run(method, system, variant);
        SCOPED_TRACE(fmt::format("{} {}", variant, method));
        bool reached = false;
        for (const TaskVerdict& task : verdict.tasks) {
          expect_sound_terms(task, system);
          for (const Term& term : task.terms) with_jobs += term.jobs > 0 ? 1 : 0;
          if (task.bound) {
            EXPECT_EQ(sum(task.terms), *task.bound);
            EXPECT_LE(*task.bound, *task.deadline);
            ++bounds;
          } else if (task.conditional_bound) {
            EXPECT_EQ(sum(task.terms), *task.conditional_bound);
            EXPECT_LE(*task.conditional_bound, *task.deadline);
            EXPECT_FALSE(task.schedulable);
            ++conditional;
          } else if (!task.terms.empty()) {
            EXPECT_GT(sum(task.terms), *task.deadline);
            reached = true;
            ++failures;
          }
        }
        // Whoever fails says why at least once.
        EXPECT_EQ(reached, verdict.status == Status::kUnschedulable);
      }
    }
  });
  EXPECT_GE(bounds, 10 * kSystems);
  EXPECT_GE(failures, 5 * kSystems);
  EXPECT_GE(conditional, kSystems / 10);
  EXPECT_GE(with_jobs, 10 * kSystems);
}

TEST(Property, ConditionalBoundsChangeNothingElse) {
  int compared = 0;
  for_random_systems(8, random_system, [&](const System& system, Random&) {
    for (const std::string_view method : kMethods) {
      const Verdict verdict = run(method, system, "safe");
      const Verdict quick = [&] {
        Options options;
        options.terms = false;
        return analyze(*find_method(method), system, options);
      }();
      // Nothing else depends on whether somebody reads the terms.
      EXPECT_EQ(verdict.status, quick.status);
      for (std::size_t k = 0; k < verdict.tasks.size(); ++k) {
        EXPECT_EQ(verdict.tasks[k].bound, quick.tasks[k].bound) << method;
        EXPECT_EQ(verdict.tasks[k].schedulable, quick.tasks[k].schedulable) << method;
        EXPECT_FALSE(quick.tasks[k].conditional_bound) << method;
        compared += verdict.tasks[k].conditional_bound ? 1 : 0;
      }
    }
  });
  EXPECT_GT(compared, 0);
}

/// With an arbiter nothing on another core can keep a task waiting that is on a core without users of
/// the GPU, however GPU priorities are chosen.
TEST(Property, ACpuOnlyTaskBelowNoUserOfTheGpuHasNoTermsOfOthers) {
  int chosen = 0;
  for (int index = 0; index < scaled(6'000); ++index) {
    Random random(77, static_cast<std::uint64_t>(index));
    System system = random_system(random);
    if (run("gcaps.busy", system, "safe-arbiter").status != Status::kUnschedulable) continue;
    std::int64_t lowest = 0;
    for (const Task& task : system.tasks) lowest = std::min(lowest, task.priority.value_or(0));
    auto& elements = system.platform.elements;
    const auto cpu = std::find_if(elements.begin(), elements.end(), [](const Element& element) {
      return element.kind == ElementKind::kCpu;
    });
    ASSERT_NE(cpu, elements.end());
    for (const std::int64_t length : {3, 2}) {  // the second is below the first
      Task& alone = system.tasks.emplace_back();
      alone.name = "alone" + std::to_string(length);
      alone.period = alone.deadline = ms(1000);
      alone.priority = --lowest;
      alone.core = cpu->units + 1;
      Node& node = alone.nodes.emplace_back();
      node.name = "n";
      node.on = static_cast<ElementIndex>(cpu - elements.begin());
      node.wcet = ms(length);
      alone.graph = Graph::chain(1);
    }
    ++cpu->units;
    const Verdict verdict = run("gcaps.busy.prio", system, "safe-arbiter");
    if (verdict.status != Status::kSchedulable) continue;
    ++chosen;
    EXPECT_EQ(find(verdict, system, "alone3")->bound, ms(3)) << index;
    EXPECT_EQ(find(verdict, system, "alone2")->bound, ms(5)) << index;
  }
  EXPECT_GT(chosen, 5);
}

}  // namespace
}  // namespace tactus::gcaps::tests
