#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/exchange/importing.hpp"

namespace tactus::exchange {
namespace {

/// Events of a little program, in microseconds.
class Program {
 public:
  Program& annotation(const std::string& name, int start, int lasts, int thread = 1) {
    return event(name, "user_annotation", 9, thread, start, lasts, "");
  }
  Program& call(const std::string& name, int start, int lasts, int correlation, int thread = 1) {
    return event(name, "cuda_runtime", 9, thread, start, lasts,
                 fmt::format(R"("correlation":{})", correlation));
  }
  Program& kernel(const std::string& name, int start, int lasts, int correlation, int stream = 7) {
    return event(name, "kernel", 0, stream, start, lasts,
                 fmt::format(R"("correlation":{},"stream":{},"device":0,"grid":[4,2,1],)"
                             R"("block":[128,1,1],"registers per thread":32,"shared memory":0)",
                             correlation, stream));
  }
  Program& copy(const std::string& name, int start, int lasts, int correlation, int stream = 7) {
    return event(name, "gpu_memcpy", 0, stream, start, lasts,
                 fmt::format(R"("correlation":{},"stream":{},"device":0)", correlation, stream));
  }
  Program& wait_record(int correlation, int stream, int on_stream, int record) {
    return event("Stream Wait Event", "cuda_sync", 0, stream, 0, 0,
                 fmt::format(R"("cuda_sync_kind":"Stream Wait Event","correlation":{},"stream":{},)"
                             R"("wait_on_stream":{},"wait_on_cuda_event_record_corr_id":{})",
                             correlation, stream, on_stream, record));
  }
  Program& event(const std::string& name, const std::string& category, int process, int thread,
                 int start, int lasts, const std::string& args) {
    events_ += fmt::format(
        R"({}{{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        events_.empty() ? "" : ",", name, category, process, thread, start, lasts, args);
    return *this;
  }
  std::string text() const {
    return fmt::format(
        R"({{"deviceProperties":[{{"id":0,"name":"test GPU","numSms":16,"computeMajor":9,)"
        R"("computeMinor":0,"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,)"
        R"("sharedMemPerMultiprocessor":233472}}],"traceEvents":[{}]}})",
        events_);
  }

 private:
  std::string events_;
};

ImportOptions options_of(Fold fold) {
  ImportOptions options;
  options.name = "program";
  options.fold = fold;
  options.margin = 0;
  options.time_unit = TimeUnit::kUs;
  return options;
}

NodeIndex node_named(const Task& task, const std::string& name) {
  for (NodeIndex i = 0; i < task.nodes.size(); ++i) {
    if (task.nodes[i].name == name) return i;
  }
  ADD_FAILURE() << "no node " << name;
  return 0;
}

bool before(const Task& task, const std::string& a, const std::string& b) {
  std::vector<NodeIndex> todo = {node_named(task, a)};
  const NodeIndex goal = node_named(task, b);
  while (!todo.empty()) {
    const NodeIndex node = todo.back();
    todo.pop_back();
    if (node == goal) return true;
    for (NodeIndex next : task.graph.successors(node)) todo.push_back(next);
  }
  return false;
}

TEST(Kineto, ALaunchIsCpuWorkAndAKernelFollowsIt) {
  Program program;
  program.annotation("job_0", 0, 100).call("cudaLaunchKernel", 10, 5, 1).kernel("k", 20, 30, 1);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kNone)));
  const Task& task = imported.system.tasks.at(0);
  ASSERT_EQ(task.nodes.size(), 3U);
  EXPECT_EQ(task.nodes[0].wcet, Time::from_us(15));  // 10 before the call, and the call
  EXPECT_EQ(task.nodes[1].name, "k");
  EXPECT_EQ(task.nodes[1].wcet, Time::from_us(30));
  EXPECT_EQ(task.nodes[1].parallelism, 8);  // blocks, of 16 SMs
  EXPECT_EQ(task.nodes[2].wcet, Time::from_us(85));
  EXPECT_TRUE(before(task, "cpu", "k"));
  EXPECT_FALSE(before(task, "k", "cpu.2")) << "nobody waited for the kernel";
}

TEST(Kineto, FoldedToATaskTheLaunchesAreTheCpuSideOfTheNode) {
  Program program;
  program.annotation("job_0", 0, 100)
      .call("cudaLaunchKernel", 10, 5, 1)
      .kernel("a", 20, 30, 1)
      .call("cudaLaunchKernel", 18, 4, 2)
      .kernel("b", 50, 20, 2)
      .call("cudaDeviceSynchronize", 30, 45, 3);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kTask)));
  const Task& task = imported.system.tasks.at(0);
  ASSERT_EQ(task.nodes.size(), 3U);
  EXPECT_EQ(task.nodes[0].wcet, Time::from_us(10));
  EXPECT_EQ(task.nodes[1].name, "kernels");
  EXPECT_EQ(task.nodes[1].launch, Time::from_us(5 + 3 + 4));
  EXPECT_EQ(task.nodes[1].wcet, Time::from_us(50));
  // 8 before the sync, 5 in it after the GPU was done at 70, 25 behind it.
  EXPECT_EQ(task.nodes[2].wcet, Time::from_us(8 + 5 + 25));
}

TEST(Kineto, WaitsOfCudaSyncRecordsAreTakenAsTheyAre) {
  Program program;
  program.annotation("job_0", 0, 200)
      .call("cudaLaunchKernel", 1, 1, 1)
      .kernel("a", 10, 10, 1, 7)
      .call("cudaLaunchKernel", 3, 1, 2)
      .kernel("b", 10, 50, 2, 8)
      .call("cudaEventRecord", 5, 1, 3)
      .call("cudaStreamWaitEvent", 7, 1, 4)
      .call("cudaLaunchKernel", 9, 1, 5)
      .kernel("c", 70, 10, 5, 9)
      .wait_record(4, 9, 7, 3);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kNone)));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_TRUE(before(task, "a", "c"));
  EXPECT_FALSE(before(task, "b", "c")) << "the event was recorded in another stream";
  EXPECT_TRUE(notes_have(imported, "1 waits between streams are those of the trace"));
}

TEST(Kineto, WithoutThemEveryStreamThatCouldWaitDoesAndTheReportSaysSo) {
  Program program;
  program.annotation("job_0", 0, 200)
      .call("cudaLaunchKernel", 1, 1, 1)
      .kernel("a", 10, 10, 1, 7)
      .call("cudaLaunchKernel", 3, 1, 2)
      .kernel("b", 10, 100, 2, 8)
      .call("cudaEventRecord", 5, 1, 3)
      .call("cudaStreamWaitEvent", 7, 1, 4)
      .call("cudaLaunchKernel", 9, 1, 5)
      .kernel("c", 70, 10, 5, 9);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kNone)));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_TRUE(before(task, "a", "c"));
  EXPECT_FALSE(before(task, "b", "c")) << "they overlapped, so nobody waited";
  EXPECT_TRUE(notes_have(imported, "1 waits between streams are guesses"));
}

TEST(Kineto, TheCpuGoesOnAfterASyncOnlyWhenTheWorkHasEnded) {
  Program program;
  program.annotation("job_0", 0, 100)
      .call("cudaLaunchKernel", 0, 5, 1)
      .kernel("a", 10, 30, 1)
      .call("cudaStreamSynchronize", 5, 40, 2)
      .call("cudaLaunchKernel", 50, 5, 3)
      .kernel("b", 60, 10, 3);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kNone)));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_TRUE(before(task, "a", "cpu.2"));
  EXPECT_EQ(task.nodes[node_named(task, "cpu.2")].wcet, Time::from_us(5 + 5 + 5));
}

TEST(Kineto, CopiesBetweenHostAndDeviceRunOnTheCopyEngine) {
  Program program;
  program.annotation("job_0", 0, 100)
      .call("cudaMemcpyAsync", 0, 5, 1)
      .copy("Memcpy HtoD (Pinned -> Device)", 10, 10, 1)
      .call("cudaLaunchKernel", 6, 2, 2)
      .kernel("k", 20, 10, 2)
      .call("cudaMemcpyAsync", 10, 2, 3)
      .copy("Memcpy DtoD (Device -> Device)", 30, 10, 3);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kTask)));
  ASSERT_EQ(imported.system.platform.elements.size(), 3U);
  EXPECT_EQ(imported.system.platform.elements[2].kind, ElementKind::kCopy);
  const Task& task = imported.system.tasks.at(0);
  EXPECT_EQ(task.nodes[1].on, 2U);
  EXPECT_EQ(task.nodes[1].launch, Time()) << "a copy has no launch; the CPU has a node";
  EXPECT_EQ(task.nodes[0].wcet, Time::from_us(5));
}

TEST(Kineto, AnnotationsInsideOfJobsFold) {
  Program program;
  program.annotation("job_0", 0, 100)
      .annotation("backbone", 1, 20)
      .annotation("head", 30, 20)
      .call("cudaLaunchKernel", 2, 1, 1)
      .kernel("a", 10, 5, 1)
      .call("cudaLaunchKernel", 4, 1, 2)
      .kernel("b", 15, 5, 2)
      .call("cudaLaunchKernel", 31, 1, 3)
      .kernel("c", 40, 5, 3)
      .call("cudaLaunchKernel", 33, 1, 4)
      .kernel("d", 45, 5, 4);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kAnnotation)));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_EQ(task.nodes[node_named(task, "backbone")].wcet, Time::from_us(10));
  EXPECT_EQ(task.nodes[node_named(task, "head")].wcet, Time::from_us(10));
  EXPECT_TRUE(before(task, "backbone", "head"));
}

TEST(Kineto, AGraphLaunchHasAllItsKernels) {
  Program program;
  program.annotation("job_0", 0, 100)
      .call("cudaGraphLaunch", 2, 8, 1)
      .kernel("a", 20, 5, 1, 7)
      .kernel("b", 25, 5, 1, 7)
      .kernel("c", 21, 4, 1, 8);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kTask)));
  EXPECT_EQ(imported.seen[0].works, 3U);
  EXPECT_EQ(imported.system.tasks[0].nodes[1].wcet, Time::from_us(14));
  EXPECT_EQ(imported.system.tasks[0].nodes[1].launch, Time::from_us(8));
}

TEST(Kineto, OccupancySaysHowManySmsHoldAKernel) {
  GpuWork work;
  work.threads = 256;
  work.registers = 64;
  work.shared_memory = 40 * 1024;
  SmLimits sm;
  sm.threads = 2048;
  sm.blocks = 32;
  sm.registers = 65536;
  sm.shared_memory = 233472;
  EXPECT_EQ(blocks_per_sm(work, sm), 4);  // registers: 65536 / (64 * 256)
  work.registers = 32;
  EXPECT_EQ(blocks_per_sm(work, sm), 5);  // shared memory: 228 KiB / 41 KiB
  work.shared_memory = 0;
  EXPECT_EQ(blocks_per_sm(work, sm), 8);  // threads
  work.threads = 32;
  EXPECT_EQ(blocks_per_sm(work, sm), 32);  // blocks
}

TEST(Kineto, BadTracesAreRefusedWithOneLine) {
  const auto refuse = [](const std::string& text, const std::string& reason) {
    const std::string lines = bad(import_text(text, "", options_of(Fold::kTask)));
    EXPECT_NE(lines.find(reason), std::string::npos) << lines;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
  };
  refuse("", "the file is empty");
  refuse("{", "not valid JSON at byte 1");
  refuse(R"({"traceEvents":[{"ph":"X",]})", "not valid JSON");
  refuse(R"({"a":1})", "no `traceEvents`");
  refuse(R"({"traceEvents":[]})", "no event of it is GPU work");
  refuse(R"({"traceEvents":[[1]]})", "a list among the events");
  refuse(std::string(100, '['), "a list among the events");
  refuse("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", "deeper than 64");
  refuse(Program().kernel("k", 5, -3, 1).text(), "event 1 (`k`): it lasts -3 us");
  refuse(R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":"soon","dur":1}]})",
         "its start `ts` is not a time");
  refuse(R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1e300,"dur":1}]})",
         "its start `ts` is not a time");
  refuse(Program()
             .annotation("job_0", 50'000, 100)
             .call("cudaLaunchKernel", 50'010, 5, 1)
             .kernel("k", 20, 30, 1)
             .text(),
         "the clock jumped: `k` starts 49.99 ms before the call that launched it");
  refuse(Program().annotation("job_0", 0, 10).kernel("k", 5, 3, 1).text(),
         "no job of the trace puts work on the GPU");
}

TEST(Kineto, AFileThatUnpacksToTooMuchIsRefused) {
  ImportOptions options = options_of(Fold::kTask);
  options.most_bytes = std::uint64_t{1} << 20;
  const std::string lines = bad(import_file(
      support::source_path("tests/data/traces/two_branch_streams.json.gz"), "", options));
  EXPECT_NE(lines.find("larger than 1 MiB when it is unpacked"), std::string::npos) << lines;
}

TEST(Kineto, WorkOutsideOfJobsIsLeftOutAndCounted) {
  Program program;
  program.annotation("job_0", 0, 50)
      .call("cudaLaunchKernel", 10, 5, 1)
      .kernel("k", 20, 10, 1)
      .call("cudaLaunchKernel", 80, 5, 2)
      .kernel("k", 90, 10, 2)
      .kernel("lost", 120, 10, 77);
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kTask)));
  EXPECT_TRUE(notes_have(imported, "1 pieces of GPU work were launched outside of all jobs"));
  EXPECT_TRUE(notes_have(imported, "1 pieces of GPU work have no call that launched them"));
}

TEST(Kineto, JobsThatDifferAreAllThere) {
  Program program;
  for (int job = 0; job < 2; ++job) {
    const int start = job * 1000;
    program.annotation(fmt::format("job_{}", job), start, 100)
        .call("cudaLaunchKernel", start + 10, 5, job * 10 + 1)
        .kernel("always", start + 20, 10 + job, job * 10 + 1);
    if (job == 1) {
      program.call("cudaLaunchKernel", start + 30, 5, 12).kernel("sometimes", start + 40, 7, 12);
    }
  }
  const Imported imported = good(import_text(program.text(), "", options_of(Fold::kNone)));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_EQ(task.nodes[node_named(task, "always")].wcet, Time::from_us(11));
  EXPECT_EQ(task.nodes[node_named(task, "sometimes")].measured->runs, 1);
  EXPECT_EQ(*task.period, Time::from_us(1000));
  EXPECT_TRUE(notes_have(imported, "1 of 2 jobs do not do the same as the first"));
}

TEST(Kineto, RefusesAFewWaitsThatStandForMillions) {
  Program program;
  constexpr int kStreams = 400, kWaits = 3000;
  program.annotation("job", 0, 100'000'000);
  int number = 0;
  const auto work = [&](int stream) {
    ++number;
    program.call("cudaLaunchKernel", number * 10, 1, number);
    program.kernel("k", number * 10 + 2, 1, number, stream);
  };
  for (int stream = 0; stream < kStreams; ++stream) work(stream);
  for (int wait = 0; wait < kWaits; ++wait) {
    ++number;
    program.call("cudaStreamWaitEvent", number * 10, 1, number);
    work(wait % kStreams);
  }
  const std::string why = bad(import_text(program.text(), "", options_of(Fold::kNone)));
  EXPECT_NE(why.find("the waits between its 400 streams stand for more than"), std::string::npos)
      << why;
}

}  // namespace
}  // namespace tactus::exchange
