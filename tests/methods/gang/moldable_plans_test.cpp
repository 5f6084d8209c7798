#include <functional>
#include <numeric>
#include <set>

#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/support.hpp"
#include "tests/support/rigid.hpp"

/// Shares and widths of several tasks with measured kernels: the best of all, and the checker.
namespace tactus::gang {
namespace {

using support::all_widths;
using support::rigid;
using Units = std::vector<std::int64_t>;

std::string written(const System& system, std::string_view method, const Plan& plan) {
  json::Writer out;
  write_plan(out, system, method, kSafe, plan);
  return out.take();
}

/// One share that is enough for one task: by every combination of widths that fits it.
std::vector<Units> good_shares(const System& system, std::size_t index, Scheduler scheduler) {
  const Task& task = system.tasks[index];
  const Units platform = whole_platform(system);
  std::vector<Units> good;
  Units units(platform.size());
  const auto is_good = [&] {
    for (const auto& widths : all_widths(task, units)) {
      Widths by_task(system.tasks.size());
      by_task[index] = widths;
      System one = rigid(system, by_task);
      one.tasks = {one.tasks[index]};
      const PreparedDag dag = prepare_all(one).front();
      bool fits = true;
      for (const ElementLoad& load : dag.loads) fits = fits && load.widest <= units[load.element];
      if (!fits) continue;
      const Fraction bound = theorem2(one, dag, scheduler, units).total;
      if (bound <= to_fraction(dag.dag.deadline)) return true;
    }
    return false;
  };
  const std::function<void(std::size_t)> choose = [&](std::size_t p) {
    if (p == platform.size()) {
      if (is_good()) good.push_back(units);
      return;
    }
    const bool used = std::any_of(task.nodes.begin(), task.nodes.end(),
                                  [&](const Node& node) { return node.on == p; });
    for (units[p] = used ? 1 : 0; units[p] <= (used ? platform[p] : 0); ++units[p]) choose(p + 1);
  };
  choose(0);
  return good;
}

std::int64_t total(const std::vector<Units>& shares) {
  std::int64_t sum = 0;
  for (const Units& units : shares) sum = std::accumulate(units.begin(), units.end(), sum);
  return sum;
}

std::optional<std::vector<Units>> best_of_all(const System& system, Scheduler scheduler) {
  std::vector<std::vector<Units>> good;
  for (std::size_t k = 0; k < system.tasks.size(); ++k) {
    good.push_back(good_shares(system, k, scheduler));
  }
  std::optional<std::vector<Units>> best;
  std::vector<Units> current;
  const std::function<void(Units)> combine = [&](Units left) {
    if (current.size() == good.size()) {
      if (!best || total(current) < total(*best)) best = current;  // first = smallest
      return;
    }
    for (const Units& units : good[current.size()]) {
      Units rest = left;
      bool fits = true;
      for (std::size_t p = 0; p < rest.size(); ++p) fits = (rest[p] -= units[p]) >= 0 && fits;
      if (!fits) continue;
      current.push_back(units);
      combine(rest);
      current.pop_back();
    }
  };
  combine(whole_platform(system));
  return best;
}

/// With measured kernels on one element and on two: both solvers' problems.
TEST(RandomMoldableShares, AreTheBestOfAllOfThem) {
  RandomSystems random(91);
  int found = 0, impossible = 0, joint = 0;
  for (int round = 0; round < scaled(250); ++round) {
    const System system = random.make(
        {.tasks = 2, .nodes = 4, .elements = 3, .units = 4, .lanes = false, .times = true});
    for (const char* method : {"gang.wc", "gang.swc"}) {
      const bool semi = std::string(method) == "gang.swc";
      const auto best = best_of_all(system, semi ? kSemi : kWorkConserving);
      const Verdict verdict = run(method, system);
      const auto* plan = dynamic_cast<const SharePlan*>(verdict.plan.get());
      ASSERT_EQ(plan != nullptr, best.has_value()) << method << " " << round << verdict.reason;
      (best ? found : impossible) += 1;
      if (!best) {
        ASSERT_EQ(verdict.status, Status::kUnschedulable) << verdict.reason;
        continue;
      }
      for (std::size_t k = 0; k < best->size(); ++k) {
        ASSERT_EQ(plan->shares[k].units, (*best)[k]) << method << " " << round;
      }
      for (const GangTask& task : tasks_of(system)) {
        std::set<ElementIndex> elements;
        for (const Piece& piece : task.pieces) {
          if (piece.moldable) elements.insert(piece.on);
        }
        joint += elements.size() > 1 ? 1 : 0;
      }
      if (integer_program_solver() == nullptr) continue;
      const Verdict program = run(method, system, {{"solver", "cbc"}});
      if (program.status == Status::kUndecided) continue;  // joint choices
      const auto& other = dynamic_cast<const SharePlan&>(*program.plan);
      for (std::size_t k = 0; k < best->size(); ++k) {
        ASSERT_EQ(other.shares[k].units, (*best)[k]) << method << " " << round;
      }
    }
  }
  EXPECT_GT(found, 20);
  EXPECT_GT(impossible, 20);
  EXPECT_GT(joint, 5);
}

TEST(RandomMoldablePlans, PassTheIndependentCheckerAndAreReadAgain) {
  RandomSystems random(92);
  int checked = 0;
  for (int round = 0; round < scaled(400); ++round) {
    const System system = random.make(
        {.tasks = 3, .nodes = 5, .elements = 3, .units = 10, .times = true, .launch = true});
    for (const char* method : {"gang.wc", "gang.swc"}) {
      const Verdict verdict = run(method, system, {{"delta", round % 2 == 0 ? "dp" : "exact"}});
      if (!verdict.plan) continue;
      const auto file = read_plan_file(written(system, method, *verdict.plan), "p", system);
      ASSERT_TRUE(file) << file.error().message;
      ASSERT_TRUE(file->failures.empty()) << method << " " << round << ": " << file->failures[0];
      const auto& plan = dynamic_cast<const SharePlan&>(*verdict.plan);
      const auto& again = dynamic_cast<const SharePlan&>(*file->plan.verdict.plan);
      for (std::size_t k = 0; k < plan.shares.size(); ++k) {
        ASSERT_EQ(again.shares[k].widths, plan.shares[k].widths);
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

class TimesExample : public testing::Test {
 protected:
  const System system = read_file("examples/gang-times.system.json");
  SharePlan plan = dynamic_cast<const SharePlan&>(*run("gang.swc", system).plan);

  std::string first_problem() const {
    const auto document = json::Document::parse(written(system, "gang.swc", plan));
    const auto problems =
        find_method("gang.swc")->check_plan(system, std::get<json::Document>(document).root());
    return problems.empty() ? "" : problems[0];
  }
};

TEST_F(TimesExample, IsFineAsPlanned) { EXPECT_EQ(first_problem(), ""); }

TEST_F(TimesExample, FailsWithAWidthThatIsNoEntry) {
  plan.shares[0].widths[0].units += 1;
  EXPECT_EQ(first_problem(), "task `camera`: node `detect`: 9 units are no entry of its `times`");
}

TEST_F(TimesExample, FailsWithAWidthAboveTheShare) {
  plan.shares[0].widths[0].units = 16;
  EXPECT_EQ(first_problem(),
            "task `camera`: node `detect`: 16 units are more than its task's share of 8");
}

TEST_F(TimesExample, FailsWithAnotherEntryThanTheBoundIsFor) {
  plan.shares[0].widths[0].units = 4;
  EXPECT_NE(first_problem().find("the bound on its share is"), std::string::npos)
      << first_problem();
}

TEST_F(TimesExample, FailsWithoutAWidth) {
  plan.shares[0].widths.erase(plan.shares[0].widths.begin());
  EXPECT_EQ(first_problem(),
            "task `camera`: node `detect`: the plan does not say how many units it runs on");
}

TEST_F(TimesExample, SaysTheWidthsInItsTables) {
  const auto tables = plan.tables(system);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[1].rows[0],
            (std::vector<std::string>{"camera", "detect", "gpu", "8", "8", "3.82"}));
}

/// Whoever reads a plan is told where it is wrong.
TEST_F(TimesExample, IsRefusedByTheReaderWithUnitsWithoutATime) {
  plan.shares[0].widths[0].units = 9;
  const auto file = read_plan_file(written(system, "gang.swc", plan), "p", system);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("node `detect` has no time for 9 units"), std::string::npos)
      << file.error().message;
}

}  // namespace
}  // namespace tactus::gang
