// Tasks in words, and the commented file that is made of them.
#include <gtest/gtest.h>

#include "tactus/decide/commented.hpp"
#include "tactus/decide/spoken_task.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

Task said(std::string_view words) {
  auto task = spoken_task(words, {});
  EXPECT_TRUE(task) << task.error().message;
  return task ? std::move(*task) : Task();
}

TEST(SpokenTask, HasARateItsWorkInOrderAndADeadline) {
  const Task camera = said("camera 30 Hz, 8 ms GPU, 2 ms CPU, deadline 33");
  EXPECT_EQ(camera.name, "camera");
  EXPECT_EQ(camera.period, Time::from_ns(33'333'333)) << "the period is never too long";
  EXPECT_EQ(camera.deadline, Time::from_ms(33));
  ASSERT_EQ(camera.nodes.size(), 2U);
  EXPECT_EQ(camera.nodes[0].name, "gpu");
  EXPECT_EQ(camera.nodes[0].on, 2U);
  EXPECT_EQ(camera.nodes[0].wcet, Time::from_ms(8));
  EXPECT_EQ(camera.nodes[1].on, 0U);
}

TEST(SpokenTask, TakesWhatPeopleSayInTheirWays) {
  EXPECT_EQ(said("motor: 2kHz, 50us CPU").period, Time::from_us(500));
  const Task planner = said(
      "planner every 200 ms, plan 30 CPU, 0.4ms copy, 5 ms on the GPU, 2 CPU, "
      "jitter 4");
  EXPECT_EQ(planner.period, Time::from_ms(200));
  EXPECT_EQ(planner.jitter, Time::from_ms(4));
  EXPECT_FALSE(planner.deadline) << "the reader gives it the period";
  ASSERT_EQ(planner.nodes.size(), 4U);
  EXPECT_EQ(planner.nodes[0].name, "plan");
  EXPECT_EQ(planner.nodes[1].wcet, Time::from_us(400));
  EXPECT_EQ(said("a 1 Hz, 1 CPU, 2 CPU").nodes[1].name, "cpu_2");
  const Task mapping = said("mapping best effort, 40 ms GPU");
  EXPECT_TRUE(mapping.best_effort);
  EXPECT_FALSE(mapping.period);
}

TEST(SpokenTask, SaysWhatItDoesNotUnderstand) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "it has no name"},
      {"30 Hz, 8 GPU", "it must begin with a name"},
      {"camera", "expected a rate such as `30 Hz`, got ``"},
      {"camera 30, 8 GPU", "expected a rate such as `30 Hz`, got `30`"},
      {"camera 0 Hz, 8 GPU", "expected a rate above 0, got `0`"},
      {"camera -3 Hz, 8 GPU", "expected a rate above 0, got `-3`"},
      {"camera every 0 ms, 8 GPU", "the time between two jobs must be above 0"},
      {"camera 30 Hz", "it has no work: say `8 ms GPU` or `2 ms CPU`"},
      {"camera 30 Hz 8 ms GPU", "expected a comma before `8`"},
      {"camera 30 Hz, 8 ms TPU", "expected `GPU`, `CPU` or `copy`, got `tpu`"},
      {"camera 30 Hz, eight ms GPU", "expected a time such as `8 ms`, got `ms`"},
      {"camera 30 Hz, 8 GPU, deadline", "expected a time such as `8 ms`, got ``"},
      {"camera 30 Hz, 8 GPU, deadline 33, deadline 20", "`deadline` is said twice"},
      {"camera 30 Hz, 8 GPU, jitter 1, jitter 5", "`jitter` is said twice"},
      {"camera 30 Hz, 8 GPU now", "`now` is one word too many"},
      {"mapping best effort, 40 GPU, deadline 3",
       "a best-effort task has no deadline and no jitter"},
  };
  for (const auto& [words, why] : wrong) {
    const auto task = spoken_task(words, {});
    ASSERT_FALSE(task) << words;
    EXPECT_NE(task.error().message.find(why), std::string::npos) << task.error().message;
  }
}

TEST(Commented, IsTheSameSystemWhateverItHas) {
  for (const char* file : {"examples/robot.system.json", "examples/warehouse-pipeline.system.json",
                           "examples/pbs-drone.system.json", "examples/deploy.system.json",
                           "examples/dag-example.system.json"}) {
    const System system = support::read_file(file);
    const std::string text =
        commented(system, {{"first", "second"}, {"of an element"}, {"", "of a\ntask"}});
    EXPECT_NE(text.find("// of an element\n"), std::string::npos) << text;
    ReadResult read = read_system(text);
    ASSERT_TRUE(read.system) << file << read.diagnostics.front().message << text;
    EXPECT_EQ(write_system(*read.system), write_system(system)) << file;
  }
}

System of(std::initializer_list<const char*> names) {
  System system;
  for (const char* name : names) system.tasks.emplace_back().name = name;
  return system;
}

TEST(SpokenChain, HasItsTasksItsLimitsAndAName) {
  const System system = of({"camera", "planner", "wheel"});
  const auto plain = spoken_chain("camera > planner>wheel, 400", system);
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->name, "camera to wheel");
  EXPECT_EQ(plain->tasks, (std::vector<TaskIndex>{0, 1, 2}));
  EXPECT_EQ(plain->reaction, Time::from_ns(400'000'000));
  EXPECT_FALSE(plain->age);
  const auto full = spoken_chain("see-steer: camera > wheel, reaction 0.4 s, age 300ms", system);
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->name, "see-steer");
  EXPECT_EQ(full->reaction, plain->reaction);
  EXPECT_EQ(full->age, Time::from_ns(300'000'000));
}

TEST(SpokenChain, SaysWhatIsWrong) {
  const System system = of({"camera", "wheel"});
  const auto told = [&](std::string_view words) {
    const auto chain = spoken_chain(words, system);
    return chain ? std::string() : chain.error().message;
  };
  EXPECT_TRUE(told("camera > whel, 5").find("there is no task `whel`") != std::string::npos);
  EXPECT_TRUE(told("camera, 5").find("two tasks or more") != std::string::npos);
  EXPECT_TRUE(told("camera > wheel").find("it has no limit") != std::string::npos);
  EXPECT_TRUE(told("camera > wheel, 5 ms, 6").find("said twice") != std::string::npos);
  EXPECT_TRUE(told("camera > wheel, soon").find("expected a time") != std::string::npos);
  EXPECT_TRUE(told("camera > wheel, 5 ms late").find("one word too many") != std::string::npos);
}

}  // namespace
}  // namespace tactus::decide
