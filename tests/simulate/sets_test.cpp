// The sets that decisions are made with, against those of the standard library.
#include <gtest/gtest.h>

#include <list>
#include <set>

#include "tactus/base/random.hpp"
#include "tactus/simulate/rank_set.hpp"
#include "tactus/simulate/ready_list.hpp"

namespace tactus::simulate {
namespace {

TEST(RankSet, KnowsItsLargestAndNextMember) {
  Random random(1, 0);
  for (const std::size_t size : {1U, 63U, 64U, 65U, 4'096U, 4'097U, 300'000U}) {
    RankSet fast(size);
    std::set<std::size_t> slow;
    const auto last = static_cast<std::int64_t>(size) - 1;
    for (int step = 0; step < 3'000; ++step) {
      const auto number = static_cast<std::size_t>(random.integer(0, last));
      const bool in = random.integer(0, 9) < (step < 1'500 ? 6 : 3);
      fast.put(number, in);
      if (in) {
        slow.insert(number);
      } else {
        slow.erase(number);
      }
      ASSERT_EQ(fast.count(), slow.size());
      ASSERT_EQ(fast.empty(), slow.empty());
      ASSERT_EQ(fast.contains(number), in);
      ASSERT_EQ(fast.largest(), slow.empty() ? RankSet::kNone : *slow.rbegin());
      const auto from = static_cast<std::size_t>(random.integer(0, last + 1));
      const auto next = slow.lower_bound(from);
      ASSERT_EQ(fast.next(from), next == slow.end() ? RankSet::kNone : *next) << from;
    }
  }
}

TEST(ReadyList, KeepsTheOrderWhateverIsTakenOut) {
  Random random(2, 0);
  ReadyList fast;
  std::list<std::pair<WorkId, ReadyList::Place>> slow;
  for (std::uint32_t step = 0; step < 5'000; ++step) {
    if (slow.empty() || random.integer(0, 9) < (step < 2'500 ? 6 : 4)) {
      const WorkId id{step, step % 7};
      slow.emplace_back(id, fast.push_back(id));
    } else {
      auto taken = slow.begin();
      std::advance(taken, random.integer(0, static_cast<std::int64_t>(slow.size()) - 1));
      fast.erase(taken->second);
      slow.erase(taken);
    }
    ASSERT_EQ(fast.size(), slow.size());
    auto expected = slow.begin();
    for (const WorkId id : fast) {
      ASSERT_EQ(id, expected->first);
      ++expected;
    }
    ASSERT_EQ(expected, slow.end());
  }
}

}  // namespace
}  // namespace tactus::simulate
