#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/cli/run_tactus.hpp"

/// The first Ctrl-C ends what would take minutes: "undecided", and nothing half-written.
namespace tactus::cli {
namespace {

/// Far more tasks than a quadratic analysis gets through in a minute; every `gpu_every`-th uses the
/// GPU.
std::string many_tasks(int count, int cores, int gpu_every) {
  std::string tasks;
  for (int i = 0; i < count; ++i) {
    const int period = 100 * count + i;
    const bool gpu = i % gpu_every == 0;
    tasks += fmt::format(R"({}{{"name":"t{}","period":{},"priority":{},"core":{},"nodes":[)"
                         R"({{"name":"a","on":"cpu","wcet":0.1}}{}]}})",
                         i == 0 ? "" : ",", i, period, count - i, i % cores + 1,
                         gpu ? R"(,{"name":"g","on":"gpu","wcet":0.1,"parallelism":1})" : "");
  }
  return fmt::format(
      R"({{"tactus":1,"name":"many","platform":{{"elements":[)"
      R"({{"name":"cpu","kind":"cpu","units":{}}},)"
      R"({{"name":"gpu","kind":"gpu","units":132,"time_slice":1,"context_switch":0.1,)"
      R"("runlist_update":0.01}}]}},"tasks":[{}]}})",
      cores, tasks);
}

/// Sends one SIGINT as soon as the program listens for it, which is when the work begins.
void interrupt_work(pid_t process) {
  const std::string status = fmt::format("/proc/{}/status", process);
  const auto listens = [&] {
    const std::string text = slurp(status);
    const std::size_t at = text.find("SigBlk:");
    if (at == std::string::npos) return false;
    return (std::stoull(text.substr(at + 7), nullptr, 16) & (1U << (SIGINT - 1))) != 0;
  };
  for (int i = 0; i < 6000 && !listens(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(process, SIGINT);
}

TEST(TheFirstInterrupt, EndsEveryAnalysisAsUndecided) {
  const TemporaryFolder folder;
  const std::string one_core = folder.file("one.system.json", many_tasks(60'000, 1, 3'000));
  const std::string many = folder.file("many.system.json", many_tasks(60'000, 16, 2));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gcaps.suspend", many}, {"gcaps.busy.prio", many},  {"tsg-rr.busy", one_core},
      {"mpcp.suspend", many},  {"fmlp.suspend", many},     {"gang.rm-he", many},
      {"rtgpu", one_core},     {"rtgpu.greedy", one_core}, {"self-suspension", one_core},
      {"stgm", one_core},
  };
  for (const auto& [method, file] : cases) {
    const Ran ran = run_tactus({"analyze", file, "--method", method, "--csv"}, {}, interrupt_work);
    EXPECT_EQ(ran.exit_code, 3) << method << ran.err;
    EXPECT_NE(ran.out.find(method + ",safe,undecided,"), std::string::npos)
        << method << ran.out.substr(0, 200);
  }
}

TEST(TheFirstInterrupt, LeavesNoPlanBehind) {
  const TemporaryFolder folder;
  const std::string file = folder.file("many.system.json", many_tasks(60'000, 1, 3'000));
  const std::string plan = folder.file("many.plan.json");
  const Ran ran = run_tactus({"plan", file, "--method", "stgm", "-o", plan}, {}, interrupt_work);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "tactus: stgm makes no plan: undecided: interrupted\n");
  EXPECT_FALSE(std::filesystem::exists(plan));
}

TEST(TheFirstInterrupt, EndsASimulationBeforeItBegins) {
  const TemporaryFolder folder;
  const std::string file = folder.file("many.system.json", many_tasks(60'000, 16, 2));
  const std::string trace = folder.file("many.trace.json");
  const Ran ran =
      run_tactus({"simulate", file, "-p", "gcaps.busy", "--trace", trace}, {}, interrupt_work);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "tactus: interrupted before the simulation began\n");
  EXPECT_FALSE(std::filesystem::exists(trace));
}

}  // namespace
}  // namespace tactus::cli
