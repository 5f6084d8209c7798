// Every interleaving of four clients and an arbiter for boost, without a limit
// of depth: the states are finite, and all of them are visited. Mutants of the
// rules show what the check would notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tactus/arbiter/boost/decide.hpp"

namespace tactus::arbiter::boost {
namespace {

constexpr ClientId kClients = 4;

/// The rules, of which a mutant replaces one.
struct Rules {
  std::function<std::optional<Operation>(const Turns&)> decide = boost::decide;
  std::function<void(Turns&, Batch)> submit = boost::submit;
  std::function<bool(Turns&, ClientId, std::uint32_t)> complete = boost::complete;
  std::function<void(Turns&, ClientId)> gone = boost::gone;
  std::function<void(Turns&)> finish = boost::finish;
  std::function<std::optional<Operation>(Turns&)> begin_rotation = boost::begin_rotation;
  std::function<void(Turns&, ClientId)> demote = boost::demote;
};

/// Where the work of a client really is, whatever the arbiter thinks.
enum class Work : char { kNone, kHeld, kRuns, kTakenOff, kDone, kDead };

/// Four clients with fixed priorities and thresholds.
using Kinds = std::array<Batch, kClients + 1>;

struct World {
  Turns turns;
  std::array<Work, kClients + 1> work{};
  std::array<std::uint32_t, kClients + 1> segment{};
  std::vector<ClientId> arrivals;  ///< of unfinished segments, in the order of their Submit
  std::vector<ClientId> demoted;   ///< in the order of their demotion

  /// Segments count up for ever; of an operation only whether it is of the
  /// present one matters.
  std::string key() const {
    std::string text;
    for (const Batch& batch : turns.batches) {
      text += static_cast<char>('0' + batch.client);
      text += static_cast<char>('a' + static_cast<int>(batch.state));
      text += batch.segment == segment[batch.client] ? "" : "!";
    }
    text += '|';
    if (turns.operation) {
      const Operation& operation = *turns.operation;
      text += static_cast<char>('0' + operation.client);
      text += static_cast<char>('a' + static_cast<int>(operation.move));
      text += operation.segment == segment[operation.client] ? "" : "!";
      text += operation.slice_over ? "s" : "";
    }
    for (const Work one : work) text += static_cast<char>('A' + static_cast<int>(one));
    for (const ClientId client : arrivals) text += static_cast<char>('0' + client);
    text += '/';
    for (const ClientId client : demoted) text += static_cast<char>('0' + client);
    return text;
  }
};

/// Real time, best effort, and one class for each that is demoted.
std::ptrdiff_t class_of(const World& world, const Batch& batch) {
  const auto& demoted = world.demoted;
  const auto at = std::find(demoted.begin(), demoted.end(), batch.client);
  if (at != demoted.end()) return 2 + (at - demoted.begin());
  return batch.urgency.best_effort ? 1 : 0;
}

/// Does fresh work go before started work? Said once more, in other words than
/// the rule.
bool displaces(const World& world, const Batch& fresh, const Batch& started) {
  if (started.stays) return false;
  const std::ptrdiff_t one = class_of(world, fresh), other = class_of(world, started);
  if (one != other || one > 0) return one < other;
  return fresh.urgency.priority > started.threshold;
}

/// The same of two that are started: one that was demoted has to go.
bool is_over(const World& world, const Batch& a, const Batch& b) {
  return class_of(world, a) < class_of(world, b) && class_of(world, b) > 1;
}

class Exploration {
 public:
  Exploration(const Kinds& kinds, const Rules& rules, bool demotions = false)
      : kinds_(kinds), rules_(rules), demotions_(demotions) {}

  /// Empty, or what was broken first.
  const std::string& run() {
    visit({});
    while (!open_.empty() && problem_.empty()) {
      const World world = open_.front();
      open_.pop_front();
      for (ClientId client = 1; client <= kClients; ++client) steps_of(world, client);
      if (world.turns.operation) end_operation(world);
      rotate(world);
    }
    return problem_;
  }
  std::size_t states() const { return seen_.size(); }

 private:
  void steps_of(const World& world, ClientId c) {
    const Work work = world.work[c];
    if (work == Work::kDead) return;
    if (work == Work::kNone || work == Work::kDone) {  // kDone: faster than the arbiter
      World next = world;
      ++next.segment[c];
      next.work[c] = Work::kHeld;
      std::erase(next.arrivals, c);
      std::erase(next.demoted, c);
      next.arrivals.push_back(c);
      Batch batch = kinds_[c];
      batch.client = c;
      batch.segment = next.segment[c];
      batch.state = State::kOn;  // whatever it says, it is fresh
      rules_.submit(next.turns, batch);
      settle(world, next);
    }
    if (work == Work::kRuns) {  // also while it is being taken off
      World next = world;
      next.work[c] = Work::kDone;
      settle(world, next);
    }
    if (work == Work::kDone) {
      World next = world;
      if (!rules_.complete(next.turns, c, next.segment[c])) fail("a completion is not taken", next);
      next.work[c] = Work::kNone;
      std::erase(next.arrivals, c);
      std::erase(next.demoted, c);
      settle(world, next);
    }
    const Batch* const batch = world.turns.find(c);
    if (demotions_ && batch != nullptr && !batch->urgency.best_effort) {  // a second time, too
      World next = world;
      if (std::find(next.demoted.begin(), next.demoted.end(), c) == next.demoted.end()) {
        next.demoted.push_back(c);
      }
      rules_.demote(next.turns, c);
      settle(world, next);
    }
    if (world.segment[c] > 1) {  // seen twice, or late
      World next = world;
      if (rules_.complete(next.turns, c, next.segment[c] - 1))
        fail("an old completion counts", next);
    }
    World next = world;
    next.work[c] = Work::kDead;
    std::erase(next.arrivals, c);
    std::erase(next.demoted, c);
    rules_.gone(next.turns, c);
    settle(world, next);
  }

  void end_operation(const World& world) {
    World next = world;
    const Operation ended = *world.turns.operation;
    const bool present = ended.segment == next.segment[ended.client];
    Work& work = next.work[ended.client];
    if (ended.move == Move::kOff && present && work == Work::kRuns)
      work = ended.slice_over ? Work::kHeld : Work::kTakenOff;
    if (ended.slice_over && present && (work == Work::kHeld || work == Work::kDone)) {
      std::erase(next.arrivals, ended.client);
      next.arrivals.push_back(ended.client);
    }
    rules_.finish(next.turns);
    decide_and_visit(next);
  }

  void rotate(const World& world) {
    World next = world;
    const auto operation = rules_.begin_rotation(next.turns);
    if (!operation) return;
    const Batch* const leaves = world.turns.find(operation->client);
    if (leaves == nullptr || leaves->state != State::kOn || !leaves->slices)
      fail("a slice of the wrong batch is over", next);
    bool for_an_equal = false;
    for (const Batch& other : world.turns.batches) {
      const std::ptrdiff_t its = class_of(world, other);
      if (its == 0) fail("a slice is over while real-time work is there", next);
      for_an_equal = for_an_equal || (its == 1 && other.client != operation->client);
    }
    if (!for_an_equal) fail("a slice is over for nobody", next);
    visit(next);
  }

  /// After an event that is not the end of the operation.
  void settle(const World& before, const World& next) {
    if (before.turns.operation != next.turns.operation) fail("an operation is cut short", before);
    decide_and_visit(next);
  }

  /// What the arbiter does after each event.
  void decide_and_visit(World next) {
    const std::optional<Operation> operation = rules_.decide(next.turns);
    check_decision(next, operation);
    if (operation) {
      if (next.turns.operation) return fail("two operations at once", next);
      next.turns.operation = operation;
      Work& work = next.work[operation->client];
      // Started or put back, it may run from this moment on.
      if (operation->move != Move::kOff && (work == Work::kHeld || work == Work::kTakenOff))
        work = Work::kRuns;
    }
    visit(next);
  }

  void check_decision(const World& world, const std::optional<Operation>& operation) {
    const Turns& turns = world.turns;
    const Batch* const on = turns.on();
    if (!operation) {
      if (turns.operation || turns.batches.empty()) return;
      if (on == nullptr) return fail("the GPU is left idle", world);
      for (const Batch& other : turns.batches) {
        if (!other.started() && displaces(world, other, *on))
          fail("a more urgent one waits", world);
        if (other.started() && is_over(world, other, *on)) fail("a demoted one keeps on", world);
      }
      return;
    }
    const Batch* const moved = turns.find(operation->client);
    if (moved == nullptr || moved->segment != operation->segment)
      return fail("an operation on nobody", world);
    if (operation->move == Move::kOff) {
      if (moved != on) return fail("one that is not on is taken off", world);
      const bool for_somebody =
          std::any_of(turns.batches.begin(), turns.batches.end(), [&](const Batch& other) {
            return other.started() ? is_over(world, other, *moved)
                                   : displaces(world, other, *moved);
          });
      if (!for_somebody) fail("taken off for nobody", world);
      return;
    }
    if (on != nullptr) return fail("put on beside another", world);
    if ((operation->move == Move::kOn) != moved->started())
      return fail("start and on are mixed up", world);
    for (const Batch& other : turns.batches) {
      if (&other == moved) continue;
      if (moved->started() && !other.started() && displaces(world, other, *moved))
        fail("put back before a more urgent fresh one", world);
      if (!moved->started() && other.started() && !displaces(world, *moved, other))
        fail("started before one that was there first", world);
      const std::ptrdiff_t own = class_of(world, *moved), its = class_of(world, other);
      if (moved->started() && other.started() &&
          (its < own || (its == 0 && own == 0 && other.threshold > moved->threshold)))
        fail("not the last one taken off is put back", world);
      if (!moved->started() && !other.started() && its < own)
        fail("started before one of a class above", world);
      if (!moved->started() && !other.started() && its == own && own < 2 &&
          (other.urgency.above(moved->urgency) ||
           (!moved->urgency.above(other.urgency) && arrived_before(world, other, *moved))))
        fail("not the most urgent, or not the first of equals is started", world);
    }
  }

  static bool arrived_before(const World& world, const Batch& one, const Batch& other) {
    const auto place = [&](const Batch& batch) {
      return std::find(world.arrivals.begin(), world.arrivals.end(), batch.client);
    };
    return place(one) < place(other);
  }

  /// What the arbiter thinks against what is.
  void check(const World& world) {
    if (const char* const broken = broken_invariant(world.turns)) fail(broken, world);
    std::size_t running = 0;
    for (ClientId c = 1; c <= kClients; ++c) {
      running += world.work[c] == Work::kRuns ? 1 : 0;
      const auto batches = std::count_if(world.turns.batches.begin(), world.turns.batches.end(),
                                         [&](const Batch& batch) { return batch.client == c; });
      const bool has_work = world.work[c] != Work::kNone && world.work[c] != Work::kDead;
      if (batches != (has_work ? 1 : 0)) fail("a batch is lost or there twice", world);
      if (batches == 1) check_one(world, *world.turns.find(c));
    }
    if (running > 1) fail("two clients run at once", world);
  }

  void check_one(const World& world, const Batch& batch) {
    const Work work = world.work[batch.client];
    const bool moves = world.turns.operation && world.turns.operation->client == batch.client &&
                       world.turns.operation->segment == batch.segment;
    if (batch.segment != world.segment[batch.client]) fail("an old segment is still there", world);
    const bool fits = (batch.state == State::kFresh && (work == Work::kHeld || moves)) ||
                      (batch.state == State::kOn && work == Work::kRuns) ||
                      (batch.state == State::kOff && (work == Work::kTakenOff || moves)) ||
                      work == Work::kDone;
    if (!fits) fail("the arbiter takes a batch for what it is not", world);
  }

  void visit(const World& world) {
    if (!problem_.empty() || !seen_.insert(world.key()).second) return;
    check(world);
    open_.push_back(world);
  }

  void fail(const char* what, const World& world) {
    if (problem_.empty()) problem_ = std::string(what) + " in " + world.key();
  }

  Kinds kinds_;
  const Rules& rules_;
  bool demotions_;
  std::set<std::string> seen_;
  std::deque<World> open_;
  std::string problem_;
};

Batch real_time(std::int32_t priority, std::int32_t threshold, bool stays = false) {
  Batch batch;
  batch.urgency = Urgency::real_time(priority);
  batch.threshold = threshold;
  batch.stays = stays;
  return batch;
}
Batch best_effort(bool slices = false, bool stays = false) {
  Batch batch;
  batch.slices = slices;
  batch.stays = stays;
  return batch;
}

/// Fully preemptable, thresholds of all kinds, best effort of all kinds,
/// equals, batches that stay.
std::vector<Kinds> mixes() {
  const Batch program = best_effort(true);
  return {
      Kinds{Batch{}, real_time(1, 1), real_time(2, 2), real_time(3, 3), real_time(4, 4)},
      Kinds{Batch{}, real_time(1, 3), real_time(2, 2), real_time(3, 4), real_time(4, 4)},
      Kinds{Batch{}, real_time(1, 4), real_time(2, 3), real_time(3, 3), real_time(4, 5)},
      Kinds{Batch{}, real_time(1, 1), real_time(1, 2), real_time(2, 2), real_time(2, 2)},
      Kinds{Batch{}, best_effort(), best_effort(), real_time(1, 1), real_time(2, 2)},
      Kinds{Batch{}, best_effort(), real_time(1, 2), real_time(2, 2), real_time(3, 3)},
      Kinds{Batch{}, best_effort(), best_effort(), best_effort(), real_time(-1, 7)},
      Kinds{Batch{}, program, program, real_time(1, 2), real_time(2, 2)},
      Kinds{Batch{}, program, program, program, best_effort()},
      Kinds{Batch{}, best_effort(false, true), real_time(1, 1, true), real_time(2, 2),
            real_time(3, 3)},
      Kinds{Batch{}, best_effort(false, true), program, best_effort(), real_time(1, 1)},
      Kinds{Batch{}, program, real_time(1, INT32_MAX), real_time(2, 2), real_time(2, 3)},
  };
}

TEST(BoostExploration, OfEveryInterleavingBreaksNoInvariant) {
  std::size_t states = 0;
  const Rules rules;
  for (const Kinds& mix : mixes()) {
    Exploration exploration(mix, rules);
    EXPECT_EQ(exploration.run(), "");
    states += exploration.states();
  }
  EXPECT_GT(states, 50'000U);
  std::printf("%zu states\n", states);
}

/// Those in which anybody may be demoted at any time.
std::vector<Kinds> mixes_with_demotions() {
  return {
      Kinds{Batch{}, real_time(1, 1), real_time(2, 2), real_time(3, 3), best_effort()},
      Kinds{Batch{}, real_time(1, 2), real_time(2, 2), best_effort(), best_effort(true)},
  };
}

TEST(BoostExploration, OfEveryDemotionBreaksNoInvariant) {
  std::size_t states = 0;
  const Rules rules;
  for (const Kinds& mix : mixes_with_demotions()) {
    Exploration exploration(mix, rules, true);
    EXPECT_EQ(exploration.run(), "");
    states += exploration.states();
  }
  EXPECT_GT(states, 20'000U);
  std::printf("%zu states with demotions\n", states);
}

/// Is the mutant noticed in one of the mixes?
std::string noticed(const Rules& mutant) {
  for (const Kinds& mix : mixes()) {
    Exploration exploration(mix, mutant);
    if (!exploration.run().empty()) return exploration.run();
  }
  for (const Kinds& mix : mixes_with_demotions()) {
    Exploration exploration(mix, mutant, true);
    if (!exploration.run().empty()) return exploration.run();
  }
  return "";
}

/// The same decision about other batches than there are.
Rules with_batches(const std::function<void(Batch&)>& change) {
  Rules rules;
  rules.decide = [change](const Turns& turns) {
    Turns other = turns;
    for (Batch& batch : other.batches) change(batch);
    return decide(other);
  };
  return rules;
}

struct Mutant {
  const char* name;
  Rules rules;
};

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  all.push_back({"decides while an operation is in progress", {}});
  all.back().rules.decide = [](const Turns& turns) {
    Turns other = turns;
    other.operation.reset();
    return decide(other);
  };
  all.push_back({"a started batch has its own priority, not its threshold",
                 with_batches([](Batch& batch) { batch.threshold = batch.urgency.priority; })});
  all.push_back(
      {"a fresh batch has its threshold, not its own priority", with_batches([](Batch& batch) {
         if (!batch.started() && !batch.urgency.best_effort)
           batch.urgency.priority = batch.threshold;
       })});
  all.push_back({"a fresh batch wins a tie", with_batches([](Batch& batch) {
                   if (batch.started() && !batch.stays) --batch.threshold;
                 })});
  all.push_back(
      {"a batch that stays is taken off", with_batches([](Batch& batch) { batch.stays = false; })});
  all.push_back({"best effort is a priority like any other", with_batches([](Batch& batch) {
                   if (batch.urgency.best_effort) batch.urgency = Urgency::real_time(1);
                 })});
  all.push_back({"the last of equals is started first", {}});
  all.back().rules.decide = [](const Turns& turns) {
    Turns other = turns;
    std::reverse(other.batches.begin(), other.batches.end());
    return decide(other);
  };
  all.push_back({"after off the batch that was taken off goes on first", {}});
  all.back().rules.decide = [](const Turns& turns) {
    for (const Batch& batch : turns.batches) {
      if (!turns.operation && turns.on() == nullptr && batch.state == State::kOff)
        return std::optional(Operation{Move::kOn, batch.client, batch.segment});
    }
    return decide(turns);
  };
  all.push_back({"who waits is started beside the one that is on", {}});
  all.back().rules.decide = [](const Turns& turns) {
    Turns other = turns;
    std::erase_if(other.batches, [](const Batch& batch) { return batch.state == State::kOn; });
    return decide(other);
  };
  all.push_back({"nobody is ever taken off", {}});
  all.back().rules.decide = [](const Turns& turns) {
    const auto operation = decide(turns);
    return operation && operation->move == Move::kOff ? std::nullopt : operation;
  };
  all.push_back({"an operation belongs to the client, not to its segment", {}});
  all.back().rules.finish = [](Turns& turns) {
    const Operation ended = *turns.operation;
    if (const Batch* const batch = turns.find(ended.client))
      turns.operation->segment = batch->segment;
    finish(turns);
  };
  all.push_back({"a completion counts for any segment of the client", {}});
  all.back().rules.complete = [](Turns& turns, ClientId client, std::uint32_t) {
    const bool there = turns.find(client) != nullptr;
    gone(turns, client);
    return there;
  };
  all.push_back({"a Submit does not complete the segment before", {}});
  all.back().rules.submit = [](Turns& turns, Batch batch) {
    batch.state = State::kFresh;
    turns.batches.push_back(batch);
  };
  all.push_back({"a Submit takes over the state of the segment before", {}});
  all.back().rules.submit = [](Turns& turns, Batch batch) {
    const Batch* const before = turns.find(batch.client);
    const State state = before != nullptr ? before->state : State::kFresh;
    submit(turns, batch);
    turns.batches.back().state = state;
  };
  all.push_back({"a client that died is still there", {}});
  all.back().rules.gone = [](Turns&, ClientId) {};
  all.push_back({"the death of a client ends the operation on it", {}});
  all.back().rules.gone = [](Turns& turns, ClientId client) {
    gone(turns, client);
    if (turns.operation && turns.operation->client == client) finish(turns);
  };
  all.push_back({"a batch whose slice is over is off, not fresh", {}});
  all.back().rules.finish = [](Turns& turns) {
    turns.operation->slice_over = false;
    finish(turns);
  };
  all.push_back({"the slice of a batch ends for nobody", {}});
  all.back().rules.begin_rotation = [](Turns& turns) {
    const Batch* const on = turns.on();
    if (!turns.operation && on != nullptr && on->slices)
      turns.operation = Operation{Move::kOff, on->client, on->segment, true};
    return turns.operation;
  };
  all.push_back({"who is demoted stays what it was", {}});
  all.back().rules.demote = [](Turns&, ClientId) {};
  all.push_back({"who is demoted is best effort like others", {}});
  all.back().rules.demote = [](Turns& turns, ClientId client) {
    for (Batch& batch : turns.batches) {
      if (batch.client == client) batch.urgency = {};
    }
  };
  all.push_back({"the last demoted goes first", {}});
  all.back().rules.demote = [](Turns& turns, ClientId client) {
    demote(turns, client);
    std::uint32_t last = 0;
    for (const Batch& batch : turns.batches) last = std::max(last, batch.demoted);
    for (Batch& batch : turns.batches) {
      if (batch.demoted > 0) batch.demoted = last + 1 - batch.demoted;
    }
  };
  all.push_back({"who is demoted is gone", {}});
  all.back().rules.demote = [](Turns& turns, ClientId client) { gone(turns, client); };
  all.push_back({"who is demoted while on is fresh again", {}});
  all.back().rules.demote = [](Turns& turns, ClientId client) {
    demote(turns, client);
    for (Batch& batch : turns.batches) {
      if (batch.client == client) batch.state = State::kFresh;
    }
  };
  return all;
}

TEST(BoostExploration, NoticesEveryMutantOfTheRules) {
  for (const Mutant& mutant : mutants()) {
    const std::string problem = noticed(mutant.rules);
    EXPECT_NE(problem, "") << mutant.name;
  }
}

}  // namespace
}  // namespace tactus::arbiter::boost
