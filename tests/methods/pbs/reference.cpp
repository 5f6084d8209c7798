#include "reference.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace tactus::pbs::testing {
namespace {

constexpr std::int64_t kUnit = 1'000'000;

std::int64_t units(Time time) { return time.ns() / kUnit; }

}  // namespace

Reference::Reference(const System& system) : system_(system) {
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort) continue;
    file_index_.push_back(i);
    period_.push_back(units(*task.period));
    deadline_.push_back(units(*task.deadline));
    offset_.push_back(units(task.offset));
    wcet_.push_back(units(*task.nodes[0].wcet));
    hyperperiod_ = std::lcm(hyperperiod_, period_.back());
  }
  for (std::size_t mask = 1; mask < std::size_t{1} << tasks(); ++mask) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tasks(); ++i) {
      if ((mask >> i & 1) != 0) order.push_back(i);
    }
    const std::vector<std::size_t> members = order;
    std::map<std::int64_t, std::uint64_t> orders;
    do {
      const auto c = completion(order);
      if (c && fits(order)) ++orders[*c];
    } while (std::next_permutation(order.begin(), order.end()));
    for (const auto& [c, count] : orders) options_.push_back({members, c, count});
  }
}

std::optional<std::int64_t> Reference::completion(const std::vector<std::size_t>& order) const {
  if (order.size() == 1) return wcet_[order[0]];
  std::vector<TaskIndex> in_order;
  for (const std::size_t i : order) in_order.push_back(static_cast<TaskIndex>(file_index_[i]));
  std::vector<TaskIndex> sorted = in_order;
  std::sort(sorted.begin(), sorted.end());
  const Batch* found = nullptr;
  for (const Batch& batch : system_.batches) {
    if (batch.ordered && batch.tasks == in_order) found = &batch;
  }
  for (const Batch& batch : system_.batches) {
    std::vector<TaskIndex> members = batch.tasks;
    std::sort(members.begin(), members.end());
    if (found == nullptr && !batch.ordered && members == sorted) found = &batch;
  }
  if (found != nullptr) {
    return found->completion ? std::optional(units(*found->completion)) : std::nullopt;
  }
  bool slowdown = system_.interference && system_.interference->model
                      ? *system_.interference->model == InterferenceModel::kSlowdown
                      : system_.batches.empty();
  std::int64_t longest = 0;
  for (const std::size_t i : order) {
    std::optional<Factor> factor = system_.tasks[file_index_[i]].nodes[0].slowdown;
    if (!factor && system_.interference) factor = system_.interference->factor;
    if (!factor) slowdown = false;
    const std::int64_t billionths = factor ? factor->billionths : 0;
    longest = std::max(longest, (wcet_[i] * billionths + 999'999'999) / 1'000'000'000);
  }
  return slowdown ? std::optional(longest) : std::nullopt;
}

bool Reference::fits(const std::vector<std::size_t>& order) const {
  const Node& first = system_.tasks[file_index_[order[0]]].nodes[0];
  if (order.size() == 1 || !first.blocks) return true;
  const Element& gpu = system_.platform.elements[0];
  const SmLimits sm = gpu.sm.value_or(SmLimits{});
  constexpr std::int64_t kNoLimit = INT64_MAX;
  std::vector<std::array<std::int64_t, 4>> free(
      static_cast<std::size_t>(gpu.units),
      {sm.threads.value_or(gpu.lanes), sm.blocks.value_or(kNoLimit),
       sm.registers.value_or(kNoLimit), sm.shared_memory.value_or(kNoLimit)});
  for (const std::size_t i : order) {
    const Node& node = system_.tasks[file_index_[i]].nodes[0];
    const std::array<std::int64_t, 4> need = {*node.threads, 1,
                                              node.registers.value_or(0) * *node.threads,
                                              node.shared_memory.value_or(0)};
    for (std::int64_t block = 0; block < *node.blocks; ++block) {
      std::size_t best = 0;
      std::int64_t most = 0;
      for (std::size_t s = 0; s < free.size(); ++s) {
        std::int64_t room = kNoLimit;
        for (std::size_t r = 0; r < need.size(); ++r) {
          if (need[r] > 0) room = std::min(room, free[s][r] / need[r]);
        }
        if (room > most) {
          most = room;
          best = s;
        }
      }
      if (most == 0) return false;
      for (std::size_t r = 0; r < need.size(); ++r) free[best][r] -= need[r];
    }
  }
  return true;
}

std::int64_t Reference::arrived(std::size_t task, std::int64_t time) const {
  std::int64_t count = 0;
  while (count < jobs(task) && arrival(task, count) <= time) ++count;
  return count;
}

std::int64_t Reference::next_arrival(std::int64_t time) const {
  std::int64_t next = INT64_MAX;
  for (std::size_t i = 0; i < tasks(); ++i) {
    for (std::int64_t job = 0; job < jobs(i); ++job) {
      if (arrival(i, job) > time) next = std::min(next, arrival(i, job));
    }
  }
  return next;
}

bool Reference::finished(const Done& done) const {
  for (std::size_t i = 0; i < tasks(); ++i) {
    if (done[i] < jobs(i)) return false;
  }
  return true;
}

std::optional<Reference::Done> Reference::after(const Option& option, std::int64_t time,
                                                const Done& done) const {
  Done next = done;
  for (const std::size_t i : option.tasks) {
    const bool ready = done[i] < arrived(i, time);
    if (!ready) return std::nullopt;
    if (time + option.completion > arrival(i, done[i]) + deadline_[i]) return std::nullopt;
    ++next[i];
  }
  return next;
}

std::uint64_t Reference::tables() { return count(0, Done(tasks(), 0), true); }
std::uint64_t Reference::tables_by_enumeration() { return count(0, Done(tasks(), 0), false); }
bool Reference::feasible_with_idling() { return idle(0, Done(tasks(), 0)); }

std::uint64_t Reference::count(std::int64_t time, const Done& done, bool merge) {
  if (finished(done)) return 1;
  bool any_ready = false;
  for (std::size_t i = 0; i < tasks(); ++i) any_ready = any_ready || done[i] < arrived(i, time);
  if (!any_ready) return count(next_arrival(time), done, merge);
  const auto key = std::pair(time, done);
  if (merge) {
    if (const auto known = counted_.find(key); known != counted_.end()) return known->second;
  }
  std::uint64_t sum = 0;
  for (const Option& option : options_) {
    const auto next = after(option, time, done);
    if (next) sum += option.orders * count(time + option.completion, *next, merge);
  }
  if (merge) counted_[key] = sum;
  return sum;
}

bool Reference::idle(std::int64_t time, const Done& done) {
  if (finished(done)) return true;
  const auto key = std::pair(time, done);
  if (const auto known = idled_.find(key); known != idled_.end()) return known->second;
  bool found = false;
  for (const Option& option : options_) {
    if (found) break;
    const auto next = after(option, time, done);
    found = next && idle(time + option.completion, *next);
  }
  const std::int64_t later = next_arrival(time);
  found = found || (later != INT64_MAX && idle(later, done));
  idled_[key] = found;
  return found;
}

std::vector<Reference::Miss> Reference::edf_misses(bool parallel) const {
  std::vector<Job> left;
  for (std::size_t i = 0; i < tasks(); ++i) {
    for (std::int64_t job = 0; job < jobs(i); ++job) left.push_back({i, job});
  }
  std::vector<Miss> misses;
  std::int64_t now = 0;
  const auto urgency = [&](const Job& job) {
    const std::int64_t a = arrival(job.task, job.number);
    return std::tuple(a + deadline_[job.task], a, job.task, job.number);
  };
  std::sort(left.begin(), left.end(),
            [&](const Job& a, const Job& b) { return urgency(a) < urgency(b); });
  while (!left.empty()) {
    std::vector<std::size_t> order;
    std::vector<Job> batch, rest;
    for (const Job& job : left) {
      bool takes = arrival(job.task, job.number) <= now && (order.empty() || parallel) &&
                   std::find(order.begin(), order.end(), job.task) == order.end();
      if (takes) {
        order.push_back(job.task);
        takes = completion(order).has_value() && fits(order);
        if (!takes) order.pop_back();
      }
      (takes ? batch : rest).push_back(job);
    }
    if (order.empty()) {
      now = next_arrival(now);
      continue;
    }
    now += *completion(order);
    for (const Job& job : batch) {
      const std::int64_t due = arrival(job.task, job.number) + deadline_[job.task];
      if (now > due) misses.push_back({job, due, now});
    }
    left = rest;
  }
  return misses;
}

}  // namespace tactus::pbs::testing
