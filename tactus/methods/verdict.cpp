#include "tactus/methods/verdict.hpp"

#include <algorithm>

#include "tactus/base/words.hpp"

namespace tactus {

std::string_view to_string(Status status) {
  static constexpr auto kWords = words_up_to<Status::kNotApplicable>("schedulable", "unschedulable",
                                                                     "undecided", "not-applicable");
  return word_of(status, kWords);
}

Verdict Verdict::not_applicable(Refusal refusal) {
  Verdict verdict;
  verdict.status = Status::kNotApplicable;
  verdict.reason = std::move(refusal.reason);
  verdict.at = refusal.at;
  verdict.obstacles = std::move(refusal.obstacles);
  verdict.more_obstacles = refusal.more_obstacles;
  if (verdict.obstacles.empty()) verdict.obstacles.push_back({verdict.reason, verdict.at});
  return verdict;
}

Verdict Verdict::undecided(std::string reason) {
  Verdict verdict;
  verdict.status = Status::kUndecided;
  verdict.reason = std::move(reason);
  return verdict;
}

void Verdict::sort_tasks() {
  std::sort(tasks.begin(), tasks.end(),
            [](const TaskVerdict& a, const TaskVerdict& b) { return a.task < b.task; });
}

}  // namespace tactus
