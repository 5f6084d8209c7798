#include "tactus/methods/plan_file.hpp"

#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"
#include "tests/support/read.hpp"

/// Plans that come back from a file: what is written is read as it was, and nothing else is taken.
namespace tactus {
namespace {

System example(const std::string& name) { return support::read_file("examples/" + name); }

std::string written(const System& system, const Verdict& verdict) {
  json::Writer out;
  write_plan(out, system, verdict.method, verdict.variant, *verdict.plan);
  return out.take();
}

std::string planned(const System& system, std::string_view method) {
  return written(system, analyze(*find_method(method), system));
}

/// `text` with the first `from` after `after` replaced.
std::string with(std::string text, std::string_view after, std::string_view from,
                 std::string_view to) {
  const std::size_t at = text.find(from, text.find(after));
  EXPECT_NE(at, std::string::npos) << after << " " << from;
  return text.replace(at, from.size(), to);
}

/// The first failure, or the error, or nothing.
std::string complaint(const System& system, std::string text) {
  const auto file = read_plan_file(std::move(text), "p", system);
  if (!file) return to_string(file.error());
  return file->failures.empty() ? "" : file->failures.front();
}

struct Ground {
  std::string_view recipe;
  std::vector<std::string_view> methods;
};
const Ground kGrounds[] = {
    {"gcaps-small", {"gcaps.suspend.prio", "gcaps.busy.prio"}},
    {"dag-small", {"dag.balanced", "dag.greedy", "dag.greedy-unaware", "dag.graham"}},
    {"gang-small", {"gang.wc", "gang.swc"}},
    {"pbs-small", {"pbs.graph", "pbs.edf-serial", "pbs.edf-parallel"}},
    {"rtgpu-small", {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"}},
};

/// Calls `visit(system, verdict)` for plans of random systems of every family and variant.
template <typename Visit>
void for_each_plan(std::uint64_t seed, std::uint64_t systems, Visit visit) {
  for (const Ground& ground : kGrounds) {
    const Recipe& recipe = *find_recipe(ground.recipe);
    for (const std::string_view id : ground.methods) {
      const Method& method = *find_method(id);
      int plans = 0;
      for (std::uint64_t index = 0; index < systems; ++index) {
        const System system = *generate(recipe, Settings(recipe.parameters, {}), seed, index);
        for (const std::string_view variant : method.variants) {
          Options options;
          options.variant = variant;
          if (id == "pbs.graph" && index % 2 == 1) options.settings["idle"] = "on";
          if (id.starts_with("pbs") && index % 3 == 1) options.settings["margin"] = "0.1";
          if (id.starts_with("gang") && index % 2 == 1) options.settings["delta"] = "exact";
          const Verdict verdict = analyze(method, system, options);
          if (!verdict.plan) continue;
          ++plans;
          visit(system, verdict);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
      EXPECT_GT(plans, 20) << id;
    }
  }
}

TEST(PlanFile, IsWrittenAgainAsItWas) {
  for_each_plan(71, 150, [](const System& system, const Verdict& verdict) {
    const std::string text = written(system, verdict);
    const auto file = read_plan_file(text, "p", system);
    ASSERT_TRUE(file) << file.error().message << "\n" << text;
    ASSERT_EQ(written(system, file->plan.verdict), text);
    // Plans of the paper's variant of dag are not sound, and found out.
    if (verdict.variant != kSafe) return;
    if (verdict.status == Status::kUnschedulable) {
      ASSERT_FALSE(file->failures.empty()) << "a plan that is late does not hold\n" << text;
      ASSERT_TRUE(file->failures.front().starts_with("deadline: the bound"))
          << file->failures.front();
    } else {
      ASSERT_TRUE(file->failures.empty()) << file->failures.front() << "\n" << text;
    }
  });
}

TEST(PlanFile, PromisesTheBoundsOfThePlan) {
  for_each_plan(72, 60, [](const System& system, const Verdict& verdict) {
    const auto file = read_plan_file(written(system, verdict), "p", system);
    ASSERT_TRUE(file);
    const Verdict& read = file->plan.verdict;
    EXPECT_EQ(read.method, verdict.method);
    EXPECT_EQ(read.variant, verdict.variant);
    ASSERT_EQ(read.tasks.size(), verdict.tasks.size());
    for (std::size_t i = 0; i < read.tasks.size(); ++i) {
      EXPECT_EQ(read.tasks[i].task, verdict.tasks[i].task);
      EXPECT_EQ(read.tasks[i].deadline, verdict.tasks[i].deadline);
      // A gang task that is alone is bounded on the whole platform, its plan on fewer units; GPU
      // priorities are proved one by one, and read back together.
      const bool same = !verdict.method.starts_with("gang") && !verdict.method.ends_with("prio");
      if (same) {
        EXPECT_EQ(read.tasks[i].bound, verdict.tasks[i].bound) << verdict.method;
      }
      if (file->failures.empty()) {
        EXPECT_EQ(read.tasks[i].schedulable, verdict.tasks[i].schedulable);
      }
    }
  });
}

/// Every value of every plan is changed in turn; whatever is still accepted is still the same plan.
TEST(PlanFile, IsNotTakenWithAnyValueChanged) {
  int accepted = 0, refused = 0;
  for_each_plan(73, 60, [&](const System& system, const Verdict& verdict) {
    if (verdict.variant != kSafe) return;
    const std::string text = written(system, verdict);
    for (std::size_t at = text.find("\"variant\""); at < text.size(); ++at) {
      if (std::isdigit(static_cast<unsigned char>(text[at])) == 0 || text[at - 1] != ' ') continue;
      std::size_t end = at;
      while (std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      const std::string other = text.substr(0, at) +
                                std::to_string(std::stoll(text.substr(at, end - at)) + 1) +
                                text.substr(end);
      const auto file = read_plan_file(other, "p", system);
      if (!file || !file->failures.empty()) {
        ++refused;
        continue;
      }
      ++accepted;  // a bound with room, a priority that is as good
      ASSERT_EQ(written(system, file->plan.verdict), other);
    }
  });
  EXPECT_GT(refused, 2 * accepted);
  EXPECT_GT(refused, 5'000);
}

/// Every value of a plan of every family becomes every kind of nonsense: a complaint each time (or,
/// for a field without weight, the same plan), and never a crash.
TEST(PlanFile, SurvivesAnyNonsense) {
  const std::pair<const char*, const char*> plans[] = {
      {"robot", "gcaps.suspend.prio"}, {"dag-example", "dag.balanced"},
      {"dag-example", "dag.graham"},   {"gang-shares", "gang.swc"},
      {"pbs-figure1", "pbs.graph"},    {"rtgpu-perception", "rtgpu"},
      {"rtgpu-perception", "stgm"},
  };
  int refused = 0;
  for (const auto& [file, method] : plans) {
    const System system = example(std::string(file) + ".system.json");
    const Verdict verdict = analyze(*find_method(method), system);
    if (!verdict.plan) continue;
    const std::string text = written(system, verdict);
    for (std::size_t at = text.find("\"variant\""); at < text.size(); ++at) {
      if (text[at - 1] != ' ' || text[at] == ' ' || text[at] == '}' || text[at] == ']') continue;
      const std::size_t end = text.find_first_of(",\n:", at);
      if (text[end] == ':') continue;  // a key
      for (const char* nonsense :
           {"null", "true", "[]", "{}", "\"x\"", "-1", "0.5", "1e300", "9223372036854775807",
            "-9223372036854775808", "[[[]]]", "{\"task\": 1}"}) {
        std::string other = text;
        const bool opens = text[at] == '[' || text[at] == '{';
        other.replace(at, opens ? 1 : end - at,
                      opens ? std::string(nonsense) + ", " + text[at] : std::string(nonsense));
        refused += complaint(system, other).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refused, 3'000);
}

TEST(PlanFile, IsRefusedForAnotherSystemOrMethod) {
  const System robot = example("robot.system.json");
  const std::string plan = planned(robot, "gcaps.suspend.prio");
  EXPECT_EQ(complaint(robot, plan), "");
  System other = robot;
  other.tasks[0].deadline = *other.tasks[0].deadline + Time::from_ns(1);
  EXPECT_EQ(complaint(other, plan),
            "p: this plan was made for another system than `" + robot.name + "`");
  EXPECT_EQ(complaint(robot, with(plan, "\"kind\"", "plan", "verdict")),
            "p: this is not a plan (`kind` must be \"plan\")");
  std::string old = plan;
  old.erase(old.find("\"kind\""), old.find("\"system\"") - old.find("\"kind\""));
  EXPECT_EQ(complaint(robot, old),
            "p: this plan does not say its `kind`: an earlier tactus wrote it; make it again");
  EXPECT_EQ(complaint(robot, with(plan, "method", "gcaps.suspend.prio", "nothing")),
            "p: there is no method `nothing`");
  EXPECT_EQ(complaint(robot, with(plan, "method", "gcaps.suspend.prio", "gang.rm-he")),
            "p: gang.rm-he makes no plans");
  EXPECT_EQ(complaint(robot, with(plan, "method", "suspend.prio", "suspend.prio+x")),
            "`method` is `gcaps.suspend.prio+x`, the rest of the plan implies "
            "`gcaps.suspend.prio`");
}

TEST(PlanFile, SaysWhereItIsMalformed) {
  const System dag = example("dag-example.system.json");
  EXPECT_EQ(complaint(dag, "{"), "p:1:2: expected a key in quotes");
  const std::string plan = planned(dag, "dag.balanced");
  EXPECT_EQ(complaint(dag, with(plan, "variant", "\"bound\"", "\"bond\"")),
            "p:1:1: `bound` is missing");
  const std::string wrong = with(plan, "steps", "\"m\": ", "\"m\": \"x\", \"q\": ");
  EXPECT_NE(complaint(dag, wrong).find(": `m` must be a whole number"), std::string::npos)
      << complaint(dag, wrong);
  EXPECT_EQ(complaint(dag, wrong).substr(0, 2), "p:");
}

TEST(PlanFile, NoticesRedundantFieldsThatDisagree) {
  const System rtgpu = example("rtgpu-perception.system.json");
  const std::string shares = planned(rtgpu, "rtgpu");
  EXPECT_EQ(complaint(rtgpu, shares), "");
  EXPECT_NE(complaint(rtgpu, with(shares, "variant", "\"spare_sms\": ", "\"spare_sms\": 9")), "");
  EXPECT_NE(complaint(rtgpu, with(shares, "virtual_sms", ": {", ": { \"ghost\": 1,")), "");
  EXPECT_EQ(complaint(rtgpu, with(shares, "allocation", ": {", ": { \"ghost\": 1,")),
            "`allocation.ghost` does not belong in this plan, or is there twice");
  const System gang = example("gang-shares.system.json");
  const std::string plan = planned(gang, "gang.swc");
  EXPECT_NE(complaint(gang, with(plan, "\"delta\"", "dp", "dq")).find("must be `dp` or `exact`"),
            std::string::npos);
  EXPECT_EQ(complaint(gang, with(plan, "\"delta\"", ": {", ": { \"ghost\": \"dp\",")),
            "`delta.ghost` does not belong in this plan, or is there twice");
}

TEST(PlanFile, IsLoadedOnlyWhenEverythingHolds) {
  const System robot = example("robot.system.json");
  const std::string path = testing::TempDir() + "/plan_file_test.plan.json";
  ASSERT_FALSE(write_text_file(path, planned(robot, "gcaps.suspend.prio")));
  const auto loaded = load_plan(path, robot);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->method->id, "gcaps.suspend.prio");
  EXPECT_NE(loaded->verdict.plan, nullptr);
  EXPECT_EQ(loaded->verdict.status, Status::kSchedulable);
  ASSERT_FALSE(write_text_file(
      path, with(planned(robot, "gcaps.suspend.prio"), "fingerprint", "{", "{ \"ghost\": 1, ")));
  EXPECT_NE(load_plan(path, robot).error().message.find("this plan does not hold: "),
            std::string::npos);
  EXPECT_FALSE(load_plan(path + ".none", robot));
}

TEST(PlanFile, OfATableWrittenByHandNeedsNothingButFrames) {
  const System system = example("pbs-figure1.system.json");
  const std::string frames =
      R"("frames":[{"start":0,"end":1,"batch":[{"task":"t1","job":0}]},)"
      R"({"start":1,"end":5,"batch":[{"task":"t2","job":0},{"task":"t3","job":0}]},)"
      R"({"start":5,"end":6,"batch":[{"task":"t1","job":1}]},)"
      R"({"start":6,"end":9,"batch":[{"task":"t2","job":1}]},)"
      R"({"start":9,"end":10,"batch":[{"task":"t1","job":2}]},)"
      R"({"start":10,"end":14,"batch":[{"task":"t2","job":2},{"task":"t3","job":1}]},)"
      R"({"start":14,"end":15,"batch":[{"task":"t1","job":3}]},)"
      R"({"start":15,"end":18,"batch":[{"task":"t2","job":3}]},)"
      R"({"start":18,"end":19,"batch":[{"task":"t1","job":4}]}])";
  const auto by_hand = [&](const std::string& header) { return "{" + header + frames + "}"; };
  EXPECT_EQ(complaint(system, by_hand("")), "");
  const std::string named = R"("tactus":1,"system":")" + system.name + R"(","method":"pbs.graph",)";
  EXPECT_EQ(complaint(system, by_hand(named + R"("hyperperiod":20,)")), "");
  const auto file = read_plan_file(by_hand(""), "p", system);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->plan.method->id, "pbs.graph");
  EXPECT_EQ(file->plan.verdict.variant, "safe");
  EXPECT_EQ(file->plan.verdict.tasks[1].bound, Time::from_ms(5));
  // What the header does say must be right.
  EXPECT_EQ(complaint(system, by_hand(R"("hyperperiod":21,)")),
            "`hyperperiod` is not that of the system, 20");
  EXPECT_EQ(complaint(system, by_hand(R"("system":"other",)")),
            "p: this plan was made for another system than `" + system.name + "`");
  EXPECT_EQ(complaint(system, by_hand(R"("tactus":2,)")),
            "p: this is not a plan (`tactus` must be 1)");
  EXPECT_EQ(complaint(system, by_hand(R"("ghost":2,)")),
            "`ghost` does not belong in this plan, or is there twice");
  // Only where the contents decide: shares say nothing about themselves.
  EXPECT_EQ(complaint(system, R"({"tactus":1,"allocation":{}})"),
            "p: this is not a plan (`system`, `fingerprint`, `method` or `variant` is wrong)");
  EXPECT_EQ(complaint(system, by_hand(R"("tactus":1,"method":"gang.wc",)")),
            "p: this is not a plan (`system`, `fingerprint`, `method` or `variant` is wrong)");
}

TEST(PlanFile, OfATableThatNamesWhatIsNotThereDoesNotHold) {
  const System system = example("pbs-figure1.system.json");
  const auto one = [&](const std::string& frame) {
    return complaint(system, R"({"frames":[)" + frame + "]}");
  };
  EXPECT_EQ(one(R"({"start":0,"end":1,"batch":[{"task":"t9","job":0}]})"),
            "frame 0: there is no real-time task `t9`");
  EXPECT_EQ(one(R"({"start":0,"end":1,"batch":[{"task":"t1","job":5}]})"),
            "frame 0: there is no job t1#5 in a hyperperiod");
  EXPECT_EQ(one(R"({"start":20,"end":21,"batch":[{"task":"t1","job":4}]})"),
            "frame 0: starts at 20, but a job is ready at 0");
  EXPECT_EQ(one(R"({"start":0,"end":0.5,"batch":[{"task":"t1","job":0}]})"),
            "frame 0: `start` and `end` must be times in whole ticks");
  // Without the form of a table there is nothing to judge.
  EXPECT_EQ(one(R"({"start":0,"end":1})"), "p:1:12: `batch` is missing");
  EXPECT_EQ(one(R"({"start":0,"end":1,"batch":[{"task":"t1","job":"0"}]})").substr(0, 5), "p:1:5");
}

}  // namespace
}  // namespace tactus
