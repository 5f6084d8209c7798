#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tactus/trace/perfetto.hpp"
#include "tests/exchange/importing.hpp"
#include "tests/support/read.hpp"

namespace tactus::exchange {
namespace {

System two_tasks() {
  return support::read(R"({"tactus": 1, "platform": {"elements": [
      {"name": "cpu", "kind": "cpu", "units": 2}, {"name": "gpu", "kind": "gpu", "units": 8}]},
    "tasks": [
      {"name": "cam.era", "period": 10, "nodes": [{"name": "pre", "on": "cpu", "wcet": 1},
                                                {"name": "conv", "on": "gpu", "wcet": 4}]},
      {"name": "motor", "period": 5, "nodes": [{"name": "pid", "on": "cpu", "wcet": 1}]}]})");
}

/// A trace of these intervals, read again.
ImportResult written(const std::function<void(trace::PerfettoWriter&)>& fill, const System& system,
                     std::int64_t margin = 0, bool after = false) {
  const std::string path = testing::TempDir() + fmt::format("own-{}.json", ::getpid());
  {
    trace::PerfettoWriter writer(system, path);
    fill(writer);
    EXPECT_FALSE(writer.close());
  }
  ImportOptions options;
  options.name = "again";
  options.margin = margin;
  options.bcet = margin > 0;
  options.after = after;
  ImportResult result = import_file(path, "", options);
  std::filesystem::remove(path);
  return result;
}

Time us(std::int64_t time) { return Time::from_us(time); }

TEST(OwnTrace, TakesTheMarginFromTheShortestAsItAddsItToTheLongest) {
  const Imported imported = good(written(
      [](trace::PerfettoWriter& out) {
        for (std::uint32_t job = 0; job < 2; ++job) {
          const Time at = us(5000 * job), end = at + us(100 + 50 * job);
          out.add(trace::Interval{1, job, 0, 0, 0, 1, trace::Activity::kRun, at, end});
          out.add(trace::JobSpan{1, job, at, at, end, true, false, false});
        }
      },
      two_tasks(), 20));
  const Node& node = imported.system.tasks.front().nodes.front();
  EXPECT_EQ(node.wcet, us(180));
  EXPECT_EQ(node.bcet, us(80));
}

TEST(OwnTrace, GivesObservedTimesElementsEdgesAndPeriodsBack) {
  const System system = two_tasks();
  const Imported imported = good(written(
      [](trace::PerfettoWriter& out) {
        using trace::Activity;
        for (std::uint32_t job = 0; job < 2; ++job) {
          const Time at = us(10'000 * job);
          out.add(trace::Interval{0, job, 0, 0, 0, 1, Activity::kRun, at, at + us(300)});
          out.add(trace::Interval{1, job, 0, 0, 0, 1, Activity::kRun, at + us(300), at + us(400)});
          // Preempted: it goes on where it stopped.
          out.add(trace::Interval{0, job, 0, 0, 0, 1, Activity::kRun, at + us(400), at + us(900)});
          for (std::uint32_t unit = 0; unit < 4; ++unit) {  // a gang of four SMs
            out.add(trace::Interval{0, job, 1, 1, unit, 4, Activity::kRun, at + us(900),
                                    at + us(2900 + 100 * job)});
          }
          out.add(trace::JobSpan{0, job, at, at, at + us(3000), true, false, false});
          out.add(trace::JobSpan{1, job, at, at, at + us(400), true, false, false});
        }
      },
      system));
  EXPECT_EQ(imported.format, "trace");
  ASSERT_EQ(imported.system.tasks.size(), 2U);
  EXPECT_EQ(imported.system.platform.elements, system.platform.elements);
  const Task& camera = imported.system.tasks[0];
  EXPECT_EQ(camera.name, "cam.era");
  EXPECT_EQ(camera.period, us(10'000));
  ASSERT_EQ(camera.nodes.size(), 2U);
  EXPECT_EQ(camera.nodes[0].name, "pre");
  EXPECT_EQ(camera.nodes[0].wcet, us(800));
  EXPECT_EQ(camera.nodes[1].wcet, us(2100));
  EXPECT_EQ(camera.nodes[1].parallelism, 4);
  EXPECT_EQ(camera.nodes[1].measured->runs, 2);
  EXPECT_EQ(camera.graph, Graph::chain(2));
  EXPECT_EQ(imported.system.tasks[1].nodes[0].wcet, us(100));
}

/// 120 jobs of a camera that come up to 2 ms late, and of a motor that begins 0.3 ms after their end.
void late_jobs(trace::PerfettoWriter& out) {
  for (std::uint32_t job = 0; job < 120; ++job) {
    const Time arrival = us(10'000 * job), late = us(job % 3 * 1000), begin = arrival + late;
    const Time end = begin + us(500), next = end + us(300);
    out.add(trace::Interval{0, job, 0, 0, 0, 1, trace::Activity::kRun, begin, end});
    trace::JobSpan camera{0, job, arrival, arrival, end, true, false, false};
    camera.late = late;
    out.add(camera);
    out.add(trace::Interval{1, job, 0, 0, 0, 1, trace::Activity::kRun, next, next + us(100)});
    out.add(trace::JobSpan{1, job, next, next, next + us(100), true, false, false});
  }
}

TEST(OwnTrace, FillsJitterAndOffersAfter) {
  const Imported imported = good(written(late_jobs, two_tasks(), 20));
  const Task &camera = imported.system.tasks[0], &motor = imported.system.tasks[1];
  EXPECT_NEAR(static_cast<double>(camera.period->ns()), 1e7, 2e4);
  EXPECT_GE(camera.jitter, us(2'400));  // what was seen, and the margin
  EXPECT_LE(camera.jitter, us(2'500));
  EXPECT_FALSE(motor.after);
  const auto offered =
      std::any_of(imported.notes.begin(), imported.notes.end(), [](const std::string& note) {
        return note ==
               "task `motor` begins 0.3 to 0.3 ms after the end of `cam.era` in all 120 jobs, and "
               "follows no other task so closely; --after writes `after`";
      });
  EXPECT_TRUE(offered);
}

TEST(OwnTrace, WritesAfterWhereAsked) {
  const Imported imported = good(written(late_jobs, two_tasks(), 20, true));
  const Task& motor = imported.system.tasks[1];
  EXPECT_EQ(motor.after, 0U);
  EXPECT_EQ(motor.jitter, us(360));
  EXPECT_EQ(motor.period, imported.system.tasks[0].period);
  EXPECT_EQ(motor.nodes[0].bcet, us(80));  // asked for here, and only then
}

TEST(OwnTrace, OfNothingIsRefused) {
  EXPECT_NE(bad(written([](trace::PerfettoWriter&) {}, two_tasks())).find("it shows no task"),
            std::string::npos);
}

TEST(OwnTrace, WithArrowsInALoopIsRefused) {
  const std::string text =
      R"({"displayTimeUnit":"ns","otherData":{"writer":"tactus"},"traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"cpu","kind":"cpu","units":1,"lanes":1}},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"jobs"}},
{"ph":"M","name":"thread_name","pid":2,"tid":1,"args":{"name":"t"}},
{"ph":"M","name":"thread_sort_index","pid":2,"tid":1,"args":{"sort_index":1}},
{"ph":"X","name":"t.a","cat":"run","pid":1,"tid":1,"ts":0,"dur":1,"args":{"job":0,"width":1}},
{"ph":"X","name":"t.b","cat":"run","pid":1,"tid":1,"ts":1,"dur":1,"args":{"job":0,"width":1}},
{"ph":"s","name":"precedes","id":1,"pid":1,"tid":1,"ts":0.999},
{"ph":"f","name":"precedes","id":1,"pid":1,"tid":1,"ts":1},
{"ph":"X","name":"t.a","cat":"run","pid":1,"tid":1,"ts":2,"dur":1,"args":{"job":0,"width":1}},
{"ph":"s","name":"precedes","id":2,"pid":1,"tid":1,"ts":1.999},
{"ph":"f","name":"precedes","id":2,"pid":1,"tid":1,"ts":2}
]})";
  EXPECT_NE(bad(import_text(text, "", {})).find("cycle"), std::string::npos);
}

}  // namespace
}  // namespace tactus::exchange
