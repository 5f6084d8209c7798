#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tactus/arbiter/daemon/decision.hpp"

/// Algorithm 1 of GCAPS, line by line: in the states A1 to A5 of docs/errata.md it does
/// something else than `Decision`.
namespace tactus::arbiter::daemon {
namespace {

/// A task is its priority; best-effort tasks are 0 or below.
using Tasks = std::set<int>;

bool real_time(int task) { return task > 0; }

struct Algorithm1 {
  Tasks running, pending;

  void add(int task) {
    if (!real_time(task)) {  // lines 6 to 10
      (std::any_of(running.begin(), running.end(), real_time) ? pending : running).insert(task);
      return;
    }
    ASSERT_FALSE(running.empty()) << "line 12 is undefined";
    const int highest = *running.rbegin();
    if (task > highest) {  // lines 13 to 15
      running.insert(task);
      running.erase(highest);
      pending.insert(highest);
    } else {
      pending.insert(task);
    }
  }

  void remove(int task) {
    if (!pending.empty() && real_time(*pending.rbegin())) {  // lines 19 to 22
      const int next = *pending.rbegin();
      pending.erase(next);
      running.insert(next);
      running.erase(task);
    } else {  // lines 24 and 25
      running = pending;
      pending.clear();
    }
  }
};

constexpr int kOneBestEffort = 0, kOtherBestEffort = -1;

TEST(Algorithm1, A1LeavesABestEffortTaskBesideARealTimeTask) {
  Algorithm1 lists = {{kOneBestEffort, kOtherBestEffort}, {}};
  lists.add(1);
  EXPECT_EQ(lists.running, (Tasks{kOtherBestEffort, 1}));
}

TEST(Algorithm1, A2PutsAnotherTaskBesideTheOwnerWhenAPendingTaskEnds) {
  Algorithm1 lists = {{3}, {2, 1}};
  lists.remove(1);
  EXPECT_EQ(lists.running, (Tasks{3, 2}));
  EXPECT_EQ(lists.pending, Tasks{1}) << "it has ended";
}

TEST(Algorithm1, A3LosesTheOwnerWhenAPendingBestEffortTaskEnds) {
  Algorithm1 lists = {{1}, {kOneBestEffort}};
  lists.remove(kOneBestEffort);
  EXPECT_EQ(lists.running, Tasks{kOneBestEffort}) << "and not the owner";
}

TEST(Algorithm1, A4LosesTheOtherBestEffortTask) {
  Algorithm1 lists = {{kOneBestEffort, kOtherBestEffort}, {}};
  lists.remove(kOneBestEffort);
  EXPECT_EQ(lists.running, Tasks{});
}

}  // namespace
}  // namespace tactus::arbiter::daemon
