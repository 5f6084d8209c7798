#include <gtest/gtest.h>

#include "tests/exchange/importing.hpp"

/// Two traces of the PyTorch profiler, made on an H200. The expected numbers come from a script of its
/// own (tests/exchange/trace_sums.py), which shares nothing with the importer.
namespace tactus::exchange {
namespace {

constexpr Fold kFolds[] = {Fold::kNone, Fold::kStream, Fold::kAnnotation, Fold::kTask};

TEST(Samples, ResNetHasThreeJobsOf342Kernels) {
  const Imported imported = sample("resnet50_fp16_b1", Fold::kNone);
  ASSERT_EQ(imported.seen.size(), 1U);
  EXPECT_EQ(imported.seen[0].jobs, 3U);
  EXPECT_EQ(imported.seen[0].works, 342U);
  EXPECT_EQ(imported.seen[0].gpu_time, 902'400);  // job_2; the others: 900'332 and 900'372
  const Task& task = imported.system.tasks.front();
  EXPECT_EQ(task.name, "job");
  std::size_t kernels = 0;
  for (const Node& node : task.nodes) {
    kernels += imported.system.platform.elements[node.on].kind == ElementKind::kGpu ? 1U : 0U;
  }
  EXPECT_EQ(kernels, 342U);
  EXPECT_EQ(*task.period, Time::from_ns(11'754'985));  // between job_1 and job_2
  EXPECT_TRUE(notes_have(imported, "9 calls that should put work on the GPU have none"));
  EXPECT_TRUE(notes_have(imported, "without a pause"));
}

TEST(Samples, TwoBranchesHaveThreeJobsOf642PiecesOfWorkOnThreeStreams) {
  const Imported imported = sample("two_branch_streams", Fold::kStream);
  ASSERT_EQ(imported.seen.size(), 1U);
  EXPECT_EQ(imported.seen[0].jobs, 3U);
  EXPECT_EQ(imported.seen[0].works, 642U);  // 638 kernels and 4 memsets
  EXPECT_EQ(imported.seen[0].gpu_time, 1'432'156);
  EXPECT_TRUE(notes_have(imported, "12 waits between streams are guesses"));
}

TEST(Samples, TheBranchesAreSideBySideAndJoinInTheMainStream) {
  const Imported imported = sample("two_branch_streams", Fold::kStream);
  const Task& task = imported.system.tasks.front();
  std::map<std::string, NodeIndex> place;
  for (NodeIndex i = 0; i < task.nodes.size(); ++i) place[task.nodes[i].name] = i;
  ASSERT_TRUE(place.contains("stream 37") && place.contains("stream 41") &&
              place.contains("stream 7"));
  const auto before = [&](const char* a, const char* b) {
    const auto next = task.graph.successors(place[a]);
    return std::find(next.begin(), next.end(), place[b]) != next.end();
  };
  EXPECT_TRUE(before("stream 37", "stream 7"));
  EXPECT_TRUE(before("stream 41", "stream 7"));
  EXPECT_FALSE(before("stream 37", "stream 41"));
  EXPECT_FALSE(before("stream 41", "stream 37"));
}

TEST(Samples, AFoldedTaskHasTheSumOfTheTraceInAnyFold) {
  for (const char* name : {"resnet50_fp16_b1", "two_branch_streams"}) {
    const Imported whole = sample(name, Fold::kTask);
    const Sums sums = sums_of(whole.system, whole.system.tasks.front());
    // One GPU node: the longest job. Several nodes: each its own longest, so not less.
    EXPECT_EQ(sums.gpu, whole.seen[0].gpu_time) << name;
    for (Fold how : kFolds) {
      const Imported folded = sample(name, how);
      const Sums other = sums_of(folded.system, folded.system.tasks.front());
      EXPECT_EQ(folded.seen[0].gpu_time, whole.seen[0].gpu_time) << name;
      EXPECT_EQ(folded.seen[0].cpu_time, whole.seen[0].cpu_time) << name;
      EXPECT_GE(other.gpu, sums.gpu) << name;
      EXPECT_GE(other.cpu, whole.seen[0].cpu_time) << name;
    }
  }
}

TEST(Samples, CpuTimeIsTheSpanOfAJobWithoutWhatItWaited) {
  const Imported imported = sample("resnet50_fp16_b1", Fold::kTask);
  // The longest job spans 16'634'387 ns. It waits only in cudaDeviceSynchronize, for a GPU that had
  // already ended: nothing is taken off.
  EXPECT_EQ(imported.seen[0].cpu_time, 16'634'387);
}

TEST(Samples, TheMarginComesOnTopAndIsRecordedAsMeasured) {
  const Imported plain = sample("resnet50_fp16_b1", Fold::kTask);
  const Imported padded = sample("resnet50_fp16_b1", Fold::kTask, 25);
  const Node& node = plain.system.tasks[0].nodes[1];
  const Node& more = padded.system.tasks[0].nodes[1];
  EXPECT_EQ(node.wcet, Time::from_ns(902'400));
  EXPECT_EQ(more.wcet, Time::from_ns(1'128'000));
  EXPECT_EQ(more.measured->worst, Time::from_ns(902'400));
  EXPECT_EQ(more.measured->runs, 3);
  EXPECT_EQ(more.measured->margin, Margin{250'000'000});
  EXPECT_EQ(more.measured->on, "NVIDIA H200");
  EXPECT_EQ(more.measured->date, "2026-10-01");
  EXPECT_EQ(more.bcet, Time());
}

TEST(Samples, TheGpuIsTheOneOfTheTraceAndKernelsKeepTheirLaunchConfiguration) {
  const Imported imported = sample("resnet50_fp16_b1", Fold::kNone);
  const Element& gpu = imported.system.platform.elements[1];
  EXPECT_EQ(gpu.units, 132);
  EXPECT_EQ(gpu.sm->threads, 2048);
  EXPECT_EQ(gpu.sm->registers, 65536);
  EXPECT_EQ(gpu.sm->shared_memory, 233472);
  const auto& nodes = imported.system.tasks[0].nodes;
  const auto first = std::find_if(nodes.begin(), nodes.end(), [](const Node& node) {
    return node.name == "implicit_convolve_sgemm";
  });
  ASSERT_NE(first, nodes.end());
  EXPECT_EQ(first->blocks, 392 * 2);
  EXPECT_EQ(first->threads, 64);
  EXPECT_EQ(first->registers, 92);
  EXPECT_EQ(first->shared_memory, 2304);
  EXPECT_FALSE(first->parallelism.has_value());  // more blocks than SMs
}

TEST(Samples, JobsCanBeSkippedNamedAndCutAtPauses) {
  ImportOptions options;
  options.name = "x";
  options.margin = 0;
  const std::string path = support::source_path("tests/data/traces/resnet50_fp16_b1.json.gz");
  options.skip = 1;
  EXPECT_EQ(good(import_file(path, "", options)).seen[0].jobs, 2U);
  options.skip = 0;
  options.jobs = "job_[12]";
  EXPECT_NE(bad(import_file(path, "", options)).find("no annotation matches"), std::string::npos);
  options.jobs = "job_?";
  EXPECT_EQ(good(import_file(path, "", options)).seen[0].jobs, 3U);
  options.jobs = "idle";
  options.gap = Time::from_us(50);
  const Imported idle = good(import_file(path, "kineto", options));
  EXPECT_GE(idle.seen[0].jobs, 3U);
  EXPECT_TRUE(notes_have(idle, "0.05 ms"));
}

TEST(Samples, TasksCanBeThreadsOrStreams) {
  ImportOptions options;
  options.name = "x";
  options.margin = 0;
  const std::string path = support::source_path("tests/data/traces/two_branch_streams.json.gz");
  options.tasks_by = TasksBy::kThread;
  EXPECT_EQ(good(import_file(path, "", options)).system.tasks[0].name, "thread 580");
  options.tasks_by = TasksBy::kStream;
  const Imported streams = good(import_file(path, "", options));
  ASSERT_EQ(streams.system.tasks.size(), 3U);
  std::map<std::string, std::size_t> works;
  for (std::size_t i = 0; i < 3; ++i) {
    works[streams.system.tasks[i].name] = streams.seen[i].works;
  }
  EXPECT_EQ(works["stream 37"], 345U);
  EXPECT_EQ(works["stream 41"], 293U);
  EXPECT_EQ(works["stream 7"], 4U);
}

}  // namespace
}  // namespace tactus::exchange
