#include <cmath>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/methods/gang/bound/theorem1.hpp"
#include "tactus/methods/gang/bound/tight.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tests/methods/gang/support.hpp"
#include "tests/support/paths.hpp"

/// Every sample case in tests/data/cases/gang, every number of its expected results.
namespace tactus::gang {
namespace {

constexpr const char* kFolder = "tests/data/cases/gang/";

json::Document parse_file(const std::string& path) {
  auto text = read_text_file(support::source_path(path));
  return std::get<json::Document>(json::Document::parse(std::move(*text)));
}
double number(const json::Value& value) { return std::stod(std::string(value.text())); }

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(support::source_path(kFolder))) {
    const std::string file = entry.path().filename();
    const std::string ending = ".system.json";
    if (file.ends_with(ending)) names.push_back(file.substr(0, file.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Case : public testing::TestWithParam<std::string> {
 protected:
  System system = read_file(kFolder + GetParam() + ".system.json");
  json::Document document = parse_file(kFolder + GetParam() + ".expected.json");
  const json::Value& expected = document.root();

  void expect_near(double value, const json::Value& wanted, const std::string& what) {
    EXPECT_NEAR(value, number(wanted), 1e-6 * std::max(1.0, std::abs(number(wanted)))) << what;
  }

  void check_bounds(const PreparedDag& dag, Scheduler scheduler, const json::Value& wanted,
                    const std::string& what) {
    const auto units = whole_platform(system);
    const DagBound bound = theorem2(system, dag, scheduler, units);
    expect_near(in_units(system, bound.total), *wanted.find("theorem2"), what);
    if (const json::Value* path = wanted.find("theorem1"); path->is(json::Kind::kNumber)) {
      expect_near(in_units(system, theorem1(dag, bound, 20'000).value()), *path, what + " T1");
    }
    Fraction tight = tighten(dag, bound).total;
    if (scheduler == kWorkConserving) {
      tight = std::min(tight, tighten(dag, theorem2(system, dag, kSemi, units)).total);
    }
    expect_near(in_units(system, tight), *wanted.find("theorem2_tight"), what + " tight");
    for (std::size_t p = 0; p < dag.loads.size(); ++p) {
      const DagBound::Part& part = bound.parts[p];
      const std::string& element = system.platform.elements[dag.loads[p].element].name;
      expect_near(in_units(system, part.term.amount), *wanted.find("terms")->find(element),
                  what + " on " + element);
      for (std::size_t k = 0; k < dag.loads[p].nodes.size(); ++k) {
        const GangNode& node = dag.dag.nodes[dag.loads[p].nodes[k]];
        for (NodeIndex piece : node.pieces) {  // no launches here: pieces are nodes
          const Node& named = system.tasks[dag.dag.task].nodes[piece];
          const std::int64_t blocks =
              system.platform.elements[named.on].lanes > 1 ? named.blocks.value_or(1) : 1;
          for (std::int64_t b = 0; b < blocks; ++b) {
            const std::string name =
                blocks == 1 ? named.name : named.name + "[" + std::to_string(b) + "]";
            const json::Value* delta = wanted.find("delta")->find(name);
            ASSERT_NE(delta, nullptr) << what << " " << name;
            EXPECT_EQ(part.idle[k] * part.pools.count, number(*delta)) << what << " " << name;
          }
        }
      }
    }
  }

  void check_task(std::size_t index, const json::Value& wanted) {
    const std::string task(wanted.find("task")->text());
    for (const bool exact : {false, true}) {
      const PreparedDag dag = prepare_all(system, exact)[index];
      std::int64_t nodes = 0;
      for (const GangNode& node : dag.dag.nodes) nodes += node.copies;
      EXPECT_EQ(nodes, number(*wanted.find("nodes")));
      expect_near(in_units(system, dag.length), *wanted.find("length"), task + " length");
      for (const ElementLoad& load : dag.loads) {
        const std::string& element = system.platform.elements[load.element].name;
        expect_near(in_units(system, quotient(load.total, 1)),
                    *wanted.find("volume")->find(element), task + " volume");
        expect_near(in_units(system, quotient(load.least_path, 1)),
                    *wanted.find("min_path_volume")->find(element), task + " least path");
        bool missing = false;
        for (const json::Value& item : wanted.find("h_missing")->items()) {
          missing = missing || item.text() == element;
        }
        EXPECT_EQ(load.off_path() > load.interfering, missing) << task << " " << element;
      }
      const char* how = exact ? "exact" : "dp";
      check_bounds(dag, kWorkConserving, *wanted.find("gang.wc")->find(how), task + " wc " + how);
      check_bounds(dag, kSemi, *wanted.find("gang.swc")->find(how), task + " swc " + how);
    }
  }

  void check_allocation(const char* method, const json::Value& wanted) {
    for (const char* solver : {"pareto", "cbc"}) {
      if (std::string(solver) == "cbc" && integer_program_solver() == nullptr) continue;
      const Verdict verdict = run(method, system, {{"solver", solver}});
      const bool feasible = wanted.find("feasible")->boolean();
      const auto* plan = dynamic_cast<const SharePlan*>(verdict.plan.get());
      ASSERT_EQ(plan != nullptr, feasible) << method;
      if (system.tasks.size() > 1) {
        EXPECT_EQ(verdict.status, feasible ? Status::kSchedulable : Status::kUnschedulable);
        for (const TaskVerdict& task : verdict.tasks) {
          EXPECT_EQ(task.bound.has_value(), feasible);
        }
      }
      if (!feasible) {
        EXPECT_FALSE(verdict.reason.empty());
        continue;
      }
      std::int64_t total = 0;
      for (const auto& share : plan->shares) {
        for (std::int64_t units : share.units) total += units;
      }
      EXPECT_EQ(total, number(*wanted.find("min_total_units"))) << method << " " << solver;
    }
  }

  void check_locking(const char* method, const json::Value& wanted) {
    for (const char* k : {"k=1", "best"}) {
      const json::Value& with_k = *wanted.find(k);
      std::map<std::string, std::string, std::less<>> settings;
      if (std::string(k) == "k=1") settings.emplace("k", "1");
      const Verdict verdict = run(method, system, settings);
      const std::string what = std::string(method) + " " + k;
      EXPECT_EQ(verdict.status == Status::kSchedulable, with_k.find("feasible")->boolean()) << what;
      for (const TaskVerdict& task : verdict.tasks) {
        const json::Value* bound = with_k.find("bounds")->find(system.tasks[task.task].name);
        ASSERT_NE(bound, nullptr) << what;
        EXPECT_EQ(task.bound.has_value(), bound->is(json::Kind::kNumber)) << what;
        if (task.bound && bound->is(json::Kind::kNumber)) {
          expect_near(in_units(system, *task.bound), *bound, what);
        }
        for (const auto& row : task.details.back().rows) {
          EXPECT_EQ(std::stod(row[1]), number(*with_k.find("k")->find(row[0]))) << what;
          expect_near(std::stod(row[5]), *with_k.find("blocking_per_request")->find(row[0]), what);
        }
      }
    }
  }
};

TEST_P(Case, GivesTheExpectedResults) {
  if (const json::Value* mentions = expected.find("must_mention")) {
    for (const char* method : {"gang.wc", "gang.swc", "gang.rm-he", "gang.wc-he"}) {
      const Verdict verdict = run(method, system);
      EXPECT_EQ(verdict.status, Status::kNotApplicable);
      EXPECT_TRUE(verdict.at.known());
      for (const json::Value& word : mentions->items()) {
        EXPECT_NE(verdict.reason.find(word.text()), std::string::npos) << verdict.reason;
      }
    }
    return;
  }
  const json::Value* tasks = expected.find("tasks");
  if (tasks == nullptr) tasks = expected.find("tasks_on_the_whole_platform");
  for (std::size_t i = 0; i < tasks->items().size(); ++i) check_task(i, tasks->items()[i]);
  if (const json::Value* shares = expected.find("federated")) {
    check_allocation("gang.wc", *shares->find("wc"));
    check_allocation("gang.swc", *shares->find("swc"));
  }
  if (const json::Value* locking = expected.find("locking")) {
    check_locking("gang.rm-he", *locking->find("gang.rm-he"));
    check_locking("gang.wc-he", *locking->find("gang.wc-he"));
  }
  if (tasks->items().size() == 1) {
    const json::Value* schedulable = tasks->items()[0].find("schedulable");
    EXPECT_EQ(run("gang.wc", system).status == Status::kSchedulable,
              schedulable->find("wc")->boolean());
    EXPECT_EQ(run("gang.swc", system).status == Status::kSchedulable,
              schedulable->find("swc")->boolean());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Case, testing::ValuesIn(case_names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tactus::gang
