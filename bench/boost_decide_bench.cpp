// What a decision of the arbiter for boost costs, by the number of clients that have a segment: the
// rules themselves, and the coordinator that carries them out; without a socket, a gate or a GPU.
#include <benchmark/benchmark.h>

#include "tactus/arbiter/boost/decide.hpp"
#include "tactus/arbiter/daemon/boost_coordinator.hpp"

namespace tactus::arbiter {
namespace {

using boost::Batch, boost::Turns;

Batch segment_of(boost::ClientId client, int priority) {
  Batch batch;
  batch.client = client;
  batch.segment = 1;
  batch.urgency = Urgency::real_time(priority);
  batch.threshold = priority;
  return batch;
}

void carry_out_all(Turns& turns) {
  while (boost::begin_next(turns)) boost::finish(turns);
}

/// Clients of rising priorities, each of which took the GPU from the one before.
Turns clients(benchmark::State& state) {
  Turns turns;
  for (int client = 1; client <= state.range(0); ++client) {
    boost::submit(turns, segment_of(static_cast<boost::ClientId>(client), client));
    carry_out_all(turns);
  }
  return turns;
}

void LooksAndLeavesItAsItIs(benchmark::State& state) {
  const Turns turns = clients(state);
  for (auto _ : state) benchmark::DoNotOptimize(boost::decide(turns));
}
BENCHMARK(LooksAndLeavesItAsItIs)->Arg(2)->Arg(8)->Arg(50);

/// One more, of the highest priority: off, start, its end, on.
void TakesOneOffAndPutsItBack(benchmark::State& state) {
  Turns turns = clients(state);
  const Batch urgent = segment_of(1000, 1000);
  for (auto _ : state) {
    boost::submit(turns, urgent);
    carry_out_all(turns);
    boost::complete(turns, urgent.client, urgent.segment);
    carry_out_all(turns);
  }
  if (boost::broken_invariant(turns) != nullptr) state.SkipWithError("an invariant is broken");
}
BENCHMARK(TakesOneOffAndPutsItBack)->Arg(2)->Arg(8)->Arg(50);

/// The same, with the orders and confirmations of the coordinator.
void CoordinatorTakesOneOffAndPutsItBack(benchmark::State& state) {
  daemon::BoostCoordinator coordinator(1'000'000, 25);
  const auto confirm_all = [&] {
    while (coordinator.has_actions()) {
      for (const daemon::BoostAction& action : coordinator.take_actions()) {
        if (action.kind == daemon::BoostAction::Kind::kOrder)
          coordinator.done(action.client, 0, true);
      }
    }
  };
  const auto submit = [&](const Batch& batch) {
    coordinator.submit(batch, false, StartSeen::kAtTheGate, 0);
    confirm_all();
  };
  for (int client = 1; client <= state.range(0); ++client)
    submit(segment_of(static_cast<boost::ClientId>(client), client));
  const Batch urgent = segment_of(1000, 1000);
  for (auto _ : state) {
    submit(urgent);
    coordinator.complete(urgent.client, urgent.segment, 0, 0);
    confirm_all();
  }
  const Batch* const on = coordinator.turns().on();
  if (on == nullptr || on->client != static_cast<boost::ClientId>(state.range(0)))
    state.SkipWithError("the most urgent client is not on");
}
BENCHMARK(CoordinatorTakesOneOffAndPutsItBack)->Arg(2)->Arg(8)->Arg(50);

}  // namespace
}  // namespace tactus::arbiter
