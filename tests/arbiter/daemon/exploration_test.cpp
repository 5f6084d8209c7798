// Every sequence of events of four clients, to depth 8 and beyond, against the invariants.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "tactus/arbiter/daemon/coordinator.hpp"

namespace tactus::arbiter::daemon {
namespace {

constexpr ClientId kClients = 4;
constexpr int kDepth = 8;

using Urgencies = std::array<Urgency, kClients + 1>;  // by client, 1 .. kClients

/// All mixes of best effort and three priorities (equal ones too) of four clients.
std::vector<Urgencies> all_urgencies() {
  std::vector<Urgencies> all;
  for (int code = 0; code < 256; ++code) {
    Urgencies mix;
    for (ClientId c = 1, rest = static_cast<ClientId>(code); c <= kClients; ++c, rest /= 4) {
      if (rest % 4 != 0) mix[c] = Urgency::real_time(static_cast<std::int32_t>(rest % 4));
    }
    all.push_back(mix);
  }
  return all;
}

/// The rule once more, said differently: sort by (real-time, priority, arrival).
std::set<ClientId> expected_running(std::span<const Active> active) {
  std::vector<Active> sorted(active.begin(), active.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Active& a, const Active& b) {
    if (a.urgency.best_effort != b.urgency.best_effort) return b.urgency.best_effort;
    return a.urgency.priority > b.urgency.priority;
  });
  std::set<ClientId> running;
  for (const Active& entry : sorted) {
    if (!running.empty() && !sorted.front().urgency.best_effort) break;
    running.insert(entry.client);
  }
  return running;
}

std::string text_of(std::span<const Active> active) {
  std::string text;
  for (const Active& entry : active) text += static_cast<char>('0' + entry.client);
  return text;
}

TEST(Exploration, OfTheDecisionBreaksNoInvariantInAnySequenceOfEvents) {
  std::size_t explored = 0;
  for (const Urgencies& urgency : all_urgencies()) {
    std::set<std::string> seen;
    std::deque<std::pair<Decision, int>> open = {{Decision(), 0}};
    while (!open.empty()) {
      const auto [state, depth] = open.front();
      open.pop_front();
      if (!seen.insert(text_of(state.active())).second) continue;
      ++explored;
      const auto running = state.running(), pending = state.pending();
      const std::set<ClientId> on(running.begin(), running.end());
      std::set<ClientId> both = on;
      for (ClientId c : pending) EXPECT_TRUE(both.insert(c).second) << "running and pending";
      EXPECT_EQ(both.size(), state.active().size());
      EXPECT_EQ(running.empty(), state.active().empty());
      EXPECT_EQ(on, expected_running(state.active()));
      std::size_t real_time = 0;
      for (ClientId c : running) real_time += urgency[c].best_effort ? 0 : 1;
      EXPECT_LE(real_time, 1U);
      EXPECT_TRUE(real_time == 0 || running.size() == 1) << "shares with best effort";
      if (depth == kDepth) continue;
      for (ClientId c = 1; c <= kClients; ++c) {
        const bool active = state.find(c) != nullptr;
        Decision begun = state, ended = state, gone = state;
        EXPECT_EQ(begun.begin(c, urgency[c]), !active);
        EXPECT_EQ(ended.end(c), active);
        gone.gone(c);
        EXPECT_EQ(gone, ended);
        open.emplace_back(begun, depth + 1);
        open.emplace_back(ended, depth + 1);
      }
    }
    EXPECT_EQ(seen.size(), 65U);  // every ordered choice out of four was reached
  }
  EXPECT_EQ(explored, 256U * 65U);
}

/// The coordinator together with clients that do as they are told, in their own time.
struct World {
  Coordinator coordinator{Rule::kPriority, 1};
  enum class Place : char { kOut, kAsking, kIn, kDead };
  std::array<Place, kClients + 1> place{};
  std::array<bool, kClients + 1> order_off{};  ///< the last order it was given
  std::array<bool, kClients + 1> is_off{};     ///< what it has done
  std::array<bool, kClients + 1> owes{};       ///< an order it has not confirmed
  bool somebody_was_late = false;

  std::string key() const {
    std::string text = text_of(coordinator.decision().active()) + '|';
    for (const Request& r : coordinator.queue()) {
      text += static_cast<char>('0' + r.client);
      text += static_cast<char>('a' + static_cast<int>(r.kind));
    }
    text += '|';
    for (ClientId c : coordinator.awaited()) text += static_cast<char>('0' + c);
    for (ClientId c = 1; c <= kClients; ++c) {
      text += static_cast<char>('A' + static_cast<int>(place[c]));
      text +=
          static_cast<char>('0' + (order_off[c] ? 1 : 0) + (is_off[c] ? 2 : 0) + (owes[c] ? 4 : 0) +
                            (coordinator.off(c) ? 8 : 0) + (coordinator.silent(c) ? 16 : 0));
    }
    return text + (coordinator.deadline() ? "u" : "") + (somebody_was_late ? "l" : "");
  }

  /// Of the others: has everybody who was told to leave left?
  bool nobody_stays(ClientId but) const {
    for (ClientId c = 1; c <= kClients; ++c) {
      if (c != but && place[c] != Place::kDead && order_off[c] && !is_off[c]) return false;
    }
    return true;
  }

  void carry_out() {
    for (const Action& action : coordinator.take_actions()) {
      const ClientId c = action.client;
      switch (action.kind) {
        case Action::Kind::kOrder:
          EXPECT_NE(place[c], Place::kDead) << "an order to somebody who is gone";
          order_off[c] = action.off;
          owes[c] = true;
          if (!action.off) is_off[c] = false;  // may run from the moment it is told
          break;
        case Action::Kind::kAnswer:
          if (place[c] == Place::kDead) break;
          EXPECT_EQ(place[c], Place::kAsking);
          EXPECT_NE(action.answer, Answer::kNested);
          if (!somebody_was_late) {  // else it may be told before it has done so
            EXPECT_EQ(action.answer == Answer::kPending, is_off[c]);
          }
          if (action.answer != Answer::kPending) {
            EXPECT_EQ(action.answer == Answer::kRunning, nobody_stays(c))
                << "it is told the truth about who is on the GPU beside it";
          }
          place[c] = Place::kIn;
          break;
        case Action::Kind::kLate:
          somebody_was_late = true;
          break;
        case Action::Kind::kRefused:
          ADD_FAILURE() << "a rightful end was refused";
          break;
        case Action::Kind::kUpdated:
          break;
      }
    }
  }
};

class CoordinatorExploration {
 public:
  CoordinatorExploration(const Urgencies& urgency, bool with_late)
      : urgency_(urgency), with_late_(with_late) {}

  std::size_t run(int depth) {
    World start;
    visit(start, depth);
    return seen_.size();
  }

 private:
  /// However many clients never confirm: the arbiter gets to the end of what was asked of it.
  static void check_progress(const World& world) {
    Coordinator left_alone = world.coordinator;
    for (ClientId i = 0; i < 4 * kClients && left_alone.deadline(); ++i)
      left_alone.expire(*left_alone.deadline());
    EXPECT_FALSE(left_alone.deadline()) << world.key();
    EXPECT_TRUE(left_alone.queue().empty()) << world.key();
  }

  void check(const World& world) const {
    bool all_confirmed = true;
    for (ClientId c : world.coordinator.awaited()) {
      EXPECT_NE(world.place[c], World::Place::kDead) << "waits for somebody who is gone";
      EXPECT_FALSE(world.coordinator.silent(c)) << "waits again for somebody who let it wait";
    }
    for (ClientId c = 1; c <= kClients; ++c) {
      all_confirmed = all_confirmed && !world.owes[c];
      EXPECT_TRUE(world.owes[c] || !world.coordinator.silent(c)) << "confirmed, and still silent";
    }
    if (with_late_) check_progress(world);
    // Exclusivity is lost, and reported, until whoever was late has done as it was told.
    if (world.somebody_was_late && !all_confirmed) return;
    std::size_t real_time = 0, best_effort = 0;
    for (ClientId c = 1; c <= kClients; ++c) {
      if (world.place[c] != World::Place::kIn || world.is_off[c]) continue;
      ++(urgency_[c].best_effort ? best_effort : real_time);
    }
    EXPECT_LE(real_time, 1U) << world.key();
    EXPECT_TRUE(real_time == 0 || best_effort == 0) << world.key();
    if (world.coordinator.deadline()) return;
    // No update in progress: exactly the pending clients are off, and nothing waits.
    EXPECT_TRUE(world.coordinator.queue().empty());
    const auto pending = world.coordinator.decision().pending();
    const std::set<ClientId> off(pending.begin(), pending.end());
    EXPECT_EQ(world.coordinator.all_off(), off) << world.key();
    for (ClientId c = 1; c <= kClients; ++c) {
      EXPECT_TRUE(world.place[c] == World::Place::kDead || world.is_off[c] == off.contains(c));
    }
  }

  void visit(const World& world, int depth) {
    // A state reached again with no more steps left than before has nothing new below it.
    int& best = seen_[world.key()];
    if (best > depth) return;
    best = depth + 1;
    check(world);
    if (depth == 0) return;
    for (ClientId c = 1; c <= kClients; ++c) {
      if (world.place[c] == World::Place::kDead) continue;
      if (world.place[c] == World::Place::kOut)
        step(world, depth, c, Request::Kind::kBegin, World::Place::kAsking);
      if (world.place[c] == World::Place::kIn)
        step(world, depth, c, Request::Kind::kEnd, World::Place::kOut);
      step(world, depth, c, Request::Kind::kGone, World::Place::kDead);
      if (world.owes[c]) {
        World next = world;
        next.is_off[c] = next.order_off[c];
        next.owes[c] = false;
        next.coordinator.done(c, 0);
        next.carry_out();
        visit(next, depth - 1);
      }
    }
    if (with_late_ && world.coordinator.deadline()) {
      World next = world;
      next.coordinator.expire(*world.coordinator.deadline());
      next.carry_out();
      visit(next, depth - 1);
    }
  }

  void step(const World& world, int depth, ClientId c, Request::Kind kind, World::Place place) {
    World next = world;
    next.place[c] = place;
    if (place == World::Place::kDead) next.owes[c] = false;
    Request request;
    request.kind = kind;
    request.client = c;
    if (kind == Request::Kind::kBegin) request.urgency = urgency_[c];
    next.coordinator.request(request, 0);
    next.carry_out();
    visit(next, depth - 1);
  }

  Urgencies urgency_;
  bool with_late_;
  std::map<std::string, int> seen_;
};

/// Clients are interchangeable, so mixes in ascending order stand for all; and of the priorities
/// only their order counts.
std::vector<Urgencies> distinct_mixes() {
  std::vector<Urgencies> mixes;
  for (const auto& p : std::vector<std::array<int, kClients>>{{0, 0, 0, 0},
                                                              {0, 0, 0, 1},
                                                              {0, 0, 1, 1},
                                                              {0, 0, 1, 2},
                                                              {0, 1, 2, 3},
                                                              {0, 1, 1, 2},
                                                              {1, 1, 1, 1},
                                                              {1, 1, 2, 2},
                                                              {1, 2, 3, 3},
                                                              {1, 2, 3, 4}}) {
    Urgencies mix;
    for (ClientId c = 1; c <= kClients; ++c) {
      if (p[c - 1] > 0) mix[c] = Urgency::real_time(p[c - 1]);
    }
    mixes.push_back(mix);
  }
  return mixes;
}

TEST(Exploration, OfUpdatesKeepsTheGpuExclusiveInEveryInterleaving) {
  std::size_t states = 0;
  for (const Urgencies& mix : distinct_mixes())
    states += CoordinatorExploration(mix, false).run(kDepth);
  EXPECT_GT(states, 50'000U);
}

TEST(Exploration, OfUpdatesNeverStopsWhenClientsDoNotConfirm) {
  std::size_t states = 0;
  for (const Urgencies& mix : distinct_mixes())
    states += CoordinatorExploration(mix, true).run(kDepth);
  EXPECT_GT(states, 50'000U);
}

}  // namespace
}  // namespace tactus::arbiter::daemon
