#pragma once

#include <string>

#include "tactus/deploy/launch.hpp"
#include "tactus/methods/method.hpp"
#include "tests/support/read.hpp"

namespace tactus::deploy {

/// Two real-time tasks on one core, one on another, a best-effort task; a third core for the arbiter.
/// @param more of the GPU element @param command of every task
inline System robot(const std::string& more = R"("arbiter_core": 3)",
                    const std::string& command = R"({"argv": ["/opt/robot/run", "a b"]})") {
  const auto task = [&](const std::string& name, const std::string& rest) {
    return R"({"name": ")" + name + R"(", "command": )" + command + ", " + rest + "}";
  };
  return support::read(
      R"({"tactus": 1, "name": "robot", "platform": {"elements": [
      {"name": "cpu", "kind": "cpu", "units": 3},
      {"name": "gpu", "kind": "gpu", "units": 8, "runlist_update": 0.1, "context_switch": 0.1)" +
      (more.empty() ? "" : ", " + more) + "}]}, \"tasks\": [" +
      task("camera", R"("priority": 8, "gpu_priority": 9, "period": 100, "core": 1,
           "nodes": [{"name": "c", "on": "cpu", "wcet": 1}, {"name": "g", "on": "gpu", "wcet": 5}])") +
      "," + task("lidar", R"("priority": 7, "gpu_priority": 2, "period": 100, "core": 1,
           "nodes": [{"name": "g", "on": "gpu", "wcet": 5}])") +
      "," + task("motor", R"("priority": 90, "period": 50, "core": 2,
           "nodes": [{"name": "c", "on": "cpu", "wcet": 1}])") +
      "," + task("logger", R"("best_effort": true, "core": 2,
           "nodes": [{"name": "g", "on": "gpu", "wcet": 40}])") +
      "]}");
}

inline Verdict plan_of(const System& system, std::string_view method = "gcaps.suspend",
                       std::string_view variant = "safe-arbiter") {
  Options options;
  options.variant = variant;
  Verdict verdict = analyze(*find_method(method), system, options);
  EXPECT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  return verdict;
}

inline std::variant<Launch, std::vector<Diagnostic>> made(
    const System& system, const Wish& wish = {}, std::string_view method = "gcaps.suspend",
    std::string_view variant = "safe-arbiter") {
  return launch_of(system, *find_method(method), plan_of(system, method, variant), wish,
                   {"/d/robot.system.json", "/d/robot.plan.json"});
}

inline Launch launched(const System& system, const Wish& wish = {},
                       std::string_view method = "gcaps.suspend",
                       std::string_view variant = "safe-arbiter") {
  auto result = made(system, wish, method, variant);
  if (auto* problems = std::get_if<std::vector<Diagnostic>>(&result)) {
    for (const Diagnostic& problem : *problems) ADD_FAILURE() << problem.message;
    return {};
  }
  return std::get<Launch>(std::move(result));
}

}  // namespace tactus::deploy
