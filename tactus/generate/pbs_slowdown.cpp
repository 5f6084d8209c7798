#include "tactus/generate/pbs_slowdown.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tactus/generate/shares.hpp"

namespace tactus::pbs {
namespace {

constexpr std::int64_t kSms = 8, kThreadsAnSm = 1024, kBlocksAnSm = 32;
constexpr std::int64_t kThreadsABlock = 32;  // so 256 block slots, and no order matters
constexpr std::int64_t kSlots = kSms * kBlocksAnSm;
constexpr std::int64_t kSlowdownPeriods[] = {400, 600, 800, 1200,
                                             1600};  // a hyperperiod of at most 4800
constexpr std::int64_t kMostTableTasks = 8;          // 247 batches

constexpr Parameter kParameters[] = {
    {"n", "5", "tasks"},
    {"u", "1.0", "sum of wcet / period"},
    {"lo", "1.1", "smallest slowdown factor; the paper's small [1, 1.4], large [1.7, 1.9], mixed"},
    {"hi", "1.9", "largest slowdown factor"},
    {"split", "discard", "of u: uunifast, or discard, drs (no utilisation above 1)"},
    {"model", "slowdown", "slowdown: one factor per task; table: one factor per batch (n <= 8)"},
};

/// A factor of the range, with three decimals.
Factor draw_factor(Range factors, Random& random) {
  constexpr std::int64_t kThousandth = 1'000'000;
  return {std::llround(factors.draw(random) * 1000) * kThousandth};
}

Task draw_task(std::size_t index, double u, Random& random) {
  const std::int64_t period = kSlowdownPeriods[random.integer(0, std::ssize(kSlowdownPeriods) - 1)];
  Task task;
  task.name = fmt::format("t{}", index + 1);
  task.period = task.deadline = Time::from_ms(period);
  Node node;
  node.name = "k";
  node.wcet =
      Time::from_ms(std::max<std::int64_t>(1, std::llround(u * static_cast<double>(period))));
  node.blocks = std::clamp<std::int64_t>(std::llround(u * static_cast<double>(kSlots)), 1, kSlots);
  node.threads = kThreadsABlock;
  task.nodes.push_back(node);
  task.graph = Graph::chain(1);
  return task;
}

/// A completion for every set of two or more that fits: one factor per batch.
void add_table(System& system, Range factors, Random& random) {
  for (std::size_t mask = 1; mask < std::size_t{1} << system.tasks.size(); ++mask) {
    Batch batch;
    std::int64_t blocks = 0;
    Time longest;
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      batch.tasks.push_back(i);
      blocks += *system.tasks[i].nodes[0].blocks;
      longest = std::max(longest, *system.tasks[i].nodes[0].wcet);
    }
    if (batch.tasks.size() < 2 || blocks > kSlots) continue;
    const Factor factor = draw_factor(factors, random);
    const Time exact = mul_div_up(longest, factor.billionths, Factor{}.billionths);
    batch.completion = Time::from_ms(ceil_div(exact, Time::from_ms(1)));
    system.batches.push_back(std::move(batch));
  }
}

/// Draws, in this order: the utilisations, then per task its period and (slowdown) its factor, then
/// (table) a factor for each set that fits, in ascending order of the sets as binary numbers.
System make_slowdown(tactus::Settings& settings, Random& random) {
  const Range factors = settings.range("lo", "hi", 1.0, 100.0);
  constexpr std::string_view kModels[] = {"slowdown", "table"};
  const bool table = settings.choice("model", kModels) == 1;
  const std::int64_t n = settings.integer("n", 1, table ? kMostTableTasks : 1000);
  const double total = settings.real("u", 0.001, static_cast<double>(n));
  const auto splitter = static_cast<Splitter>(settings.choice("split", kSplitterNames));

  System system;
  system.time_unit = TimeUnit::kUnit;
  Element gpu;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = kSms;
  gpu.sm = SmLimits{kThreadsAnSm, kBlocksAnSm, std::nullopt, std::nullopt};
  system.platform.elements.push_back(gpu);
  // The total is at most n, so a split exists unless a setting is wrong.
  const std::vector<double> u =
      split(splitter, total, static_cast<std::size_t>(n), Bounds{0, 1}, random)
          .value_or(std::vector<double>());
  for (std::size_t i = 0; i < u.size(); ++i) {
    system.tasks.push_back(draw_task(i, u[i], random));
    if (!table) system.tasks.back().nodes[0].slowdown = draw_factor(factors, random);
  }
  system.interference.emplace();
  system.interference->model = table ? InterferenceModel::kTable : InterferenceModel::kSlowdown;
  if (table) add_table(system, factors, random);
  return system;
}

}  // namespace

const Recipe kSlowdown = {
    "pbs-slowdown", "periodic kernels that slow each other down (experiments of the PBS paper)",
    kParameters, make_slowdown};

}  // namespace tactus::pbs
