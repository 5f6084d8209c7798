#include "tactus/runtime/driver/replays.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>

#include "tactus/host/clock.hpp"

namespace tactus::runtime::driver {
namespace {

/// A GPU that does not answer for this long, beyond the time of its work, is lost, ns.
constexpr std::int64_t kLost = 30'000'000'000;
constexpr unsigned kMarkMemory = 3;

}  // namespace

Result<Kernel> Replays::mark_kernel() {
  if (mark_ != nullptr) return mark_;
  const auto loaded = load_mark_kernel(driver_);
  if (!loaded) return loaded.error();
  return mark_ = *loaded;
}

Result<std::string> Replays::prepare(const Replay& replay, const UserGraph& source,
                                     const SmPartition& partition, std::vector<std::int32_t> sms) {
  const auto mark = mark_kernel();
  if (!mark) return mark.error();
  auto made = PreparedGraph::make(driver_, source, partition, *mark, -replay.priority);
  if (!made) return made.error();
  Ready& ready = ready_[{replay.task, replay.node, replay.partition}];
  ready = {std::move(*made), std::move(sms), false};
  return ready.graph->how();
}

std::optional<Error> Replays::launch(const Replay& replay, OpId op) {
  const auto found = ready_.find({replay.task, replay.node, replay.partition});
  if (found == ready_.end()) return Error{"a graph was to be launched that is not prepared"};
  Ready& ready = found->second;
  if (ready.running) return Error{"a graph was to be launched that is still running"};
  InFlight flight{op, &ready, host::now_ns(), 0, replay.longest.ns()};
  if (auto problem = ready.graph->launch()) return problem;
  ready.running = true;
  flight.submitted = host::now_ns();
  in_flight_.push_back(flight);
  return std::nullopt;
}

void Replays::collect(std::int64_t origin, std::vector<Completion>& done) {
  std::erase_if(in_flight_, [&](const InFlight& flight) {
    if (!flight.ready->graph->ended()) return false;
    done.push_back(complete(flight, origin, host::now_ns()));
    flight.ready->running = false;
    return true;
  });
}

Completion Replays::complete(const InFlight& flight, std::int64_t origin, std::int64_t seen) {
  const PreparedGraph& graph = *flight.ready->graph;
  clock_.correct(flight.before, graph.start().time, graph.end().time, seen);
  const auto on_clock = [&](std::int64_t ns) { return Time::from_ns(ns - origin); };
  Completion completion;
  completion.op = flight.op;
  completion.submitted = on_clock(flight.submitted);
  completion.start = on_clock(clock_.to_host(graph.start().time));
  completion.end = on_clock(clock_.to_host(graph.end().time));
  KernelSeen& whole = completion.kernels.emplace_back();
  whole.start = completion.start;
  whole.end = completion.end;
  whole.pieces = whole.pieces_done = 1;
  whole.partition_width = graph.sms();
  const std::vector<std::int32_t>& sms = flight.ready->sms;
  for (const Mark* mark : {&graph.start(), &graph.end()}) {
    const auto sm = static_cast<std::int32_t>(mark->sm_and_1) - 1;
    if (sms.empty() || std::find(sms.begin(), sms.end(), sm) != sms.end()) continue;
    completion.failed = true;
    completion.problem = fmt::format("a graph was seen on SM {}, outside of its partition", sm);
  }
  return completion;
}

std::optional<Error> Replays::fault(std::int64_t now) const {
  for (const InFlight& flight : in_flight_) {
    if (auto problem = flight.ready->graph->fault()) return problem;
    if (now - flight.submitted > kLost + 2 * flight.expected_ns) {
      return Error{fmt::format("the GPU is lost: it did not answer for {} s",
                               (now - flight.submitted) / 1'000'000'000)};
    }
  }
  return std::nullopt;
}

std::optional<Error> Replays::measure_clock(const SmPartition& whole) {
  const auto mark = mark_kernel();
  if (!mark) return mark.error();
  const auto stream = whole.make_stream(0);
  if (!stream) return stream.error();
  void* memory = nullptr;
  Address on_device = 0;
  auto problem =
      driver_.failed(driver_.base->host_allocate(&memory, sizeof(Mark), kMarkMemory), "pin memory");
  if (!problem) {
    problem = driver_.failed(driver_.graphs->host_address(&on_device, memory, 0), "map memory");
  }
  for (int i = 0; i < 100 && !problem; ++i) {
    const std::atomic_ref time(static_cast<Mark*>(memory)->time);
    time = 0;
    void* parameters[] = {&on_device};
    const std::int64_t asked = host::now_ns();
    problem = driver_.failed(
        driver_.base->launch(*mark, 1, 1, 1, 1, 1, 1, 0, *stream, parameters, nullptr),
        "tell the time");
    while (!problem && time.load(std::memory_order_acquire) == 0 &&
           host::now_ns() - asked < 1'000'000'000) {
    }
    const std::int64_t answered = host::now_ns();
    if (!problem) problem = driver_.failed(driver_.base->stream_wait(*stream), "tell the time");
    if (!problem && time != 0) clock_.answered(asked, time, answered);
  }
  if (memory != nullptr) driver_.base->host_free(memory);
  driver_.graphs->stream_destroy(*stream);
  return problem;
}

}  // namespace tactus::runtime::driver
