// Jitter, tasks that start tasks, and chains on a machine: who is released when, what of it is outside
// of the model, and what chains are seen to take beside their bounds.
#include <gtest/gtest.h>

#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

/// The camera delivers up to 3 late, the detector follows it, the motor has a rhythm of its own.
System pipeline(std::string_view bcet = "2", std::string_view phases = "fixed") {
  return simulate::read(
      R"({"tactus":1,"name":"p","time_unit":"unit","platform":{"elements":[{"name":"cpu","kind":"cpu","units":3}]},"tasks":[
      {"name":"camera","period":20,"deadline":10,"jitter":3,"nodes":[{"name":"n","on":"cpu","wcet":4,"bcet":)" +
      std::string(bcet) + R"(}]},
      {"name":"detect","after":"camera","jitter":1,"nodes":[{"name":"n","on":"cpu","wcet":3}]},
      {"name":"motor","period":10,"offset":1,"nodes":[{"name":"n","on":"cpu","wcet":1}]}],
      "chains":[{"name":"see","tasks":["camera","detect","motor"],"phases":")" +
      std::string(phases) + R"("}]})");
}

/// Arrival, release and end of the jobs of a task.
std::string jobs_of(const System& system, const Ran& seen, TaskIndex task) {
  std::string jobs;
  const auto text = [&](Time time) { return format_time(time, system.time_unit); };
  for (const trace::JobSpan& job : seen.trace.jobs) {
    if (job.task != task) continue;
    jobs += text(job.release) + "+" + text(job.late) + "-" + text(job.end) + " ";
  }
  return jobs;
}

TEST(RunPipeline, ReleasesATaskWhenTheOneBeforeHasEnded) {
  const System system = pipeline();
  const Ran seen = ran(system, {.method = "gang.wc", .scenario = "offsets,jitter-late", .jobs = 2});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_EQ(jobs_of(system, seen, 0), "0+3-7 20+3-27 ");
  // It arrives 2 after the camera, and is released 1 after that one has ended.
  EXPECT_EQ(jobs_of(system, seen, 1), "2+6-11 22+6-31 ");
  EXPECT_EQ(jobs_of(system, seen, 2).substr(0, 14), "1+0-2 11+0-12 ");
  const trace::Observed& report = *seen.report;
  EXPECT_TRUE(report.good());
  EXPECT_FALSE(report.outside_model());
  EXPECT_EQ(report.tasks[1].releases->latest, Time::from_ms(1));
  EXPECT_EQ(*report.tasks[0].bound, Time::from_ms(7));
  // The deadline of the camera stands for its bound: 10 - 2, and 1 of its own.
  EXPECT_EQ(*report.tasks[1].bound, Time::from_ms(9 + 3));
}

TEST(RunPipeline, SeesInChainsWhatTheSimulatorSees) {
  for (const char* scenario : {"offsets,jitter-late", "offsets,jitter-burst",
                               "offsets,jitter-uniform", "sync,jitter-none"}) {
    const System system = pipeline();
    const Ran seen = ran(system, {.method = "gang.wc", .scenario = scenario, .jobs = 50});
    ASSERT_TRUE(seen.report) << seen.error;
    const auto simulated = simulate::simulate(system, "gang.wc", scenario, 50).outcome;
    ASSERT_EQ(seen.report->chains.size(), 1u);
    const trace::ObservedChain &run = seen.report->chains[0], &other = simulated.chains[0];
    EXPECT_EQ(run.reaction, other.reaction) << scenario;
    EXPECT_EQ(run.age, other.age) << scenario;
    EXPECT_EQ(run.bound, other.bound) << scenario;
    EXPECT_GT(run.outputs, 90u);
    EXPECT_FALSE(run.exceeds_bound());
  }
}

TEST(RunPipeline, HasNoBoundOfAChainWhereItsOffsetsAreNotKept) {
  const auto bound = [](std::string_view scenario, std::string_view phases) {
    const Ran seen = ran(pipeline("2", phases), {.method = "gang.wc", .scenario = scenario});
    return seen.report->chains[0].bound;
  };
  EXPECT_TRUE(bound("offsets", "fixed"));
  EXPECT_FALSE(bound("sync", "fixed"));
  EXPECT_TRUE(bound("sync", "any"));
  EXPECT_FALSE(bound("sporadic", "any"));
}

/// Jobs of the camera take as long as they do, whatever the file says.
class RealCamera final : public WrappedDevice {
 public:
  RealCamera(std::unique_ptr<Device> device, Time takes)
      : WrappedDevice(std::move(device)), takes_(takes) {}
  std::optional<Error> run(const CpuWork& work, OpId op) override {
    CpuWork real = work;
    if (work.task == 0) real.least = real.longest = takes_;
    return WrappedDevice::run(real, op);
  }

 private:
  Time takes_;
};

Result<trace::Observed> run_on(const System& system, Time camera_takes, const RunOptions& options,
                               const BackendOptions& backend = {}) {
  const Verdict verdict = analyze(*find_method("gang.wc"), system);
  RealCamera device(std::move(*open_backend("emulator", system, backend)), camera_takes);
  return run_plan(system, {"gang.wc", verdict.plan}, device, options);
}

TEST(RunPipeline, MarksReleasesThatTheModelDoesNotHave) {
  RunOptions options;
  options.scenario = *trace::parse_scenario("offsets,jitter-none", 1);
  BackendOptions slow;
  slow.jitter = Time::from_ms(4);  // more than either may be late
  const auto late = run_on(pipeline(), Time::from_ms(4), options, slow);
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->outside_model());
  EXPECT_GT(late->tasks[0].releases->late, 0u);
  EXPECT_GT(late->tasks[0].releases->latest, Time::from_ms(3));
  EXPECT_FALSE(late->tasks[2].releases);  // the file says nothing about it

  // The camera is faster than the file's `bcet`.
  const auto early = run_on(pipeline("4"), Time::from_ms(1), options);
  ASSERT_TRUE(early);
  EXPECT_GT(early->tasks[1].releases->early, 0u);
  EXPECT_EQ(early->tasks[0].releases->early, 0u);
}

/// Jobs along a path keep the same numbers.
TEST(RunPipeline, SkipsWhatASkippedJobWouldHaveStarted) {
  RunOptions options;
  options.jobs = 3;
  options.scenario = *trace::parse_scenario("offsets,jitter-none", 1);
  options.on_overrun = OnOverrun::kSkipNext;
  options.overrun_callback = [](const Overrun& overrun) {
    return overrun.task == 0 && overrun.job == 0 ? OnOverrun::kSkipNext : OnOverrun::kLog;
  };
  trace::Trace trace;
  options.sink = &trace;
  const auto seen = run_on(pipeline(), Time::from_ms(5), options);
  ASSERT_TRUE(seen);
  std::vector<std::uint32_t> camera, detect;
  for (const trace::JobSpan& job : trace.jobs) {
    if (job.task == 0) camera.push_back(job.job);
    if (job.task == 1) detect.push_back(job.job);
  }
  EXPECT_EQ(camera, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(detect, camera);
}

TEST(RunPipeline, StopsARunWithoutAnEndWithTheJobsThatWereStarted) {
  const System system = pipeline();
  std::stop_source stop;
  RunOptions options;
  options.until_stopped = true;
  options.scenario = *trace::parse_scenario("offsets,jitter-late", 1);
  options.stop = stop.get_token();
  struct Sink final : trace::TraceSink {
    explicit Sink(std::stop_source& to_stop) : source(to_stop) {}
    void add(const trace::Interval&) override {}
    void add(const trace::Usage&) override {}
    void add(const trace::JobSpan& job) override {
      ++jobs[job.task];
      if (job.task == 0 && job.job == 5) source.request_stop();
    }
    std::stop_source& source;
    int jobs[3] = {};
  } sink(stop);
  options.sink = &sink;
  const auto seen = run_on(system, Time::from_ms(4), options);
  ASSERT_TRUE(seen);
  EXPECT_EQ(sink.jobs[0], 6);
  EXPECT_EQ(sink.jobs[1], 6);
  EXPECT_TRUE(seen->good());
}

/// A table starts the jobs when they are released at the latest.
TEST(RunPipeline, PlaysATableOfTasksThatStartTasks) {
  const System system = simulate::read(
      R"({"tactus":1,"name":"t","time_unit":"unit","platform":{"elements":[{"name":"gpu","kind":"gpu","units":4}]},"tasks":[
      {"name":"a","period":20,"deadline":8,"jitter":2,"nodes":[{"name":"k","on":"gpu","wcet":3,"bcet":1,"parallelism":2}]},
      {"name":"b","after":"a","deadline":15,"nodes":[{"name":"k","on":"gpu","wcet":3,"parallelism":2}]}],
      "chains":[{"name":"c","tasks":["a","b"]}]})");
  const Ran seen =
      ran(system, {.method = "pbs.graph", .scenario = "offsets,jitter-late", .jobs = 5});
  ASSERT_TRUE(seen.report) << seen.error << seen.verdict.reason;
  EXPECT_TRUE(seen.report->good());
  EXPECT_EQ(seen.report->tasks[1].responses.size(), 5u);
  EXPECT_EQ(seen.report->tasks[1].bound, seen.verdict.tasks[1].bound);
  EXPECT_TRUE(seen.report->chains[0].bound);
  EXPECT_GT(seen.report->chains[0].outputs, 0u);
}

}  // namespace
}  // namespace tactus::runtime
