#include "tactus/decide/never_run.hpp"

#include "tactus/methods/method.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

System with_best_effort(std::int64_t sms) {
  return support::read(R"({"tactus": 1, "name": "s", "platform": {"elements": [
      {"name": "cpu", "kind": "cpu", "units": 2}, {"name": "gpu", "kind": "gpu", "units": )" +
                       std::to_string(sms) + R"(}]}, "tasks": [
      {"name": "a", "period": 100, "nodes": [
        {"name": "g", "on": "gpu", "wcet": 30, "parallelism": 4}]},
      {"name": "train", "best_effort": true, "nodes": [
        {"name": "g", "on": "gpu", "wcet": 30, "parallelism": 4}]},
      {"name": "log", "best_effort": true, "nodes": [{"name": "c", "on": "cpu", "wcet": 1}]}]})");
}

TEST(NeverRun, IsWhatThePlanLeavesNoSmsFor) {
  const auto verdict = [](const System& system, std::string_view method) {
    return analyze(*find_method(method), system, {});
  };
  const System full = with_best_effort(4), room = with_best_effort(8);
  const auto never = never_run(full, verdict(full, "gang.wc"));
  ASSERT_EQ(never.size(), 1U);
  EXPECT_EQ(to_string(never[0], full),
            "best-effort task `train` never runs beside this plan: it leaves no SMs");
  EXPECT_TRUE(never_run(room, verdict(room, "gang.wc")).empty());
}

TEST(NeverRun, IsNoneWhereTasksTakeTurns) {
  const System system = support::read_file("examples/forklift.system.json");
  EXPECT_TRUE(never_run(system, analyze(*find_method("gcaps.suspend"), system, {})).empty());
}

}  // namespace
}  // namespace tactus::decide
