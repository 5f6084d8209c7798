#include <algorithm>

#include "tactus/report/analysis.hpp"
#include "tactus/report/checks.hpp"

namespace tactus::report {
namespace {

std::ptrdiff_t proved_tasks(const Verdict& verdict) {
  return std::count_if(verdict.tasks.begin(), verdict.tasks.end(),
                       [](const TaskVerdict& task) { return task.schedulable; });
}

/// Is the least slack of `a` larger than that of `b`? Both prove every deadline.
bool leaves_more(const Verdict& a, const Verdict& b) {
  // The task with the least slack; nothing where a bound is not known, which counts as the least.
  const auto tightest = [](const Verdict& verdict) -> const TaskVerdict* {
    const TaskVerdict* least = nullptr;
    for (const TaskVerdict& task : verdict.tasks) {
      if (!task.deadline) continue;
      if (!task.bound) return nullptr;
      if (least == nullptr ||
          compare_slack(*task.bound, *task.deadline, *least->bound, *least->deadline) < 0) {
        least = &task;
      }
    }
    return least;
  };
  const TaskVerdict* of_a = tightest(a);
  const TaskVerdict* of_b = tightest(b);
  if (of_a == nullptr || of_b == nullptr) return of_a != nullptr;
  return compare_slack(*of_a->bound, *of_a->deadline, *of_b->bound, *of_b->deadline) > 0;
}

/// Is `a` the better answer? A proof first, the one that leaves most; then whoever proves most tasks.
bool better(const Verdict& a, const Verdict& b) {
  if (a.status != b.status) return a.status < b.status;  // in the order of `Status`
  if (a.status == Status::kSchedulable) return leaves_more(a, b);
  return proved_tasks(a) > proved_tasks(b);
}

}  // namespace

std::vector<const Verdict*> counting_verdicts(const Analysis& analysis) {
  std::vector<const Verdict*> all;
  for (const Verdict& verdict : analysis.verdicts) all.push_back(&verdict);
  switch (analysis.judged_by) {
    case JudgedBy::kNamed:
      return all;
    case JudgedBy::kDeployed:
      return {all[analysis.deployed]};
    case JudgedBy::kAny:
      break;
  }
  if (all.empty()) return all;
  return {*std::min_element(all.begin(), all.end(),
                            [](const Verdict* a, const Verdict* b) { return better(*a, *b); })};
}

}  // namespace tactus::report
