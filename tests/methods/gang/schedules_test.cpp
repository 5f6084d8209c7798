#include <numeric>

#include "tactus/methods/gang/bound/theorem1.hpp"
#include "tactus/methods/gang/bound/tight.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/simulation.hpp"

/// Schedules against bounds: other readings than the paper's can be violated, what is built cannot.
namespace tactus::gang {
namespace {

using reference::Policy;
using reference::RefDag;

constexpr std::int64_t kUnit = 1'000'000;  // one unit of time in nanoseconds

Fraction product_theorem1(const System& system, Scheduler scheduler) {
  const PreparedDag dag = prepare_all(system).front();
  return *theorem1(dag, theorem2(system, dag, scheduler, whole_platform(system)), 20'000);
}

/// Without the node itself, as in the list of Example 6; Eq. 5 includes it.
std::vector<std::int64_t> deltas_without_self(const RefDag& dag) {
  const auto wc = reference::deltas(dag, kWorkConserving, reference::Delta::kExact);
  const auto beside = reference::interferers(dag);
  std::vector<std::int64_t> swc(wc.size());
  for (std::size_t i = 0; i < wc.size(); ++i) {
    for (std::size_t k : beside[i]) swc[i] = std::max(swc[i], wc[k]);
  }
  return swc;
}

TEST(Counterexample, LeavingTheNodeItselfOutOfEq5IsUnsafe) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[
      {"name":"c0","kind":"cpu","units":3},{"name":"c1","kind":"cpu","units":7}]},"tasks":[
      {"name":"a","period":100,"nodes":[{"name":"n0","on":"c0","parallelism":3,"wcet":5},
       {"name":"n1","on":"c0","parallelism":2,"wcet":3},
       {"name":"n2","on":"c1","parallelism":3,"wcet":5}],"edges":[["n0","n2"]]}]})");
  // Kahn's order is n0, n1, n2; n1 goes first.
  const RefDag dag = reference::expand(system, 0);
  const std::int64_t observed = reference::response(dag, {.scheduler = kSemi, .order = {1, 0, 2}});
  EXPECT_EQ(observed, 13 * kUnit);
  EXPECT_EQ(reference::theorem1(dag, deltas_without_self(dag)), Fraction(12 * kUnit));
  EXPECT_GE(product_theorem1(system, kSemi), Fraction(static_cast<long>(observed)));
}

TEST(Counterexample, TreatingSmsAsOnePoolIsUnsafe) {
  const System system = read_file("tests/data/cases/gang/case20.system.json");
  const RefDag dag = reference::expand(system, 0);
  const std::int64_t observed =
      reference::response(dag, {.scheduler = kWorkConserving, .order = {0, 1, 2}});
  EXPECT_EQ(observed, 9 * kUnit);
  RefDag pooled = dag;
  pooled.units = {6};
  pooled.lanes = {1};
  const auto delta = reference::deltas(pooled, kWorkConserving, reference::Delta::kExact);
  const Fraction unsafe = reference::theorem1(pooled, delta);
  EXPECT_NEAR(in_units(system, unsafe), 8.83, 0.005);
  EXPECT_LT(unsafe, Fraction(static_cast<long>(observed)));
  EXPECT_GE(product_theorem1(system, kWorkConserving), Fraction(static_cast<long>(observed)));
}

TEST(Counterexample, CountingThreadsOnlyIsUnsafeWhereRegistersRunOut) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":1,"lanes":4,"sm":{"registers":2}}]},"tasks":[
      {"name":"a","period":100,"nodes":[
       {"name":"n0","on":"gpu","threads":1,"registers":2,"wcet":8},
       {"name":"n1","on":"gpu","threads":1,"registers":2,"wcet":8}],"edges":[]}]})");
  const RefDag dag = reference::expand(system, 0);  // counts threads only
  const std::int64_t observed = reference::response(
      dag, {.scheduler = kWorkConserving, .order = {0, 1}, .resources = {{2, {2, 2}}}});
  EXPECT_EQ(observed, 16 * kUnit);
  const auto delta = reference::deltas(dag, kWorkConserving, reference::Delta::kExact);
  EXPECT_EQ(reference::theorem1(dag, delta), Fraction(10 * kUnit));
  EXPECT_GE(product_theorem1(system, kWorkConserving), Fraction(static_cast<long>(observed)));
}

using When = std::map<std::size_t, std::pair<std::int64_t, std::int64_t>>;

/// One job of Fig. 1, non-preemptive, t3 running 3 units. Nodes count from 0.
When fig1_schedule(Scheduler scheduler, std::vector<std::size_t> order) {
  const RefDag dag = reference::expand(read_file("examples/gang-fig1.system.json"), 0);
  Policy policy{.scheduler = scheduler, .order = std::move(order)};
  for (const auto& node : dag.nodes) policy.times.push_back(node.wcet);
  policy.times[2] = 3 * kUnit;
  When when;
  for (const auto& [node, start, end] : reference::simulate(dag, policy)) {
    when[node] = {start / kUnit, end / kUnit};
  }
  return when;
}

/// The pictures of its theory.md.
TEST(Fig4, IsReproduced) {
  EXPECT_EQ(fig1_schedule(kWorkConserving, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), (When{{0, {0, 4}},
                                                                                  {1, {4, 9}},
                                                                                  {2, {4, 7}},
                                                                                  {3, {9, 12}},
                                                                                  {4, {9, 12}},
                                                                                  {5, {11, 14}},
                                                                                  {6, {7, 11}},
                                                                                  {7, {14, 17}},
                                                                                  {8, {14, 16}},
                                                                                  {9, {17, 19}}}));
}
TEST(Fig5, IsReproduced) {
  EXPECT_EQ(fig1_schedule(kSemi, {0, 1, 3, 2, 4, 5, 6, 7, 8, 9}), (When{{0, {0, 4}},
                                                                        {1, {4, 9}},
                                                                        {2, {9, 12}},
                                                                        {3, {9, 12}},
                                                                        {4, {9, 12}},
                                                                        {5, {12, 15}},
                                                                        {6, {15, 19}},
                                                                        {7, {19, 22}},
                                                                        {8, {19, 21}},
                                                                        {9, {22, 24}}}));
}

Policy random_policy(const RefDag& dag, Scheduler scheduler, std::mt19937& random) {
  Policy policy{.scheduler = scheduler,
                .preemptive = random() % 2 == 0,
                .order = std::vector<std::size_t>(dag.nodes.size())};
  std::iota(policy.order.begin(), policy.order.end(), std::size_t{0});
  std::shuffle(policy.order.begin(), policy.order.end(), random);
  const bool early = random() % 2 == 0;
  for (const auto& node : dag.nodes) {
    const auto part = static_cast<std::int64_t>(random() % 101);
    policy.times.push_back(early ? node.wcet / 100 * part : node.wcet);
  }
  policy.placement = &random;
  return policy;
}

TEST(RandomSchedules, NeverExceedTheBounds) {
  RandomSystems systems(21);
  std::mt19937 random(22);
  for (int round = 0; round < scaled(1500); ++round) {
    const System system = systems.make({.tasks = 1, .nodes = 8, .elements = 2, .units = 6});
    const RefDag slow = reference::expand(system, 0);
    const auto units = whole_platform(system);
    for (const bool exact : {false, true}) {
      const PreparedDag dag = prepare_all(system, exact).front();
      for (Scheduler scheduler : {kWorkConserving, kSemi}) {
        const DagBound bound = theorem2(system, dag, scheduler, units);
        const Fraction path_bound = *theorem1(dag, bound, 100'000);
        Fraction tight = tighten(dag, bound).total;
        if (scheduler == kWorkConserving) {
          tight = std::min(tight, tighten(dag, theorem2(system, dag, kSemi, units)).total);
        }
        for (int schedule = 0; schedule < 4; ++schedule) {
          const Policy policy = random_policy(slow, scheduler, random);
          const Fraction observed(static_cast<long>(reference::response(slow, policy)));
          ASSERT_LE(observed, path_bound) << "round " << round;
          ASSERT_LE(observed, tight) << "round " << round;
          ASSERT_LE(observed, bound.total) << "round " << round;
        }
      }
    }
  }
}

TEST(RandomSchedules, NeverExceedTheBoundsWhereRegistersAndSlotsRunOut) {
  RandomSystems systems(23);
  std::mt19937 random(24);
  int beyond_threads = 0;
  for (int round = 0; round < scaled(1500); ++round) {
    System system = systems.make({.tasks = 1, .nodes = 8, .elements = 1, .units = 3});
    Element& gpu = system.platform.elements[0];
    gpu.kind = ElementKind::kGpu;
    gpu.lanes = systems.pick(2, 8);
    gpu.sm = SmLimits{{}, systems.pick(1, 4), systems.pick(4, 12), {}};
    Policy limits{.resources = {{*gpu.sm->blocks, {}}, {*gpu.sm->registers, {}}}};
    for (Node& node : system.tasks[0].nodes) {
      node.parallelism.reset();
      node.threads = systems.pick(1, std::min(gpu.lanes, *gpu.sm->registers));
      node.registers = systems.pick(0, *gpu.sm->registers / *node.threads);
    }
    const RefDag slow = reference::expand(system, 0);
    const auto order = topological_order(system.tasks[0].graph);
    for (NodeIndex v : order) {
      const Node& node = system.tasks[0].nodes[v];
      for (std::int64_t b = 0; b < node.blocks.value_or(1); ++b) {
        limits.resources[0].taken.push_back(1);
        limits.resources[1].taken.push_back(*node.threads * *node.registers);
      }
    }
    for (Scheduler scheduler : {kWorkConserving, kSemi}) {
      const Fraction bound = product_theorem1(system, scheduler);
      const Fraction threads_only =
          reference::theorem1(slow, reference::deltas(slow, scheduler, reference::Delta::kExact));
      for (int schedule = 0; schedule < 4; ++schedule) {
        Policy policy = random_policy(slow, scheduler, random);
        policy.resources = limits.resources;
        const Fraction observed(static_cast<long>(reference::response(slow, policy)));
        ASSERT_LE(observed, bound) << "round " << round;
        if (observed > threads_only) ++beyond_threads;
      }
    }
  }
  EXPECT_GT(beyond_threads, 0) << "the limits never mattered, so nothing was tested";
}

}  // namespace
}  // namespace tactus::gang
