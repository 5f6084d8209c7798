#include <fmt/core.h>

#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/support.hpp"

/// Tables 2, 4 and 5 of the paper, to every number.
namespace tactus::gcaps::tests {
namespace {

std::string table2_text(std::string_view runlist_update, std::string_view gpu_order = "") {
  Sketch sketch(2);
  sketch.runlist_update(runlist_update).context_switch("0.2").time_slice("1.024");
  const auto level = [&](std::size_t task) {
    return gpu_order.empty() ? std::string() : fmt::format(R"("gpu_priority":{})", gpu_order[task]);
  };
  sketch.task("tau1", 1, "80", "2, 2+4, 4, 2+2, 3", level(0));
  sketch.task("tau2", 1, "150", "40", level(1));
  sketch.task("tau3", 2, "190", "4, 5+80, 30", level(2));
  sketch.task("tau4", 1, "200", "16, 2+10, 2", level(3));
  return sketch.text();
}

System table4(std::string_view dxtc = "2, 0.5+15.5") {
  return Sketch(6)
      .runlist_update("1")
      .context_switch("0.2")
      .time_slice("1.0")
      .task("histogram", 1, "100", "1, 1+10")
      .task("mmul_gpu_1", 2, "150", "2, 2+12")
      .task("mmul_cpu", 2, "200", "68")
      .task("projection", 1, "300", "12, 1.5+13.5")
      .task("dxtc", 1, "400", dxtc)
      .best_effort("mmul_gpu_2", 4, "200", "4, 0+44")
      .system();
}

/// The bounds of a verdict in file order as a person writes them: "26 58.5 null".
std::string row(const Verdict& verdict, const System& system) {
  std::string text;
  for (const TaskVerdict& task : verdict.tasks) {
    if (!text.empty()) text += ' ';
    text += task.bound ? format_time(*task.bound, system.time_unit) : "null";
  }
  return text;
}

void expect_row(const System& system, std::string_view variant, std::string_view method,
                std::string_view expected) {
  SCOPED_TRACE(std::string(variant) + " " + std::string(method));
  const Verdict verdict = run(method, system, variant);
  EXPECT_EQ(row(verdict, system), expected);
  EXPECT_EQ(verdict.status, expected.find("null") == std::string_view::npos
                                ? Status::kSchedulable
                                : Status::kUnschedulable);
}

std::string levels(const Verdict& verdict, const System& system) {
  const auto* plan = dynamic_cast<const PriorityPlan*>(verdict.plan.get());
  if (plan == nullptr) return "none";
  std::string text;
  for (const Task& task : system.tasks) {
    for (const PriorityPlan::Entry& entry : plan->entries) {
      if (&system.tasks[entry.task] == &task) text += std::to_string(entry.gpu_priority);
    }
  }
  return text;
}

TEST(Table2, FailsWithDefaultGpuPriorities) {
  const System system = read(table2_text("1"));
  expect_row(system, "paper", "gcaps.suspend", "26 58 153 null");
  expect_row(system, "paper", "gcaps.busy", "26 64 153 null");
  expect_row(system, "safe", "gcaps.suspend", "34 58 183 null");
  expect_row(system, "safe", "gcaps.busy", "28 68 180 null");
  expect_row(system, "paper", "tsg-rr.suspend", "33.688 53 null null");
  expect_row(system, "safe", "tsg-rr.suspend", "34.888 53 null null");
}

TEST(Table2, PassesWithTheSwapThatThePaperFinds) {
  const System system = read(table2_text("1"));
  expect_row(system, "paper", "gcaps.suspend.prio", "26 75 187 143");
  expect_row(system, "paper", "gcaps.busy.prio", "26 64 187 120");
  EXPECT_EQ(levels(run("gcaps.suspend.prio", system, "paper"), system), "4312");
  EXPECT_EQ(levels(run("gcaps.busy.prio", system, "paper"), system), "4312");
}

TEST(Table2, IsNotSavedByAnyGpuPrioritiesInTheSafeVariant) {
  const System system = read(table2_text("1"));
  expect_row(system, "safe", "gcaps.suspend.prio", "34 58 183 null");
  expect_row(system, "safe", "gcaps.busy.prio", "28 68 180 null");
  EXPECT_EQ(levels(run("gcaps.suspend.prio", system, "safe"), system), "none");
  EXPECT_EQ(levels(run("gcaps.busy.prio", system, "safe"), system), "none");
}

TEST(Table2, TakesTheSwapFromTheFileToo) {
  const System system = read(table2_text("1", "4312"));
  expect_row(system, "paper", "gcaps.suspend", "26 75 187 143");
  expect_row(system, "paper", "gcaps.busy", "26 64 187 120");
  // GPU priorities mean nothing to the driver's round robin and to locks.
  expect_row(system, "safe", "tsg-rr.suspend", "34.888 53 null null");
}

TEST(Table2, HasTheSamePatternForSmallerUpdatesButNotForLargerOnes) {
  for (const std::string_view mode : {"suspend", "busy"}) {
    const std::string plain = "gcaps." + std::string(mode), assigned = plain + ".prio";
    for (const std::string_view update : {"0", "0.5", "1"}) {
      const System system = read(table2_text(update));
      const Verdict failed = run(plain, system, "paper");
      EXPECT_EQ(failed.status, Status::kUnschedulable) << plain << " " << update;
      EXPECT_TRUE(failed.tasks[2].bound) << "only tau4 fails";
      EXPECT_FALSE(failed.tasks[3].bound);
      const Verdict passed = run(assigned, system, "paper");
      EXPECT_EQ(passed.status, Status::kSchedulable) << assigned << " " << update;
      EXPECT_EQ(levels(passed, system), "4312");
    }
    EXPECT_EQ(run(assigned, read(table2_text("2")), "paper").status, Status::kUnschedulable);
  }
}

TEST(Table5, GivesTheGcapsColumns) {
  const System system = table4();
  expect_row(system, "paper", "gcaps.suspend", "16 32 75 59 79");
  expect_row(system, "paper", "gcaps.busy", "16 32 111 59 79");
}

TEST(Table5, GivesTheBoundsOfThePrintedRoundRobinEquations) {
  const System system = table4();
  expect_row(system, "paper", "tsg-rr.suspend", "60 73.6 72 98.2 112.3");
  expect_row(system, "paper", "tsg-rr.busy", "60 73.6 144 280.2 null");
}

TEST(Table5, GivesTheSafeBounds) {
  const System system = table4();
  expect_row(system, "safe", "gcaps.suspend", "24 38 75 71 109");
  expect_row(system, "safe", "gcaps.busy", "18 37 123 66 87");
  expect_row(system, "safe-arbiter", "gcaps.suspend", "16 34 74 63 84");
  expect_row(system, "safe-arbiter", "gcaps.busy", "16 35 118 65 87");
  for (const std::string_view variant : {"safe", "safe-arbiter"}) {
    expect_row(system, variant, "tsg-rr.suspend", "62 76 72 101 115.5");
    expect_row(system, variant, "tsg-rr.busy", "62 76 144 283 null");
    expect_row(system, variant, "mpcp.suspend", "60 82 72 112 146.5");
  }
}

TEST(Table5, FailsUnderTheOtherLocks) {
  const System system = table4();
  constexpr std::string_view kNone = "null null null null null";
  expect_row(system, "paper", "mpcp.suspend", kNone);
  for (const std::string_view variant : {"safe", "paper"}) {
    expect_row(system, variant, "mpcp.busy", kNone);
    expect_row(system, variant, "fmlp.suspend", kNone);
    expect_row(system, variant, "fmlp.busy", kNone);
  }
  // "FMLP+ fails at task 1, as the paper says (132 > 100)."
  EXPECT_EQ(sum(run("fmlp.suspend", system, "paper").tasks[0].terms), ms(132));
}

TEST(Table5, DoesNotDependOnHowDxtcIsSplitBelowOneMillisecond) {
  for (const std::string_view dxtc : {"2, 0+16", "2, 0.25+15.75", "2, 0.999+15.001"}) {
    const System system = table4(dxtc);
    expect_row(system, "paper", "gcaps.suspend", "16 32 75 59 79");
    expect_row(system, "paper", "gcaps.busy", "16 32 111 59 79");
  }
}

/// How Table 5 must have computed its round-robin columns, which differ from the printed
/// equations: D_h for R_h in Eq. 8; and, for a spinning h, G_h^m twice and three other contexts
/// whatever the task under analysis. No method of the product does this.
std::string round_robin_as_in_table5(const System& system, bool busy) {
  const naive::Set set = naive::make_set(system);
  const naive::Ns slice_and_switch = set.L + set.theta;
  const auto slices = [&](const naive::Task& task) { return naive::jobs(task.Ge(), set.L, 0); };
  std::string text;
  for (const naive::Task* i : set.by_priority()) {
    const std::int64_t others = 4;  // nu = 4 (task 7 is left out)
    const naive::Ns own =
        i->C + i->G() + (i->eta() > 0 ? slice_and_switch * others * slices(*i) : 0);
    std::vector<naive::Demand> demands;
    for (const naive::Task* h : set.hpp(*i)) {
      const naive::Ns on_cpu = h->C + h->Gm();
      if (busy) {
        const naive::Ns spinning = h->eta() > 0 ? slice_and_switch * 3 * slices(*h) : 0;
        demands.push_back({on_cpu + h->G() + spinning, *h->T, 0});
      } else {
        demands.push_back({on_cpu, *h->T, h->D - on_cpu});
      }
    }
    const auto bound =
        naive::fixed_point(own, i->D, [&](naive::Ns R) { return own + naive::total(demands, R); });
    if (!text.empty()) text += ' ';
    text += bound ? format_time(Time::from_ns(*bound), TimeUnit::kMs) : "Failed";
  }
  return text;
}

TEST(Table5, PrintsRoundRobinColumnsThatComeFromOtherEquationsThanThePapers) {
  EXPECT_EQ(round_robin_as_in_table5(table4(), false), "60 73.6 76 98.2 127.8");
  EXPECT_EQ(round_robin_as_in_table5(table4(), true), "60 73.6 129.2 192.2 Failed");
}

/// Measured maxima of Table 5 in hundredths of a millisecond: no bound that claims to be safe may
/// be below them.
TEST(Table5, ObservedNothingAboveTheSafeBounds) {
  const System system = table4();
  const auto expect_above = [&](std::string_view method, const std::vector<std::int64_t>& seen) {
    const Verdict verdict = run(method, system, "safe");
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!verdict.tasks[i].bound) continue;
      EXPECT_GE(*verdict.tasks[i].bound, Time::from_us(seen[i] * 10)) << method << " " << i;
    }
  };
  expect_above("tsg-rr.suspend", {4533, 6697, 7184, 8650, 8662});
  expect_above("tsg-rr.busy", {2613, 4447, 10914, 7564, 11768});
  expect_above("gcaps.suspend", {1015, 2236, 6739, 4317, 4924});
  expect_above("gcaps.busy", {968, 2328, 8501, 4491, 5793});
}

}  // namespace
}  // namespace tactus::gcaps::tests
