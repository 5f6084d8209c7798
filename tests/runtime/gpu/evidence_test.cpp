// What blocks say of themselves, read while they say it and after they are through.
#include "tactus/runtime/gpu/evidence.hpp"

#include <gtest/gtest.h>

namespace tactus::runtime::gpu {
namespace {

BlockRecord record(std::uint64_t start, std::uint64_t end, std::uint32_t sm, std::uint32_t done) {
  return {start, end, sm + 1, done + 1, BlockRecord::kThrough};
}

/// Two kernels of two blocks with a barrier between them, three pieces of work each.
class TwoKernels : public testing::Test {
 protected:
  void all_written() {
    records = {record(100, 180, 7, 2), record(105, 190, 0, 1), record(200, 240, 3, 0),
               record(210, 260, 4, 3)};
  }

  std::vector<BlockRecord> records = std::vector<BlockRecord>(4);
  EvidenceReader reader{{{0, 2, 3}, {2, 0}, {2, 2, 3}}, records};
};

TEST_F(TwoKernels, AreSeenOnTheClockAskedFor) {
  all_written();
  reader.read_rest();
  EXPECT_EQ(reader.problem(), "");
  ASSERT_TRUE(reader.span());
  EXPECT_EQ(reader.span()->start, 100U);
  EXPECT_EQ(reader.span()->end, 260U);
  const auto kernels = reader.take(-50, Time());
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].start, Time::from_ns(50));
  EXPECT_EQ(kernels[0].end, Time::from_ns(140));
  EXPECT_EQ(kernels[0].pieces_done, 3);
  ASSERT_EQ(kernels[0].blocks.size(), 2U);
  EXPECT_EQ(kernels[0].blocks[0].sm, 7);
  EXPECT_EQ(kernels[0].blocks[1].sm, 0);
  EXPECT_EQ(kernels[0].blocks[1].end, Time::from_ns(140));
  EXPECT_TRUE(kernels[1].blocks.empty());
  EXPECT_EQ(kernels[1].pieces, 0);
  // A block without work was there, but no SM had anything to do.
  EXPECT_EQ(kernels[2].start, Time::from_ns(150));
  ASSERT_EQ(kernels[2].blocks.size(), 1U);
  EXPECT_EQ(kernels[2].blocks[0].sm, 4);
}

TEST_F(TwoKernels, AreSeenTheSameHoweverTheirWordsArrive) {
  all_written();
  const std::vector<BlockRecord> written = std::exchange(records, std::vector<BlockRecord>(4));
  EvidenceReader piecewise({{0, 2, 3}, {2, 0}, {2, 2, 3}}, records);
  // One word after the other, the last record first, somebody reading all the time.
  for (std::size_t i = records.size(); i-- > 0;) {
    const auto arrives = [&](auto BlockRecord::*word) {
      piecewise.read_on();
      records[i].*word = written[i].*word;
      piecewise.read_on();
    };
    arrives(&BlockRecord::outcome);
    arrives(&BlockRecord::end);
    arrives(&BlockRecord::done_and_1);
    arrives(&BlockRecord::start);
    arrives(&BlockRecord::sm_and_1);
  }
  std::vector<BlockRecord> again = written;
  EvidenceReader at_once({{0, 2, 3}, {2, 0}, {2, 2, 3}}, again);
  at_once.read_rest();
  piecewise.read_rest();
  EXPECT_EQ(piecewise.problem(), "");
  const auto a = piecewise.take(0, Time()), b = at_once.take(0, Time());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].start, b[k].start);
    EXPECT_EQ(a[k].end, b[k].end);
    EXPECT_EQ(a[k].pieces_done, b[k].pieces_done);
    EXPECT_EQ(a[k].blocks.size(), b[k].blocks.size());
  }
}

TEST_F(TwoKernels, LeaveTheirRecordsClearForTheNextRun) {
  all_written();
  reader.read_on();
  reader.read_rest();
  for (const BlockRecord& each : records) {
    EXPECT_FALSE(each.written());
    EXPECT_EQ(each.start, 0U);
    EXPECT_EQ(each.done_and_1, 0U);
  }
  EvidenceReader next({{0, 2, 3}, {2, 0}, {2, 2, 3}}, records);
  next.read_rest();
  EXPECT_FALSE(next.span());
  EXPECT_EQ(next.problem(), "lost work: 0 of 3 pieces were done");
  EXPECT_EQ(next.take(5, Time::from_us(9))[2].end, Time::from_us(9));
}

TEST(Evidence, OfAPinnedGridPassesOverBlocksThatWereTurnedAway) {
  std::vector<BlockRecord> records(6);
  records[1] = record(10, 20, 2, 4);
  records[4] = record(11, 22, 3, 4);
  EvidenceReader reader({{0, 6, 8, 2}}, records);
  reader.read_on();
  reader.read_rest();
  EXPECT_EQ(reader.problem(), "");
  EXPECT_EQ(reader.take(0, Time()).at(0).blocks.size(), 2U);
}

TEST(Evidence, OfASeatThatNobodyTookIsAProblem) {
  std::vector<BlockRecord> records(4);
  records[0] = record(10, 20, 2, 8);
  EvidenceReader reader({{0, 4, 8, 2}}, records);
  reader.read_rest();
  EXPECT_EQ(reader.problem(), "lost blocks: 1 of 2 seats were taken");
}

TEST(Evidence, OfABlockThatStoppedAtItsLimitIsAProblem) {
  std::vector<BlockRecord> records(1);
  records[0] = record(10, 20, 2, 8);
  records[0].outcome = BlockRecord::kExpired;
  EvidenceReader reader({{0, 1, 8}}, records);
  reader.read_rest();
  EXPECT_EQ(reader.problem(), "a block stopped at its time limit");
}

}  // namespace
}  // namespace tactus::runtime::gpu
