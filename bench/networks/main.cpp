// Captured graphs under plans, on a GPU: what a replay costs against the same graph launched by
// hand, and how three "networks" fare beside enemies that stream, compute and use atomics:
//  (a) on one GPU, shared by streams of different priorities,
//  (b) in partitions (gang.swc) with times that were measured beside the enemies,
//  (c) in a table (pbs.graph) of batches that were measured beside the enemies.
//
//     bench_networks [SECONDS [PARTS]]   // of each comparison, 60 where nothing is said; "abc"
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "bench/networks/networks.hpp"
#include "tactus/base/statistics.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/driver/prepared_graph.hpp"
#include "tactus/runtime/executors/run_plan.hpp"
#include "tactus/runtime/gpu/conditions.hpp"
#include "tactus/runtime/measure/measure_batches.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"

namespace {

using namespace tactus;
using networks::Network;
using Kind = Network::Kind;

constexpr std::int64_t kWidth = 32;  ///< SMs of each network
constexpr std::int64_t kTable = 96;  ///< SMs of the table; clusters fit into 120 of an H200
constexpr int kMargin = 30;          ///< percent
constexpr int kRuns = 300;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "bench_networks: {}\n", why);
  std::exit(3);
}
template <typename T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}
void need(const std::optional<Error>& problem) {
  if (problem) give_up(problem->message);
}
void need(cudaError_t status) {
  if (status != cudaSuccess) give_up(cudaGetErrorString(status));
}

struct Job {
  const char* name;
  Kind kind;
  int kernels;
  int period_ms;
  std::unique_ptr<Network> network{};
};
std::vector<Job> jobs() {
  std::vector<Job> all;
  all.push_back({"urgent", Kind::kCompute, 50, 10});
  all.push_back({"memory", Kind::kMemory, 50, 20});
  all.push_back({"mixed", Kind::kMixed, 60, 40});
  for (Job& job : all) job.network = std::make_unique<Network>(job.kind, job.kernels);
  return all;
}
std::vector<Job> enemies() {
  std::vector<Job> all;
  all.push_back({"compute", Kind::kEnemyCompute, 1, 0});
  all.push_back({"streaming", Kind::kEnemyStreaming, 4, 0});
  all.push_back({"atomics", Kind::kEnemyAtomics, 1, 0});
  for (Job& job : all) job.network = std::make_unique<Network>(job.kind, job.kernels);
  return all;
}

/// Times in us of the runs, as p50, p99 and max.
std::string spread(const std::vector<Time>& times) {
  const Statistics seen = statistics_of(times);
  return fmt::format("{:9.1f} {:9.1f} {:9.1f}", static_cast<double>(seen.p50.ns()) / 1e3,
                     static_cast<double>(seen.p99.ns()) / 1e3,
                     static_cast<double>(seen.max.ns()) / 1e3);
}

/// A file of the networks with these times (us), and of the enemies as best-effort tasks.
System system_of(const std::vector<Job>& networks, const std::vector<Time>& times,
                 const std::vector<Job>& others, bool partitions) {
  std::string tasks;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const std::int64_t us = (times[i].ns() + 999) / 1000;
    const std::string time = partitions
                                 ? fmt::format(R"("times":[{{"units":{},"wcet":{}}}])", kWidth, us)
                                 : fmt::format(R"("wcet":{})", us);
    tasks += fmt::format(
        R"({}{{"name":"{}","period":{},"deadline":{},"priority":{},"core":1,"nodes":[{{"name":"run","on":"gpu",{}}}]}})",
        i > 0 ? "," : "", networks[i].name, networks[i].period_ms * 1000,
        networks[i].period_ms * 1000, networks.size() - i, time);
  }
  for (const Job& enemy : others) {
    tasks += fmt::format(
        R"(,{{"name":"{}","best_effort":true,"nodes":[{{"name":"run","on":"gpu","times":[{{"units":8,"wcet":20000}}]}}]}})",
        enemy.name);
  }
  const std::string text = fmt::format(
      R"({{"tactus":1,"name":"networks","time_unit":"us","platform":{{"elements":[
        {{"name":"cpu","kind":"cpu","units":1}},{{"name":"gpu","kind":"gpu","units":{}}}]}},"tasks":[{}]}})",
      partitions ? 132 : kTable, tasks);
  auto read = read_system(text);
  if (!read.system) give_up("its own file: " + read.diagnostics.front().message);
  return *read.system;
}

runtime::Workload workload_of(const std::vector<Job>& networks, const std::vector<Job>& others) {
  runtime::Workload work;
  for (const Job& job : networks) {
    work.bind(job.name, "run", runtime::UserGraph{.graph = job.network->graph()});
  }
  for (const Job& job : others) {
    work.bind(job.name, "run", runtime::UserGraph{.graph = job.network->graph()});
  }
  return work;
}

/// A replay through the device against the same moved graph, launched and waited for by hand.
void overhead(std::vector<Job>& networks) {
  const System system = system_of(networks, std::vector<Time>(3, Time::from_ms(5)), {}, true);
  const runtime::Workload work = workload_of(networks, {});
  runtime::BackendOptions options;
  options.workload = &work;
  options.realtime = true;
  const auto device = need(runtime::open_backend("cuda", system, options));
  const std::int64_t widths[] = {kWidth};
  const auto partitions = need(device->partition(widths));
  const auto driver = need(runtime::driver::load_driver());
  const auto own =
      need(runtime::driver::carve(driver, 0, widths, runtime::driver::Splitting::kForClusters));
  struct ByHand {
    cudaGraphExec_t exec = nullptr;
    cudaStream_t stream = nullptr;
  };
  std::vector<ByHand> by_hand;
  fmt::print("## A replay against the same graph launched by hand, {} SMs, us\n", kWidth);
  for (TaskIndex task = 0; task < networks.size(); ++task) {
    runtime::Replay replay;
    replay.task = task;
    replay.partition = partitions.front().id;
    fmt::print("{}: {}\n", networks[task].name, need(device->prepare(replay)));
    cudaGraph_t moved = nullptr;
    need(cudaGraphClone(&moved, networks[task].network->graph()));
    need(runtime::driver::move_into(driver, moved, own.front().context()));
    ByHand& hand = by_hand.emplace_back();
    need(cudaGraphInstantiate(&hand.exec, moved, 0));
    hand.stream = static_cast<cudaStream_t>(need(own.front().make_stream(0)));
    need(cudaGraphUpload(hand.exec, hand.stream));
  }
  need(device->start());
  fmt::print("{:10} {:>9} {:>9} {:>9}\n", "", "p50", "p99", "max");
  for (TaskIndex task = 0; task < networks.size(); ++task) {
    Network& network = *networks[task].network;
    std::vector<Time> hand, ours;
    std::vector<std::uint64_t> sums;
    for (int i = 0; i < kRuns; ++i) {
      if (i == 0) network.clear();
      std::int64_t begin = host::now_ns();
      need(cudaGraphLaunch(by_hand[task].exec, by_hand[task].stream));
      while (cudaStreamQuery(by_hand[task].stream) == cudaErrorNotReady) {
      }
      hand.push_back(Time::from_ns(host::now_ns() - begin));
      if (i == 0) sums.push_back(network.checksum());
      if (i == 0) network.clear();
      begin = host::now_ns();
      runtime::Replay replay;
      replay.task = task;
      replay.partition = partitions.front().id;
      need(device->launch(replay, static_cast<runtime::OpId>(i)));
      const auto done = need(device->wait(std::nullopt));
      ours.push_back(Time::from_ns(host::now_ns() - begin));
      if (done.size() != 1 || done.front().failed) give_up("a replay failed");
      if (i == 0) sums.push_back(network.checksum());
    }
    const double p50 = static_cast<double>(statistics_of(ours).p50.ns()) /
                       static_cast<double>(statistics_of(hand).p50.ns());
    fmt::print("{:10} {}   by hand\n{:10} {}   replay: {:+.2f} %, results {}\n",
               networks[task].name, spread(hand), "", spread(ours), (p50 - 1) * 100,
               sums[0] == sums[1] ? "equal" : "DIFFER");
  }
}

/// The file with the times of each network in its partition: the longest of those alone, beside the
/// enemies of the measurement and pairs of them, and beside the other tasks, plus a margin.
System measured(std::vector<Job>& networks, std::vector<Job>& others) {
  runtime::MeasureOptions options;
  options.backend = "cuda";
  options.machine.realtime = true;
  options.units = std::vector<std::int64_t>{kWidth};
  options.margin = kMargin;
  const auto seen = need(runtime::measure_nodes(
      system_of(networks, std::vector<Time>(3, Time::from_ms(5)), others, true),
      workload_of(networks, others), options));
  fmt::print("\n## Alone and beside what disturbs, {} SMs, {} runs each, us\n", kWidth,
             options.runs);
  fmt::print("{:42} {:>9} {:>9} {:>9}\n", "", "p50", "p99", "max");
  for (const runtime::MeasuredNode& node : seen.nodes) {
    for (const runtime::MeasuredWidth& width : node.widths) {
      for (const runtime::SeenBeside& beside : width.beside) {
        fmt::print("{:10} {:3} SMs  {:25} {}{}\n", seen.system.tasks[node.task].name,
                   width.got > 0 ? width.got : 132, beside.neighbour, spread(beside.samples),
                   beside.grew ? "  late" : "");
      }
    }
  }
  for (const auto& state : {seen.conditions.before, seen.conditions.after}) {
    if (!state) continue;
    fmt::print("SM {} MHz, memory {} MHz, {} degrees{}\n", state->sm_clock_mhz,
               state->memory_clock_mhz, state->temperature_c, state->throttled ? ", slowed" : "");
  }
  for (const std::string& note : seen.notes) fmt::print("  {}\n", note);
  return seen.system;
}

void print(const System& system, const trace::Observed& seen) {
  fmt::print("{:10} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6}\n", "", "jobs", "p50", "p99",
             "max", "bound", "deadline", "misses", "over");
  for (const trace::ObservedTask& task : seen.tasks) {
    if (!task.took_part) continue;
    fmt::print("{:10} {:7} {} {:>9} {:>9} {:6} {:>6}\n", system.tasks[task.task].name,
               task.responses.size(), spread(task.responses),
               task.bound ? std::to_string(task.bound->ns() / 1000) : "-",
               task.deadline ? std::to_string(task.deadline->ns() / 1000) : "-", task.misses,
               task.exceeds_bound() ? "YES" : "no");
  }
  for (const std::string& note : seen.notes) fmt::print("  {}\n", note);
  for (const std::string& failure : seen.failures) fmt::print("  FAILED: {}\n", failure);
}

void run(const System& system, std::string_view method, const runtime::Workload& work,
         Time duration) {
  const Verdict verdict = analyze(*find_method(method), system);
  fmt::print("{}: {}\n", method, to_string(verdict.status));
  if (!verdict.plan) return;
  runtime::BackendOptions backend;
  backend.workload = &work;
  backend.realtime = true;
  const auto device = need(runtime::open_backend("cuda", system, backend));
  runtime::RunOptions options;
  options.duration = duration;
  const auto seen = runtime::run_plan(system, {verdict.method, verdict.plan}, *device, options);
  if (!seen) return fmt::print("not run: {}\n", seen.error().message), void();
  print(system, *seen);
  if (seen->batches) {
    const trace::ObservedBatches& batches = *seen->batches;
    fmt::print("  {} batches played, {} overran; submitted late by p50 p99 max {} us\n",
               batches.played, batches.overrun, spread(batches.late));
    fmt::print("  over a bound or a deadline because of the host: {}, because of batches: {}\n",
               batches.by_host.missed + batches.by_host.over_bound,
               batches.by_batches.missed + batches.by_batches.over_bound);
    for (const trace::LateJob& job : batches.late_jobs) {
      fmt::print("  {} job {}: response {} us, {} us if the host had been in time\n",
                 system.tasks[job.task].name, job.job, job.response.ns() / 1000,
                 job.on_time.ns() / 1000);
    }
  }
}

/// One GPU for all: a stream for each network, the more urgent the higher its priority, and the
/// enemies at the lowest.
void shared(std::vector<Job>& networks, std::vector<Job>& others, Time duration) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  std::vector<std::vector<Time>> responses(networks.size());
  const auto with_stream = [](const Network& network, int priority,
                              const std::function<void(std::function<void()>)>& use) {
    cudaGraphExec_t exec = nullptr;
    cudaStream_t stream = nullptr;
    need(cudaGraphInstantiate(&exec, network.graph(), 0));
    need(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
    use([&] {
      need(cudaGraphLaunch(exec, stream));
      while (cudaStreamQuery(stream) == cudaErrorNotReady) {
      }
    });
    need(cudaStreamSynchronize(stream));
  };
  for (const Job& enemy : others) {
    threads.emplace_back([&stop, &with_stream, network = enemy.network.get()] {
      with_stream(*network, 0, [&](const std::function<void()>& once) {
        while (!stop) once();
      });
    });
  }
  const std::int64_t begin = host::now_ns() + 200'000'000;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    threads.emplace_back([&, i] {
      with_stream(*networks[i].network, -5 + static_cast<int>(i),
                  [&](const std::function<void()>& once) {
                    const std::int64_t period = networks[i].period_ms * 1'000'000LL;
                    for (std::int64_t at = begin; at < begin + duration.ns(); at += period) {
                      host::sleep_until_ns(at - 200'000);
                      while (host::now_ns() < at) {
                      }
                      once();
                      responses[i].push_back(Time::from_ns(host::now_ns() - at));
                    }
                  });
    });
  }
  for (std::size_t i = others.size(); i < threads.size(); ++i) threads[i].join();
  stop = true;
  for (std::size_t i = 0; i < others.size(); ++i) threads[i].join();
  for (std::size_t i = 0; i < networks.size(); ++i) {
    fmt::print("{:10} {:7} {}\n", networks[i].name, responses[i].size(), spread(responses[i]));
  }
}

/// Runs one part, and says how much CPU time the hypervisor took meanwhile.
void part(const std::string& heading, const std::function<void()>& play) {
  fmt::print("\n## {}\n", heading);
  std::fflush(stdout);
  const std::int64_t before = runtime::gpu::stolen_ns().value_or(0);
  play();
  fmt::print("  the hypervisor took {:.2f} s of CPU time in this window\n",
             static_cast<double>(runtime::gpu::stolen_ns().value_or(0) - before) / 1e9);
  std::fflush(stdout);
}

/// The file with its batches measured beside the enemies.
System with_batches(const System& whole, const runtime::Workload& work) {
  runtime::BackendOptions backend;
  backend.workload = &work;
  backend.realtime = true;
  const auto device = need(runtime::open_backend("cuda", whole, backend));
  runtime::MeasureBatchesOptions options;
  options.margin = kMargin;
  options.repeats = 100;
  auto batches = need(runtime::measure_batches(whole, *device, options));
  for (const runtime::MeasuredOrder& single : batches.singles) {
    fmt::print("{:10} alone {:9.1f} us at most\n", whole.tasks[single.order.front()].name,
               static_cast<double>(single.samples.back().ns()) / 1e3);
    batches.system.tasks[single.order.front()].nodes.front().wcet =
        mul_div_up(single.samples.back(), 100 + kMargin, 100) + Time::from_us(50);
  }
  return std::move(batches.system);
}

}  // namespace

int main(int argc, char** argv) {
  const Time duration = Time::from_ms(1000 * (argc > 1 ? std::atoi(argv[1]) : 60));
  const std::string parts = argc > 2 ? argv[2] : "abc";
  const auto wanted = [&](char name) { return parts.find(name) != std::string::npos; };
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  std::vector<Job> networks = jobs(), others = enemies();
  const runtime::Workload work = workload_of(networks, others);
  overhead(networks);
  std::fflush(stdout);
  if (wanted('b')) {
    const System system = measured(networks, others);
    part(fmt::format("(b) Partitions of {} SMs, enemies on what is left, us", kWidth),
         [&] { run(system, "gang.swc", work, duration); });
  }
  if (wanted('c')) {
    const System table = with_batches(
        system_of(networks, std::vector<Time>(3, Time::from_us(2500)), others, false), work);
    part(fmt::format("(c) A table of measured batches on {} SMs, enemies on the rest, us", kTable),
         [&] { run(table, "pbs.graph", work, duration); });
  }
  if (wanted('a')) {
    part("(a) One GPU, shared by streams of different priorities, beside all enemies, us",
         [&] { shared(networks, others, duration); });
  }
  return 0;
}
