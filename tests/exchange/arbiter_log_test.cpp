#include <fmt/format.h>

#include "tests/exchange/importing.hpp"
#include "tests/support/folder.hpp"

// The log of the arbiter: programs as tasks, segments as jobs.
namespace tactus::exchange {
namespace {

/// A log; times in us.
class Log {
 public:
  Log& line(std::int64_t at, std::string_view event, int client, std::string_view more = "") {
    text_ += fmt::format(R"({{"t": {}, "event": "{}", "client": {}{}{}}})"
                         "\n",
                         1000 * at, event, client, more.empty() ? "" : ", ", more);
    return *this;
  }
  Log& join(int client, std::string_view name, bool fast = false) {
    return line(0, "join", client,
                fmt::format(R"("pid": 1, "uid": 0, "name": "{}", "fast_path": {})", name, fast));
  }
  Log& segment(int client, int priority, std::int64_t asked, std::int64_t began, std::int64_t end) {
    line(asked, "begin", client, fmt::format(R"("priority": {})", priority));
    line(began, "answer", client, R"("answer": 0, "waited_ns": 1)");
    return line(end, "end", client);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "{\"t\": 0, \"event\": \"start\", \"client\": 0, \"pid\": 1}\n";
};

Time us(std::int64_t time) { return Time::from_us(time); }

/// A camera every 10 ms, up to 300 us late, and a detector that begins 100 to 150 us after its end.
Log camera_and_detector(int jobs, bool fast = false) {
  Log log;
  log.join(1, "camera", fast).join(2, "detector");
  for (int k = 0; k < jobs; ++k) {
    const std::int64_t at = 10'000 * k + 300 * (k % 2), end = at + 2'000;
    const std::int64_t next = end + 100 + 50 * (k % 2);
    log.segment(1, 70, at, at + 20, end).segment(2, 60, next, next + 10, next + 3'010);
  }
  return log;
}

ImportOptions exact() {
  ImportOptions options;
  options.margin = 0;
  options.name = "log";
  return options;
}

TEST(ArbiterLog, HasATaskForEachProgramAndItsJitter) {
  const Imported found = good(import_text(camera_and_detector(120).text(), "", exact()));
  EXPECT_EQ(found.format, "arbiter");
  ASSERT_EQ(found.system.tasks.size(), 2U);
  const Task& camera = found.system.tasks[0];
  EXPECT_EQ(camera.name, "camera");
  EXPECT_EQ(camera.priority, 70);
  EXPECT_EQ(camera.period, us(10'000));
  EXPECT_EQ(camera.jitter, us(300));
  EXPECT_EQ(camera.nodes[0].wcet, us(1'980)) << "from the answer to the end";
  EXPECT_EQ(camera.nodes[0].measured->runs, 120);
}

TEST(ArbiterLog, OffersAfterWithItsEvidenceAndWritesItWhereThatIsAsked) {
  const std::string log = camera_and_detector(120).text();
  const Imported offered = good(import_text(log, "", exact()));
  EXPECT_FALSE(offered.system.tasks[1].after);
  EXPECT_TRUE(notes_have(offered,
                         "task `detector` begins 0.1 to 0.15 ms after the end of `camera` in "
                         "all 120 jobs"));
  ImportOptions options = exact();
  options.after = true;
  const Imported written = good(import_text(log, "", options));
  ASSERT_TRUE(written.system.tasks[1].after);
  EXPECT_EQ(*written.system.tasks[1].after, 0U);
  EXPECT_EQ(written.system.tasks[1].jitter, us(150));
  EXPECT_FALSE(notes_have(good(import_text(camera_and_detector(99).text(), "", exact())),
                          "after the end of"))
      << "fewer than 100 jobs say nothing";
}

TEST(ArbiterLog, SaysNothingOfRhythmsOfWhichItHasOnlyAPart) {
  const Imported alone = good(import_text(camera_and_detector(120, true).text(), "", exact()));
  EXPECT_FALSE(alone.system.tasks[0].period);
  EXPECT_EQ(alone.system.tasks[0].jitter, Time());
  EXPECT_TRUE(notes_have(alone, "start tactusd with --no-fast-path"));
  EXPECT_FALSE(notes_have(alone, "after the end of"));
  EXPECT_TRUE(alone.system.tasks[1].period) << "of the other it has all";

  Log dropped = camera_and_detector(120);
  dropped.line(2'000'000, "dropped", 1, R"("lines": 7)");
  const Imported less = good(import_text(dropped.text(), "", exact()));
  EXPECT_FALSE(less.system.tasks[1].period);
  EXPECT_TRUE(notes_have(less, "dropped 7 lines"));

  Log adopted = camera_and_detector(120);
  adopted.line(2'000'000, "adopt", 2, R"("priority": 60)");
  EXPECT_FALSE(good(import_text(adopted.text(), "", exact())).system.tasks[1].period);
}

TEST(ArbiterLog, LeavesOutWhatOthersTookAndWhatDidNotEnd) {
  Log log;
  log.join(3, "planner");
  log.line(100, "begin", 3, R"("priority": 5)").line(110, "answer", 3);
  log.line(200, "order-off", 3).line(230, "off", 3).line(400, "order-on", 3).line(420, "on", 3);
  log.line(500, "end", 3);
  log.line(700, "begin", 3, R"("priority": 5)").line(710, "gone", 3);
  const Imported found = good(import_text(log.text(), "", exact()));
  EXPECT_EQ(found.system.tasks[0].nodes[0].wcet, us(500 - 110 - (400 - 230)));
  EXPECT_TRUE(notes_have(found, "1 segments did not end"));
}

TEST(ArbiterLog, TakesAProgramThatIsOneSegmentForAJob) {
  Log log;
  log.join(3, "train").line(100, "begin", 3, R"("priority": 5)").line(110, "answer", 3);
  log.line(200, "order-off", 3).line(230, "off", 3).line(400, "order-on", 3);
  log.line(500, "gone", 3, R"("why": "left")");
  const Imported found = good(import_text(log.text(), "", exact()));
  EXPECT_EQ(found.system.tasks[0].nodes[0].wcet, us(500 - 110 - (400 - 230)));
  EXPECT_TRUE(notes_have(found, "1 of its 1 jobs are runs of the whole program"));
  EXPECT_FALSE(notes_have(found, "did not end"));

  Log waiting;
  waiting.join(3, "train").line(100, "begin", 3, R"("priority": 5)").line(500, "gone", 3);
  EXPECT_TRUE(bad(import_text(waiting.text(), "", exact())).find("no segment that has ended") !=
              std::string::npos)
      << "it never had the GPU";
}

TEST(ArbiterLog, CountsWorkThatWasNotTakenOffOrCameBackByItself) {
  const auto wcet_of = [](std::string_view off, bool lapsed) {
    Log log;
    log.join(3, "planner");
    log.line(100, "begin", 3, R"("priority": 5)").line(110, "answer", 3);
    log.line(200, "order-off", 3).line(230, "off", 3, off);
    if (lapsed) log.line(390, "lapsed", 3).line(390, "off", 3);
    log.line(400, "order-on", 3).line(500, "end", 3);
    return good(import_text(log.text(), "", exact())).system.tasks[0].nodes[0].wcet;
  };
  EXPECT_EQ(wcet_of(R"("result": 0)", false), us(390 - 170));
  EXPECT_EQ(wcet_of(R"("result": 1)", false), us(390)) << "late";
  EXPECT_EQ(wcet_of(R"("result": 2)", false), us(390)) << "failed: the work goes on";
  EXPECT_EQ(wcet_of(R"("result": 0)", true), us(390 - 10)) << "off only since it was seen again";
}

TEST(ArbiterLog, TakesAProgramForAsUrgentAsItEverWas) {
  Log log;
  log.join(1, "camera").segment(1, 5, 0, 0, 10).segment(1, 7, 100, 100, 110);
  log.line(200, "begin", 1).line(200, "answer", 1).line(210, "end", 1);
  const Imported found = good(import_text(log.text(), "", exact()));
  EXPECT_FALSE(found.system.tasks[0].best_effort);
  EXPECT_EQ(found.system.tasks[0].priority, 7);
  EXPECT_TRUE(notes_have(found, "its segments have different priorities"));
}

TEST(ArbiterLog, ReadsSegmentsBehindGatesAndNestedOnes) {
  Log log;
  log.join(1, "camera").join(2, "other");
  log.line(10, "submit", 1, R"("segment": 1, "priority": 9, "threshold": 9)");
  log.line(30, "open", 1, R"("segment": 1)").line(90, "complete", 1, R"("segment": 1)");
  log.line(10, "begin", 2, R"("priority": 3)").line(10, "answer", 2);
  log.line(20, "begin", 2, R"("priority": 3)").line(20, "answer", 2).line(40, "end", 2);
  log.line(60, "end", 2);
  const Imported found = good(import_text(log.text(), "", exact()));
  EXPECT_EQ(found.system.tasks[0].nodes[0].wcet, us(60));
  EXPECT_EQ(found.system.tasks[1].nodes[0].wcet, us(50));
}

TEST(ArbiterLog, ComesBackUnderItsNameAndIsTwoTasksWhereTwoHaveOneName) {
  Log log;
  log.join(1, "camera").segment(1, 4, 0, 0, 10).line(20, "gone", 1);
  log.join(2, "camera").segment(2, 4, 100, 100, 120).join(3, "camera").segment(3, 4, 200, 200, 230);
  const Imported found = good(import_text(log.text(), "", exact()));
  ASSERT_EQ(found.system.tasks.size(), 2U);
  EXPECT_EQ(found.system.tasks[0].nodes[0].measured->runs, 2);
  EXPECT_EQ(found.system.tasks[1].name, "camera.2");
  EXPECT_FALSE(found.system.tasks[0].priority);
  EXPECT_TRUE(notes_have(found, "programs have the same one"));
}

TEST(ArbiterLog, IsRefusedWithItsLine) {
  const auto refuse = [](std::string text, const std::string& why) {
    EXPECT_NE(bad(import_text(text, "arbiter", exact())).find(why), std::string::npos) << why;
  };
  refuse("{\"t\": 1, \"event\": \"start\", \"client\": 0}\n{\"t\": 2, \"event\"\n", "source:2:");
  refuse("{\"t\": 1, \"event\": \"start\", \"client\": 0}\n[]\n", "source:2:1: a line of the");
  refuse("{\"t\": -1, \"event\": \"join\", \"client\": 1}\n", "source:1:1: a line of the");
  refuse("{\"t\": 1, \"event\": \"start\", \"client\": 0}\n", "no segment that has ended");
  refuse(camera_and_detector(3).text() + std::string(2 << 20, ' ') + "\n",
         "source:22:1: the line is longer than 1 MiB");
}

TEST(ArbiterLog, SaysWhatTheChangesOfWhoHasTheGpuCost) {
  Log log = camera_and_detector(3);
  log.line(31'000, "tier", 2,
           R"("tier": "channel", "samples": 9, "take_off_max_ns": 400000, )"
           R"("put_back_max_ns": 100000)");
  log.line(32'000, "off", 2, R"("result": 0, "took_ns": 500000)");
  log.line(33'000, "off", 2, R"("result": 2, "took_ns": 900000)");
  log.line(34'000, "on", 2, R"("result": 0, "took_ns": 200000)");
  log.line(35'000, "updated", 1, R"("took_ns": 650000)");
  const Imported found = good(import_text(log.text(), "", exact()));
  const Element& gpu = found.system.platform.elements[1];
  EXPECT_EQ(gpu.runlist_update, us(700)) << "off and on, which failed orders do not count for";
  EXPECT_EQ(gpu.context_switch, us(700));
  EXPECT_FALSE(gpu.preemption_delay);
  EXPECT_TRUE(notes_have(found, "runlist_update 0.7, context_switch 0.7"));
}

TEST(ArbiterLog, TheWaitForWorkThatLeavesByItselfIsTheDelayAndCountsOnce) {
  Log log = camera_and_detector(3);
  log.line(31'000, "tier", 2,
           R"("tier": "gate", "samples": 0, "take_off_max_ns": 0, )"
           R"("put_back_max_ns": 0)");
  log.line(32'000, "off", 2, R"("result": 0, "took_ns": 3000000)");
  log.line(33'000, "updated", 1, R"("took_ns": 3020000)");
  const Imported found = good(import_text(log.text(), "", exact()));
  const Element& gpu = found.system.platform.elements[1];
  EXPECT_EQ(gpu.preemption_delay, us(3'000));
  EXPECT_EQ(gpu.runlist_update, us(20));
}

TEST(ArbiterLog, OfTheBoostProtocolItSaysItsThreeCosts) {
  Log log;
  log.join(1, "camera");
  log.line(10, "submit", 1, R"("segment": 1, "priority": 5, "threshold": 5)");
  log.line(20, "open", 1, R"("segment": 1)")
      .line(50, "start", 1, R"("segment": 1, "took_ns": 80000)");
  log.line(60, "off", 1, R"("segment": 1, "took_ns": 40000)");
  log.line(70, "on", 1, R"("segment": 1, "took_ns": 25000)");
  log.line(90, "complete", 1, R"("segment": 1)");
  const Imported found = good(import_text(log.text(), "", exact()));
  const Element& gpu = found.system.platform.elements[1];
  EXPECT_EQ(gpu.start_cost, us(80));
  EXPECT_EQ(gpu.preempt_cost, us(40));
  EXPECT_EQ(gpu.resume_cost, us(25 + 30)) << "and from the gate to the start";
  EXPECT_FALSE(gpu.runlist_update);
}

TEST(ArbiterLog, GivesItsCostsToAnotherRecordingOfTheRun) {
  const support::TemporaryFolder folder;
  Log log = camera_and_detector(3);
  log.line(32'000, "off", 2, R"("result": 0, "took_ns": 500000)");
  log.line(34'000, "on", 2, R"("result": 0, "took_ns": 200000)");
  ImportOptions options = exact();
  options.join = {folder.file("arbiter.log", log.text())};
  options.margin = 10;
  const Imported found = good(
      import_file(support::source_path("tests/data/traces/resnet50_fp16_b1.json.gz"), "", options));
  EXPECT_EQ(found.system.platform.elements[1].runlist_update, us(770));
  options.join = {folder.file("broken.log", "{\"t\": 1, \"event\": 2}\n")};
  EXPECT_TRUE(bad(import_file(support::source_path("tests/data/traces/resnet50_fp16_b1.json.gz"),
                              "", options))
                  .find("broken.log:1:1: a line of the arbiter's log has") != std::string::npos);
}

}  // namespace
}  // namespace tactus::exchange
