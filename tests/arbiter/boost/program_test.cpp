// Programs that mark their segments for boost (tests/fake_driver/batch_program.cpp), over streams
// that work by themselves.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>

#include "tactus/arbiter/client/observer.hpp"
#include "tests/arbiter/boost_client.hpp"
#include "tests/fake_driver/waiting_calls.hpp"

namespace tactus::arbiter {
namespace {

/// What a program wrote, and its exit code.
struct Said {
  std::string text;
  int code = -1;
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

Said run(const std::string& socket, const std::string& arguments, const std::string& variables = {},
         const std::string& program = TACTUS_BATCH_PROGRAM) {
  // A slow machine must not look like a deadlock. The variables are for the program alone: what they
  // preload may be for another processor than `timeout` is.
  const std::string command = "TACTUS_GATE_LIMIT=60000 TACTUS_SOCKET=" + socket +
                              " timeout 60 sh -c '" + variables + " exec " + program + " " +
                              arguments + "' 2>&1";
  Said said;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> some{};
  while (std::fgets(some.data(), some.size(), pipe) != nullptr) said.text += some.data();
  said.code = WEXITSTATUS(pclose(pipe));
  return said;
}

constexpr char kWellDone[] = "begin 0 end 0 early 0 done 3\n";
const std::string kPreloaded =
    std::string("ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=") + TACTUS_PRELOAD;

TEST(BatchProgram, RunsNothingBeforeItsTurnAndEverythingBeforeItsEnd) {
  ArbiterHere arbiter(boost_options());
  for (const char* const variables : {"", "BATCH_BUSY=1"}) {
    const Said said = run(arbiter.socket(), "3 5", variables);
    EXPECT_EQ(said.text, std::string(kWellDone) + kWellDone + kWellDone + "forced 0 problem \n");
    EXPECT_EQ(said.code, 0);
  }
  EXPECT_FALSE(arbiter.logged("invariant"));
}

TEST(BatchProgram, WaitsForItsTurn) {
  ArbiterHere arbiter(boost_options());
  BoostClient urgent(arbiter.socket());
  urgent.submits(9);
  EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
  std::thread later([&] {
    EXPECT_TRUE(eventually([&] { return arbiter.logged("\"priority\": 5"); }));
    urgent.finishes();
  });
  const Said said = run(arbiter.socket(), "1 5");
  later.join();
  EXPECT_TRUE(said.has(kWellDone)) << said.text;
  EXPECT_TRUE(eventually([&] {  // the log is written by a thread of its own
    const std::string log = arbiter.log();
    return log.find("complete") < log.rfind("\"open\"");
  }));
}

// One arbiter per GPU: who has the one GPU is nothing to the programs of the other.
TEST(BatchProgram, WaitsForItsOwnArbiterOnly) {
  ArbiterHere arbiter(boost_options()), other(boost_options());
  BoostClient urgent(other.socket());
  urgent.submits(9);
  EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
  EXPECT_EQ(run(arbiter.socket(), "1 5").text, std::string(kWellDone) + "forced 0 problem \n");
  EXPECT_TRUE(urgent.runs());
  EXPECT_FALSE(other.logged("\"priority\": 5"));
  urgent.finishes();
}

TEST(BatchProgram, WorksWithoutAnArbiter) {
  const Folder folder;
  const Said said = run(folder.file("nobody"), "2 5");
  EXPECT_TRUE(said.has("begin 2 end 2")) << said.text;
  EXPECT_TRUE(said.has("done 3\nbegin")) << said.text;
  EXPECT_TRUE(said.has("problem no arbiter is running")) << said.text;
}

TEST(BatchProgram, IsToldWhenTheArbiterSpeaksGcaps) {
  ArbiterHere arbiter;
  const Said said = run(arbiter.socket(), "1 5");
  EXPECT_TRUE(said.has("is not under the arbiter: it speaks gcaps")) << said.text;
  EXPECT_TRUE(said.has("begin 2 end 2")) << said.text;
}

TEST(BatchProgram, CannotBeginInsideASegment) {
  ArbiterHere arbiter(boost_options());
  const Said said = run(arbiter.socket(), "1 5 nested");
  EXPECT_EQ(said.text, std::string("nested -1\n") + kWellDone + "forced 0 problem \n");
}

TEST(BatchProgram, MaySplitASegmentItself) {
  ArbiterHere arbiter(boost_options());
  const Said said = run(arbiter.socket(), "1 5 split");
  EXPECT_EQ(said.text, "begin 0 end 0 early 2 done 3\nforced 0 problem \n");
  EXPECT_TRUE(eventually([&] {  // both parts are what the segment is
    const std::string log = arbiter.log(), submitted = "\"priority\": 5, \"threshold\": 5";
    return log.find(submitted) != log.rfind(submitted);
  })) << arbiter.log();
}

TEST(BatchProgram, GoesOnWhenItWaitsForItselfBecauseTheGateIsOpenedInTheEnd) {
  ArbiterHere arbiter(boost_options());
  for (const char* const call : {"stream", "context", "alloc", "copy", "module"}) {
    const Said said = run(arbiter.socket(), std::string("1 5 ") + call, "TACTUS_GATE_LIMIT=50");
    EXPECT_TRUE(said.has("waits inside a GPU segment whose gate is shut")) << call << said.text;
    EXPECT_TRUE(said.has("begin 0 end 3")) << call << said.text;  // shared: no bound covers it
    EXPECT_TRUE(said.has("forced 1")) << call << said.text;
  }
  EXPECT_TRUE(arbiter.logged("forced"));
}

/// What the program writes about all calls that wait, with these words behind each name.
std::string all_calls(bool twins, const std::string& words, const std::string& words_of_copies) {
  std::string text;
  const auto add = [&](const std::string& name) {
    const bool copies = name.find("Async") != std::string::npos;
    text += fmt::format("{} {}\n", name, copies ? words_of_copies : words);
  };
#define ONE(base, version, count, types) \
  if (!twins) add(#base #version);
#define TWO(base, version, twin, count, types) add(twins ? #base #version #twin : #base #version);
  WAITING_CALLS(ONE, TWO)
#undef ONE
#undef TWO
  if (twins) {
    add("cuStreamSynchronize_ptsz");
    return text;
  }
  for (const char* const name :
       {"cuStreamSynchronize", "cuCtxSynchronize", "cuCtxSynchronize_v2", "cuMemAlloc_v2",
        "cuMemFree_v2", "cuMemHostRegister_v2", "cuModuleLoadData"})
    add(name);
  return text;
}

TEST(WaitingProgram, IsSplitAtEveryCallThatWaitsHoweverItFoundTheFunction) {
  ArbiterHere arbiter(boost_options());
  for (const std::string how : {"linked", "dlsym", "proc"}) {
    for (const bool twins : {false, true}) {
      const Said said =
          run(arbiter.socket(), how + (twins ? "-twin" : ""), kPreloaded, TACTUS_WAITING_PROGRAM);
      EXPECT_EQ(said.text, all_calls(twins, "split right", "split right")) << how;
    }
  }
  EXPECT_FALSE(arbiter.logged("forced"));
}

TEST(WaitingProgram, IsNotSplitByAsynchronousCopiesOfPinnedMemory) {
  ArbiterHere arbiter(boost_options());
  for (const bool twins : {false, true}) {
    const Said said = run(arbiter.socket(), twins ? "dlsym-twin pinned" : "dlsym pinned",
                          kPreloaded, TACTUS_WAITING_PROGRAM);
    EXPECT_EQ(said.text, all_calls(twins, "split right", "whole right"));
  }
}

TEST(BatchProgram, IsNotSplitOutsideASegmentOrWithoutAnArbiter) {
  const Folder folder;
  const Said said = run(folder.file("nobody"), "1 5 stream", kPreloaded);
  EXPECT_TRUE(said.has("begin 2 end 2")) << said.text;
}

TEST(BatchProgram, ExitsInsideASegment) {
  ArbiterHere arbiter(boost_options());
  EXPECT_EQ(run(arbiter.socket(), "1 5 exit").code, 7);
  EXPECT_TRUE(eventually([&] { return arbiter.logged("forced"); }))
      << "its gate must be open, or the driver waits for it";
}

TEST(BatchProgram, HasLeftASegmentWhoseThreadExits) {
  ArbiterHere arbiter(boost_options());
  const Folder folder;
  const std::string until = folder.file("until");
  std::thread program([&] {
    const Said said = run(arbiter.socket(), "1 9 leave", "BATCH_UNTIL=" + until);
    EXPECT_EQ(said.text, "begin 0 submit 0\n");
  });
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"priority\": 9"); }));
  BoostClient other(arbiter.socket());
  other.submits(1);
  EXPECT_TRUE(eventually([&] { return other.runs(); }));
  std::ofstream(until).close();
  program.join();
}

TEST(BatchProgram, SaysWhyAStreamCannotBeHeldBack) {
  ArbiterHere arbiter(boost_options());
  for (const auto& [function, problem] :
       std::map<std::string, std::string>{{"cuCtxGetCurrent", "this thread has no CUDA context"},
                                          {"cuMemHostRegister", "refuses cuMemHostRegister"},
                                          {"capture", "this stream is being captured"},
                                          {"cuStreamWaitValue32", "refuses cuStreamWaitValue32"}}) {
    const Said said = run(arbiter.socket(), "1 5", "FAKE_STREAMS_FAIL=" + function);
    EXPECT_TRUE(said.has("begin -4 end -2")) << said.text;
    EXPECT_TRUE(said.has(problem)) << said.text;
  }
}

std::atomic<bool> g_frozen{false};

TEST(BatchProgram, IsSeenThroughWhenTheGpuTakesNoMark) {
  ArbiterHere arbiter(boost_options());
  const Said said = run(arbiter.socket(), "2 5", "FAKE_STREAMS_FAIL=cuStreamWriteValue32");
  EXPECT_TRUE(said.has("begin 0 end 3 early 0 done 3\nbegin 0 end 3 early 0 done 3\n"))
      << said.text;
}

TEST(BatchProgram, SaysNothingAboutStartsThatNobodySaw) {
  ArbiterHere arbiter(boost_options());
  const auto starts = [&] {
    auto observer = client::Observer::open(arbiter.socket());
    return observer->look()->boost;
  };
  EXPECT_TRUE(run(arbiter.socket(), "2 5", "FAKE_STREAMS_FAIL=cuModuleLoadData").has(kWellDone));
  EXPECT_EQ(starts().starts, 2U);
  EXPECT_EQ(starts().start_max_ns, 0);
  EXPECT_TRUE(run(arbiter.socket(), "2 5").has(kWellDone));
  EXPECT_EQ(starts().starts, 4U);
  EXPECT_GT(starts().start_max_ns, 0);
  EXPECT_GT(starts().gate_max_ns, 0);
}

TEST(BatchProgram, GoesOnWhenTheArbiterIsKilledOrFrozen) {
  signal(SIGUSR1, [](int) {
    while (g_frozen) usleep(1000);
  });
  for (const bool frozen : {false, true}) {
    auto options = boost_options();
    options.lease_ns = 200'000'000;
    ArbiterHere arbiter(options);
    BoostClient urgent(arbiter.socket());
    urgent.submits(9);
    EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
    std::thread later([&] {
      EXPECT_TRUE(eventually([&] { return arbiter.logged("\"priority\": 5"); }));
      g_frozen = frozen;
      frozen ? arbiter.interrupt(SIGUSR1) : arbiter.stop();
    });
    const Said said = run(arbiter.socket(), "1 5");
    later.join();
    g_frozen = false;
    EXPECT_TRUE(said.has("early 0 done 3\n")) << said.text;
    EXPECT_FALSE(said.has(kWellDone)) << said.text;
  }
}

}  // namespace
}  // namespace tactus::arbiter
