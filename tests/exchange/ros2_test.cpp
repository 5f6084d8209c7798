#include <fmt/core.h>

#include <cstdlib>

#include "tactus/exchange/ctf_text.hpp"
#include "tests/exchange/importing.hpp"

// Traces of ros2_tracing. tests/data/ros2/trace was recorded by LTTng from a program that has its
// tracepoints (robot.c); the texts here are what babeltrace2 prints of such events.
namespace tactus::exchange {
namespace {

Time us(std::int64_t time) { return Time::from_us(time); }

ImportOptions exact(Fold fold = Fold::kTask) {
  ImportOptions options;
  options.name = "robot";
  options.fold = fold;
  options.margin = 0;
  return options;
}

/// Nodes with one callback each; times in us, since 1970.
class Robot {
 public:
  Robot& event(int process, std::int64_t at, std::string_view name, std::string_view fields,
               int thread = 0) {
    text_ += fmt::format(
        "[{}.{:06}000] robot ros2:{}: {{ cpu_id = 0 }}, {{ vpid = {}, vtid = {}, procname = "
        "\"node{}\" }}, {{ {} }}\n",
        kBegin + at / 1'000'000, at % 1'000'000, name, process, thread == 0 ? process : thread,
        process, fields);
    return *this;
  }
  Robot& node(int process, std::string_view name) {
    return event(process, 0, "rcl_node_init",
                 fmt::format("node_handle = 0x20, rmw_handle = 0x21, node_name = \"{}\", namespace "
                             "= \"/\"",
                             name));
  }
  Robot& publishes(int process, std::string_view topic) {
    return event(process, 0, "rcl_publisher_init",
                 fmt::format("publisher_handle = 0x30, node_handle = 0x20, rmw_publisher_handle = "
                             "0x31, topic_name = \"{}\", queue_depth = 10",
                             topic));
  }
  Robot& takes(int process, std::string_view topic, int callback = 0x50) {
    const int of = callback + 1000;
    return event(process, 0, "rcl_subscription_init",
                 fmt::format("subscription_handle = {}, node_handle = 0x20, "
                             "rmw_subscription_handle = 0x41, topic_name = \"{}\", queue_depth = 1",
                             of, topic))
        .event(process, 0, "rclcpp_subscription_init",
               fmt::format("subscription_handle = {}, subscription = {}", of, of + 1))
        .event(process, 0, "rclcpp_subscription_callback_added",
               fmt::format("subscription = {}, callback = {}", of + 1, callback));
  }
  Robot& timer(int process, std::int64_t period, int callback = 0x50) {
    return event(process, 0, "rcl_timer_init",
                 fmt::format("timer_handle = {}, period = {}", callback + 1, period * 1000))
        .event(process, 0, "rclcpp_timer_callback_added",
               fmt::format("timer_handle = {}, callback = {}", callback + 1, callback))
        .event(process, 0, "rclcpp_timer_link_node",
               fmt::format("timer_handle = {}, node_handle = 0x20", callback + 1));
  }
  Robot& begin(int process, std::int64_t at, int callback = 0x50, int thread = 0) {
    return event(process, at, "callback_start",
                 fmt::format("callback = {}, is_intra_process = 0", callback), thread);
  }
  Robot& end(int process, std::int64_t at, int callback = 0x50, int thread = 0) {
    return event(process, at, "callback_end", fmt::format("callback = {}", callback), thread);
  }
  Robot& publish(int process, std::int64_t at) {
    return event(process, at, "rcl_publish", "publisher_handle = 0x30, message = 0x70");
  }
  Robot& take(int process, std::int64_t at, std::int64_t sent) {
    return event(process, at, "rmw_take",
                 fmt::format("rmw_subscription_handle = 0x41, message = 0x71, source_timestamp = "
                             "{}, taken = 1",
                             kBegin * 1'000'000'000 + sent * 1000));
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::int64_t kBegin = 1'700'000'000;
  std::string text_;
};

/// A camera with a timer of 10 ms, and a detector that begins `after` its end.
Robot camera_and_detector(int jobs, std::int64_t after, bool every = true) {
  Robot robot;
  robot.node(1, "camera").publishes(1, "/image").timer(1, 10'000);
  robot.node(2, "detector").takes(2, "/image");
  for (int k = 0; k < jobs; ++k) {
    const std::int64_t at = 1'000 + 10'000 * k + 200 * (k % 2), end = at + 500;
    robot.begin(1, at).publish(1, end - 50);
    const std::int64_t start = end + after;
    if (start < end) robot.take(2, start, end - 40).begin(2, start).end(1, end);
    if (start >= end) robot.end(1, end);
    if (start >= end && (every || k % 2 == 0)) robot.take(2, start, end - 40).begin(2, start);
    if (every || k % 2 == 0) robot.end(2, start + 3'000);
  }
  return robot;
}

const Task& task_named(const System& system, const std::string& name) {
  for (const Task& task : system.tasks) {
    if (task.name == name) return task;
  }
  ADD_FAILURE() << "no task " << name;
  return system.tasks.front();
}

TEST(Ros2, CallbacksAreTasksAndTimersSayTheirPeriod) {
  const Imported found = good(import_text(camera_and_detector(20, 100).text(), "", exact()));
  EXPECT_EQ(found.format, "ros2");
  const Task& camera = task_named(found.system, "camera");
  EXPECT_EQ(camera.period, us(10'000));
  EXPECT_EQ(camera.jitter, us(200));
  EXPECT_EQ(camera.nodes[0].wcet, us(500));
  EXPECT_EQ(camera.nodes[0].measured->runs, 20);
  EXPECT_EQ(camera.core, 1);
  EXPECT_EQ(task_named(found.system, "detector").core, 2) << "another thread";
  EXPECT_EQ(found.system.platform.elements[0].units, 2);
  EXPECT_TRUE(notes_have(found, "thread 1 of process 1 (`node1`) runs `camera`"));
}

TEST(Ros2, WhoTakesTheMessagesOfAnotherIsAfterIt) {
  const Imported found = good(import_text(camera_and_detector(20, 100).text(), "", exact()));
  const Task& detector = task_named(found.system, "detector");
  ASSERT_TRUE(detector.after);
  EXPECT_EQ(found.system.tasks[*detector.after].name, "camera");
  EXPECT_EQ(detector.jitter, us(100));
  EXPECT_EQ(detector.period, us(10'000));
  EXPECT_TRUE(notes_have(found,
                         "task `detector` takes what `camera` sent, and begins 0.1 to 0.1 ms after "
                         "its end in all 20 jobs"));
  ASSERT_EQ(found.system.chains.size(), 1U);
  EXPECT_EQ(found.system.chains[0].name, "camera to detector");
}

TEST(Ros2, WhoBeginsBeforeTheEndOfTheSenderIsNotAfterItButHasItsPeriod) {
  const Imported found = good(import_text(camera_and_detector(20, -30).text(), "", exact()));
  const Task& detector = task_named(found.system, "detector");
  EXPECT_FALSE(detector.after);
  EXPECT_EQ(detector.period, us(10'000));
  EXPECT_EQ(detector.jitter, us(200));
  EXPECT_TRUE(notes_have(found, "it began before `camera` had ended"));
  EXPECT_EQ(found.system.chains.size(), 1U);
}

TEST(Ros2, WhoTakesEveryOtherMessageIsNotAfterTheSender) {
  const Imported found = good(import_text(camera_and_detector(20, 100, false).text(), "", exact()));
  EXPECT_FALSE(task_named(found.system, "detector").after);
  EXPECT_TRUE(notes_have(found, "not each job of `camera` starts one of it"));
}

TEST(Ros2, TheStampSaysWhichMessageWasTaken) {
  Robot robot;
  robot.node(1, "camera").publishes(1, "/image").timer(1, 10'000);
  robot.node(2, "slow").takes(2, "/image");
  for (int k = 0; k < 12; ++k) {  // each is taken when the next one has been published
    const std::int64_t at = 1'000 + 10'000 * k;
    robot.begin(1, at).publish(1, at + 400).end(1, at + 500);
    if (k > 0) robot.take(2, at + 600, at - 10'000 + 410).begin(2, at + 600).end(2, at + 900);
  }
  const Imported found = good(import_text(robot.text(), "", exact()));
  EXPECT_EQ(task_named(found.system, "slow").jitter, us(10'100)) << "after the end of the sender";
}

TEST(Ros2, CallbacksOfOneNodeAndOneThreadHaveTheirOwnNamesAndOneCore) {
  Robot robot;
  robot.node(1, "base").timer(1, 20'000).takes(1, "/cmd_vel", 0x60);
  for (int k = 0; k < 12; ++k) {
    robot.begin(1, 1'000 + 20'000 * k).end(1, 2'000 + 20'000 * k);
    robot.begin(1, 3'000 + 20'000 * k, 0x60).end(1, 3'500 + 20'000 * k, 0x60);
  }
  const Imported found = good(import_text(robot.text(), "", exact()));
  EXPECT_EQ(task_named(found.system, "base timer 20 ms").core, 1);
  EXPECT_EQ(task_named(found.system, "base /cmd_vel").core, 1);
  EXPECT_TRUE(notes_have(found, "give each its own executor"));
  EXPECT_TRUE(notes_have(found, "12 messages were taken that no callback was seen to publish"));
}

TEST(Ros2, LeavesOutWhatItHasOnlyAPartOf) {
  Robot robot;
  robot.end(1, 10).begin(1, 1'000).end(1, 1'500).begin(1, 11'000).end(1, 11'700);
  robot.begin(1, 21'000);
  const Imported found = good(import_text(robot.text(), "", exact()));
  EXPECT_EQ(found.system.tasks[0].name, "callback 0x50");
  EXPECT_EQ(found.seen[0].jobs, 2U);
  EXPECT_TRUE(notes_have(found, "1 callbacks had not ended"));
  EXPECT_TRUE(notes_have(found, "1 callbacks had begun before the recording"));
  EXPECT_TRUE(notes_have(found, "start the recording before the nodes"));
}

TEST(Ros2, SaysWhereALineIsWrong) {
  const auto lines = [](const std::string& text) {
    return bad(import_text(text, "ros2", exact()));
  };
  EXPECT_EQ(lines("[1.000000000] h ros2:callback_start: { vpid = 1, vtid = 1 }, { is_intra = 0 }"),
            "source:1:1: the event has no `callback`\n");
  EXPECT_TRUE(lines("\n[1.000000000] h ros2:callback_start: { }, { callback = 0x1 }")
                  .starts_with("source:2:1: the event does not say its process and thread"));
  EXPECT_EQ(lines("[soon] h ros2:callback_start: { vpid = 1 }"),
            "source:1:1: the line of an event begins with its time, as in "
            "[1700000000.000120000]\n");
  EXPECT_EQ(lines("[1.000000000] h ros2:rcl_node_init: { vpid = 1, vtid = 1 }, { node_name = \"a"),
            "source:1:75: this text does not end\n");
  EXPECT_EQ(lines("[2.000000000] h ros2:rcl_init: { vpid = 1, vtid = 1 }\n"
                  "[1.000000000] h ros2:rcl_init: { vpid = 1, vtid = 1 }"),
            "source:2:1: its time is before that of the event above it\n");
  EXPECT_EQ(lines("[1.000000000] h ros2:rcl_init: { vpid = 1, vtid = 1 }"),
            "source: the trace has no callback (ros2:callback_start)\n");
  EXPECT_EQ(lines("nothing of it"), "source: the trace has no callback (ros2:callback_start)\n");
}

TEST(Ros2, ReadsTimesAsBabeltracePrintsThem) {
  CtfEvent event;
  const auto at = [&](const std::string& time) {
    EXPECT_FALSE(read_ctf_line("[" + time + "] (+0.1) h ros2:x: { a = 1 }", "ros2:", event))
        << time;
    return event.at;
  };
  EXPECT_EQ(at("1700000000.000000001"), 1'700'000'000'000'000'001);
  EXPECT_TRUE(event.since_1970);
  EXPECT_EQ(at("00:01:02.5"), 62'500'000'000);
  EXPECT_FALSE(event.since_1970);
  EXPECT_EQ(at("1970-01-02 00:00:00.000000000"), 86'400'000'000'000);
}

TEST(Ros2, ReadsListsTextsAndNumbersOfAnEvent) {
  CtfEvent event;
  ASSERT_FALSE(read_ctf_line(
      R"([1.5] h ros2:x: { cpu_id = 3 }, { a = 0xFF, gid = [ [0] = 1, [1] = 2 ], e = ( "on" : container = 1 ), b = "x \" y", c = -7 })",
      "ros2:", event));
  EXPECT_EQ(event.number("a"), 255);
  EXPECT_EQ(event.number("c"), -7);
  EXPECT_EQ(*event.find("b"), R"(x \" y)");
  EXPECT_EQ(event.find("gid")->size(), 0U);
  EXPECT_FALSE(event.number("none"));
}

TEST(Ros2, ATraceOfLttngAndTheProfileOfItsGpuBecomeOneSystem) {
  if (std::system("babeltrace2 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no babeltrace2";
  const std::string folder = support::source_path("tests/data/ros2/");
  ImportOptions options = exact();
  options.join = {folder + "gpu.json"};
  const Imported found = good(import_file(folder + "trace", "", options));
  ASSERT_EQ(found.system.tasks.size(), 3U);
  EXPECT_EQ(task_named(found.system, "camera").period, us(20'000));
  EXPECT_EQ(task_named(found.system, "planner").nodes.size(), 1U);
  const Task& detector = task_named(found.system, "detector");
  const Sums sums = sums_of(found.system, detector);
  EXPECT_GT(sums.gpu, us(3'000).ns()) << "the kernels of the profile are in its callbacks";
  EXPECT_GT(sums.cpu, us(900).ns());
  EXPECT_EQ(found.seen[static_cast<std::size_t>(&detector - found.system.tasks.data())].jobs, 40U);
  ASSERT_EQ(found.system.chains.size(), 1U);
  EXPECT_EQ(found.system.chains[0].tasks.size(), 3U);
}

TEST(Ros2, AFolderThatIsNoTraceIsRefused) {
  EXPECT_EQ(bad(import_file(support::source_path("tests/data/ros2/trace/ust/uid/0/64-bit/index"),
                            "", exact())),
            "source: it is a directory\n");
}

}  // namespace
}  // namespace tactus::exchange
