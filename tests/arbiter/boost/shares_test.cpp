// Shares of best-effort programs: what each gets, against a fluid that gives everybody its part at once.
#include "tactus/arbiter/boost/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace tactus::arbiter::boost {
namespace {

constexpr std::int64_t kSlice = 100'000'000;

/// Programs that always want the GPU: who is next gets it for a slice.
class Machine {
 public:
  void join(ClientId client, int percent) {
    shares.join(client, percent);
    waiting.push_back(client);
  }
  void leave(ClientId client) {
    shares.leave(client);
    std::erase(waiting, client);
  }
  ClientId turn(std::int64_t ns = kSlice) {
    const ClientId client = *shares.next(waiting);
    std::erase(waiting, client);
    waiting.push_back(client);
    shares.used(client, ns);
    got[client] += ns;
    return client;
  }

  Shares shares{kSlice};
  std::vector<ClientId> waiting;
  std::map<ClientId, std::int64_t> got;
};

TEST(Shares, AreKeptAmongManyThatHaveNone) {
  Machine machine;
  machine.join(1, 20);
  for (ClientId client = 2; client <= 10; ++client) machine.join(client, 0);
  for (int turn = 1; turn <= 1000; ++turn) {
    machine.turn();
    EXPECT_GE(machine.got[1], kSlice * turn / 5 - kSlice) << turn;
  }
  EXPECT_EQ(machine.got[1], 200 * kSlice) << "and no more while others want the GPU";
  for (ClientId client = 2; client <= 10; ++client)
    EXPECT_NEAR(static_cast<double>(machine.got[client] / kSlice), 89, 1)
        << "those without one take turns";
}

TEST(Shares, LeaveNothingUnused) {
  Machine machine;
  machine.join(1, 20);
  for (int turn = 0; turn < 10; ++turn) EXPECT_EQ(machine.turn(), 1U);
  machine.join(2, 0);
  // What it got while it was alone is not held against it.
  for (int turn = 0; turn < 10; ++turn) machine.turn();
  EXPECT_EQ(machine.got[1], 12 * kSlice);
  EXPECT_EQ(machine.got[2], 8 * kSlice);
}

TEST(Shares, ThatAreNotTakenUpGoToTheOthersInProportion) {
  Machine machine;
  machine.join(1, 40);
  machine.join(2, 20);
  for (int turn = 0; turn < 300; ++turn) machine.turn();
  EXPECT_EQ(machine.got[1], 200 * kSlice);
  EXPECT_EQ(machine.got[2], 100 * kSlice);
}

TEST(Shares, CannotBePromisedTwice) {
  Shares shares(kSlice);
  EXPECT_FALSE(shares.fits(96));
  shares.join(1, 60);
  EXPECT_TRUE(shares.fits(35));
  EXPECT_FALSE(shares.fits(36));
  EXPECT_EQ(shares.of(1), 60);
  shares.leave(1);
  EXPECT_TRUE(shares.fits(95));
  EXPECT_FALSE(shares.any());
  shares.leave(1);
}

/// What a fluid would have given to each, in parts of a nanosecond that are never lost.
struct Fluid {
  std::map<ClientId, int> percent;
  std::map<ClientId, double> due;

  void passes(std::int64_t ns) {
    int promised = 0, present = 0;
    bool others = false;
    for (const auto& [client, share] : percent) {
      promised += share;
      others = others || share == 0;
    }
    present = others ? 100 : promised;
    for (const auto& [client, share] : percent)
      if (share > 0) due[client] += static_cast<double>(ns) * share / present;
  }
};

TEST(Shares, DifferFromWhatIsDueByLessThanASliceWhateverHappens) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return static_cast<int>(random() % (most + 1)); };
    Machine machine;
    Fluid fluid;
    ClientId next = 1;
    for (int step = 0; step < 500; ++step) {
      const int percent = up_to(2) == 0 ? 0 : 1 + up_to(39);
      if (machine.waiting.empty() || (up_to(15) == 0 && machine.shares.fits(percent))) {
        if (!machine.shares.fits(percent)) continue;
        fluid.percent[next] = percent;
        machine.join(next++, percent);
      } else if (up_to(25) == 0) {
        // One that has got neither too little nor too much: what it takes with it is not the others'.
        const ClientId gone = machine.waiting[up_to(static_cast<int>(machine.waiting.size()) - 1)];
        if (fluid.percent[gone] > 0) continue;
        fluid.percent.erase(gone);
        machine.leave(gone);
      } else {
        // Real-time work may come after any part of a slice; then the same one goes on.
        const std::int64_t ns = up_to(3) == 0 ? 1 + up_to(99'999'999) : kSlice;
        machine.turn(ns);
        fluid.passes(ns);
      }
      for (const auto& [client, share] : fluid.percent) {
        if (share == 0) continue;
        const double apart = fluid.due[client] - static_cast<double>(machine.got[client]);
        ASSERT_LT(std::abs(apart), static_cast<double>(kSlice) + 1000)
            << "seed " << seed << " step " << step << " client " << client;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::arbiter::boost
