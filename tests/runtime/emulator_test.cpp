// The machine by itself: who runs where, from when to when.
#include <gtest/gtest.h>

#include "tactus/runtime/emulator/emulator.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

Time ms(std::int64_t count) { return Time::from_ms(count); }

/// Two cores, two copy engines and `sms` SMs.
System machine(int sms) {
  return simulate::read(
      R"({"tactus":1,"name":"m","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2},{"name":"h2d","kind":"copy","units":1},{"name":"d2h","kind":"copy","units":1},
      {"name":"gpu","kind":"gpu","units":)" +
      std::to_string(sms) +
      R"(}]},"tasks":[{"name":"t","nodes":[{"name":"n","on":"cpu","wcet":1}]}]})");
}

class Emulated : public ::testing::Test {
 protected:
  std::unique_ptr<Device> open(int sms, BackendOptions options = {}) {
    system_ = machine(sms);
    return std::move(*open_emulator(system_, options));
  }

 private:
  System system_;
};

Kernel kernel(std::int64_t blocks, std::int64_t length, SmShare share = {1, 1}) {
  Kernel made;
  made.blocks = blocks;
  made.longest = ms(length);
  made.least = Time();
  made.share = share;
  return made;
}

CpuWork work(std::int64_t core, std::int64_t priority, std::int64_t length) {
  CpuWork made;
  made.core = core;
  made.priority = priority;
  made.longest = ms(length);
  return made;
}

/// "op start-end" of everything, in the order of completion.
std::string drained(Device& device) {
  std::string text;
  for (;;) {
    const auto completions = device.wait(std::nullopt);
    if (completions->empty()) return text;
    for (const Completion& c : *completions) {
      text += (text.empty() ? "" : ", ") + std::to_string(c.op) + " " +
              format_time(c.start, TimeUnit::kMs) + "-" + format_time(c.end, TimeUnit::kMs);
    }
  }
}

using EmulatedGpuTest = Emulated;

TEST_F(EmulatedGpuTest, RunsAGridThatIsTooWideInWaves) {
  const auto device = open(2);
  EXPECT_FALSE(device->launch(kernel(5, 2), 7));
  const auto completions = device->wait(std::nullopt);
  ASSERT_EQ(completions->size(), 1u);
  const KernelSeen& seen = completions->front().kernels.front();
  EXPECT_EQ(seen.end, ms(6));
  EXPECT_EQ(width_of(seen), 2);
  ASSERT_EQ(seen.blocks.size(), 5u);
  EXPECT_EQ(seen.blocks[4].start, ms(4));
  EXPECT_EQ(seen.pieces, 5);
  EXPECT_EQ(seen.pieces_done, 5);
}

TEST_F(EmulatedGpuTest, FillsFreeSmsWithTheNextKernel) {
  const auto device = open(3);
  EXPECT_FALSE(device->launch(kernel(2, 4), 1));
  EXPECT_FALSE(device->launch(kernel(2, 1), 2));
  EXPECT_EQ(drained(*device), "2 0-2, 1 0-4");  // one block of 2 at once, the other after it
}

TEST_F(EmulatedGpuTest, PutsMoreUrgentBlocksFirstButPreemptsNone) {
  const auto device = open(1);
  Kernel urgent = kernel(1, 1);
  urgent.priority = 3;
  EXPECT_FALSE(device->launch(kernel(3, 2), 1));
  EXPECT_TRUE(device->wait(ms(1))->empty());
  EXPECT_FALSE(device->launch(urgent, 2));
  EXPECT_EQ(drained(*device), "2 2-3, 1 0-7");
}

TEST_F(EmulatedGpuTest, LooksAtWhatIsSubmittedAtOneInstantTogether) {
  const auto device = open(1);
  Kernel urgent = kernel(1, 1);
  urgent.priority = 1;
  EXPECT_FALSE(device->launch(kernel(1, 2), 1));
  EXPECT_FALSE(device->launch(urgent, 2));
  EXPECT_EQ(drained(*device), "2 0-1, 1 1-3");
}

/// A wide block at the head keeps a narrow one from passing it, as on an NVIDIA GPU.
TEST_F(EmulatedGpuTest, LetsNoBlockPassOneThatDoesNotFit) {
  const auto device = open(1);
  EXPECT_FALSE(device->launch(kernel(1, 4, {1, 2}), 1));
  EXPECT_FALSE(device->launch(kernel(1, 4, {3, 4}), 2));
  EXPECT_FALSE(device->launch(kernel(1, 1, {1, 2}), 3));
  EXPECT_EQ(drained(*device), "1 0-4, 2 4-8, 3 8-9");
}

TEST_F(EmulatedGpuTest, PacksBlocksIntoAnSmByTheirShare) {
  const auto device = open(1);
  EXPECT_FALSE(device->launch(kernel(4, 2, {1, 3}), 1));
  EXPECT_EQ(drained(*device), "1 0-4");  // three, then one
}

TEST_F(EmulatedGpuTest, KeepsPartitionsApart) {
  const auto device = open(4);
  const std::vector<std::int64_t> asked = {1, 3};
  const auto made = device->partition(asked);
  ASSERT_TRUE(made);
  Kernel left = kernel(2, 5), right = kernel(3, 1);
  left.partition = (*made)[0].id;
  right.partition = (*made)[1].id;
  EXPECT_FALSE(device->launch(left, 1));
  EXPECT_FALSE(device->launch(right, 2));
  EXPECT_EQ(drained(*device), "2 0-1, 1 0-10");
}

TEST_F(EmulatedGpuTest, RoundsPartitionsUpToItsStep) {
  BackendOptions options;
  options.partition_step = 8;
  const auto device = open(32, options);
  const std::vector<std::int64_t> asked = {3, 9};
  const auto made = device->partition(asked);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)[0].got, 8);
  EXPECT_EQ((*made)[1].got, 16);
  EXPECT_EQ((*made)[1].asked, 9);
}

TEST_F(EmulatedGpuTest, SaysWhenPartitionsDoNotFit) {
  BackendOptions options;
  options.partition_step = 8;
  const auto device = open(16, options);
  const std::vector<std::int64_t> asked = {9, 1};
  const auto made = device->partition(asked);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "partitions of 9, 1 SMs do not fit the 16 of the emulator");
}

TEST_F(EmulatedGpuTest, SeatsPinnedBlocksOnTheirSmsOnly) {
  const auto device = open(8);
  Kernel pinned = kernel(6, 3, {1, 2});
  pinned.pinning = Pinning{2, 3, 2};
  EXPECT_FALSE(device->launch(pinned, 1));
  const auto completions = device->wait(std::nullopt);
  const KernelSeen& seen = completions->front().kernels.front();
  EXPECT_EQ(seen.end, ms(3));
  std::map<std::int32_t, int> seats;
  for (const BlockSeen& block : seen.blocks) ++seats[block.sm];
  EXPECT_EQ(seats, (std::map<std::int32_t, int>{{2, 2}, {3, 2}, {4, 2}}));
}

TEST_F(EmulatedGpuTest, RefusesWhatNoGpuCanDo) {
  const auto device = open(2);
  Kernel pinned = kernel(6, 1);
  pinned.pinning = Pinning{0, 3, 2};
  EXPECT_TRUE(device->launch(pinned, 1).has_value());
  EXPECT_TRUE(device->launch(kernel(1, 1, {3, 2}), 1).has_value());
  EXPECT_TRUE(device->launch(kernel(0, 1), 1).has_value());
  EXPECT_TRUE(device->run(work(2, 0, 1), 1).has_value());
}

TEST_F(EmulatedGpuTest, RefusesToBeLargerThanItCanBe) {
  const auto device = open_emulator(machine(2'000'000'000), {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message,
            "element `gpu` has 2000000000 units; the emulator takes up to 100000");
}

TEST_F(EmulatedGpuTest, RunsAGraphByItsEdgesAndBarriers) {
  const auto device = open(4);
  // 0 and 1 side by side, a barrier after both, then 3; run twice.
  const std::vector<GraphNode> nodes = {
      {kernel(2, 3), {}}, {kernel(2, 1), {}}, {std::nullopt, {0, 1}}, {kernel(4, 2), {2}}};
  const auto graph = device->prepare(nodes, Chaining::kGraph);
  ASSERT_TRUE(graph);
  for (const std::int64_t start : {0, 5}) {
    EXPECT_FALSE(device->launch(*graph, 9));
    const auto completions = device->wait(std::nullopt);
    ASSERT_EQ(completions->size(), 1u);
    const Completion& c = completions->front();
    EXPECT_EQ(c.start, ms(start));
    EXPECT_EQ(c.end, ms(start + 5));
    ASSERT_EQ(c.kernels.size(), 4u);
    EXPECT_EQ(c.kernels[1].end, ms(start + 1));
    EXPECT_EQ(c.kernels[3].start, ms(start + 3));
    EXPECT_EQ(width_of(c.kernels[3]), 4);
  }
}

using EmulatedCoreTest = Emulated;

TEST_F(EmulatedCoreTest, PreemptsByPriorityAndResumes) {
  const auto device = open(1);
  EXPECT_FALSE(device->run(work(0, 1, 4), 1));
  EXPECT_TRUE(device->wait(ms(1))->empty());
  EXPECT_FALSE(device->run(work(0, 2, 2), 2));
  EXPECT_FALSE(device->run(work(1, 0, 1), 3));  // another core
  EXPECT_EQ(drained(*device), "3 1-2, 2 1-3, 1 0-6");
}

TEST_F(EmulatedCoreTest, ServesEqualPrioritiesInTheOrderTheyCame) {
  const auto device = open(1);
  EXPECT_FALSE(device->run(work(0, 1, 2), 1));
  EXPECT_FALSE(device->run(work(0, 1, 2), 2));
  EXPECT_EQ(drained(*device), "1 0-2, 2 2-4");
}

TEST_F(EmulatedCoreTest, LetsWorkEndAtTheInstantItWouldBePreempted) {
  const auto device = open(1);
  EXPECT_FALSE(device->run(work(0, 1, 2), 1));
  EXPECT_EQ(device->wait(ms(2))->size(), 1u);
  EXPECT_FALSE(device->run(work(0, 2, 1), 2));
  EXPECT_EQ(drained(*device), "2 2-3");
}

TEST_F(Emulated, CopiesOneAfterTheOtherOnEachEngine) {
  const auto device = open(1);
  Copy copy;
  copy.longest = ms(3);
  EXPECT_FALSE(device->copy(copy, 1));
  EXPECT_FALSE(device->copy(copy, 2));
  copy.engine = 1;
  EXPECT_FALSE(device->copy(copy, 3));
  EXPECT_EQ(drained(*device), "1 0-3, 3 0-3, 2 3-6");
}

TEST_F(Emulated, WaitsUntilATimeWhenNothingHappens) {
  const auto device = open(1);
  EXPECT_TRUE(device->wait(ms(5))->empty());
  EXPECT_EQ(device->now(), ms(5));
  EXPECT_TRUE(device->wait(ms(3))->empty());  // that has passed
  EXPECT_EQ(device->now(), ms(5));
}

TEST_F(Emulated, EndsAWaitLateByTheJitterAtMost) {
  BackendOptions options;
  options.jitter = ms(2);
  const auto device = open(1, options);
  Time latest;
  for (std::int64_t at = 10; at < 1000; at += 10) {
    EXPECT_TRUE(device->wait(ms(at))->empty());
    EXPECT_GE(device->now(), ms(at));
    EXPECT_LE(device->now(), ms(at + 2));
    latest = std::max(latest, device->now() - ms(at));
  }
  EXPECT_GT(latest, ms(1));
}

TEST_F(Emulated, DrawsLengthsWithinTheirIntervalAndRepeatsThem) {
  BackendOptions options;
  options.scenario.lengths = trace::Lengths::kUniform;
  std::vector<std::int64_t> lengths[2];
  for (auto& drawn : lengths) {
    const auto device = open(1, options);
    for (OpId op = 0; op < 50; ++op) {
      Kernel made = kernel(1, 10);
      made.least = ms(4);
      EXPECT_FALSE(device->launch(made, op));
      const auto completions = device->wait(std::nullopt);
      const Time took = completions->front().end - completions->front().start;
      EXPECT_LE(ms(4), took);
      EXPECT_LE(took, ms(10));
      drawn.push_back(took.ns());
    }
  }
  EXPECT_EQ(lengths[0], lengths[1]);
  EXPECT_NE(lengths[0].front(), lengths[0].back());
}

TEST(PieceOf, SharesOutAGridWithoutGapOrOverlap) {
  Kernel segment;
  segment.whole = ms(10);
  std::int64_t next = 0;
  for (const std::int64_t load : {3, 1, 6}) {
    segment.load = ms(load);
    const BlockRange range = piece_of(segment, 97);
    EXPECT_EQ(range.first, next);
    next += range.count;
    segment.from += segment.load;
  }
  EXPECT_EQ(next, 97);
}

TEST_F(Emulated, RefusesWhatIsNotThereInsteadOfDoingSomethingElse) {
  const auto device = open(4);
  Kernel nowhere = kernel(1, 1);
  nowhere.partition = 9;
  EXPECT_TRUE(device->launch(nowhere, 1));
  Kernel pinned = kernel(1, 1);
  pinned.pinning = Pinning{-1, 1, 1};
  EXPECT_TRUE(device->launch(pinned, 1));
  EXPECT_TRUE(device->launch(kernel(0, 1), 1));
  EXPECT_TRUE(device->launch(kernel(1, 1, {1, 0}), 1));
  EXPECT_TRUE(device->launch(GraphId{0}, 1));
  EXPECT_TRUE(device->run(work(2, 0, 1), 1));
  Copy copy;
  copy.engine = -1;
  EXPECT_TRUE(device->copy(copy, 1));
  EXPECT_FALSE(device->partition(std::vector<std::int64_t>{2, 0}));
  std::vector<GraphNode> loop(1);
  loop[0].after = {0};
  EXPECT_FALSE(device->prepare(loop, Chaining::kGraph));
  EXPECT_EQ(drained(*device), "");
}

TEST_F(Emulated, RefusesAGraphOrANumberThatIsStillRunning) {
  const auto device = open(4);
  std::vector<GraphNode> nodes(1);
  nodes[0].kernel = kernel(1, 2);
  const auto graph = device->prepare(nodes, Chaining::kGraph);
  ASSERT_TRUE(graph);
  EXPECT_FALSE(device->launch(*graph, 1));
  EXPECT_TRUE(device->launch(*graph, 2));
  EXPECT_TRUE(device->launch(kernel(1, 1), 1));
  EXPECT_EQ(drained(*device), "1 0-2");
  EXPECT_FALSE(device->launch(*graph, 1));
  EXPECT_EQ(drained(*device), "1 2-4");
}

}  // namespace
}  // namespace tactus::runtime
