#include "tactus/methods/rtgpu/allocation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "tactus/base/diagnostic.hpp"

namespace tactus::rtgpu {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// The task whose name, followed by `=`, begins the text. Names may contain commas and equal signs;
/// if several fit, the longest is meant.
std::size_t task_named_at(const TaskSet& set, std::string_view text) {
  std::size_t found = kNone;
  for (std::size_t k = 0; k < set.tasks.size(); ++k) {
    const std::string_view name = set.tasks[k].name;
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) continue;
    if (found == kNone || name.size() > set.tasks[found].name.size()) found = k;
  }
  return found;
}

Error unknown_name(const TaskSet& set, std::string_view text) {
  const std::string_view word = text.substr(0, std::min(text.find_first_of("=,"), text.size()));
  if (word.empty())
    return Error{"--allocation: expected TASK=SMS,TASK=SMS,... but a task is missing"};
  std::vector<std::string_view> names;
  for (const ChainTask& task : set.tasks) names.push_back(task.name);
  if (std::find(names.begin(), names.end(), word) != names.end()) {
    return Error{fmt::format("--allocation: expected TASK=SMS, but task {} has no =", quote(word))};
  }
  return Error{fmt::format("--allocation: expected TASK=SMS, but there is no task {}{}",
                           quote(word), suggestion(word, names))};
}

}  // namespace

Result<Counts> parse_allocation(const TaskSet& set, std::string_view text) {
  constexpr std::int64_t kNotGiven = -1;
  Counts counts(set.real_time, kNotGiven);
  for (std::string_view rest = text;;) {
    const std::size_t k = task_named_at(set, rest);
    if (k == kNone) return unknown_name(set, rest);
    const ChainTask& task = set.tasks[k];
    const auto complain = [&](std::string_view problem) {
      return Error{fmt::format("--allocation: task {} {}", quote(task.name), problem)};
    };
    if (task.best_effort) return complain("is best effort and gets no SMs");
    if (counts[k] != kNotGiven) return complain("is given twice");
    rest.remove_prefix(task.name.size() + 1);
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), counts[k]);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (problem != std::errc() || counts[k] < 0 || (!rest.empty() && rest.front() != ',')) {
      return complain("needs a whole number of SMs");
    }
    if (rest.empty()) break;
    rest.remove_prefix(1);
  }
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < set.real_time; ++k) {
    const ChainTask& task = set.tasks[k];
    if (counts[k] == kNotGiven) {
      if (task.has_kernels()) {
        return Error{fmt::format("--allocation: task {} has kernels, but is given no SMs",
                                 quote(task.name))};
      }
      counts[k] = 0;
    }
    if (counts[k] < task.min_sms) {
      return Error{fmt::format("--allocation: task {} is given {} SMs, but needs at least {}",
                               quote(task.name), counts[k], task.min_sms)};
    }
    sum = checked::add(sum, counts[k]);
  }
  if (sum > set.sms) {
    return Error{fmt::format("--allocation: {} SMs are given, but the gpu has {}", sum, set.sms)};
  }
  return counts;
}

}  // namespace tactus::rtgpu
