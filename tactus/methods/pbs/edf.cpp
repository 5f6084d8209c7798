#include "tactus/methods/pbs/edf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tactus/methods/pbs/batches/block_placement.hpp"
#include "tactus/methods/pbs/pbs_methods.hpp"
#include "tactus/methods/pbs/settings.hpp"

namespace tactus::pbs {
namespace {

struct ReadyJob {
  Ticks deadline = 0, arrival = 0;
  Frame::Job job;

  friend bool operator<(const ReadyJob& a, const ReadyJob& b) {
    return std::tie(a.deadline, a.arrival, a.job.kernel, a.job.number) <
           std::tie(b.deadline, b.arrival, b.job.kernel, b.job.number);
  }
};

class EdfSimulation {
 public:
  EdfSimulation(const TaskSet& set, const Oracle& oracle, Batching batching)
      : set_(set), oracle_(oracle), batching_(batching), capacity_(common_capacity(set)) {
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      const std::int64_t jobs = set.hyperperiod / set.kernels[i].period;
      for (std::int64_t k = 0; k < jobs; ++k) {
        all_.push_back({deadline_of(set.kernels[i], k), arrival_of(set.kernels[i], k), {i, k}});
      }
    }
    std::sort(all_.begin(), all_.end(),
              [](const ReadyJob& a, const ReadyJob& b) { return a.arrival < b.arrival; });
  }

  EdfRun run() {
    std::size_t next = 0;
    Ticks now = 0;
    while (next < all_.size() || !ready_.empty()) {
      if (ready_.empty()) now = std::max(now, all_[next].arrival);
      for (; next < all_.size() && all_[next].arrival <= now; ++next) {
        ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), all_[next]), all_[next]);
      }
      now = checked::add(now, start_batch(now));
    }
    return std::move(run_);
  }

 private:
  /// Takes a batch off the ready list and runs it; its completion.
  Ticks start_batch(Ticks now) {
    order_ = {ready_.front().job.kernel};
    chosen_ = {0};
    Ticks completion = set_.kernels[order_.front()].wcet;
    if (batching_ == Batching::kParallel) {
      std::optional<Placement> gpu;
      bool resident = start_placement(gpu);
      for (std::size_t i = 1; i < ready_.size() && resident; ++i) {
        const std::uint32_t kernel = ready_[i].job.kernel;
        if (std::find(order_.begin(), order_.end(), kernel) != order_.end()) continue;
        order_.push_back(kernel);
        const auto longer = oracle_.completion(order_);
        if (longer && place(gpu, kernel)) {
          completion = *longer;
          chosen_.push_back(i);
        } else {
          order_.pop_back();
        }
      }
    }
    finish_batch(now, checked::add(now, completion));
    return completion;
  }

  /// False when the first kernel alone overflows the GPU: nothing can be resident beside it.
  bool start_placement(std::optional<Placement>& gpu) {
    used_ = 0;
    if (set_.has_blocks && !capacity_) gpu.emplace(set_);
    return place(gpu, order_.front());
  }
  bool place(std::optional<Placement>& gpu, std::uint32_t kernel) {
    if (gpu) return gpu->add(kernel);
    if (!capacity_) return true;
    if (set_.kernels[kernel].blocks > *capacity_ - used_) return false;
    used_ += set_.kernels[kernel].blocks;
    return true;
  }

  void finish_batch(Ticks start, Ticks end) {
    Frame frame{start, end, {}};
    for (std::size_t i : chosen_) {
      const ReadyJob& job = ready_[i];
      frame.batch.push_back(job.job);
      if (end > job.deadline) run_.missed.push_back({job.job, job.deadline, end});
    }
    for (std::size_t c = chosen_.size(); c-- > 0;) {
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen_[c]));
    }
    run_.frames.push_back(std::move(frame));
  }

  const TaskSet& set_;
  const Oracle& oracle_;
  Batching batching_;
  std::optional<std::int64_t> capacity_;  ///< in blocks, where all needs are equal
  std::int64_t used_ = 0;
  std::vector<ReadyJob> all_;    ///< by arrival
  std::vector<ReadyJob> ready_;  ///< by urgency
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> chosen_;  ///< places in `ready_`
  EdfRun run_;
};

/// "t2#1 at 11 after 10, ...": enough to see where it goes wrong; all are in `Verdict::missed`.
std::string first_misses(const System& system, const Verdict& verdict) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, verdict.missed.size()); ++i) {
    const MissedJob& miss = verdict.missed[i];
    text += fmt::format(
        "{}{}#{} at {} after {}", text.empty() ? "" : ", ", system.tasks[miss.task].name, miss.job,
        format_time(miss.finish, system.time_unit), format_time(miss.deadline, system.time_unit));
  }
  const std::size_t more = verdict.missed.size() - std::min(kShown, verdict.missed.size());
  return more == 0 ? text : fmt::format("{}, and {} more", text, more);
}

template <Batching kBatching>
Verdict analyze_edf(const System& system, const Options& options) {
  const auto settings = read_settings(system, options);
  if (!settings) throw BadOption(settings.error().message);
  const Time margin = settings->margin;
  const auto made = make_task_set(system, margin);
  if (!made) return Verdict::not_applicable(made.error());
  const auto& set = std::get<TaskSet>(made);

  EdfRun run = run_edf(set, Oracle(set), kBatching);
  Verdict verdict;
  verdict.warnings = set.warnings;
  verdict.notes = set.notes;
  verdict.tasks = bounds_of(set, run.frames);
  add_set_figures(system, set, verdict);
  for (const EdfRun::Miss& miss : run.missed) {
    const Kernel& kernel = set.kernels[miss.job.kernel];
    verdict.tasks[miss.job.kernel].schedulable = false;
    verdict.missed.push_back(
        {kernel.index, miss.job.number, set.time(miss.deadline), set.time(miss.finish)});
  }
  if (run.missed.empty()) {
    verdict.status = Status::kSchedulable;
    verdict.plan = std::make_shared<ScheduleTable>(set, margin, std::move(run.frames));
    return verdict;
  }
  verdict.status = Status::kUnschedulable;
  verdict.reason = "deadline missed: " + first_misses(system, verdict);
  for (TaskVerdict& task : verdict.tasks) {
    task.bound.reset();
    task.terms.clear();
    task.note = task.schedulable ? "in time in this run, but no table is made that would keep it so"
                                 : "misses a deadline";
  }
  return verdict;
}

constexpr std::string_view kNeeds =
    "a player that submits the frames of the table in order (an online EDF may behave worse)";

template <Batching kBatching>
constexpr Method edf_member(std::string_view id, std::string_view title, std::string_view behaviour,
                            Part part) {
  Method method = family_member(id, title, behaviour, part);
  method.needs = kNeeds;
  method.analyze = analyze_on_time<analyze_edf<kBatching>, Instead::kTable>;
  method.options = kBaselineOptions;
  return method;
}

}  // namespace

EdfRun run_edf(const TaskSet& set, const Oracle& oracle, Batching batching) {
  return EdfSimulation(set, oracle, batching).run();
}

const Method kEdfSerial =
    edf_member<Batching::kSerial>("pbs.edf-serial", "one kernel at a time, earliest deadline first",
                                  "batches-edf-serial", Part::kFirstRival);
const Method kEdfParallel = edf_member<Batching::kParallel>(
    "pbs.edf-parallel", "as many kernels together as fit, earliest deadline first",
    "batches-edf-parallel", Part::kSecondRival);

}  // namespace tactus::pbs
