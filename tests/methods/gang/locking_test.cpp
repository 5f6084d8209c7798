#include <fmt/core.h>

#include <functional>

#include "tactus/methods/gang/locks/he_bounds.hpp"
#include "tactus/methods/gang/locks/smlp.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/simulation.hpp"
#include "tests/support/rigid.hpp"

/// The locking baselines: both single-DAG bounds against schedules and slow versions.
namespace tactus::gang {
namespace {

LockView view_of(const System& system) {
  const auto tasks = tasks_of(system);
  const auto model = std::get<LockModel>(make_lock_model(system, tasks));
  return make_lock_view(model, partitions_of(model, 1));
}

/// One sequential element: no locks, so that the inflated DAG is the DAG itself.
System sequential(RandomSystems& random) {
  System system = random.make({.tasks = 1, .nodes = 10, .elements = 1, .units = 4, .lanes = false});
  for (Node& node : system.tasks[0].nodes) node.parallelism = 1;
  return system;
}

TEST(RandomSchedules, NeverExceedTheLockingBaselinesOnOneElement) {
  RandomSystems systems(51);
  std::mt19937 random(52);
  for (int round = 0; round < scaled(1500); ++round) {
    const System system = sequential(systems);
    const LockView view = view_of(system);
    const InflatedDag dag = inflate(system, view.dags[0], {});
    const reference::RefDag slow = reference::expand(system, 0);
    const Fraction any = PathList(dag, view.cpus).bound(view.cpus).total;
    const Reachability order(view.dags[0].graph);
    const Fraction prioritised = prioritised_bound(dag, order, view.cpus).total;
    for (int schedule = 0; schedule < 4; ++schedule) {
      reference::Policy policy{.preemptive = random() % 2 == 0, .order = {}};
      for (std::size_t v = 0; v < slow.nodes.size(); ++v) {
        policy.order.push_back(v);
        policy.times.push_back(slow.nodes[v].wcet / 10 * static_cast<std::int64_t>(random() % 11));
      }
      std::shuffle(policy.order.begin(), policy.order.end(), random);
      ASSERT_LE(Fraction(static_cast<long>(reference::response(slow, policy))), any) << round;
      // Longest path through the node first, ties in node order, preemptive.
      std::vector<std::int64_t> through(slow.nodes.size());
      std::vector<std::size_t> path;
      const std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t v,
                                                                      std::int64_t length) {
        path.push_back(v);
        length += slow.nodes[v].wcet;
        if (slow.nodes[v].next.empty()) {
          for (std::size_t u : path) through[u] = std::max(through[u], length);
        }
        for (std::size_t w : slow.nodes[v].next) walk(w, length);
        path.pop_back();
      };
      for (std::size_t v = 0; v < slow.nodes.size(); ++v) {
        if (slow.nodes[v].previous.empty()) walk(v, 0);
      }
      policy.preemptive = true;
      std::sort(policy.order.begin(), policy.order.end());
      std::stable_sort(policy.order.begin(), policy.order.end(),
                       [&](std::size_t a, std::size_t b) { return through[a] > through[b]; });
      ASSERT_LE(Fraction(static_cast<long>(reference::response(slow, policy))), prioritised)
          << round;
    }
    const Fraction length(to_fraction(prepare_all(system)[0].length));
    const Fraction graham =
        length + (dag.to_time(dag.volume) - length) / static_cast<long>(view.cpus);
    ASSERT_LE(any, graham);
    ASSERT_LE(prioritised, graham);
  }
}

/// Several DAGs without locks; `order` is rate-monotonic.
struct SeveralDags {
  System system;
  LockView view;
  std::vector<std::size_t> order;

  explicit SeveralDags(RandomSystems& random)
      : system(random.make(
            {.tasks = 4, .nodes = 6, .elements = 1, .units = 4, .wcet = 6, .lanes = false})) {
    for (Task& task : system.tasks) {
      task.period = task.deadline = Time::from_ms(random.pick(5, 60));
      for (Node& node : task.nodes) node.parallelism = 1;
    }
    view = view_of(system);
    for (std::size_t k = 0; k < view.dags.size(); ++k) order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return view.dags[a].period < view.dags[b].period;
    });
  }
};

/// W_h(x) of Melani et al., ECRTS 2015: a carried-in job that ends as late as it may with all cores
/// to itself, whole jobs, and as much of the last one as fits.
Fraction carried_in(const Fraction& volume, const Fraction& period, const Fraction& response,
                    const Fraction& window, std::int64_t cpus) {
  const Fraction m(static_cast<long>(cpus));
  Fraction left = window + response - volume / m, sum = 0;
  if (left < 0) return 0;
  for (; left >= period; left -= period) sum += volume;
  return sum + std::min<Fraction>(volume, m * left);
}

TEST(RateMonotonic, IsTheFixedPointOfTheOwnBoundAndWhatIsCarriedIn) {
  RandomSystems random(54);
  int bounds = 0;
  for (int round = 0; round < scaled(600); ++round) {
    const SeveralDags several(random);
    const LockView& view = several.view;
    if (view.dags.size() < 2) continue;  // alone it has a bound beyond its deadline, too
    const Verdict verdict = run("gang.rm-he", several.system);
    std::vector<Fraction> response(view.dags.size());
    for (std::size_t rank = 0; rank < several.order.size(); ++rank) {
      const std::size_t k = several.order[rank];
      const InflatedDag dag = inflate(several.system, view.dags[k], {});
      const Fraction own =
          prioritised_bound(dag, Reachability(view.dags[k].graph), view.cpus).total;
      const Fraction deadline = to_fraction(view.dags[k].deadline);
      Fraction window = own, before = -1;
      while (window != before && window <= deadline) {
        before = window;
        window = own;
        for (std::size_t h = 0; h < rank; ++h) {
          const std::size_t above = several.order[h];
          const InflatedDag other = inflate(several.system, view.dags[above], {});
          window += carried_in(other.to_time(other.volume), to_fraction(view.dags[above].period),
                               response[above], before, view.cpus) /
                    static_cast<long>(view.cpus);
        }
      }
      response[k] = window;
      const TaskVerdict& task = verdict.tasks[k];
      ASSERT_EQ(task.bound.has_value(), window <= deadline) << round;
      if (!task.bound) break;
      ASSERT_EQ(*task.bound, round_up(window)) << round;
      ++bounds;
    }
  }
  EXPECT_GT(bounds, scaled(600));
}

/// Global, preemptive, millisecond by millisecond: the DAGs by rate, in each the nodes on long paths
/// first.
TEST(RandomSchedules, OfSeveralDagsNeverExceedTheRateMonotonicBounds) {
  struct Running {
    std::int64_t release = -1, left = 0, next = 0;
    std::vector<std::int64_t> nodes;  ///< what is left of each; -1: done
  };
  RandomSystems systems(55);
  int jobs = 0;
  for (int round = 0; round < scaled(600); ++round) {
    const SeveralDags several(systems);
    if (several.order.size() < 2) continue;
    const Verdict verdict = run("gang.rm-he", several.system);
    std::vector<Running> live(several.system.tasks.size());
    for (Running& one : live) one.next = systems.pick(0, 20);
    for (std::int64_t now = 0; now < 300; ++now) {
      std::int64_t free = several.view.cpus;
      for (const std::size_t k : several.order) {
        if (!verdict.tasks[k].bound) break;
        const Task& task = several.system.tasks[verdict.tasks[k].task];
        const Graph& graph = task.graph;
        Running& one = live[k];
        const auto begin_when_due = [&] {
          if (one.release >= 0 || one.next > now) return;
          one.release = now;
          one.next = now + task.period->ns() / 1'000'000 + systems.pick(0, 3);
          one.nodes.clear();
          for (const Node& node : task.nodes) {
            const std::int64_t wcet = node.wcet->ns() / 1'000'000;
            one.nodes.push_back(systems.pick(0, 2) > 0 ? wcet : systems.pick(0, wcet));
          }
        };
        const auto ready = [&](NodeIndex v) {
          const auto before = graph.predecessors(v);
          return std::all_of(before.begin(), before.end(),
                             [&](NodeIndex u) { return one.nodes[u] == -1; });
        };
        const auto pass_what_is_over = [&] {
          for (const NodeIndex v : topological_order(graph)) {
            if (one.nodes[v] == 0 && ready(v)) one.nodes[v] = -1;
          }
          if (std::any_of(one.nodes.begin(), one.nodes.end(), [](auto left) { return left >= 0; }))
            return;
          ASSERT_LE(now - one.release, verdict.tasks[k].bound->ns() / 1'000'000) << round;
          one.release = -1;
          ++jobs;
        };
        if (one.release >= 0) pass_what_is_over();
        begin_when_due();
        if (one.release >= 0) pass_what_is_over();
        if (one.release < 0) continue;
        std::vector<std::int64_t> through(task.nodes.size());
        const auto order = topological_order(graph);
        std::vector<std::int64_t> head(through), tail(through);
        for (const NodeIndex v : order) {
          head[v] += task.nodes[v].wcet->ns();
          for (const NodeIndex w : graph.successors(v)) head[w] = std::max(head[w], head[v]);
        }
        for (auto v = order.rbegin(); v != order.rend(); ++v) {
          for (const NodeIndex w : graph.successors(*v)) {
            tail[*v] = std::max(tail[*v], tail[w] + task.nodes[w].wcet->ns());
          }
          through[*v] = head[*v] + tail[*v];
        }
        std::vector<NodeIndex> urgent(order.begin(), order.end());
        std::sort(urgent.begin(), urgent.end());
        std::stable_sort(urgent.begin(), urgent.end(),
                         [&](NodeIndex a, NodeIndex b) { return through[a] > through[b]; });
        for (const NodeIndex v : urgent) {
          if (free == 0 || one.nodes[v] <= 0 || !ready(v)) continue;
          --one.nodes[v];
          --free;
        }
      }
    }
  }
  EXPECT_GT(jobs, scaled(2'000));
}

TEST(AccessLength, IsTheoremTwoOfEqualGangs) {
  RandomSystems random(53);
  for (int round = 0; round < scaled(1000); ++round) {
    System system;
    Element gpu;
    gpu.name = "gpu";
    gpu.kind = ElementKind::kGpu;
    gpu.units = random.pick(1, 9);
    if (random.pick(0, 1) == 0) gpu.lanes = random.pick(2, 9);
    system.platform.elements = {gpu};
    const Access access{0, random.pick(1, gpu.lanes > 1 ? gpu.lanes : gpu.units),
                        Time::from_ns(random.pick(0, 50)), random.pick(1, 12)};
    Task task;
    task.name = "a";
    task.period = task.deadline = Time::from_ms(1);
    Node node;
    node.wcet = access.wcet;
    node.parallelism = access.width;
    task.nodes.assign(static_cast<std::size_t>(access.count), node);
    task.graph = Graph(static_cast<NodeIndex>(access.count), {});
    system.tasks = {task};
    const PreparedDag dag = prepare_all(system).front();
    ASSERT_EQ(dag.dag.nodes.size(), 1u) << "twins are counted";
    ASSERT_EQ(access_length(gpu, access, gpu.units),
              theorem2(system, dag, kSemi, whole_platform(system)).total)
        << round;
  }
}

TEST(Requests, ReplaceTheBlockingBound) {
  const System system = read_file("tests/data/cases/gang/case40.system.json");
  const auto blocking = [&](std::map<std::string, std::string, std::less<>> settings) {
    return std::stod(
        run("gang.wc-he", system, std::move(settings)).tasks[0].details.back().rows[0][5]);
  };
  // The longest access alone is b at one request; the lock's own bound is three of them.
  const double one = blocking({{"k", "1"}, {"requests", "1"}});
  EXPECT_NEAR(blocking({{"k", "1"}, {"requests", "5.6"}}), 5.6 * one, 1e-6);
  EXPECT_NEAR(blocking({{"k", "1"}, {"requests", "0"}}), 0, 1e-9);
}

TEST(Protocols, AreChosenByTheOptionLock) {
  const System system = read_file("tests/data/cases/gang/case40.system.json");
  const auto row = [&](std::map<std::string, std::string, std::less<>> settings) {
    settings["k"] = "1";
    return run("gang.rm-he", system, std::move(settings)).tasks[0].details.back().rows[0];
  };
  const double one = std::stod(row({{"requests", "1"}})[5]);
  const double accesses = std::stod(row({})[3]);
  const auto cpus = static_cast<double>(system.platform.elements[0].units);
  ASSERT_NE(accesses - 1, 2 * cpus - 1) << "the example must tell them apart";
  EXPECT_NEAR(std::stod(row({{"lock", "fifo"}})[5]), (accesses - 1) * one, 1e-6);
  EXPECT_NEAR(std::stod(row({{"lock", "donation"}})[5]), (2 * cpus - 1) * one, 1e-6);
  EXPECT_NEAR(std::stod(row({{"lock", "either"}})[5]), std::min(accesses - 1, 2 * cpus - 1) * one,
              1e-6);
  EXPECT_EQ(row({})[5], row({{"lock", "either"}})[5]);
}

TEST(Protocols, MustFitTheOtherOptions) {
  const System system = read_file("tests/data/cases/gang/case40.system.json");
  EXPECT_NE(
      run("gang.wc-he", system, {{"lock", "fifo"}, {"requests", "2"}}).reason.find("give one"),
      std::string::npos);
  EXPECT_NE(run("gang.wc-he", system, {{"lock", "smlp"}, {"k", "2"}}).reason.find("no partitions"),
            std::string::npos);
}

/// Two CPUs; an access of six gangs, four of which fit on the GPU at a time, and two of others.
TEST(Smlp, CountsTheAreasOfThoseAheadTwice) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":2,"lanes":8}]},
    "tasks":[{"name":"a","period":1000,"nodes":[{"name":"s","on":"cpu","wcet":1},
      {"name":"k","on":"gpu","parallelism":4,"wcet":5,"blocks":6},
      {"name":"l","on":"gpu","parallelism":1,"wcet":3},
      {"name":"m","on":"gpu","parallelism":2,"wcet":4,"blocks":5}],
      "edges":[["s","k"],["s","l"],["s","m"]]}]})");
  const auto row = [&](std::string_view variant) {
    Options options;
    options.variant = variant;
    options.settings["lock"] = "smlp";
    return analyze(*find_method("gang.wc-he"), system, options).tasks[0].details.back().rows[0];
  };
  // k: 3 rounds of 2 on one SM, 2 rounds of 4 on two: areas 15 and 20. l: 3. m: 2 rounds of 4 on
  // one, 1 on two: 8 and 8. One request of others is ahead: 2 (15 + 20 / 2).
  EXPECT_EQ(row("safe"), (std::vector<std::string>{"gpu", "none", "1", "3", "15", "50"}));
  // 2 (15 + 15 / 2)
  EXPECT_EQ(row("paper")[5], "45");
}

/// Against trying every number of units.
TEST(Smlp, TakesTheLargestAreaOfWhatTheLockCanGive) {
  RandomSystems random(54);
  for (int round = 0; round < scaled(1000); ++round) {
    Element gpu;
    gpu.units = random.pick(1, 9);
    if (random.pick(0, 1) == 0) gpu.lanes = random.pick(2, 9);
    const Access access{0, random.pick(1, gpu.lanes > 1 ? gpu.lanes : gpu.units),
                        Time::from_ns(random.pick(0, 50)), random.pick(1, 12)};
    const std::int64_t fewest = gpu.lanes > 1 ? 1 : access.width;
    Volume largest = 0;
    for (std::int64_t idle = fewest; idle <= gpu.units; ++idle) {
      std::int64_t given = idle;
      const Time length = resized_length(gpu, access, idle);
      while (given > fewest && resized_length(gpu, access, given - 1) == length) --given;
      largest = std::max(largest, multiply(given, length.ns()));
    }
    ASSERT_EQ(largest_area(gpu, access, fewest), largest) << round;
    ASSERT_LE(to_fraction(resized_length(gpu, access, gpu.units)),
              access_length(gpu, access, gpu.units));
  }
}

TEST(Kernels, OfEqualNodesWithTheSameNeighboursAreOneAccess) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"unit","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":2,"lanes":8}]},
    "tasks":[{"name":"a","period":100,"nodes":[{"name":"s","on":"cpu","wcet":1},
      {"name":"k","on":"gpu","parallelism":2,"wcet":3},{"name":"l","on":"gpu","parallelism":1,"wcet":3},
      {"name":"m","on":"gpu","parallelism":2,"wcet":3,"blocks":2}],
      "edges":[["s","k"],["s","l"],["s","m"]]}]})");
  const LockView view = view_of(system);
  ASSERT_EQ(view.dags[0].nodes.size(), 3u);
  EXPECT_EQ(view.dags[0].nodes[1].access->count, 3);
  EXPECT_EQ(view.dags[0].nodes[2].access->count, 1);
}

/// k is chosen for the entries that fit its partitions: with k fixed, the file that says them itself
/// has the same bounds.
TEST(MeasuredKernels, HaveTheirFastestEntryWithinAPartition) {
  RandomSystems random(54);
  int moldable = 0;
  for (int round = 0; round < scaled(600); ++round) {
    System system = random.make(
        {.tasks = 3, .nodes = 6, .elements = 3, .units = 12, .times = true, .launch = true});
    for (Task& task : system.tasks) {
      for (Node& node : task.nodes) {
        if (node.on == 0) node.parallelism = 1;
      }
    }
    const auto tasks = tasks_of(system);
    const auto model = std::get<LockModel>(make_lock_model(system, tasks));
    for (const std::int64_t k : {1, 2, 3}) {
      const Partitions partitions = partitions_of(model, k);
      Widths widths(system.tasks.size());
      for (const GangTask& task : tasks) {
        for (const Piece& piece : task.pieces) {
          if (!piece.moldable) continue;
          const auto& times = system.tasks[task.task].nodes[piece.node].times;
          const TimesEntry* best = nullptr;
          for (const TimesEntry& entry : times) {
            if (entry.units > partitions.at(piece.on).units) continue;
            if (best == nullptr || entry.wcet < best->wcet) best = &entry;
          }
          ASSERT_NE(best, nullptr) << "every partition holds the first entry";
          widths[task.task].push_back({piece.node, best->units});
        }
      }
      const System made = support::rigid(system, widths);
      // Wider entries may make the partitions of the rigid file fewer; then they are not the same.
      const auto made_tasks = tasks_of(made);
      const auto made_model = std::get<LockModel>(make_lock_model(made, made_tasks));
      const Partitions made_partitions = partitions_of(made_model, k);
      const bool same = std::equal(partitions.begin(), partitions.end(), made_partitions.begin(),
                                   made_partitions.end(), [](const auto& a, const auto& b) {
                                     return a.first == b.first && a.second.count == b.second.count;
                                   });
      ASSERT_TRUE(same) << round << ": an entry fits its partition";
      for (const char* method : {"gang.rm-he", "gang.wc-he"}) {
        const Verdict a = run(method, system, {{"k", std::to_string(k)}});
        const Verdict b = run(method, made, {{"k", std::to_string(k)}});
        ASSERT_EQ(a.status, b.status) << method << " " << round;
        for (std::size_t t = 0; t < a.tasks.size(); ++t) {
          ASSERT_EQ(a.tasks[t].bound, b.tasks[t].bound) << method << " " << round;
        }
        ASSERT_EQ(noted_widths(a, system), widths);
      }
    }
    moldable += model.moldable ? 1 : 0;
  }
  EXPECT_GT(moldable, scaled(600) / 4);
}

/// Two light graphs, and one that needs `heavy` ms on one CPU within 10.
System shared_and_own(int cpus, int heavy) {
  return read(fmt::format(
      R"({{"tactus":1,"name":"x","time_unit":"ms","platform":{{"elements":[
        {{"name":"cpu","kind":"cpu","units":{}}}]}},"tasks":[
        {{"name":"a","period":10,"nodes":[{{"name":"n","on":"cpu","wcet":2}}]}},
        {{"name":"h","period":10,"nodes":[{{"name":"n","on":"cpu","wcet":{}}},
                                       {{"name":"o","on":"cpu","wcet":6}}],"edges":[]}},
        {{"name":"b","period":20,"nodes":[{{"name":"n","on":"cpu","wcet":3}}]}}]}})",
      cpus, heavy));
}

TEST(Answers, OfTheLockingBaselinesSayWhyATaskHasNoBound) {
  const Verdict fits = run("gang.wc-he", shared_and_own(3, 6));
  EXPECT_EQ(fits.status, Status::kSchedulable);
  EXPECT_EQ(fits.tasks[0].bound, std::nullopt);
  EXPECT_EQ(fits.tasks[0].note, "in time on a shared CPU (EDF), which gives no smaller bound");
  EXPECT_TRUE(fits.tasks[1].bound.has_value());
  EXPECT_EQ(fits.tasks[1].note, "");

  const Verdict full = run("gang.wc-he", shared_and_own(2, 6));
  EXPECT_EQ(full.status, Status::kUnschedulable);
  EXPECT_EQ(full.tasks[2].note, "on a shared CPU (EDF), which holds only if every task fits");

  const Verdict never = run("gang.wc-he", shared_and_own(3, 11));
  EXPECT_EQ(never.tasks[1].note, "misses its deadline even with all CPUs");
  const auto needed = [](const TaskVerdict& task) {
    Time sum;
    for (const Term& term : task.terms) sum += term.amount;
    return sum;
  };
  EXPECT_GT(needed(never.tasks[1]), *never.tasks[1].deadline) << "its terms say why";

  const Verdict late = run("gang.rm-he", shared_and_own(1, 6));
  EXPECT_TRUE(late.tasks[0].bound.has_value());
  EXPECT_GT(needed(late.tasks[1]), *late.tasks[1].deadline);
  EXPECT_EQ(late.tasks[2].note, "too long even if the tasks above it meet their deadlines");
  EXPECT_GT(needed(late.tasks[2]), *late.tasks[2].deadline);
}

TEST(Answers, OfTheLockingBaselinesOnOneGraphAreYesUpToItsDeadline) {
  for (const char* method : {"gang.wc-he", "gang.rm-he"}) {
    System system = read(R"({"tactus":1,"name":"x","time_unit":"ms","platform":{"elements":[
        {"name":"cpu","kind":"cpu","units":2}]},"tasks":[
        {"name":"a","period":20,"deadline":6,"nodes":[{"name":"n","on":"cpu","wcet":6}]}]})");
    EXPECT_EQ(run(method, system).status, Status::kSchedulable) << method;
    *system.tasks[0].deadline -= Time::from_ns(1);
    EXPECT_EQ(run(method, system).status, Status::kUnschedulable) << method;
  }
}

/// The middle one fails; the last one has a bound if that one is in time.
TEST(Answers, OfRateMonotonicGoOnBelowATaskThatFails) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"ms","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1}]},"tasks":[
      {"name":"a","period":10,"nodes":[{"name":"n","on":"cpu","wcet":2}]},
      {"name":"m","period":20,"deadline":8,"nodes":[{"name":"n","on":"cpu","wcet":7}]},
      {"name":"z","period":100,"nodes":[{"name":"n","on":"cpu","wcet":5}]}]})");
  const Verdict verdict = run("gang.rm-he", system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(verdict.reason, "task `m` exceeds its deadline 8");
  EXPECT_TRUE(verdict.tasks[0].bound.has_value());
  const TaskVerdict& below = verdict.tasks[2];
  EXPECT_EQ(below.bound, std::nullopt);
  EXPECT_FALSE(below.schedulable);
  ASSERT_TRUE(below.conditional_bound);
  Time sum;
  for (const Term& term : below.terms) sum += term.amount;
  EXPECT_EQ(sum, *below.conditional_bound);
  // With a deadline of 20 the middle one passes, and its response is shorter than 20; that of the
  // failing one was taken to be 8.
  System longer = system;
  longer.tasks[1].deadline = Time::from_ns(20'000'000);
  const Verdict passes = run("gang.rm-he", longer);
  ASSERT_TRUE(passes.tasks[2].bound);
  EXPECT_LE(*below.conditional_bound, *passes.tasks[2].bound);
}

/// R = C + sum of W_i(R) / m, step by step, for tasks of one node each, the most urgent first; nothing
/// where it is beyond the deadline.
std::vector<std::optional<Fraction>> slow_responses(const System& system, long cpus) {
  std::vector<std::optional<Fraction>> all;
  std::vector<Fraction> responses;
  for (std::size_t k = 0; k < system.tasks.size(); ++k) {
    const auto ns = [](Time time) { return Fraction(static_cast<long>(time.ns())); };
    const Fraction own = ns(*system.tasks[k].nodes[0].wcet);
    Fraction r = own;
    for (bool changed = true; changed && r <= ns(*system.tasks[k].deadline);) {
      Fraction next = own;
      for (std::size_t i = 0; i < k; ++i) {
        const Fraction volume = ns(*system.tasks[i].nodes[0].wcet);
        const Fraction period = ns(*system.tasks[i].period);
        Fraction left = r + responses[i] - volume / cpus, work = 0;
        for (; left > 0; left -= period) work += std::min<Fraction>(volume, cpus * left);
        next += work / cpus;
      }
      changed = next != r;
      r = next;
    }
    const bool found = r <= ns(*system.tasks[k].deadline);
    all.push_back(found ? std::optional(r) : std::nullopt);
    responses.push_back(r);
    if (!found) break;
  }
  return all;
}

TEST(RateMonotonic, LeavesNoFixedPointOutWhenItJumpsOverBusyTime) {
  std::mt19937 random(53);
  int found = 0, failed = 0;
  for (int round = 0; round < scaled(1500); ++round) {
    const long cpus = 1 + static_cast<long>(random() % 3);
    const int count = 2 + static_cast<int>(random() % 4);
    std::string tasks;
    for (int k = 0, period = 40; k < count; ++k) {
      period += static_cast<int>(random() % 60);
      tasks += fmt::format(
          R"({}{{"name":"t{}","period":{},"nodes":[{{"name":"n","on":"cpu","wcet":{}}}]}})",
          k == 0 ? "" : ",", k, ++period, 1 + random() % (k % 2 == 0 ? 80 : 6));
    }
    const System system = read(fmt::format(
        R"({{"tactus":1,"name":"x","time_unit":"ns","platform":{{"elements":[
           {{"name":"cpu","kind":"cpu","units":{}}}]}},"tasks":[{}]}})",
        cpus, tasks));
    const Verdict verdict = run("gang.rm-he", system);
    const auto slow = slow_responses(system, cpus);
    for (std::size_t k = 0; k < slow.size(); ++k) {
      ++(slow[k] ? found : failed);
      ASSERT_EQ(verdict.tasks[k].bound.has_value(), slow[k].has_value()) << round << " " << k;
      if (!slow[k]) continue;
      EXPECT_EQ(*verdict.tasks[k].bound, round_up(*slow[k])) << round << " " << k;
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(failed, 50) << "of tasks";
}

TEST(RateMonotonic, DecidesAShortTaskBelowOneThatIsAMillionTimesAsLong) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"ns","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1}]},"tasks":[
      {"name":"h","period":20000000,"nodes":[{"name":"n","on":"cpu","wcet":9000000}]},
      {"name":"l","period":100000000,"nodes":[{"name":"n","on":"cpu","wcet":9}]}]})");
  const Verdict verdict = run("gang.rm-he", system);
  EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  EXPECT_EQ(verdict.tasks[1].bound, Time::from_ns(9'000'009));
}

}  // namespace
}  // namespace tactus::gang
