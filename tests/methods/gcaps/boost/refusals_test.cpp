#include "tactus/methods/gcaps/boost/view.hpp"
#include "tests/methods/gcaps/boost/support.hpp"

/// What these methods refuse, and how costs follow from the file.
namespace tactus::gcaps::boost::tests {
namespace {

Costs costs(std::string_view more) {
  const std::string text = std::string(R"({"tactus":1,"time_unit":"ms","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":1)") +
                           std::string(more) + R"(}]},"tasks":[
      {"name":"a","nodes":[{"name":"n","on":"gpu","wcet":1}]}]})";
  return costs_of(read(text).platform.elements[0]);
}

TEST(BoostCosts, FollowFromTheUpdateAndTheSwitch) {
  const Costs derived = costs(R"(,"runlist_update":1,"context_switch":0.2,"preemption_delay":0.5)");
  EXPECT_EQ(derived.off, ms(1, 300));
  EXPECT_EQ(derived.on, ms(1));
  EXPECT_EQ(derived.start, ms(0, 200));
}

TEST(BoostCosts, AreNotNegativeWhenTheSwitchIsLongerThanTheUpdate) {
  const Costs derived = costs(R"(,"runlist_update":1,"context_switch":3)");
  EXPECT_EQ(derived.off, ms(0));
  EXPECT_EQ(derived.start, ms(1));
}

TEST(BoostCosts, AreThoseOfTheFileEachOnItsOwn) {
  const Costs given =
      costs(R"(,"runlist_update":1,"context_switch":3,"preempt_cost":0.67,"preemption_delay":5)");
  EXPECT_EQ(given.off, ms(0, 670));
  EXPECT_EQ(given.on, ms(1));
  EXPECT_EQ(given.start, ms(3));
}

TEST(BoostRefusal, NamesTheCostThatIsMissing) {
  Sketch sketch(1);
  sketch.task("a", 1, "40", "2, 1+3, 1");
  std::string text = sketch.text();
  const std::size_t place = text.find(R"("kind":"gpu","units":1)");
  text.insert(place, R"("preempt_cost":1,)");
  const Verdict verdict = run("gcaps.boost.suspend", read(text));
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_EQ(verdict.reason,
            "element `gpu` has neither runlist_update nor both preempt_cost and resume_cost; this "
            "method needs them");
  EXPECT_EQ(verdict.obstacles[0].give,
            (std::vector<std::string_view>{"runlist_update", "resume_cost"}));
}

TEST(BoostRefusal, IsNotGivenToATaskSetWithoutGpuWork) {
  const System system = Sketch(1).task("a", 1, "40", "2").system();
  EXPECT_EQ(run("gcaps.boost.busy", system).status, Status::kSchedulable);
}

TEST(BoostRefusal, IsNotGivenToAnOrderThatInvertsThatOfTheCpu) {
  const System system = Sketch(1)
                            .runlist_update("1")
                            .task("a", 1, "40", "2, 1+3, 1", R"("gpu_priority":1)")
                            .task("b", 1, "60", "3, 1+8, 2", R"("gpu_priority":2)")
                            .system();
  EXPECT_EQ(run("gcaps.suspend", system).status, Status::kNotApplicable);
  EXPECT_EQ(run("gcaps.boost.suspend", system).status, Status::kSchedulable);
}

TEST(BoostRefusal, IsGivenToADeadlineBeyondThePeriod) {
  const System system =
      Sketch(1).runlist_update("1").task("a", 1, "40", "2, 1+3, 1", R"("deadline":50)").system();
  EXPECT_EQ(run("gcaps.boost.suspend", system).status, Status::kNotApplicable);
}

TEST(BoostRefusal, IsGivenToAThresholdBelowADerivedPriority) {
  const std::string text = R"({"tactus":1,"time_unit":"ms","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},
      {"name":"gpu","kind":"gpu","units":1,"runlist_update":1}]},"tasks":[
      {"name":"a","core":1,"period":40,"nodes":[{"name":"n","on":"gpu","wcet":1,"gpu_threshold":0}]}]})";
  const Verdict verdict = run("gcaps.boost.suspend", read(text));
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  EXPECT_EQ(verdict.reason, "task `a` has a gpu_threshold (0) below its GPU priority, which is 1");
}

TEST(BoostRefusal, IgnoresTheThresholdOfABestEffortTask) {
  System system = Sketch(1)
                      .runlist_update("1")
                      .task("a", 1, "40", "2, 1+3, 1")
                      .best_effort("b", 1, "", "0+2")
                      .system();
  system.tasks[1].nodes[0].gpu_threshold = 7;  // of which the reader warns
  EXPECT_EQ(run("gcaps.boost.suspend.prio", system).status, Status::kSchedulable);
}

TEST(BoostWarning, SaysThatBoundsBesideAFailureHoldOnlyTogether) {
  const System system = Sketch(1)
                            .runlist_update("1")
                            .task("a", 1, "40", "2, 1+3, 1")
                            .task("b", 1, "41", "30, 1+8, 2")
                            .system();
  const Verdict verdict = run("gcaps.boost.suspend", system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_TRUE(verdict.hold_only_together);
  ASSERT_EQ(verdict.warnings.size(), 2U);
  EXPECT_TRUE(verdict.tasks[0].bound);
  EXPECT_GT(sum(verdict.tasks[1].terms), *verdict.tasks[1].deadline) << "what is too much";
}

TEST(BoostWarning, SaysThatTheArbiterHasNoCoreOfItsOwn) {
  const auto warnings = [](Sketch sketch) {
    const System system = sketch.runlist_update("1")
                              .task("a", 1, "40", "2, 1+3, 1")
                              .best_effort("b", 2, "", "1")
                              .system();
    return run("gcaps.boost.suspend", system).warnings;
  };
  EXPECT_TRUE(warnings(Sketch(2)).empty()) << "best-effort work is not in its way";
  EXPECT_TRUE(warnings(Sketch(2).task("c", 2, "40", "1").arbiter_core("1")).empty());
  const auto told = warnings(Sketch(2).task("c", 2, "40", "1"));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].starts_with("tasks with deadlines use all 2 cores of the cpu")) << told[0];
}

/// Two tasks of which the more urgent one may take the other off, says the file.
System with_a_threshold() {
  std::string text = Sketch(2)
                         .runlist_update("1")
                         .task("high", 1, "40", "1, 0+3, 1")
                         .task("low", 2, "100", "1, 0+9, 1")
                         .text();
  const std::string node = R"("launch":0,"wcet":9)";
  text.insert(text.find(node), R"("gpu_threshold":99,)");
  return read(text);
}

std::string thresholds(const Verdict& verdict) {
  for (const Figure& figure : verdict.figures) {
    if (figure.name == "gpu_thresholds") return figure.value;
  }
  return "none";
}

TEST(BoostThresholds, ThatAreAskedForCountInsteadOfTheFiles) {
  const System system = with_a_threshold();
  EXPECT_EQ(thresholds(run("gcaps.boost.suspend", system)), R"({"high":[100],"low":[99]})");
  for (const std::string_view id : {"gcaps.boost.suspend", "gcaps.boost.suspend.prio"}) {
    Options options;
    options.settings["thresholds"] = "never";
    const Verdict never = analyze(*find_method(id), system, options);
    EXPECT_EQ(thresholds(never), R"({"high":[100],"low":[100]})") << id;
    ASSERT_FALSE(never.notes.empty()) << id;
    EXPECT_EQ(never.notes.back(), "--thresholds never: the thresholds of the file are put aside");
  }
  System without = system;
  for (Task& task : without.tasks) {
    for (Node& node : task.nodes) node.gpu_threshold.reset();
  }
  Options options;
  options.settings["thresholds"] = "preemptive";
  const Method& method = *find_method("gcaps.boost.suspend");
  EXPECT_EQ(thresholds(analyze(method, system, options)),
            thresholds(analyze(method, without, options)));
  EXPECT_TRUE(analyze(method, without, options).notes.empty()) << "nothing is put aside";
}

}  // namespace
}  // namespace tactus::gcaps::boost::tests
