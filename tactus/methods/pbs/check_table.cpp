#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/pbs/batches/block_placement.hpp"
#include "tactus/methods/pbs/batches/oracle.hpp"
#include "tactus/methods/pbs/settings.hpp"
#include "tactus/methods/pbs/table.hpp"

/// The validity rules of docs/use/methods/pbs.md, applied to a plan file. Nothing here comes from the
/// search: frames are replayed in order against the oracle and the jobs of the hyperperiod.
namespace tactus::pbs {
namespace {

class TableChecker {
 public:
  TableChecker(const System& system, const TaskSet& set, bool may_idle)
      : system_(system), set_(set), oracle_(set), may_idle_(may_idle), first_open_(set.size(), 0) {
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      kernel_of_.emplace(set.kernels[i].name, i);
      done_.emplace_back(static_cast<std::size_t>(set.hyperperiod / set.kernels[i].period), false);
    }
  }

  std::vector<std::string> run(const json::Value& plan) {
    check_hyperperiod(plan);
    const json::Value* frames = plan.find("frames");
    if (frames == nullptr || !frames->is(json::Kind::kArray)) {
      return {"`frames` is missing or not an array"};
    }
    for (const json::Value& frame : frames->items()) {
      check_frame(frame);
      ++number_;
    }
    for (std::size_t i = 0; i < set_.size(); ++i) {
      for (std::size_t job = 0; job < done_[i].size(); ++job) {
        if (!done_[i][job]) {
          problems_.push_back(fmt::format("job {}#{} never runs", set_.kernels[i].name, job));
        }
      }
    }
    return std::move(problems_);
  }

 private:
  template <typename... Parts>
  void problem(fmt::format_string<Parts...> text, Parts&&... parts) {
    problems_.push_back(
        fmt::format("frame {}: {}", number_, fmt::format(text, std::forward<Parts>(parts)...)));
  }
  std::string shown(Ticks ticks) const { return format_time(set_.time(ticks), system_.time_unit); }

  /// A time of the plan in whole ticks.
  std::optional<Ticks> time(const json::Value* value) const {
    if (value == nullptr || !value->is(json::Kind::kNumber)) return std::nullopt;
    const auto number =
        parse_scaled(value->text(), decimal_places(system_.time_unit), Rounding::kDown);
    if (!number || !number->exact || number->value % set_.tick.ns() != 0) return std::nullopt;
    return number->value / set_.tick.ns();
  }

  void check_hyperperiod(const json::Value& plan) {
    const json::Value* value = plan.find("hyperperiod");
    if (value != nullptr && time(value) != set_.hyperperiod) {
      problems_.push_back(
          fmt::format("`hyperperiod` is not that of the system, {}", shown(set_.hyperperiod)));
    }
  }

  void check_frame(const json::Value& frame) {
    const json::Value* batch = frame.is(json::Kind::kObject) ? frame.find("batch") : nullptr;
    if (batch == nullptr || !batch->is(json::Kind::kArray) || batch->items().empty()) {
      return problem("needs `start`, `end` and a non-empty `batch`");
    }
    const auto start = time(frame.find("start")), end = time(frame.find("end"));
    if (!start || !end) return problem("`start` and `end` must be times in whole ticks");
    std::vector<std::uint32_t> order;
    std::vector<std::int64_t> jobs;
    for (const json::Value& item : batch->items()) {
      if (!read_job(item, order, jobs)) return;
    }
    check_start(*start);
    check_batch(order, *start, *end);
    for (std::size_t i = 0; i < order.size(); ++i) check_job(order[i], jobs[i], *start, *end);
    previous_end_ = *end;
  }

  bool read_job(const json::Value& item, std::vector<std::uint32_t>& order,
                std::vector<std::int64_t>& jobs) {
    const json::Value* task = item.is(json::Kind::kObject) ? item.find("task") : nullptr;
    const json::Value* job = item.is(json::Kind::kObject) ? item.find("job") : nullptr;
    std::optional<ScaledDecimal> number;
    if (job != nullptr && job->is(json::Kind::kNumber)) {
      number = parse_scaled(job->text(), 0, Rounding::kDown);
    }
    if (task == nullptr || !task->is(json::Kind::kString) || !number || !number->exact) {
      problem("every entry of `batch` needs a `task` and a `job` number");
      return false;
    }
    const auto kernel = kernel_of_.find(task->text());
    if (kernel == kernel_of_.end()) {
      problem("there is no real-time task {}", quote(task->text()));
      return false;
    }
    order.push_back(kernel->second);
    jobs.push_back(number->value);
    return true;
  }

  void check_start(Ticks start) {
    if (start < previous_end_) {
      problem("starts at {}, before the frame before it ends", shown(start));
    }
    if (may_idle_) return;
    const Ticks due = std::max(previous_end_, earliest_waiting());
    if (start > due) problem("starts at {}, but a job is ready at {}", shown(start), shown(due));
  }

  /// The earliest arrival among the jobs that have not run.
  Ticks earliest_waiting() {
    Ticks earliest = set_.hyperperiod;
    for (std::size_t i = 0; i < set_.size(); ++i) {
      while (first_open_[i] < done_[i].size() && done_[i][first_open_[i]]) ++first_open_[i];
      if (first_open_[i] == done_[i].size()) continue;
      const auto job = static_cast<std::int64_t>(first_open_[i]);
      earliest = std::min(earliest, arrival_of(set_.kernels[i], job));
    }
    return earliest;
  }

  void check_batch(const std::vector<std::uint32_t>& order, Ticks start, Ticks end) {
    std::vector<std::uint32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      return problem("a task is twice in the batch");
    }
    const auto completion = oracle_.completion(order);
    if (!completion) return problem("this batch is not allowed in this order");
    if (!fits(set_, order)) problem("the blocks of this batch do not fit in this order");
    if (end - start != *completion) {
      problem("takes {}, but the batch completes in {}", shown(end - start), shown(*completion));
    }
  }

  void check_job(std::uint32_t kernel, std::int64_t job, Ticks start, Ticks end) {
    const Kernel& k = set_.kernels[kernel];
    if (job < 0 || job >= static_cast<std::int64_t>(done_[kernel].size())) {
      return problem("there is no job {}#{} in a hyperperiod", k.name, job);
    }
    if (done_[kernel][static_cast<std::size_t>(job)]) {
      problem("job {}#{} has run already", k.name, job);
    }
    done_[kernel][static_cast<std::size_t>(job)] = true;
    if (start < arrival_of(k, job)) {
      problem("job {}#{} arrives only at {}", k.name, job, shown(arrival_of(k, job)));
    }
    if (end > deadline_of(k, job)) {
      problem("job {}#{} misses its deadline {}", k.name, job, shown(deadline_of(k, job)));
    }
  }

  const System& system_;
  const TaskSet& set_;
  Oracle oracle_;
  bool may_idle_;
  std::map<std::string_view, std::uint32_t> kernel_of_;
  std::vector<std::vector<bool>> done_;  ///< by kernel and job
  std::vector<std::size_t> first_open_;  ///< by kernel: all jobs before it have run
  Ticks previous_end_ = 0;
  std::size_t number_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> check_table(const System& system, const json::Value& plan) {
  Time margin;
  if (const json::Value* value = plan.find("margin")) {
    const auto number =
        value->is(json::Kind::kNumber)
            ? parse_scaled(value->text(), decimal_places(system.time_unit), Rounding::kUp)
            : std::nullopt;
    if (!number || number->value < 0) return {"`margin` must be a time >= 0"};
    margin = Time::from_ns(number->value);
  }
  const auto made = make_task_set(system, margin);
  if (!made) return {made.error().reason};
  const json::Value* method = plan.find("method");
  const bool may_idle =
      method != nullptr && method->is(json::Kind::kString) && method->text() == kIdling;
  return TableChecker(system, std::get<TaskSet>(made), may_idle).run(plan);
}

}  // namespace tactus::pbs
