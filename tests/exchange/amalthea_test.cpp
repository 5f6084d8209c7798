#include "tests/exchange/importing.hpp"
#include "tests/support/folder.hpp"

// Models of AMALTHEA: tests/data/amalthea/shuttle.amxmi, and what happens when a piece of it is other.
namespace tactus::exchange {
namespace {

Time us(std::int64_t time) { return Time::from_us(time); }

std::string shuttle() {
  return support::slurp(support::source_path("tests/data/amalthea/shuttle.amxmi"));
}

ImportOptions options() {
  ImportOptions options;
  options.name = "shuttle";
  return options;
}

/// The shuttle, with one text in place of another.
std::string changed(const std::string& old, const std::string& text) {
  std::string all = shuttle();
  const std::size_t at = all.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return all.replace(at, old.size(), text);
}

const Task& task_named(const System& system, const std::string& name) {
  for (const Task& task : system.tasks) {
    if (task.name == name) return task;
  }
  ADD_FAILURE() << "no task " << name;
  return system.tasks.front();
}

TEST(Amalthea, TicksAreTimesOnTheUnitOfTheTask) {
  const Imported found = good(import_text(shuttle(), "", options()));
  EXPECT_EQ(found.format, "amalthea");
  const Task& steer = task_named(found.system, "Steer");
  ASSERT_EQ(steer.nodes.size(), 1U);
  EXPECT_EQ(steer.nodes[0].name, "runnables");
  EXPECT_EQ(steer.nodes[0].wcet, Time::from_ns(250'000 + 750'001)) << "rounded up";
  EXPECT_EQ(steer.nodes[0].bcet, us(250 + 400));
  EXPECT_EQ(steer.period, us(10'000));
  EXPECT_EQ(steer.offset, us(2'000));
  EXPECT_EQ(steer.deadline, us(8'000));
  EXPECT_EQ(steer.core, 1);
  EXPECT_EQ(steer.priority, 3);
  EXPECT_EQ(task_named(found.system, "Doors").period, us(100'000)) << "of a sporadic stimulus";
}

TEST(Amalthea, ATaskOfTheGpuIsPartOfTheOneThatTriggersIt) {
  const Imported found = good(import_text(shuttle(), "", options()));
  ASSERT_EQ(found.system.tasks.size(), 3U);
  const Task& see = task_named(found.system, "PRE_See_gpu_POST");
  ASSERT_EQ(see.nodes.size(), 3U);
  EXPECT_EQ(see.nodes[0].wcet, us(3'000)) << "ticks of the little core";
  EXPECT_EQ(see.nodes[1].name, "See_function");
  EXPECT_EQ(found.system.platform.elements[see.nodes[1].on].name, "iGPU");
  EXPECT_EQ(see.nodes[1].wcet, us(8'000)) << "at 1.5 GHz";
  EXPECT_EQ(see.nodes[1].bcet, us(6'000));
  EXPECT_EQ(see.nodes[2].name, "See_post");
  EXPECT_EQ(see.jitter, us(1'500));
  EXPECT_TRUE(notes_have(found, "task `See` of a GPU is part of `PRE_See_gpu_POST`"));
}

TEST(Amalthea, UnfoldedEachRunnableIsANode) {
  ImportOptions unfolded = options();
  unfolded.fold = Fold::kNone;
  const Imported found = good(import_text(shuttle(), "", unfolded));
  const Task& steer = task_named(found.system, "Steer");
  ASSERT_EQ(steer.nodes.size(), 2U);
  EXPECT_EQ(steer.nodes[1].name, "Control loop");
}

TEST(Amalthea, EventChainsAreChainsWithTheirLimits) {
  const Imported found = good(import_text(shuttle(), "", options()));
  ASSERT_EQ(found.system.chains.size(), 1U);
  const Chain& chain = found.system.chains[0];
  EXPECT_EQ(chain.name, "see and steer");
  ASSERT_EQ(chain.tasks.size(), 2U) << "the GPU's task is part of the first";
  EXPECT_EQ(found.system.tasks[chain.tasks[1]].name, "Steer");
  EXPECT_EQ(chain.reaction, us(120'000));
  EXPECT_FALSE(chain.age);
}

TEST(Amalthea, SaysWhatIsLeftOut) {
  const Imported found = good(import_text(shuttle(), "", options()));
  EXPECT_TRUE(notes_have(found, "2 accesses to labels and channels (their time is not counted)"));
  EXPECT_TRUE(notes_have(found, "does not say how many SMs `iGPU` has"));
  EXPECT_TRUE(notes_have(found, "cores: 1 Core 0, 2 Core 1"));
}

TEST(Amalthea, ATaskThatATaskOfACpuTriggersIsAfterIt) {
  const Imported found = good(import_text(
      changed("<items xsi:type=\"am:RunnableCall\" runnable=\"Control%20loop?type=Runnable\"/>",
              "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"button\"/>"),
      "", options()));
  EXPECT_FALSE(task_named(found.system, "Doors").after) << "it has a rhythm of its own";
  std::string text = changed("stimuli=\"button?type=SporadicStimulus\"", "stimuli=\"go\"");
  const std::string call =
      "<items xsi:type=\"am:RunnableCall\" runnable=\"Control%20loop?type=Runnable\"/>";
  text.replace(text.find(call), call.size(),
               "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go\"/>");
  const Imported triggered = good(import_text(text, "", options()));
  const Task& doors = task_named(triggered.system, "Doors");
  ASSERT_TRUE(doors.after);
  EXPECT_EQ(triggered.system.tasks[*doors.after].name, "Steer");
  EXPECT_EQ(doors.period, us(10'000));
}

TEST(Amalthea, OnSeveralUnitsTheSlowestCounts) {
  const Imported found = good(import_text(
      changed("responsibility=\"Core%201?type=ProcessingUnit\"",
              "responsibility=\"Core%200?type=ProcessingUnit Core%201?type=ProcessingUnit\""),
      "", options()));
  const Task& see = task_named(found.system, "PRE_See_gpu_POST");
  EXPECT_EQ(see.nodes[0].wcet, us(3'000));
  EXPECT_EQ(see.nodes[0].bcet, us(1'500));
  EXPECT_FALSE(see.core);
}

TEST(Amalthea, SaysWhereAModelIsWrong) {
  const auto lines = [](const std::string& text) { return bad(import_text(text, "", options())); };
  EXPECT_EQ(
      lines(changed("runnable=\"Filter?type=Runnable\"", "runnable=\"Filler?type=Runnable\"")),
      "source:26:9: there is no runnable `Filler` in this file\n");
  EXPECT_EQ(lines(changed("key=\"GPU_def?type=ProcessingUnitDefinition\"", "key=\"X\"")),
            "source:64:9: `See_function` has no ticks for `GPU_def`, on which its task may run\n");
  EXPECT_EQ(lines(changed("<recurrence value=\"40\" unit=\"ms\"/>",
                          "<recurrence value=\"40\" unit=\"days\"/>")),
            "source:107:7: this must be a time >= 0 in s, ms, us or ns, got `40` `days`\n");
  EXPECT_EQ(lines(changed("<defaultValue value=\"2.0\"", "<defaultValue value=\"fast\"")),
            "source:102:61: a frequency must be a number > 0\n");
  EXPECT_EQ(lines(changed("value=\"500000\"", "")),
            "source:74:11: `DiscreteValueConstant` has no `upperBound`, so there is no longest "
            "time\n");
  EXPECT_EQ(lines(changed("</swModel>", "</sw>")),
            "source:89:5: mismatched tag, inside of <swModel>\n");
  EXPECT_EQ(
      lines("<!DOCTYPE a [<!ENTITY b 'c'>]><x xmlns='http://app4mc.eclipse.org/amalthea/1'/>"),
      "source:1:13: a document type is refused: it could define entities\n");
  EXPECT_TRUE(lines("<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/1.0.0\"/>")
                  .find("has no processing unit") != std::string::npos);
}

}  // namespace
}  // namespace tactus::exchange
