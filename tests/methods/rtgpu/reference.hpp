#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/model/system.hpp"

/// The analyses written straight from the lemmas, as slowly as they are stated: plain sums,
/// plain iteration from the constant upwards, enumeration of every allocation. Shares no code with
/// the product.
namespace tactus::rtgpu::reference {

using Ns = std::int64_t;
using Counts = std::vector<std::int64_t>;

struct Segment {
  enum Kind { kCpu, kCopy, kKernel } kind;
  int bus = 0;
  Ns upper = 0, lower = 0;  // a kernel's: load
  Ns overhead = 0;
  std::int64_t alpha = 1'000'000, width = 1;
  bool rigid = false;
  std::vector<TimesEntry> times = {};  // of a measured kernel
};

struct TaskModel {
  std::size_t index = 0;
  Ns period = 0, deadline = 0;
  std::int64_t core = 1, min_sms = 0;
  std::vector<Segment> chain;
};

struct Model {
  std::vector<TaskModel> tasks, best_effort;  // tasks: most urgent first
  std::int64_t sms = 0;
};

Model model_of(const System& system);

/// A segment as others see it: which resource, how long at most and at least. Resources: core c is
/// c, bus b is 1000 + b, the accelerator 2000; 0 is nobody else's business.
struct Part {
  int on;
  Ns upper, lower;
};
constexpr int kNobodyElse = 0, kFirstBus = 1000, kAccelerator = 2000;

/// The chain of a task on `sms` SMs for the rtgpu methods.
std::vector<Part> parts_of(const TaskModel& task, std::int64_t sms);
/// ... and for self-suspension.
std::vector<Part> suspensions_of(const TaskModel& task, std::int64_t sms);

/// Section 3, as a loop over j.
Ns workload(const std::vector<Part>& parts, int resource, Ns period, Ns deadline, Ns t);

struct TaskResult {
  std::optional<Ns> response;               // nothing: beyond the deadline
  std::vector<std::optional<Ns>> segments;  // MR, CR (or XR) by part; GR^ for kernels
};

std::vector<TaskResult> rtgpu(const Model& model, const Counts& counts, bool tight);
std::vector<TaskResult> self_suspension(const Model& model, const Counts& counts, bool paper);
std::vector<TaskResult> stgm(const Model& model, const Counts& counts, bool paper);

bool feasible(const std::vector<TaskResult>& results);

/// The lexicographically first feasible allocation, by trying all.
template <typename Analyse>
std::optional<Counts> first_by_grid(const Model& model, Analyse analyse) {
  Counts counts(model.tasks.size());
  std::optional<Counts> found;
  const auto go = [&](auto& self, std::size_t k, std::int64_t left) -> bool {
    if (k == counts.size()) {
      if (!feasible(analyse(model, counts))) return false;
      found = counts;
      return true;
    }
    const std::int64_t least = model.tasks[k].min_sms;
    for (counts[k] = least; counts[k] <= (least == 0 ? 0 : left); ++counts[k]) {
      if (self(self, k + 1, left - counts[k])) return true;
    }
    return false;
  };
  go(go, 0, model.sms);
  return found;
}

}  // namespace tactus::rtgpu::reference
