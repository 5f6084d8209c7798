#include "tactus/report/baseline.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tactus/report/text/percent.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

using Kind = Difference::Kind;
using What = Difference::What;

std::string proved_text(bool proved) { return proved ? "proved" : "not proved"; }

class Comparer {
 public:
  Comparer(const System& system, Comparison& out) : system_(system), out_(out) {}

  void compare(const Baseline::OfMethod& was, const Verdict& now, bool counts) {
    method_ = &now;
    counts_ = counts;
    const std::string status(to_string(now.status));
    const bool before = was.status == to_string(Status::kSchedulable);
    const bool after = now.status == Status::kSchedulable;
    if (before != after) {
      add(before ? Kind::kWorse : Kind::kBetter, "", What::kVerdict, was.status, status);
    }
    const auto find = [](const std::vector<Baseline::OfTask>& all, const std::string& name) {
      const auto old = std::find_if(all.begin(), all.end(), [&](const Baseline::OfTask& entry) {
        return entry.name == name;
      });
      return old == all.end() ? nullptr : &*old;
    };
    for (const TaskVerdict& task : now.tasks) {
      const std::string& name = system_.tasks[task.task].name;
      const auto* old = find(was.tasks, name);
      if (old != nullptr) compare(*old, {name, task.bound, task.deadline, task.schedulable}, name);
    }
    for (const ChainVerdict& chain : now.chains) {
      const std::string& name = system_.chains[chain.chain].name;
      const auto* old = find(was.chains, name);
      if (old != nullptr) compare(*old, {name, chain.bound, {}, chain.holds}, "chain " + name);
    }
  }

 private:
  void compare(const Baseline::OfTask& was, const Baseline::OfTask& now, const std::string& name) {
    if (was.proved != now.proved) {
      add(was.proved ? Kind::kWorse : Kind::kBetter, name, What::kVerdict, proved_text(was.proved),
          proved_text(now.proved));
    }
    if (!was.bound || !now.bound) return;
    if (*was.bound != *now.bound) {
      add(*now.bound > *was.bound ? Kind::kWorse : Kind::kBetter, name, What::kBound,
          format_time(*was.bound, system_.time_unit), format_time(*now.bound, system_.time_unit));
    }
    if (!was.deadline || !now.deadline) return;
    // Exactly: a small loss of slack is a loss.
    const int order = compare_slack(*now.bound, *now.deadline, *was.bound, *was.deadline);
    if (order == 0) return;
    add(order < 0 ? Kind::kWorse : Kind::kBetter, name, What::kSlack,
        slack_percent(*was.bound, *was.deadline), slack_percent(*now.bound, *now.deadline));
  }

  void add(Kind kind, std::string task, What what, std::string was, std::string now) {
    if (kind == Kind::kWorse && counts_) out_.worse = true;
    out_.differences.push_back({kind, method_->method, method_->variant, std::move(task), what,
                                std::move(was), std::move(now), counts_});
  }

  const System& system_;
  Comparison& out_;
  const Verdict* method_ = nullptr;
  bool counts_ = false;
};

std::set<std::string> tasks_of(const Baseline& baseline) {
  std::set<std::string> names;
  for (const auto& method : baseline.methods) {
    for (const auto& task : method.tasks) names.insert(task.name);
  }
  return names;
}

}  // namespace

Comparison compare(const Baseline& baseline, std::string file, const System& system,
                   std::span<const Verdict> verdicts, std::span<const Verdict* const> counting,
                   bool all) {
  Comparison out;
  out.file = std::move(file);
  Comparer comparer(system, out);
  const auto same = [](const Baseline::OfMethod& was, const Verdict& now) {
    return was.method == now.method && was.variant == now.variant;
  };
  for (const Verdict& now : verdicts) {
    const auto was = std::find_if(baseline.methods.begin(), baseline.methods.end(),
                                  [&](const auto& entry) { return same(entry, now); });
    if (was == baseline.methods.end()) {
      out.differences.push_back({Kind::kNew, now.method, now.variant, "", What::kAll, "",
                                 std::string(to_string(now.status))});
      continue;
    }
    const bool counts = std::find(counting.begin(), counting.end(), &now) != counting.end();
    comparer.compare(*was, now, counts);
  }
  for (const auto& was : baseline.methods) {
    const bool there = std::any_of(verdicts.begin(), verdicts.end(),
                                   [&](const Verdict& now) { return same(was, now); });
    if (all && !there) {
      out.differences.push_back(
          {Kind::kGone, was.method, was.variant, "", What::kAll, was.status, ""});
    }
  }
  std::set<std::string> names = tasks_of(baseline);
  const bool has_tasks = !names.empty();  // otherwise every method had refused
  for (const Task& task : system.tasks) {
    if (names.erase(task.name) > 0 || task.best_effort || !has_tasks) continue;
    out.differences.push_back({Kind::kNew, "", "", task.name, What::kAll, "", ""});
  }
  for (const std::string& gone : names) {
    out.differences.push_back({Kind::kGone, "", "", gone, What::kAll, "", ""});
  }
  std::stable_sort(out.differences.begin(), out.differences.end(),
                   [](const Difference& a, const Difference& b) { return a.kind < b.kind; });
  return out;
}

}  // namespace tactus::report
