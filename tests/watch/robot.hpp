#pragma once

#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/watch/proof.hpp"

namespace tactus::watch {

/// Two tasks of one core, the camera the more urgent, and one that is best effort; times in ms.
inline System robot() {
  ReadResult read = read_system(R"({"tactus": 1, "name": "robot", "time_unit": "ms",
    "platform": {"elements": [
      {"name": "cpu", "kind": "cpu", "units": 2},
      {"name": "gpu", "kind": "gpu", "units": 1, "runlist_update": 0.1, "context_switch": 0.1,
       "preemption_delay": 0}]},
    "tasks": [
      {"name": "camera", "period": 20, "priority": 2, "core": 1, "jitter": 1, "nodes": [
        {"name": "grab", "on": "cpu", "wcet": 2}, {"name": "filter", "on": "gpu", "wcet": 4, "launch": 1}]},
      {"name": "plan", "period": 100, "priority": 1, "core": 1, "nodes": [
        {"name": "think", "on": "cpu", "wcet": 60}]},
      {"name": "log", "best_effort": true, "core": 2, "nodes": [
        {"name": "write", "on": "cpu", "wcet": 5}]}]})");
  EXPECT_TRUE(read.system);
  return std::move(*read.system);
}

inline Proof proof_of(const System& system, const char* id = "gcaps.suspend") {
  const Method& method = *find_method(id);
  Options options;
  return {system, method, analyze(method, system, options), options};
}

}  // namespace tactus::watch
