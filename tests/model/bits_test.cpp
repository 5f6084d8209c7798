#include "tactus/base/bits.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactus {
namespace {

TEST(Bits, AreFoundSetAndCleared) {
  bits::Matrix rows(2, 130);
  bits::set(rows[1], 0);
  bits::set(rows[1], 129);
  EXPECT_TRUE(bits::test(rows[1], 129));
  EXPECT_TRUE(bits::none(rows[0]));
  EXPECT_EQ(bits::first(rows[1], 1), 129u);
  bits::reset(rows[1], 129);
  EXPECT_EQ(bits::first(rows[1], 1), bits::kNone);
  EXPECT_EQ(bits::first(rows[1]), 0u);
}

TEST(Bits, ShiftAcrossWords) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    bits::Matrix rows(2, 192);
    for (bits::Word& word : rows[0]) word = random() & random();
    const std::size_t by = random() % 200;
    bits::unite_shifted(rows[1], rows[0], by);
    for (std::size_t bit = 0; bit < 192; ++bit) {
      ASSERT_EQ(bits::test(rows[1], bit), bit >= by && bits::test(rows[0], bit - by)) << by;
    }
  }
}

}  // namespace
}  // namespace tactus
