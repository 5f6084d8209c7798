#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "tactus/exchange/shape.hpp"

namespace tactus::exchange {
namespace {

/// Where the steps of two sequences go in their common one.
struct Merged {
  std::vector<Step> steps;
  std::vector<NodeIndex> old_places, new_places;
};

/// At most so many pairs of steps are compared; longer differences are listed one after the other.
constexpr std::size_t kMostPairs = 16'000'000;

/// For each step of `b`: the step of `a` that is the same one, in a longest common subsequence.
std::vector<std::ptrdiff_t> longest_match(std::span<const Step> a, std::span<const Step> b) {
  std::vector<std::ptrdiff_t> match(b.size(), -1);
  if (a.empty() || b.empty() || a.size() > kMostPairs / b.size()) return match;
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> longest((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      longest[i * width + j] =
          a[i] == b[j] ? longest[(i + 1) * width + j + 1] + 1
                       : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      match[j++] = static_cast<std::ptrdiff_t>(i++);
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return match;
}

Merged merge(const std::vector<Step>& old_steps, const std::vector<Step>& new_steps) {
  // What they have in common at both ends needs no search.
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(old_steps.size(), new_steps.size());
  while (head < shorter && old_steps[head] == new_steps[head]) ++head;
  while (tail < shorter - head &&
         old_steps[old_steps.size() - 1 - tail] == new_steps[new_steps.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t old_end = old_steps.size() - tail, new_end = new_steps.size() - tail;
  const auto match = longest_match(std::span(old_steps).subspan(head, old_end - head),
                                   std::span(new_steps).subspan(head, new_end - head));
  Merged merged;
  std::size_t i = 0;
  const auto take_old = [&](std::size_t until) {
    for (; i < until; ++i) {
      merged.old_places.push_back(static_cast<NodeIndex>(merged.steps.size()));
      merged.steps.push_back(old_steps[i]);
    }
  };
  for (std::size_t j = 0; j < new_steps.size(); ++j) {
    std::ptrdiff_t same = -1;
    if (j < head) {
      same = static_cast<std::ptrdiff_t>(j);
    } else if (j >= new_end) {
      same = static_cast<std::ptrdiff_t>(old_end + (j - new_end));
    } else if (match[j - head] >= 0) {
      same = static_cast<std::ptrdiff_t>(head) + match[j - head];
    }
    if (same >= 0) take_old(static_cast<std::size_t>(same) + 1);
    merged.new_places.push_back(static_cast<NodeIndex>(merged.steps.size()) - (same >= 0 ? 1 : 0));
    if (same < 0) merged.steps.push_back(new_steps[j]);
  }
  take_old(old_steps.size());
  return merged;
}

/// Every guessed wait that no job refutes, and every known one.
std::vector<Wait> confirmed(const std::set<Wait>& waits, const std::vector<Job>& jobs,
                            std::size_t steps) {
  std::map<std::pair<NodeIndex, NodeIndex>, bool> guessed;  // else known
  for (const Wait& wait : waits) {
    const auto [entry, fresh] = guessed.try_emplace({wait.before, wait.after}, wait.guess);
    entry->second = entry->second && wait.guess;
  }
  std::set<std::pair<NodeIndex, NodeIndex>> refuted;
  for (const Job& job : jobs) {
    std::vector<const StepTimes*> at(steps, nullptr);
    for (const StepTimes& times : job.times) at[times.place] = &times;
    for (const auto& [pair, guess] : guessed) {
      const StepTimes *before = at[pair.first], *after = at[pair.second];
      if (!guess || before == nullptr || after == nullptr) continue;
      if (before->end > after->start) refuted.insert(pair);
    }
  }
  std::vector<Wait> kept;
  for (const auto& [pair, guess] : guessed) {
    if (!refuted.contains(pair)) kept.push_back({pair.first, pair.second, guess});
  }
  return kept;
}

}  // namespace

RecordedTask overlay(std::string name, std::vector<JobSteps> jobs) {
  RecordedTask task;
  task.name = std::move(name);
  std::set<Wait> waits;
  const std::vector<Step> first = jobs.empty() ? std::vector<Step>() : jobs.front().steps;
  for (JobSteps& job : jobs) {
    if (job.steps != first) ++task.different_jobs;
    const bool same = job.steps == task.shape.steps;
    if (!same) {
      Merged merged = merge(task.shape.steps, job.steps);
      // Most jobs that differ only leave out something: then the others stay as they are.
      if (merged.steps.size() > task.shape.steps.size()) {
        std::set<Wait> moved;
        for (Wait wait : waits) {
          moved.insert({merged.old_places[wait.before], merged.old_places[wait.after], wait.guess});
        }
        waits = std::move(moved);
        for (Job& earlier : task.jobs) {
          for (StepTimes& times : earlier.times) times.place = merged.old_places[times.place];
        }
        task.shape.steps = std::move(merged.steps);
      }
      for (StepTimes& times : job.job.times) times.place = merged.new_places[times.place];
      for (Wait& wait : job.waits) {
        wait = {merged.new_places[wait.before], merged.new_places[wait.after], wait.guess};
      }
    }
    waits.insert(job.waits.begin(), job.waits.end());
    task.jobs.push_back(std::move(job.job));
  }
  task.shape.waits = confirmed(waits, task.jobs, task.shape.steps.size());
  return task;
}

}  // namespace tactus::exchange
