#include "tactus/generate/pbs_slowdown.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tactus::pbs {
namespace {

constexpr std::int64_t kSms = 8, kThreadsAnSm = 1024, kBlocksAnSm = 32;
constexpr std::int64_t kThreadsABlock = 32;  // so 256 block slots, and no order matters
constexpr std::int64_t kSlots = kSms * kBlocksAnSm;
constexpr std::int64_t kPeriods[] = {400, 600, 800, 1200, 1600};  // a hyperperiod of at most 4800
constexpr std::int64_t kMostTableTasks = 8;                       // 247 batches

constexpr Parameter kParameters[] = {
    {"n", "5", "tasks"},
    {"u", "1.0", "sum of wcet / period"},
    {"lo", "1.1", "smallest slowdown factor"},
    {"hi", "1.9", "largest slowdown factor"},
    {"model", "slowdown", "slowdown: a factor a task; table: a factor a batch (n <= 8)"},
};

/// UUniFast, repeated until no utilisation exceeds 1.
std::vector<double> utilisations(std::int64_t n, double total, Random& random) {
  constexpr int kMostTries = 100'000;
  std::vector<double> u(static_cast<std::size_t>(n));
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    double left = total;
    for (std::size_t i = 0; i + 1 < u.size(); ++i) {
      const double next =
          left * std::pow(random.real(), 1.0 / static_cast<double>(u.size() - 1 - i));
      u[i] = left - next;
      left = next;
    }
    u.back() = left;
    if (std::all_of(u.begin(), u.end(), [](double value) { return value <= 1.0; })) return u;
  }
  // Only when the total is so close to n that hardly any split is left.
  std::fill(u.begin(), u.end(), total / static_cast<double>(n));
  return u;
}

/// A factor of the range, with three decimals.
Factor draw_factor(double lo, double hi, Random& random) {
  constexpr std::int64_t kThousandth = 1'000'000;
  return {std::llround(random.real(lo, hi) * 1000) * kThousandth};
}

Time units(std::int64_t count) { return Time::from_ms(count); }

Task draw_task(std::size_t index, double u, Random& random) {
  const std::int64_t period = kPeriods[random.integer(0, std::ssize(kPeriods) - 1)];
  Task task;
  task.name = fmt::format("t{}", index + 1);
  task.period = task.deadline = units(period);
  Node node;
  node.name = "k";
  node.wcet = units(std::max<std::int64_t>(1, std::llround(u * static_cast<double>(period))));
  node.blocks = std::clamp<std::int64_t>(std::llround(u * static_cast<double>(kSlots)), 1, kSlots);
  node.threads = kThreadsABlock;
  task.nodes.push_back(node);
  task.graph = Graph::chain(1);
  return task;
}

/// A completion for every set of two or more that fits: one factor a batch.
void add_table(System& system, double lo, double hi, Random& random) {
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
    const Factor factor = draw_factor(lo, hi, random);
    const Time exact = mul_div_up(longest, factor.billionths, Factor{}.billionths);
    batch.completion = units(ceil_div(exact, units(1)));
    system.batches.push_back(std::move(batch));
  }
}

/// Draws, in this order: the utilisations, then per task its period and (slowdown) its factor, then
/// (table) a factor for each set that fits, in ascending order of the sets as binary numbers.
System make(tactus::Settings& settings, Random& random) {
  const double lo = settings.real("lo", 1.0, 100.0), hi = settings.real("hi", 1.0, 100.0);
  constexpr std::string_view kModels[] = {"slowdown", "table"};
  const bool table = settings.choice("model", kModels) == 1;
  const std::int64_t n = settings.integer("n", 1, table ? kMostTableTasks : 1000);
  const double total = settings.real("u", 0.001, static_cast<double>(n));

  System system;
  system.time_unit = TimeUnit::kUnit;
  Element gpu;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = kSms;
  gpu.sm = SmLimits{kThreadsAnSm, kBlocksAnSm, std::nullopt, std::nullopt};
  system.platform.elements.push_back(gpu);
  const std::vector<double> u = utilisations(n, total, random);
  for (std::size_t i = 0; i < u.size(); ++i) {
    system.tasks.push_back(draw_task(i, u[i], random));
    if (!table) system.tasks.back().nodes[0].slowdown = draw_factor(lo, std::max(lo, hi), random);
  }
  system.interference.emplace();
  system.interference->model = table ? InterferenceModel::kTable : InterferenceModel::kSlowdown;
  if (table) add_table(system, lo, std::max(lo, hi), random);
  return system;
}

}  // namespace

const Recipe kSlowdown = {
    .name = "pbs-slowdown",
    .doc = "periodic kernels that slow each other down (experiments of the PBS paper)",
    .parameters = kParameters,
    .make = make,
};

}  // namespace tactus::pbs
