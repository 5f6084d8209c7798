#include "tests/methods/gcaps/support.hpp"

/// Mistakes that are easily made with jitter, tasks that start tasks, and chains; each by its name,
/// with numbers that show it.
namespace tactus::gcaps::tests {
namespace {

std::int64_t bound_ms(const Sketch& sketch, std::string_view task,
                      std::string_view method = "gcaps.suspend") {
  const std::int64_t ns = bound_ns(method, sketch.system(), "safe", task);
  return ns < 0 ? ns : ns / kMs;
}

/// With chains behind the tasks.
System with_chains(const Sketch& sketch, const std::string& chains) {
  std::string text = sketch.text();
  text.insert(text.size() - 1, ",\"chains\":[" + chains + "]");
  return read(text);
}

std::int64_t chain_ms(const System& system, std::size_t chain,
                      std::string_view method = "gcaps.suspend") {
  const Verdict verdict = run(method, system, "safe");
  const auto& bound = verdict.chains.at(chain).bound;
  return bound ? bound->ns() / kMs : -1;
}

TEST(PipelineTrap, TheOwnJitterIsNotInsideTheWindow) {
  Sketch sketch(1);
  sketch.task("h", 1, "10", "3").task("i", 1, "50", "4", R"("jitter":5)");
  EXPECT_EQ(bound_ms(sketch, "i"), 5 + 4 + 3);  // not 5 + 4 + 2 * 3
}

TEST(PipelineTrap, TheJitterOfACpuTaskAboveCounts) {
  Sketch sketch(1);
  sketch.task("h", 1, "10", "2", R"("jitter":6)").task("i", 1, "50", "5");
  for (const std::string_view method :
       {"gcaps.suspend", "gcaps.busy", "tsg-rr.suspend", "tsg-rr.busy", "mpcp.suspend",
        "fmlp.suspend", "gcaps.boost.suspend", "gcaps.boost.busy"}) {
    EXPECT_EQ(bound_ms(sketch, "i", method), 5 + 2 * 2) << method;  // one job without the jitter
  }
}

TEST(PipelineTrap, JitterAndWindowMayFillTheDeadline) {
  const auto passes = [](const char* jitter) {
    Sketch sketch(1);
    sketch.task("a", 1, "10", "4", jitter);
    return run("gcaps.suspend", sketch.system(), "safe").status == Status::kSchedulable;
  };
  EXPECT_TRUE(passes(R"("jitter":6)"));
  EXPECT_FALSE(passes(R"("jitter":6.000001)"));
  EXPECT_FALSE(passes(R"("jitter":11)"));
  EXPECT_TRUE(passes(R"("deadline":8,"jitter":4)"));
  EXPECT_FALSE(passes(R"("deadline":8,"jitter":4.000001)"));
}

TEST(PipelineTrap, AFailingPredecessorBelowItsSuccessor) {
  Sketch sketch(1);
  sketch.task("x", 1, "100", "1");
  sketch.task("b", 1, "20", "1", R"("after":"a")");
  sketch.task("y", 1, "100", "1");
  sketch.task("a", 1, "20", "30");
  const System system = sketch.system();
  EXPECT_EQ(bound_ms(sketch, "x"), 1);
  EXPECT_EQ(bound_ms(sketch, "b"), -1);  // it waits for one that is not bounded,
  EXPECT_EQ(bound_ms(sketch, "y"), -1);  // and this one would need its jitter
  EXPECT_EQ(bound_ms(sketch, "a"), -1);
}

TEST(PipelineTrap, ASuccessorMayStandAboveItsPredecessor) {
  Sketch sketch(1);
  sketch.task("b", 1, "20", "2", R"("after":"a")").task("a", 1, "20", "3");
  // a: 3 + 2; b: released up to 5 late. A job of b belongs to the job of a before.
  EXPECT_EQ(bound_ms(sketch, "a"), 5);
  EXPECT_EQ(bound_ms(sketch, "b"), 5 + 2);
}

TEST(PipelineTrap, TheBoundOfAPredecessorCountsOnceInALinkedRun) {
  Sketch sketch(2);
  sketch.task("a", 1, "40", "6").task("b", 2, "40", "3", R"("after":"a")");
  const System linked = with_chains(sketch, R"({"name":"x","tasks":["a","b"]})");
  EXPECT_EQ(chain_ms(linked, 0), 40 + 6 + 3);  // T once, R of a once
}

TEST(PipelineTrap, LeastTimesAreNotForgotten) {
  const std::string text = R"({"tactus":1,"platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2}]},"tasks":[
      {"name":"a","period":40,"priority":2,"core":1,
       "nodes":[{"name":"n","on":"cpu","wcet":6,"bcet":4}]},
      {"name":"b","after":"a","priority":1,"core":2,
       "nodes":[{"name":"n","on":"cpu","wcet":3}]}],
      "chains":[{"name":"x","tasks":["a","b"]},{"name":"y","tasks":["b"],"phases":"fixed"}]})";
  const System system = read(text);
  const Verdict verdict = run("gcaps.suspend", system, "safe");
  EXPECT_EQ(verdict.tasks[1].bound->ns(), (6 - 4 + 3) * kMs);  // from its nominal arrival
  EXPECT_EQ(verdict.tasks[1].latency->ns(), 9 * kMs);
  EXPECT_EQ(chain_ms(system, 0), 40 + 4 + 5);
  EXPECT_EQ(chain_ms(system, 1), 40 + 5);
}

TEST(PipelineTrap, AnOffsetMayBeLongerThanThePeriod) {
  Sketch sketch(2);
  sketch.task("a", 1, "10", "1").task("b", 2, "10", "2", R"("offset":25)");
  // The same phases as with an offset of 5.
  EXPECT_EQ(chain_ms(with_chains(sketch, R"({"name":"x","tasks":["a","b"],"phases":"fixed"})"), 0),
            17);
}

TEST(PipelineTrap, AChainWithoutABoundDoesNotHold) {
  Sketch sketch(1);
  sketch.task("a", 1, "10", "1").best_effort("b", 1, "10", "1");
  const System system = with_chains(sketch, R"({"name":"x","tasks":["a","b"]})");
  const Verdict verdict = run("gcaps.suspend", system, "safe");
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_FALSE(verdict.chains[0].holds);
  EXPECT_NE(verdict.reason.find("best-effort task `b`"), std::string::npos) << verdict.reason;
}

TEST(PipelineTrap, ARealTimeTaskAfterABestEffortOneIsNotCovered) {
  Sketch sketch(1);
  sketch.task("a", 1, "10", "1", R"("after":"b")").best_effort("b", 1, "10", "1");
  for (const Method* method : registry()) {
    const Verdict verdict = run(method->id, sketch.system(), "safe");
    EXPECT_EQ(verdict.status, Status::kNotApplicable) << method->id;
    EXPECT_NE(verdict.reason.find("`a`"), std::string::npos) << verdict.reason;
    EXPECT_NE(verdict.reason.find("`b`"), std::string::npos) << verdict.reason;
  }
}

TEST(PipelineTrap, AChainAtItsLimitHolds) {
  Sketch sketch(1);
  sketch.task("a", 1, "10", "1");
  const auto holds = [&](const char* most) {
    const System system =
        with_chains(sketch, std::string(R"({"name":"x","tasks":["a"],)") + most + "}");
    return run("gcaps.suspend", system, "safe").status == Status::kSchedulable;
  };
  EXPECT_TRUE(holds(R"("reaction":11)"));
  EXPECT_FALSE(holds(R"("reaction":10.999999)"));
  EXPECT_TRUE(holds(R"("age":11,"reaction":12)"));
  EXPECT_FALSE(holds(R"("age":10.999999,"reaction":12)"));
}

TEST(PipelineTrap, WithoutDeadlinesNothingIsLeftForASuccessorOfOtherMethods) {
  const auto verdict = [](const char* deadline) {
    return run("rtgpu",
               read(std::string(R"({"tactus":1,"platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},{"name":"copy","kind":"copy","units":1},
      {"name":"gpu","kind":"gpu","units":2}]},"tasks":[
      {"name":"a","period":40,"priority":2,"core":1)") +
                    deadline + R"(,
       "nodes":[{"name":"n","on":"cpu","wcet":6}]},
      {"name":"b","after":"a","priority":1,"core":1,
       "nodes":[{"name":"n","on":"cpu","wcet":3}]}]})"),
               "safe");
  };
  EXPECT_EQ(verdict("").status, Status::kUnschedulable);
  EXPECT_NE(verdict("").reason.find("without a `deadline`"), std::string::npos)
      << verdict("").reason;
  EXPECT_EQ(verdict(R"(,"deadline":10)").status, Status::kSchedulable);
}

TEST(PipelineRefusal, SaysWhatToDoAboutBurstsAndBestEffort) {
  const auto reason = [](const char* method, const char* jitter, const char* log) {
    return run(method,
               read(std::string(R"({"tactus":1,"platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2}]},"tasks":[
      {"name":"a","period":20,"priority":2,"core":1,)") +
                    jitter + R"("nodes":[{"name":"n","on":"cpu","wcet":2}]},
      {"name":"log","core":2,)" +
                    log + R"("nodes":[{"name":"n","on":"cpu","wcet":1}]}],
      "chains":[{"name":"x","tasks":["a","log"]}]})"),
               "safe")
        .reason;
  };
  const char* best_effort = R"("best_effort":true,)";
  const char* real_time = R"("period":20,"priority":1,)";
  EXPECT_EQ(reason("mpcp.suspend", "", real_time), "");
  EXPECT_NE(reason("mpcp.suspend", "", best_effort).find("make it a task with a deadline"),
            std::string::npos);
  EXPECT_NE(reason("gang.wc", R"("jitter":25,)", real_time)
                .find("make the shortest time between two releases the period"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::gcaps::tests
