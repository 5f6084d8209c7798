#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/methods/gcaps/boost/naive.hpp"

/// What the naive analyses see of a system.
namespace tactus::gcaps::boost::naive {

/// Copies that follow each other in a GPU segment, without a kernel between them.
struct CopyRun {
  int segment = 0;
  std::vector<Ns> on;  ///< by element: time of those that are exclusive there; -1: none is
};

struct Task {
  std::string name;
  Ns T = 0, D = 0, J = 0;
  std::int64_t priority = 0, level = 0, core = 0;
  std::vector<Ns> P;  ///< eta + 1 of them
  std::vector<Ns> e;
  std::vector<Ns> launch;
  std::vector<CopyRun> runs;
  std::vector<std::optional<std::int64_t>> threshold;
  bool last_exists = true, best_effort = false;

  int eta() const { return static_cast<int>(e.size()); }
  Ns cpu_work() const {  // C + G^m
    Ns sum = 0;
    for (Ns p : P) sum += p;
    return sum;
  }
  Ns gpu_work() const {
    Ns sum = 0;
    for (Ns one : e) sum += one;
    return sum;
  }
};

/// A task that another one starts, by place in the set.
struct After {
  int task = 0, before = 0;
  Ns b = 0;    ///< least time of the one before
  Ns own = 0;  ///< jitter of its own
};

struct Set {
  std::vector<Task> tasks;  ///< real-time, decreasing CPU priority
  std::vector<After> afters;
  bool best_effort_gpu = false, thresholds_given = false;
  std::optional<Ns> cpu_budget_notice;  ///< jobs are held to their CPU time, and nothing else
  Ns off = 0, on = 0, st = 0;
  std::int64_t arbiter = 0;
  std::vector<Task> best_effort;
  std::vector<std::int64_t> units;  ///< by element
  Ns low() const { return off + std::max(on, st); }
  Ns pair() const { return off + on; }
};

Set make_set(const System& system);

}  // namespace tactus::gcaps::boost::naive
