#include "tactus/experiment/work/cluster.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "tactus/experiment/work/prepare.hpp"
#include "tactus/experiment/work/wire.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::experiment {

std::vector<JudgedSet> judge_chunk(const Judge& judge, const Chunk& chunk, const CurveSet& added,
                                   const std::stop_token& stop) {
  std::vector<JudgedSet> sets;
  if (chunk.count == 0) return sets;
  sets.reserve(static_cast<std::size_t>(chunk.count));
  Judge::AtPoint at_point(judge, static_cast<std::size_t>(chunk.point), stop,
                          chunk.added ? added : CurveSet{});
  for (std::int64_t i = 0; i < chunk.count && !stop.stop_requested(); ++i) {
    auto judged = at_point(chunk.first + i);
    if (!judged) break;
    judged->experiment = chunk.experiment;
    judged->added = chunk.added;
    sets.push_back(std::move(*judged));
  }
  return sets;
}

void with_threads(int count, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  for (int i = 1; i < count; ++i) others.emplace_back(work);
  work();
}

void direct(Ranks& ranks, const Direction& direction) {
  constexpr std::int64_t kPatienceNs = 300'000'000;  // mpirun kills a second after it asks
  const int others = ranks.size() - 1;
  std::vector<bool> known(static_cast<std::size_t>(others) + 1);
  std::int64_t greeted = 0, threads = 0, ended = 0;
  std::optional<std::int64_t> stopped;
  while (greeted < others || ended < threads) {
    if (direction.stop.stop_requested() && !stopped) stopped = host::now_ns();
    // A rank that was killed never asks again; others may be busy with a long set.
    if (stopped && host::now_ns() - *stopped > kPatienceNs) {
      ranks.abandon();
      return;
    }
    const auto message = ranks.receive();
    if (!message) continue;
    const auto from = static_cast<std::size_t>(message->from);
    if (!known[from]) {
      known[from] = true;
      ++greeted;
      threads += wire::Decoder(message->bytes).number();
      ranks.send(message->from, direction.experiments);
      continue;
    }
    const auto [most, found] = wire::decode_request(message->bytes);
    // Work first: the rank may wait for it.
    if (most > 0) ranks.send(message->from, wire::encode(direction.next(most)));
    if (most == wire::Request::kNoMore) ++ended;
    if (!found.empty()) direction.found(wire::decode_sets(found));
  }
}

void dismiss(Ranks& ranks) {
  Direction nothing;
  nothing.next = [](std::int64_t) { return Chunk{}; };
  nothing.found = [](std::vector<JudgedSet>&&) {};
  direct(ranks, nothing);
}

void serve(Ranks& ranks, int threads, const std::stop_token& stop) {
  std::mutex turn;
  // Threads of one rank need not get the answers to their own questions: a chunk is a chunk.
  const auto answer = [&]() -> std::optional<std::string> {
    const std::lock_guard guard(turn);
    for (;;) {
      if (auto message = ranks.receive()) return std::move(message->bytes);
      if (!stop.stop_requested()) continue;
      ranks.abandon();  // rank 0 may be gone
      return std::nullopt;
    }
  };
  ranks.send(0, wire::Encoder().number(threads).take());
  const auto files = answer();
  if (!files) return;
  std::map<std::int64_t, std::unique_ptr<Prepared>> experiments;
  for (wire::Decoder in(*files); !in.empty();) {
    const std::int64_t id = in.number();
    std::string file = in.text();
    CurveSet added;
    for (const char is_added : in.text()) added.push_back(is_added == '1');
    SetsFrom from;
    if (in.number() != 0) from.known = wire::decode_own_sets(in);
    // Rank 0 has read the same text without complaint.
    auto& one = experiments[id];
    one = std::make_unique<Prepared>(*read_experiment(std::move(file), from).experiment);
    one->added = std::move(added);
  }
  with_threads(threads, [&] {
    Portion portion;
    std::vector<JudgedSet> found;
    const auto ask = [&](std::int64_t most) {
      for (const std::string& part : wire::encode_request(most, found)) ranks.send(0, part);
      found.clear();
    };
    const auto next = [&]() -> std::optional<Chunk> {
      const auto bytes = answer();
      return bytes ? std::optional(wire::decode_chunk(*bytes)) : std::nullopt;
    };
    ask(portion.sets());
    auto chunk = next();
    while (chunk && chunk->count > 0) {
      // The next chunk comes while this one is judged, so that nobody waits for it.
      ask(portion.sets());
      const std::int64_t begin = host::now_ns();
      const Prepared& one = *experiments.at(chunk->experiment);
      found = judge_chunk(one.judge, *chunk, one.added, stop);
      portion.took(host::now_ns() - begin, chunk->count);
      chunk = next();
    }
    if (chunk) ask(wire::Request::kNoMore);
  });
}

}  // namespace tactus::experiment
