// The CUDA backend on a real GPU; skipped, visibly, where there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/host/threads.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/cuda/info.hpp"

namespace tactus::runtime {
namespace {

const System& system_of_all() {
  static const System system = *read_system(R"({"tactus": 1, "time_unit": "ms",
    "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1},
      {"name": "copy", "kind": "copy", "units": 1}, {"name": "gpu", "kind": "gpu", "units": 8}]},
    "tasks": [{"name": "t", "nodes": [{"name": "k", "on": "gpu", "load": 8},
      {"name": "c", "on": "copy", "wcet": 1}, {"name": "p", "on": "cpu", "wcet": 1}]}]})")
                                    .system;
  return system;
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto info = cuda::gpu_info(); !info) GTEST_SKIP() << info.error().message;
    auto opened = open_backend("cuda", system_of_all(), {});
    ASSERT_TRUE(opened) << opened.error().message;
    device = std::move(*opened);
  }

  void start() {
    const auto problem = device->start();
    ASSERT_FALSE(problem) << problem->message;
  }

  static Kernel kernel(std::int64_t blocks, std::int64_t load_us) {
    Kernel made;
    made.blocks = blocks;
    made.load = Time::from_us(load_us);
    made.whole = made.load;
    return made;
  }

  Completion only_completion() {
    const auto done = device->wait(device->now() + Time::from_ms(5000));
    if (!done) {
      ADD_FAILURE() << done.error().message;
      return {};
    }
    EXPECT_EQ(done->size(), 1U);
    return done->empty() ? Completion() : done->front();
  }

  static std::set<std::int32_t> sms_of(const KernelSeen& seen) {
    std::set<std::int32_t> sms;
    for (const BlockSeen& block : seen.blocks) sms.insert(block.sm);
    return sms;
  }

  std::unique_ptr<Device> device;
};

TEST_F(OnGpu, AKernelIsAsWideAsItsGridAndTakesItsLoad) {
  start();
  for (const std::int64_t width : {1, 3, 8, 50, 132}) {
    if (width > device->capabilities().sms) continue;
    ASSERT_FALSE(device->launch(kernel(width, 1000 * width), 7));
    const Completion done = only_completion();
    EXPECT_EQ(done.op, 7U);
    EXPECT_FALSE(done.failed) << done.problem;
    ASSERT_EQ(done.kernels.size(), 1U);
    const KernelSeen& seen = done.kernels.front();
    EXPECT_EQ(width_of(seen), width);
    EXPECT_EQ(seen.pieces_done, seen.pieces);
    EXPECT_LE(done.submitted - Time::from_ms(1), seen.start);
    EXPECT_LE(seen.end, device->now());
    std::printf("width %ld: %ld us for 1000\n", width, (seen.end - seen.start).ns() / 1000);
  }
}

TEST_F(OnGpu, PartitionsAreDisjointAndAtLeastAsWideAsAsked) {
  const std::vector<std::int64_t> asked = {8, 33, 10};
  const auto parts = device->partition(asked);
  ASSERT_TRUE(parts) << parts.error().message;
  start();
  std::set<std::int32_t> all;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Partition& part = (*parts)[i];
    EXPECT_EQ(part.asked, asked[i]);
    EXPECT_GE(part.got, asked[i]);
    EXPECT_EQ(part.got % device->capabilities().partition_step, 0);
    Kernel wide = kernel(part.got, 300 * part.got);
    wide.partition = part.id;
    const auto problem = device->launch(wide, i);
    ASSERT_FALSE(problem) << problem->message;
    const Completion done = only_completion();
    EXPECT_FALSE(done.failed) << done.problem;
    const auto sms = sms_of(done.kernels.at(0));
    EXPECT_EQ(static_cast<std::int64_t>(sms.size()), part.got);
    all.insert(sms.begin(), sms.end());
    sum += sms.size();
  }
  EXPECT_EQ(all.size(), sum) << "partitions overlap";
}

TEST_F(OnGpu, MorePartitionsThanThereAreSmsAreRefused) {
  const std::vector<std::int64_t> asked = {100, 100};
  EXPECT_FALSE(device->partition(asked));
}

class ChainedOnGpu : public OnGpu, public testing::WithParamInterface<Chaining> {};
INSTANTIATE_TEST_SUITE_P(Both, ChainedOnGpu, testing::Values(Chaining::kGraph, Chaining::kStreams));

TEST_P(ChainedOnGpu, AGraphKeepsItsOrderAndItsPartitions) {
  const auto parts = device->partition(std::vector<std::int64_t>{16, 16});
  ASSERT_TRUE(parts) << parts.error().message;
  // Two kernels side by side, a barrier, one on the whole GPU.
  std::vector<GraphNode> nodes(4);
  nodes[0].kernel = kernel(16, 16 * 200);
  nodes[0].kernel->partition = (*parts)[0].id;
  nodes[1].kernel = kernel(16, 16 * 400);
  nodes[1].kernel->partition = (*parts)[1].id;
  nodes[2].after = {0, 1};
  nodes[3].kernel = kernel(8, 8 * 100);
  nodes[3].after = {2};
  const auto graph = device->prepare(nodes, GetParam());
  ASSERT_TRUE(graph) << graph.error().message;
  start();
  for (OpId run = 0; run < 5; ++run) {
    const auto problem = device->launch(*graph, run);
    ASSERT_FALSE(problem) << problem->message;
    const Completion done = only_completion();
    EXPECT_FALSE(done.failed) << done.problem;
    ASSERT_EQ(done.kernels.size(), 4U);
    EXPECT_EQ(width_of(done.kernels[0]), 16);
    EXPECT_EQ(width_of(done.kernels[1]), 16);
    EXPECT_TRUE(done.kernels[2].blocks.empty());
    EXPECT_EQ(width_of(done.kernels[3]), 8);
    EXPECT_LT(done.kernels[1].start, done.kernels[0].end) << "no overlap";
    EXPECT_GE(done.kernels[3].start, done.kernels[0].end);
    EXPECT_GE(done.kernels[3].start, done.kernels[1].end);
    EXPECT_EQ(done.start, std::min(done.kernels[0].start, done.kernels[1].start));
    EXPECT_EQ(done.end, done.kernels[3].end);
  }
}

TEST_F(OnGpu, APinnedKernelStaysOnItsSmsWithTwoBlocksOnEach) {
  start();
  std::set<std::int32_t> before;
  for (const std::int64_t first : {0, 5}) {
    Kernel pinned = kernel(10, 5 * 1000);
    pinned.pinning = Pinning{first, 5, 2};
    pinned.share = {1, 2};
    const auto problem = device->launch(pinned, 1);
    ASSERT_FALSE(problem) << problem->message;
    const Completion done = only_completion();
    EXPECT_FALSE(done.failed) << done.problem;
    const KernelSeen& seen = done.kernels.at(0);
    EXPECT_EQ(width_of(seen), 5);
    EXPECT_EQ(seen.blocks.size(), 10U);
    EXPECT_EQ(seen.pieces_done, seen.pieces);
    const auto sms = sms_of(seen);
    for (const std::int32_t sm : sms) EXPECT_FALSE(before.contains(sm));
    before = sms;
  }
}

TEST_F(OnGpu, PinnedKernelsInPartitionsRunSideBySide) {
  const auto parts = device->partition(std::vector<std::int64_t>{6, 6});
  ASSERT_TRUE(parts) << parts.error().message;
  start();
  for (OpId op = 0; op < 2; ++op) {
    Kernel pinned = kernel(10, 5 * 2000);
    pinned.partition = (*parts)[op].id;
    pinned.pinning = Pinning{0, 5, 2};
    pinned.share = {1, 2};
    ASSERT_FALSE(device->launch(pinned, op));
  }
  std::vector<Completion> all;
  while (all.size() < 2) {
    const auto done = device->wait(device->now() + Time::from_ms(5000));
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_FALSE(done->empty());
    all.insert(all.end(), done->begin(), done->end());
  }
  for (const Completion& done : all) EXPECT_FALSE(done.failed) << done.problem;
  EXPECT_LT(all[0].start, all[1].end);
  EXPECT_LT(all[1].start, all[0].end);
}

TEST_F(OnGpu, WorkThatFoundItsSmsTakenIsReportedLostNotWaitedFor) {
  start();
  Kernel first = kernel(5, 5 * 50'000);
  first.pinning = Pinning{0, 5, 1};
  ASSERT_FALSE(device->launch(first, 1));
  Kernel second = kernel(5, 5 * 1000);
  second.pinning = Pinning{0, 5, 1};
  ASSERT_FALSE(device->launch(second, 2));
  const Completion lost = only_completion();
  EXPECT_EQ(lost.op, 2U);
  EXPECT_TRUE(lost.failed);
  EXPECT_NE(lost.problem.find("lost"), std::string::npos) << lost.problem;
  EXPECT_LT(lost.kernels.at(0).pieces_done, lost.kernels.at(0).pieces);
  const Completion done = only_completion();
  EXPECT_EQ(done.op, 1U);
  EXPECT_FALSE(done.failed) << done.problem;
}

TEST_F(OnGpu, KernelsThatAskForLanesShareAnSmByTheirShares) {
  start();
  // Quarters of an SM: as many as fit the GPU, and all of them at once.
  const std::int64_t sms = device->capabilities().sms;
  Kernel quarters = kernel(4 * sms, 4 * sms * 1000);
  quarters.share = {1, 4};
  ASSERT_FALSE(device->launch(quarters, 1));
  const Completion done = only_completion();
  EXPECT_FALSE(done.failed) << done.problem;
  std::map<std::int32_t, int> blocks_on;
  Time last_start, first_end = done.end;
  for (const BlockSeen& block : done.kernels.at(0).blocks) {
    ++blocks_on[block.sm];
    last_start = std::max(last_start, block.start);
    first_end = std::min(first_end, block.end);
  }
  EXPECT_EQ(static_cast<std::int64_t>(blocks_on.size()), sms);
  for (const auto& [sm, count] : blocks_on) EXPECT_EQ(count, 4) << "SM " << sm;
  EXPECT_LT(last_start, first_end) << "not all at once";
}

TEST_F(OnGpu, AnUrgentKernelOvertakesBlocksThatWait) {
  start();
  const std::int64_t sms = device->capabilities().sms;
  ASSERT_FALSE(device->launch(kernel(sms * 10, sms * 10 * 500), 1));
  Kernel urgent = kernel(sms, sms * 100);
  urgent.priority = device->capabilities().priorities - 1;
  ASSERT_FALSE(device->launch(urgent, 2));
  EXPECT_EQ(only_completion().op, 2U);
  EXPECT_EQ(only_completion().op, 1U);
}

TEST_F(OnGpu, CopiesAndCpuWorkTakeTheirLoad) {
  start();
  for (const Direction direction : {Direction::kToDevice, Direction::kToHost}) {
    Copy copy;
    copy.node = 1;
    copy.direction = direction;
    copy.load = Time::from_us(500);
    const auto problem = device->copy(copy, 3);
    ASSERT_FALSE(problem) << problem->message;
    const Completion done = only_completion();
    EXPECT_GT(done.end, done.start);
    std::printf("copy: %ld us for 500\n", (done.end - done.start).ns() / 1000);
  }
  CpuWork work;
  work.node = 2;
  work.load = Time::from_us(500);
  ASSERT_FALSE(device->run(work, 4));
  const Completion done = only_completion();
  EXPECT_GE(done.end - done.start, work.load);
}

TEST_F(OnGpu, WaitingWithoutWorkEndsAtItsTime) {
  start();
  const Time until = device->now() + Time::from_ms(3);
  const auto done = device->wait(until);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->empty());
  EXPECT_GE(device->now(), until);
}

TEST_F(OnGpu, APlaceThatDoesNotExistIsAnErrorNotACrash) {
  start();
  Kernel nowhere = kernel(1, 10);
  nowhere.partition = 9;
  EXPECT_TRUE(device->launch(nowhere, 1));
  Kernel beyond = kernel(2, 10);
  beyond.pinning = Pinning{device->capabilities().sms, 1, 2};
  EXPECT_TRUE(device->launch(beyond, 2));
  EXPECT_TRUE(device->launch(GraphId{5}, 3));
  EXPECT_TRUE(device->launch(kernel(0, 10), 4));
  EXPECT_TRUE(device->launch(kernel(-1, 10), 5));
}

/// Records are read while the graph runs and cleared for the next run: none may be lost or doubled.
TEST_F(OnGpu, EveryReplayOfAGraphTellsTheSame) {
  const std::int64_t sms = device->capabilities().sms;
  std::vector<GraphNode> nodes(30);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t width = i % 3 == 0 ? sms : i % 3 == 1 ? sms / 2 : 1;
    nodes[i].kernel = kernel(width, 10 * width);
    if (i > 0) nodes[i].after = {i - 1};
  }
  const auto graph = device->prepare(nodes, Chaining::kGraph);
  ASSERT_TRUE(graph) << graph.error().message;
  start();
  for (OpId run = 0; run < 300; ++run) {
    ASSERT_FALSE(device->launch(*graph, run));
    const Completion done = only_completion();
    ASSERT_FALSE(done.failed) << "run " << run << ": " << done.problem;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      ASSERT_EQ(std::ssize(done.kernels[i].blocks), nodes[i].kernel->blocks) << run;
      ASSERT_EQ(width_of(done.kernels[i]), nodes[i].kernel->blocks) << run;
      if (i == 0) continue;
      ASSERT_GE(done.kernels[i].start + device->capabilities().timer_step, done.kernels[i - 1].end)
          << run;
    }
  }
}

TEST_F(OnGpu, LeavesTheThreadAsItWas) {
  const std::vector<int> before = host::usable_cpus();
  const std::int64_t cores = device->capabilities().cores;
  start();
  EXPECT_LE(host::usable_cpus().size(), before.size());
  device.reset();
  EXPECT_EQ(host::usable_cpus(), before);
  auto again = open_backend("cuda", system_of_all(), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->capabilities().cores, cores);
}

}  // namespace
}  // namespace tactus::runtime
