// Calls of a program become jobs, and jobs become a task.
#include "tactus/observe/cut_into_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "tactus/observe/task.hpp"

namespace tactus::observe {
namespace {

/// A program of one thread, written down call by call.
class Program {
 public:
  Program& works(int us) {
    now_ += us * 1000;
    cpu_ += us * 1000;
    return *this;
  }
  Program& sleeps(int us) {
    ++sleeps_;
    return is_held_up(us);
  }
  Program& is_held_up(int us) {
    now_ += us * 1000;
    return *this;
  }
  /// A call that takes wall time and no CPU time.
  Program& calls(std::string_view name, int us = 1, std::uint64_t bytes = 0) {
    Call call;
    for (std::uint16_t i = 0; i < kFunctionCount; ++i) {
      if (kFunctions[i].name == name) call.function = i;
    }
    call.process = process_;
    call.begin = now_;
    now_ += us * 1000;
    call.end = now_;
    call.cpu_begin = call.cpu_end = cpu_;
    call.sleeps_begin = call.sleeps_end = sleeps_;
    call.bytes = bytes;
    log_.push_back(call);
    return *this;
  }
  Program& as(std::int32_t process) {
    process_ = process;
    return *this;
  }
  const std::vector<Call>& log() const { return log_; }

 private:
  std::int64_t now_ = 1'000'000, cpu_ = 0, sleeps_ = 0;
  std::int32_t process_ = 1;
  std::vector<Call> log_;
};

Part::Kind kind(const Job& job, std::size_t part) { return job.parts.at(part).kind; }

TEST(CallLog, HoldsNothingThatNobodyCanHaveDone) {
  Call call;
  call.begin = 100;
  call.end = 200;
  call.cpu_end = 50;
  EXPECT_TRUE(believable(call, 100, 200));
  EXPECT_FALSE(believable(call, 101, 200)) << "before the program was started";
  EXPECT_FALSE(believable(call, 100, 199)) << "after it had ended";
  const auto but = [&](auto change) {
    Call other = call;
    change(other);
    return believable(other, 100, 200);
  };
  EXPECT_FALSE(but([](Call& other) { other.function = kFunctionCount; }));
  EXPECT_FALSE(but([](Call& other) { other.end = 99; }));
  EXPECT_FALSE(but([](Call& other) { other.begin = INT64_MIN; }));
  EXPECT_FALSE(but([](Call& other) { other.cpu_begin = 51; }));
  EXPECT_FALSE(but([](Call& other) { other.cpu_begin = -1; }));
  EXPECT_FALSE(but([](Call& other) { other.cpu_end = INT64_MAX; }));
}

Program periodic(int jobs) {
  Program program;
  for (int i = 0; i < jobs; ++i) {
    program.works(100).calls("cuMemcpyHtoD", 50, 4096).works(20);
    program.calls("cuLaunchKernel", 5).calls("cuLaunchKernel", 5).calls("cuStreamSynchronize", 300);
    program.works(30).sleeps(5000);
  }
  return program;
}

TEST(Jobs, AreCutAtPausesWithoutTheStartAndTheEndOfTheProgram) {
  const Program program = periodic(6);
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->jobs.size(), 4U) << "neither the first nor the last";
  for (const Job& job : jobs->jobs) {
    ASSERT_EQ(job.parts.size(), 4U);
    EXPECT_EQ(kind(job, 0), Part::Kind::kCpu);
    EXPECT_EQ(job.parts[0].time, Time::from_us(130)) << "what it did after the last wait, too";
    EXPECT_EQ(kind(job, 1), Part::Kind::kCopyIn);
    EXPECT_EQ(job.parts[1].time, Time::from_us(50));
    EXPECT_EQ(job.parts[1].bytes, 4096U);
    EXPECT_EQ(job.parts[2].time, Time::from_us(20));
    EXPECT_EQ(kind(job, 3), Part::Kind::kGpu);
    EXPECT_EQ(job.parts[3].time, Time::from_us(310));
    EXPECT_EQ(job.parts[3].launch, Time::from_us(10));
  }
  EXPECT_EQ(jobs->jobs[1].start - jobs->jobs[0].start, Time::from_us(5510));
}

TEST(Jobs, AreCutAtACallThatTheUserNames) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.calls("cuGraphLaunch", 10).calls("cuStreamSynchronize", 100).works(50);
  }
  EXPECT_FALSE(cut_into_jobs(program.log(), {})) << "it never pauses";
  const auto jobs = cut_into_jobs(program.log(), {.at = "cuGraphLaunch"});
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_EQ(jobs->jobs.size(), 3U);
  EXPECT_FALSE(cut_into_jobs(program.log(), {.at = "printf"}));
}

TEST(Jobs, OfAProgramThatMarksSegmentsHaveTheseAsGpuParts) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.works(40).calls("tactus_segment_begin", 3).calls("cuLaunchKernel", 7);
    program.calls("cuStreamSynchronize", 90).works(5).calls("tactus_segment_end", 2);
  }
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_TRUE(jobs->by_segments);
  ASSERT_EQ(jobs->jobs.size(), 3U) << "each segment is a job where there are no pauses";
  EXPECT_EQ(jobs->jobs[0].parts[1].time, Time::from_us(107));
}

TEST(Jobs, AreCutWhereAutomaticSegmentsAre) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.works(40).calls("cuMemcpyHtoD", 50, 4096).works(10).calls("cuLaunchKernel", 7);
    program.calls("cuMemcpyDtoH", 90, 4096).works(30).sleeps(5000);
  }
  CutOptions automatic;
  automatic.automatic = true;
  const auto jobs = cut_into_jobs(program.log(), automatic);
  ASSERT_TRUE(jobs) << jobs.error().message;
  for (const Job& job : jobs->jobs) {
    ASSERT_EQ(job.parts.size(), 4U);
    EXPECT_EQ(kind(job, 1), Part::Kind::kGpu) << "a copy that waits is a segment";
    EXPECT_EQ(job.parts[1].time, Time::from_us(50));
    EXPECT_EQ(kind(job, 3), Part::Kind::kGpu);
    EXPECT_EQ(job.parts[3].time, Time::from_us(97)) << "with what was launched before it";
  }
  const auto task = task_of(*jobs, {});
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_NE(task->notes.front().find("each job has 2 automatic segments"), std::string::npos)
      << task->notes.front();
}

TEST(Jobs, OfSeveralLaunchingThreadsAreNoTaskWithAutomaticSegments) {
  std::vector<Call> calls = periodic(6).log();
  calls[calls.size() - 2].thread = 7;
  CutOptions automatic;
  automatic.automatic = true;
  ASSERT_FALSE(cut_into_jobs(calls, automatic));
  EXPECT_NE(cut_into_jobs(calls, automatic).error().message.find("2 threads"), std::string::npos);
  EXPECT_TRUE(cut_into_jobs(calls, {}));
}

TEST(Jobs, ThatDoNotWaitForTheGpuAreLeftOut) {
  Program program = periodic(5);
  program.works(100).calls("cuLaunchKernel").sleeps(5000);
  program.works(10).calls("cuLaunchKernel").calls("cuStreamSynchronize", 300).sleeps(5000);
  program.works(10).calls("cuLaunchKernel").calls("cuStreamSynchronize", 300);
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_EQ(jobs->unfinished, 1U);
  Program never;
  for (int i = 0; i < 9; ++i) never.works(10).calls("cuLaunchKernel").sleeps(5000);
  const auto none = cut_into_jobs(never.log(), {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("its end is not known"), std::string::npos);
}

TEST(Jobs, ThatSleepUntilTheirGpuWorkHasEndedAreNotCutThere) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.works(10).calls("cuLaunchKernel").sleeps(2000).calls("cuStreamSynchronize");
    program.works(10).sleeps(8000);
  }
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->jobs.size(), 3U);
  EXPECT_EQ(jobs->jobs[0].parts.back().time, Time::from_us(2002));
}

TEST(Jobs, AreNotCutWhereTheSystemTookTheCpuAway) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.works(10).calls("cuMemcpyHtoD", 50).is_held_up(3000);
    program.calls("cuLaunchKernel").calls("cuStreamSynchronize", 300).sleeps(8000);
  }
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_EQ(jobs->jobs.size(), 3U);
}

TEST(Jobs, OfTheProcessThatUsesTheGpuMost) {
  Program program = periodic(6);
  program.as(2).calls("cuLaunchKernel");
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_EQ(jobs->other_processes, 1U);
  EXPECT_FALSE(cut_into_jobs({}, {}));
}

TEST(Task, HasTheLongestOfEachPartPlusTheMargin) {
  const auto jobs = cut_into_jobs(periodic(9).log(), {});
  ASSERT_TRUE(jobs);
  const auto seen = task_of(*jobs, {.name = "camera", .margin = 10, .machine = "here"});
  ASSERT_TRUE(seen) << seen.error().message;
  ASSERT_EQ(seen->system.tasks.size(), 1U);
  const Task& task = seen->system.tasks.front();
  EXPECT_EQ(task.name, "camera");
  EXPECT_EQ(task.period, Time::from_us(5510));
  EXPECT_EQ(task.deadline, task.period);
  ASSERT_EQ(task.nodes.size(), 4U);
  EXPECT_EQ(task.nodes[3].name, "gpu 1");
  EXPECT_EQ(task.nodes[3].wcet, Time::from_us(341));
  EXPECT_EQ(task.nodes[3].launch, Time::from_us(11));
  EXPECT_EQ(task.nodes[3].bcet, Time()) << "only on request";
  EXPECT_EQ(task.nodes[3].measured->runs, 7);
  const auto with_least = task_of(*jobs, {.name = "p", .margin = 10, .bcet = true, .machine = "m"});
  EXPECT_EQ(with_least->system.tasks.front().nodes[3].bcet, Time::from_us(279))
      << "310 us less the margin";
}

TEST(Task, OfJobsThatDifferHasOneNodeOfEachKind) {
  Program program;
  for (int i = 0; i < 8; ++i) {
    program.works(100);
    for (int k = 0; k <= i % 2; ++k) {
      program.calls("cuLaunchKernel", 5).calls("cuStreamSynchronize", 100).works(10);
    }
    program.sleeps(5000);
  }
  const auto jobs = cut_into_jobs(program.log(), {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  const auto seen = task_of(*jobs, {.name = "p", .margin = 0, .machine = "m"});
  ASSERT_TRUE(seen) << seen.error().message;
  ASSERT_EQ(seen->nodes.size(), 2U);
  EXPECT_EQ(seen->system.tasks.front().nodes[1].wcet, Time::from_us(210)) << "both of them";
  EXPECT_TRUE(std::any_of(seen->notes.begin(), seen->notes.end(), [](const std::string& note) {
    return note.find("differ") != std::string::npos;
  }));
}

}  // namespace
}  // namespace tactus::observe
