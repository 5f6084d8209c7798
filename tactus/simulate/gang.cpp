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

/// The share of one element that a task has to itself, and who waits for it and runs on it.
class Share {
 public:
  Share(const Element& element, std::int64_t first, std::int64_t units, Skipping skipping)
      : skipping_(skipping),
        first_(static_cast<std::uint32_t>(first)),
        units_(units),
        lane_count_(element.lanes),
        pool_(first, units) {
    if (element.lanes > 1) lanes_.assign(static_cast<std::size_t>(units), element.lanes);
  }

  void arrive(const View& view, WorkId id) {
    waiting_.add(view, id);
    changed_ = true;
  }
  void leave(const View& view, WorkId id) {
    const Work& work = view.work(id);
    remove(runs_, id);
    if (view.scenario().preemptive) waiting_.remove(id);
    if (!has_lanes()) {
      pool_.give(work.unit);
    } else {
      lanes_[place_of(work.unit)] += work.width;
    }
    changed_ = true;
  }
  /// Who runs from now on; settled again only when somebody came or left.
  const std::vector<Choice::Run>& runs(const View& view) {
    if (changed_) {
      if (!view.scenario().preemptive) {
        start_what_fits(view);
      } else if (has_lanes()) {
        fill_lanes_anew(view);
      } else {
        fill_pool_anew(view);
      }
    }
    changed_ = false;
    return runs_;
  }

  bool has_lanes() const { return !lanes_.empty(); }
  std::uint32_t place_of(std::uint32_t unit) const { return unit - first_; }
  /// When nothing runs: lanes by unit, or all units together.
  std::vector<std::int64_t> room() const {
    if (!has_lanes()) return {units_};
    return std::vector<std::int64_t>(lanes_.size(), lane_count_);
  }

 private:
  using Answer = WaitingList::Answer;
  Answer does_not_fit() const {
    return skipping_ == Skipping::kStop ? Answer::kEnough : Answer::kWaits;
  }

  void start_what_fits(const View& view) {
    const bool scatter = view.scenario().order == trace::Order::kRandom;
    waiting_.walk([&](WorkId id) {
      const Work& work = view.work(id);
      const auto unit = place(work.width, scatter ? work.tag : 0);
      if (!unit) return does_not_fit();
      runs_.push_back({id, *unit});
      return Answer::kTaken;
    });
  }

  /// Everybody is on the list, and all lanes are free again: a gang stays in its unit or moves to
  /// another with room.
  void fill_lanes_anew(const View& view) {
    runs_.clear();
    std::fill(lanes_.begin(), lanes_.end(), lane_count_);
    waiting_.walk([&](WorkId id) {
      const Work& work = view.work(id);
      const auto unit = place(work.width, work.started ? place_of(work.unit) : 0);
      if (!unit) return does_not_fit();
      runs_.push_back({id, *unit});
      return Answer::kWaits;
    });
  }

  /// Everybody is on the list. A gang that goes on keeps its units, so they are given out when it
  /// is known who stops.
  void fill_pool_anew(const View& view) {
    runs_.clear();
    std::int64_t left = units_;
    bool stopped = false;
    waiting_.walk([&](WorkId id) {
      const Work& work = view.work(id);
      if (!stopped && work.width <= left) {
        left -= work.width;
        runs_.push_back({id, work.unit});
      } else {
        stopped = skipping_ == Skipping::kStop;
        if (work.running) pool_.give(work.unit);
      }
      return Answer::kWaits;
    });
    for (Choice::Run& run : runs_) {
      const Work& work = view.work(run.id);
      if (!work.running) run.unit = pool_.take(work.width);
    }
  }

  /// Where a gang that fits is put; units with lanes are tried from the `from`-th on.
  std::optional<std::uint32_t> place(std::uint32_t width, std::uint32_t from) {
    if (!has_lanes()) {
      if (!pool_.has(width)) return std::nullopt;
      return pool_.take(width);
    }
    std::size_t unit = from % lanes_.size();
    for (std::size_t tried = 0; tried < lanes_.size(); ++tried) {
      if (lanes_[unit] >= width) {
        lanes_[unit] -= width;
        return first_ + static_cast<std::uint32_t>(unit);
      }
      if (++unit == lanes_.size()) unit = 0;
    }
    return std::nullopt;
  }

  Skipping skipping_;
  std::uint32_t first_;
  std::int64_t units_, lane_count_;
  UnitPool pool_;                    ///< of an element without lanes
  std::vector<std::int64_t> lanes_;  ///< free, by unit, of an element with lanes
  WaitingList waiting_;              ///< who runs stays on it, where that may be preempted
  std::vector<Choice::Run> runs_;
  bool changed_ = false;
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
        shares_[task].emplace_back(elements[p], first[p], allocation[task][p], skipping);
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

  void became_ready(const View& view, WorkId id) override { share_of(view, id).arrive(view, id); }

  void choose(const View& view, Choice& choice) override {
    for (auto& of_task : shares_) {
      for (Share& share : of_task) {
        const auto& runs = share.runs(view);
        choice.runs.insert(choice.runs.end(), runs.begin(), runs.end());
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
    if (view.work(id).started) share_of(view, id).leave(view, id);
  }

 private:
  Share& share_of(const View& view, WorkId id) { return shares_[id.task][view.work(id).element]; }

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
