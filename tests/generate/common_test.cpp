#include "tactus/generate/common.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tactus/generate/common_forms.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::common {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System made(Given given, std::uint64_t index) {
  const auto system = generate(kCommon, Settings(kCommon.parameters, given), 1, index);
  EXPECT_TRUE(system) << (system ? "" : system.error().message);
  return *system;
}

double ms_of(Time time) { return static_cast<double>(time.ns()) / 1e6; }

/// What each family takes.
std::string_view form_for(std::string_view method) {
  if (method == "stgm") return "one-core";
  if (method == "gang.wc" || method == "gang.swc") return "own-copies";
  if (method.starts_with("pbs.")) return "held";
  if (method.starts_with("dag.")) return "one-graph";
  return "as-is";
}

TEST(CommonWorkload, IsAmongTheRecipes) { EXPECT_EQ(find_recipe("common"), &kCommon); }

TEST(CommonWorkload, DependsOnSeedAndIndexOnly) {
  EXPECT_EQ(made({}, 7), made({}, 7));
  EXPECT_FALSE(made({}, 7) == made({}, 8));
}

TEST(CommonWorkload, HasJitterAndAChainWhereAskedFor) {
  const System plain = made({}, 3);
  System late = made({{"jitter", "0.25"}, {"chain", "1"}}, 3);
  ASSERT_EQ(late.chains.size(), 1U);
  EXPECT_EQ(late.chains[0].tasks.size(), late.tasks.size());
  for (Task& task : late.tasks) {
    EXPECT_EQ(task.jitter.ns(), task.period->ns() / 4);
    task.jitter = Time();
  }
  late.chains.clear();
  EXPECT_EQ(late, plain) << "nothing else is drawn";
  for (std::string_view form : kFormNames) {
    const System system = made({{"form", std::string(form)}, {"jitter", "0.1"}, {"chain", "1"}}, 3);
    EXPECT_TRUE(read_system(write_system(system)).system) << form;
  }
}

TEST(CommonWorkload, MakesFilesThatTheReaderTakesInEveryForm) {
  for (std::string_view form : kFormNames) {
    for (std::uint64_t index = 0; index < 10; ++index) {
      const System system = made({{"form", std::string(form)}, {"tasks", "6"}}, index);
      const ReadResult read = read_system(write_system(system));
      ASSERT_TRUE(read.system) << form;
      EXPECT_EQ(*read.system, system) << form;
    }
  }
}

TEST(CommonWorkload, IsTakenByEveryMethodInItsForm) {
  for (const Method* method : registry()) {
    int accepted = 0;
    for (std::uint64_t index = 0; index < 10; ++index) {
      const System system =
          made({{"form", std::string(form_for(method->id))}, {"utilization", "0.05"}}, index);
      const Verdict verdict = analyze(*method, system);
      EXPECT_NE(verdict.status, Status::kNotApplicable) << method->id << ": " << verdict.reason;
      accepted += verdict.status == Status::kSchedulable ? 1 : 0;
    }
    EXPECT_GT(accepted, 0) << method->id;  // none is out of the race from the start
  }
}

TEST(CommonWorkload, HasTheUtilisationAndTheCurveThatWereAskedFor) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    const System system =
        made({{"utilization", "1.2"}, {"gpu-min", "0.3"}, {"gpu-max", "0.3"}}, index);
    double all = 0, gpu = 0;
    for (const Task& task : system.tasks) {
      for (const Node& node : task.nodes) {
        const double share = (ms_of(*node.wcet) + ms_of(node.launch)) / ms_of(*task.period);
        all += share;
        if (node.on != kCpu) gpu += share;
        if (node.on != kGpu) continue;
        ASSERT_EQ(node.times.size(), 16U);
        EXPECT_EQ(node.times.back().wcet, *node.wcet);
        // Amdahl: time * SMs is a straight line.
        const double one = ms_of(node.times[0].wcet), two = 2 * ms_of(node.times[1].wcet);
        for (const TimesEntry& entry : node.times) {
          const auto m = static_cast<double>(entry.units);
          EXPECT_NEAR(m * ms_of(entry.wcet), one + (m - 1) * (two - one), 1e-4);
        }
        const double serial = (two - one) / one;
        EXPECT_GE(serial, 0.02 - 1e-3);
        EXPECT_LE(serial, 0.07 + 1e-3);
      }
    }
    EXPECT_NEAR(all, 1.2, 1e-3);
    EXPECT_NEAR(gpu, 0.36, 1e-3);
  }
}

TEST(CommonWorkload, MakesPartsOfTheGpuSlowerBesideNeighbours) {
  const System alone = made({}, 3), beside = made({{"neighbours", "2"}}, 3);
  const Node& quiet = alone.tasks[0].nodes[2];
  const Node& slowed = beside.tasks[0].nodes[2];
  EXPECT_EQ(*slowed.wcet, *quiet.wcet);
  EXPECT_EQ(slowed.times[15].wcet, quiet.times[15].wcet);
  EXPECT_NEAR(ms_of(slowed.times[7].wcet), 2 * ms_of(quiet.times[7].wcet), 1e-5);
}

TEST(CommonWorkload, RunsTheSameWorkOnAnotherGpu) {
  const System drawn = made({}, 5), small = made({{"sms", "4"}}, 5);
  const Node& on_sixteen = drawn.tasks[1].nodes[2];
  const Node& on_four = small.tasks[1].nodes[2];
  ASSERT_EQ(on_four.times.size(), 4U);
  for (std::size_t m = 0; m < 4; ++m) EXPECT_EQ(on_four.times[m], on_sixteen.times[m]);
  EXPECT_EQ(*on_four.wcet, on_sixteen.times[3].wcet);
}

TEST(CommonWorkload, LeavesTheLastCoreFree) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    for (const Task& task : made({{"tasks", "9"}}, index).tasks) EXPECT_LE(*task.core, 4);
  }
}

/// The same sets, on one core more: what those may use who need no arbiter.
TEST(CommonWorkload, GivesTheLastCoreTasksWhenNoneIsSpare) {
  int used = 0;
  for (std::uint64_t index = 0; index < 20; ++index) {
    const System four = made({{"tasks", "9"}}, index);
    const System five = made({{"tasks", "9"}, {"spare", "0"}}, index);
    ASSERT_EQ(four.tasks.size(), five.tasks.size());
    for (std::size_t i = 0; i < five.tasks.size(); ++i) {
      EXPECT_EQ(four.tasks[i].period, five.tasks[i].period);
      EXPECT_EQ(four.tasks[i].nodes, five.tasks[i].nodes);
      EXPECT_LE(*five.tasks[i].core, 5);
      used += *five.tasks[i].core == 5 ? 1 : 0;
    }
  }
  EXPECT_GE(used, 20);
}

TEST(CommonWorkload, RefusesWhatCannotBeSplit) {
  const auto refused = generate(
      kCommon, Settings(kCommon.parameters, Given{{"tasks", "2"}, {"utilization", "2"}}), 1, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "2 tasks of at most 0.9 cannot have the utilization 2 together");
}

}  // namespace
}  // namespace tactus::common
