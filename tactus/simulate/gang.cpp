#include "tactus/simulate/gang.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tactus/methods/gang/dag.hpp"
#include "tactus/methods/gang/plan.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/simulate/dispatch.hpp"

namespace tactus::simulate {
namespace {

constexpr std::int64_t kMostUnits = 1'000'000;

/// The share of one element that a task has to itself.
class Share {
 public:
  Share(const Element& element, std::int64_t first, std::int64_t units)
      : first_(static_cast<std::uint32_t>(first)),
        units_(units),
        lane_count_(element.lanes),
        pool_(first, units) {
    if (element.lanes > 1) lanes_.assign(static_cast<std::size_t>(units), element.lanes);
  }

  bool has_lanes() const { return !lanes_.empty(); }
  /// Where a gang that fits is put; units with lanes are tried from the `from`-th on.
  std::optional<std::uint32_t> place(std::uint32_t width, std::uint32_t from) {
    if (!has_lanes()) {
      if (!pool_.has(width)) return std::nullopt;
      return pool_.take(width);
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const std::size_t unit = (from + i) % lanes_.size();
      if (lanes_[unit] < width) continue;
      lanes_[unit] -= width;
      return first_ + static_cast<std::uint32_t>(unit);
    }
    return std::nullopt;
  }
  void give(std::uint32_t unit, std::uint32_t width) {
    if (has_lanes()) {
      lanes_[unit - first_] += width;
    } else {
      pool_.give(unit);
    }
  }
  std::uint32_t place_of(std::uint32_t unit) const { return unit - first_; }
  /// When nothing runs: lanes by unit, or all units together.
  std::vector<std::int64_t> room() const {
    if (!has_lanes()) return {units_};
    return std::vector<std::int64_t>(lanes_.size(), lane_count_);
  }

  /// A walk begins; a preemptive one with everything free.
  void begin_walk(bool preemptive) {
    stopped = false;
    left_ = units_;
    if (preemptive) std::fill(lanes_.begin(), lanes_.end(), lane_count_);
  }
  /// Counts a gang in, if there is room: who gets which units is settled after the walk.
  bool admit(std::uint32_t width) {
    if (width > left_) return false;
    left_ -= width;
    return true;
  }

  bool stopped = false;  ///< SWC: the walk of this instant is over

 private:
  std::uint32_t first_;
  std::int64_t units_, lane_count_;
  std::int64_t left_ = 0;            ///< of a preemptive walk, without lanes
  UnitPool pool_;                    ///< of an element without lanes
  std::vector<std::int64_t> lanes_;  ///< free, by unit, of an element with lanes
};

/// Units by task and element.
using Allocation = std::vector<std::vector<std::int64_t>>;

class Gang final : public Policy {
 public:
  Gang(const System& system, std::vector<gang::GangDag> dags, const Allocation& allocation,
       Skipping skipping)
      : system_(system), skipping_(skipping), dags_(system.tasks.size()), shares_(dags_.size()) {
    const auto& elements = system.platform.elements;
    std::vector<std::int64_t> first(elements.size());
    for (TaskIndex task = 0; task < shares_.size(); ++task) {
      for (std::size_t p = 0; p < elements.size() && !allocation[task].empty(); ++p) {
        shares_[task].emplace_back(elements[p], first[p], allocation[task][p]);
        first[p] += allocation[task][p];
      }
    }
    for (gang::GangDag& dag : dags) dags_[dag.task] = std::move(dag);
  }

  void expand(const View& view, TaskIndex task, Job& job) override {
    const Task& source = system_.tasks[task];
    launches_.resize(source.nodes.size());
    for (const gang::GangNode& node : dags_[task].nodes) {
      for (const NodeIndex index : node.sources) {
        launches_[index] = add_node(view, task, job, index, node);
      }
    }
    if (dags_[task].nodes.empty()) return;  // takes no part
    for (const auto& [from, to] : source.graph.edges()) {
      job.precede(launches_[from].end, launches_[to].start);
    }
  }

  void choose(const View& view, Choice& choice) override {
    const bool preemptive = view.scenario().preemptive;
    for (auto& of_task : shares_) {
      for (Share& share : of_task) share.begin_walk(preemptive);
    }
    if (preemptive) {
      walk_preemptively(view, choice);
      return;
    }
    const bool scatter = view.scenario().order == Order::kRandom;
    for (const WorkId id : waiting_.update(view, choice)) {
      const Work& work = view.work(id);
      Share& share = share_of(view, id);
      if (share.stopped) continue;
      if (const auto unit = share.place(work.width, scatter ? work.tag : 0)) {
        choice.run(id, *unit);
      } else {
        share.stopped = skipping_ == Skipping::kStop;
      }
    }
  }

  std::string_view audit(const View& view, const Choice& choice) const override {
    // What is free, by task and element: of each unit with lanes, or of all units together.
    std::vector<std::vector<std::vector<std::int64_t>>> room(shares_.size());
    for (std::size_t task = 0; task < shares_.size(); ++task) {
      for (const Share& share : shares_[task]) room[task].push_back(share.room());
    }
    std::vector<std::vector<bool>> runs(shares_.size());
    for (TaskIndex task = 0; task < shares_.size(); ++task) {
      runs[task].resize(view.job(task).works.size());
    }
    for (const Choice::Run& run : choice.runs) {
      const Work& work = view.work(run.id);
      const Share& share = shares_[run.id.task][work.element];
      auto& free = room[run.id.task][work.element];
      free[share.has_lanes() ? share.place_of(run.unit) : 0] -= work.width;
      runs[run.id.task][run.id.index] = true;
    }
    const auto fits = [&](WorkId id) {
      const auto& free = room[id.task][view.work(id).element];
      return *std::max_element(free.begin(), free.end()) >= view.work(id).width;
    };
    for (const WorkId id : view.ready()) {
      if (runs[id.task][id.index] || !fits(id)) continue;
      if (skipping_ == Skipping::kWalkOn) return "a gang waits that fits";
      const auto excuses = [&](WorkId other) {
        return other.task == id.task && !runs[other.task][other.index] && !fits(other) &&
               view.work(other).element == view.work(id).element;
      };
      if (std::none_of(view.ready().begin(), view.ready().end(), excuses)) {
        return "a gang waits that fits, and nobody who waits does not fit";
      }
    }
    return {};
  }

  void finished(const View& view, WorkId id) override {
    const Work& work = view.work(id);
    if (!work.started) return;
    // A preemptive walk finds all lanes free anyway.
    Share& share = share_of(view, id);
    if (!view.scenario().preemptive || !share.has_lanes()) share.give(work.unit, work.width);
  }

 private:
  Share& share_of(const View& view, WorkId id) { return shares_[id.task][view.work(id).element]; }

  /// Everybody is walked, with all units free. Where units have lanes, a gang stays in its unit or
  /// moves to another with room; else it keeps the units it has.
  void walk_preemptively(const View& view, Choice& choice) {
    ready_ = view.ready();
    put_in_order(view, ready_);
    admitted_.clear();
    for (const WorkId id : ready_) {
      const Work& work = view.work(id);
      Share& share = share_of(view, id);
      bool fits = false;
      if (share.stopped) {
        // waits
      } else if (share.has_lanes()) {
        const auto unit = share.place(work.width, work.started ? share.place_of(work.unit) : 0);
        fits = unit.has_value();
        if (fits) choice.run(id, *unit);
      } else {
        fits = share.admit(work.width);
        if (fits) admitted_.push_back(id);
      }
      if (!fits) share.stopped = share.stopped || skipping_ == Skipping::kStop;
      if (!fits && work.running && !share.has_lanes()) share.give(work.unit, work.width);
    }
    for (const WorkId id : admitted_) {
      const Work& work = view.work(id);
      choice.run(id, work.running ? work.unit : *share_of(view, id).place(work.width, 0));
    }
  }

  Launch add_node(const View& view, TaskIndex task, Job& job, NodeIndex index,
                  const gang::GangNode& gang) {
    const Node& node = system_.tasks[task].nodes[index];
    Work block;
    block.node = index;
    block.element = node.on;
    block.width = static_cast<std::uint32_t>(gang.width);
    lengths_.clear();
    const bool lanes = system_.platform.elements[node.on].lanes > 1;
    for (std::int64_t b = 0; b < (lanes ? node.blocks.value_or(1) : 1); ++b) {
      // The works so far number the pieces of a job.
      const auto piece = static_cast<std::uint32_t>(job.works.size() + lengths_.size());
      lengths_.push_back(view.scenario().length(task, job.number, piece,
                                                std::min(node.bcet, *node.wcet), *node.wcet));
    }
    return add_blocks(view, task, job, block, lengths_);
  }

  const System& system_;
  Skipping skipping_;
  std::vector<gang::GangDag> dags_;         ///< by task; without nodes: takes no part
  std::vector<std::vector<Share>> shares_;  ///< by task and element
  std::vector<Launch> launches_;            ///< of the job being expanded
  std::vector<Time> lengths_;
  WaitingList waiting_;
  std::vector<WorkId> ready_, admitted_;  ///< of a preemptive walk
};

/// The plan's shares; for a task that is alone the whole platform, unless its bound holds on the
/// plan's share too. None for several tasks without a plan.
std::optional<Allocation> allocation_of(const System& system,
                                        const std::vector<gang::GangDag>& dags,
                                        const Verdict& verdict) {
  Allocation allocation(system.tasks.size());
  const auto* plan = dynamic_cast<const gang::SharePlan*>(verdict.plan.get());
  const bool alone = dags.size() == 1;
  if (alone && (plan == nullptr || plan->shares.front().bound > verdict.tasks.front().bound)) {
    for (const Element& element : system.platform.elements) {
      allocation[dags.front().task].push_back(element.units);
    }
    return allocation;
  }
  if (plan == nullptr) return std::nullopt;
  for (const auto& share : plan->shares) allocation[share.task] = share.units;
  return allocation;
}

}  // namespace

Result<std::unique_ptr<Policy>> make_gang(const System& system, const Verdict& verdict,
                                          Skipping skipping) {
  auto made = gang::make_dags(system);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return Error{refusal->reason};
  auto& dags = std::get<std::vector<gang::GangDag>>(made);
  std::int64_t blocks = 0;
  for (const gang::GangDag& dag : dags) {
    for (const gang::GangNode& node : dag.nodes) {
      blocks += std::min(node.copies, kMostBlocks + 1 - blocks);
    }
  }
  if (blocks > kMostBlocks) {
    return Error{
        fmt::format("the jobs have more than {} blocks, too many to simulate", kMostBlocks)};
  }
  for (const Element& element : system.platform.elements) {
    if (element.units <= kMostUnits) continue;
    return Error{fmt::format("element {} has {} units, too many to simulate", quote(element.name),
                             element.units)};
  }
  const auto allocation = allocation_of(system, dags, verdict);
  if (!allocation) return Error{"there are no shares for the tasks to run on"};
  return std::unique_ptr<Policy>(
      std::make_unique<Gang>(system, std::move(dags), *allocation, skipping));
}

}  // namespace tactus::simulate
