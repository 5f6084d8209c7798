// Captured graphs under plans, on a GPU: what a replay costs against the same graph launched by
// hand, and how three "networks" fare beside enemies that stream, compute and use atomics:
//  (a) on one GPU, shared by streams of different priorities,
//  (b) in partitions (gang.swc) with times that were measured beside the enemies,
//  (c) in a table (pbs.graph) of batches that were measured.
//
//     bench_networks [SECONDS]       // of each comparison; 60 where nothing is said
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "bench/networks/networks.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/driver/prepared_graph.hpp"
#include "tactus/runtime/measure_batches.hpp"
#include "tactus/runtime/run.hpp"
#include "tactus/trace/statistics.hpp"

namespace {

using namespace tactus;
using networks::Network;
using Kind = Network::Kind;

constexpr std::int64_t kWidth = 32;  ///< SMs of each network
constexpr std::int64_t kLeft = 24;   ///< for the enemies: clusters fit into 120 SMs of an H200
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
  const trace::Statistics seen = trace::statistics_of(times);
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
        {{"name":"cpu","kind":"cpu","units":1}},{{"name":"gpu","kind":"gpu","units":132}}]}},"tasks":[{}]}})",
      tasks);
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
    const double p50 = static_cast<double>(trace::statistics_of(ours).p50.ns()) /
                       static_cast<double>(trace::statistics_of(hand).p50.ns());
    fmt::print("{:10} {}   by hand\n{:10} {}   replay: {:+.2f} %, results {}\n",
               networks[task].name, spread(hand), "", spread(ours), (p50 - 1) * 100,
               sums[0] == sums[1] ? "equal" : "DIFFER");
  }
}

/// Each network in its partition, alone and beside each enemy and all of them in the rest: the
/// longest that was seen, plus a margin.
std::vector<Time> measure(std::vector<Job>& networks, std::vector<Job>& others) {
  const System system = system_of(networks, std::vector<Time>(3, Time::from_ms(5)), others, true);
  const runtime::Workload work = workload_of(networks, others);
  runtime::BackendOptions options;
  options.workload = &work;
  options.realtime = true;
  const auto device = need(runtime::open_backend("cuda", system, options));
  const std::int64_t widths[] = {kWidth, kLeft};
  const auto partitions = need(device->partition(widths));
  const auto replay_of = [&](TaskIndex task) {
    runtime::Replay replay;
    replay.task = task;
    replay.partition = partitions[task < 3 ? 0 : 1].id;
    replay.longest = Time::from_ms(100);
    return replay;
  };
  for (TaskIndex task = 0; task < 3 + others.size(); ++task) {
    need(device->prepare(replay_of(task)));
  }
  need(device->start());
  fmt::print("\n## Alone and beside enemies on the other SMs, {} runs each, us\n", kRuns);
  fmt::print("{:22} {:>9} {:>9} {:>9}\n", "", "p50", "p99", "max");
  std::vector<Time> worst(networks.size());
  for (int beside = -1; beside <= static_cast<int>(others.size()); ++beside) {
    std::vector<bool> flying(others.size());
    for (TaskIndex task = 0; task < networks.size(); ++task) {
      std::vector<Time> times;
      for (int i = 0; i < kRuns; ++i) {
        for (std::size_t enemy = 0; enemy < others.size(); ++enemy) {
          const bool wanted =
              beside == static_cast<int>(enemy) || beside == static_cast<int>(others.size());
          if (!wanted || flying[enemy]) continue;
          need(device->launch(replay_of(static_cast<TaskIndex>(3 + enemy)), 1000 + enemy));
          flying[enemy] = true;
        }
        const Time begin = device->now();
        need(device->launch(replay_of(task), 1));
        for (bool done = false; !done;) {
          for (const auto& completion : need(device->wait(std::nullopt))) {
            if (completion.op == 1) {
              done = true;
              times.push_back(completion.end - begin);
            } else {
              flying[completion.op - 1000] = false;
            }
          }
        }
      }
      worst[task] = std::max(worst[task], *std::max_element(times.begin(), times.end()));
      const std::string with = beside < 0 ? "alone"
                               : beside == static_cast<int>(others.size())
                                   ? "all"
                                   : others[static_cast<std::size_t>(beside)].name;
      fmt::print("{:10} {:11} {}\n", networks[task].name, with, spread(times));
    }
    while (std::find(flying.begin(), flying.end(), true) != flying.end()) {
      for (const auto& completion : need(device->wait(std::nullopt))) {
        flying[completion.op - 1000] = false;
      }
    }
  }
  for (Time& time : worst) time = mul_div_up(time, 130, 100) + Time::from_us(50);
  return worst;
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
    fmt::print("  {} batches played, {} overran\n", seen->batches->played, seen->batches->overrun);
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

}  // namespace

int main(int argc, char** argv) {
  const Time duration = Time::from_ms(1000 * (argc > 1 ? std::atoi(argv[1]) : 60));
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  std::vector<Job> networks = jobs(), others = enemies();
  overhead(networks);
  std::fflush(stdout);
  const std::vector<Time> times = measure(networks, others);
  fmt::print(
      "\n## (a) One GPU, shared by streams of different priorities, beside all enemies, us\n");
  std::fflush(stdout);
  shared(networks, others, duration);
  fmt::print("\n## (b) Partitions of {} SMs, enemies on what is left, us\n", kWidth);
  std::fflush(stdout);
  {
    const System system = system_of(networks, times, others, true);
    run(system, "gang.swc", workload_of(networks, others), duration);
  }
  fmt::print("\n## (c) A table of measured batches on the whole GPU, us\n");
  std::fflush(stdout);
  const System whole = system_of(networks, std::vector<Time>(3, Time::from_us(2500)), {}, false);
  const runtime::Workload work = workload_of(networks, {});
  runtime::BackendOptions backend;
  backend.workload = &work;
  backend.realtime = true;
  System table;
  {
    const auto device = need(runtime::open_backend("cuda", whole, backend));
    runtime::MeasureBatchesOptions options;
    options.margin = 30;
    options.repeats = 100;
    auto measured = need(runtime::measure_batches(whole, *device, options));
    table = std::move(measured.system);
    for (const runtime::MeasuredOrder& single : measured.singles) {
      fmt::print("{:10} alone {:9.1f} us at most\n", whole.tasks[single.order.front()].name,
                 static_cast<double>(single.samples.back().ns()) / 1e3);
      table.tasks[single.order.front()].nodes.front().wcet =
          mul_div_up(single.samples.back(), 130, 100) + Time::from_us(50);
    }
  }
  run(table, "pbs.graph", work, duration);
  return 0;
}
