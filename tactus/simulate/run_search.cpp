#include "tactus/simulate/run_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "tactus/model/paths.hpp"

namespace tactus::simulate {
namespace {

using trace::Lengths;
using trace::Order;
using trace::Releases;

constexpr std::array<Order, 3> kOrders = {Order::kFifo, Order::kLifo, Order::kRandom};

/// The largest time that divides all periods and execution times: the grid of a system.
Time grid_of(const System& system) {
  std::int64_t grid = 0;
  for (const Task& task : system.tasks) {
    if (task.period) grid = std::gcd(grid, task.period->ns());
    for (const Node& node : task.nodes) {
      grid = std::gcd(grid, node.launch.ns());
      grid = std::gcd(grid, node.overlap.ns());
      if (node.wcet) grid = std::gcd(grid, node.wcet->ns());
    }
  }
  return Time::from_ns(std::max<std::int64_t>(1, grid));
}

Time drawn_offset(const Task& task, Time grid, Random& random) {
  if (!task.period) return random.integer(0, 20) * grid;
  return random.integer(0, task.period->ns() / grid.ns() - 1) * grid;
}

/// Has it an offset of its own, which nothing that was proved counts on?
bool may_move(const System& system, const Task& task) {
  return !task.after &&
         std::none_of(system.chains.begin(), system.chains.end(),
                      [](const Chain& chain) { return chain.phases == Chain::Phases::kFixed; });
}

trace::Lateness drawn_lateness(Random& random) {
  return static_cast<trace::Lateness>(random.integer(0, 3));
}

/// Changes one or two things, mostly an offset: by a little, to that of another task, or anyhow.
void take_step(System& system, trace::Scenario& scenario, Time grid, Random& random) {
  const auto any = [&] {
    return static_cast<TaskIndex>(
        random.integer(0, static_cast<std::int64_t>(system.tasks.size()) - 1));
  };
  const std::int64_t changes = random.integer(1, 2);
  for (std::int64_t k = 0; k < changes; ++k) {
    Task& task = system.tasks[any()];
    const bool moves = may_move(system, task);
    const std::int64_t change = random.integer(0, 6);
    switch (moves ? change : std::max<std::int64_t>(4, change)) {
      case 0:
        task.offset = drawn_offset(task, grid, random);
        break;
      case 1:
      case 2:
      case 3: {
        const Time by = random.integer(1, 3) * grid;
        task.offset = random.chance(0.5) ? task.offset + by : std::max(Time(), task.offset - by);
        break;
      }
      case 4:
        scenario.seed = random.next();
        break;
      case 5:
        scenario.lengths = random.chance(0.4) ? Lengths::kWorst : Lengths::kEarly;
        break;
      default:
        scenario.order = kOrders[static_cast<std::size_t>(random.integer(0, 2))];
    }
  }
}

}  // namespace

std::optional<Search> search_named(std::string_view name) {
  if (name == "random") return Search::kRandom;
  if (name == "climb") return Search::kClimb;
  if (name == "offsets") return Search::kOffsets;
  return std::nullopt;
}

void climb(const System& system, std::uint64_t steps, Random random, const Try& attempt) {
  const Time grid = grid_of(system);
  const bool releases = has_late_releases(system);
  for (std::size_t target = 0; target < system.tasks.size() + system.chains.size(); ++target) {
    if (target < system.tasks.size() && system.tasks[target].best_effort) continue;
    System best = system;
    trace::Scenario scenario;
    double height = -1;
    std::uint64_t fruitless = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
      System next = best;
      trace::Scenario with = scenario;
      if (height < 0) {  // a new start
        with = {};
        with.releases = Releases::kOffsets;
        with.seed = random.next();
        with.lengths = random.chance(0.5) ? Lengths::kWorst : Lengths::kEarly;
        if (releases) with.lateness = drawn_lateness(random);
        for (Task& task : next.tasks) {
          if (may_move(next, task)) task.offset = drawn_offset(task, grid, random);
        }
      } else {
        take_step(next, with, grid, random);
        if (releases && random.chance(0.2)) with.lateness = drawn_lateness(random);
      }
      const auto found = attempt(next, with);
      if (!found) return;
      const double reached = (*found)[target];
      if (reached >= height) {
        fruitless = reached > height ? 0 : fruitless + 1;
        height = reached;
        best = std::move(next);
        scenario = with;
      } else if (++fruitless > 40 || height >= 1) {
        height = -1;
        fruitless = 0;
      }
    }
  }
}

void try_offsets(const System& system, std::uint64_t most, Random random, const Try& attempt) {
  const Time grid = grid_of(system);
  // The first task stays where it is: only differences matter.
  std::vector<std::int64_t> counts;
  double all = 1;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const auto& period = system.tasks[i].period;
    counts.push_back(i == 0 || !period ? 1 : period->ns() / grid.ns());
    all *= static_cast<double>(counts.back());
  }
  constexpr std::array<Lengths, 2> kLengths = {Lengths::kWorst, Lengths::kEarly};
  const bool fits = all * kOrders.size() * kLengths.size() <= static_cast<double>(most);
  System with_offsets = system;
  std::vector<std::int64_t> place(counts.size());
  for (std::uint64_t run = 0; run < most;) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!fits) place[i] = random.integer(0, counts[i] - 1);
      if (may_move(system, system.tasks[i])) with_offsets.tasks[i].offset = place[i] * grid;
    }
    for (const Lengths lengths : kLengths) {
      for (const Order order : kOrders) {
        trace::Scenario scenario;
        scenario.releases = Releases::kOffsets;
        scenario.lengths = lengths;
        scenario.order = order;
        scenario.seed = random.next();
        if (!attempt(with_offsets, scenario)) return;
        ++run;
      }
    }
    if (!fits) continue;
    std::size_t i = 0;
    while (i < counts.size() && ++place[i] == counts[i]) place[i++] = 0;
    if (i == counts.size()) return;
  }
}

}  // namespace tactus::simulate
