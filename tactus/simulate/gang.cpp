#include "tactus/simulate/gang.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/simulate/dispatch.hpp"

namespace tactus::simulate {
namespace {

constexpr std::int64_t kMostUnits = 1'000'000;

/// The share of one element that belongs to one task, and the gangs that wait for it and run on it.
class ElementShare {
 public:
  ElementShare(const Element& element, std::int64_t first, std::int64_t units, Skipping skipping)
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
  /// The gangs that run from now on; decided again only when a gang came or left.
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

  /// Every gang is on the list, and all lanes are free again: a gang stays in its unit or moves to
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

  /// Every gang is on the list. A gang that goes on keeps its units, so units are given out when it
  /// is known which gangs stop.
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
  WaitingList waiting_;              ///< gangs that run stay on it, if they may be preempted
  std::vector<Choice::Run> runs_;
  bool changed_ = false;
};

/// A task with the units it has and the entries of its moldable gangs, which stay what they are: a
/// gang waits until the units of its entry are free, even where a narrower one would start now.
struct Runner {
  gang::GangTask task;
  std::vector<NodeIndex> order = {};
  std::vector<std::int64_t> units = {};  ///< by element
  gang::Entries entries = {};
};

class Gang final : public Policy {
 public:
  Gang(const System& system, std::vector<Runner> runners, Skipping skipping)
      : skipping_(skipping), runners_(system.tasks.size()), shares_(system.tasks.size()) {
    for (Runner& runner : runners) runners_[runner.task.task] = std::move(runner);
    const auto& elements = system.platform.elements;
    std::vector<std::int64_t> first(elements.size());
    for (TaskIndex task = 0; task < shares_.size(); ++task) {
      const auto& units = runners_[task].units;
      for (std::size_t p = 0; p < units.size(); ++p) {
        shares_[task].emplace_back(elements[p], first[p], units[p], skipping);
        first[p] += units[p];
      }
    }
  }

  void expand(const View& view, TaskIndex task, Job& job) override {
    const Runner& runner = runners_[task];
    launches_.resize(runner.task.pieces.size());
    for (const NodeIndex index : runner.order) {
      const gang::Piece& piece = runner.task.pieces[index];
      launches_[index] = add_piece(view, task, job, piece, piece.choices[runner.entries[index]]);
    }
    for (const auto& [from, to] : runner.task.graph.edges()) {
      job.precede(launches_[from].end, launches_[to].start);
    }
  }

  void became_ready(const View& view, WorkId id) override { share_of(view, id).arrive(view, id); }

  void choose(const View& view, Choice& choice) override {
    for (auto& of_task : shares_) {
      for (ElementShare& share : of_task) {
        const auto& runs = share.runs(view);
        choice.runs.insert(choice.runs.end(), runs.begin(), runs.end());
      }
    }
  }

  std::string_view audit(const View& view, const Choice& choice) const override {
    // What is free, by task and element: of each unit with lanes, or of all units together.
    std::vector<std::vector<std::vector<std::int64_t>>> room(shares_.size());
    for (std::size_t task = 0; task < shares_.size(); ++task) {
      for (const ElementShare& share : shares_[task]) room[task].push_back(share.room());
    }
    std::vector<std::vector<bool>> runs(shares_.size());
    for (TaskIndex task = 0; task < shares_.size(); ++task) {
      runs[task].resize(view.job(task).works.size());
    }
    for (const Choice::Run& run : choice.runs) {
      const Work& work = view.work(run.id);
      const ElementShare& share = shares_[run.id.task][work.element];
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
      if (skipping_ == Skipping::kWalkOn) return "a gang that fits waits";
      const auto excuses = [&](WorkId other) {
        return other.task == id.task && !runs[other.task][other.index] && !fits(other) &&
               view.work(other).element == view.work(id).element;
      };
      if (std::none_of(view.ready().begin(), view.ready().end(), excuses)) {
        return "a gang that fits waits, although every waiting gang fits";
      }
    }
    return {};
  }

  void finished(const View& view, WorkId id) override {
    if (view.work(id).started) share_of(view, id).leave(view, id);
  }

 private:
  ElementShare& share_of(const View& view, WorkId id) {
    return shares_[id.task][view.work(id).element];
  }

  Launch add_piece(const View& view, TaskIndex task, Job& job, const gang::Piece& piece,
                   const TimesEntry& chosen) {
    Work block;
    block.node = piece.node;
    block.element = piece.on;
    block.width = static_cast<std::uint32_t>(chosen.units);
    if (piece.launch) block.activity = trace::Activity::kLaunch;
    lengths_.clear();
    for (std::int64_t b = 0; b < piece.copies; ++b) {
      // The works so far number the pieces of a job.
      const trace::Piece what{
          static_cast<std::uint32_t>(job.works.size() + lengths_.size()), piece.node,
          static_cast<std::uint32_t>(b),
          piece.launch ? trace::Piece::Part::kLaunch : trace::Piece::Part::kWork};
      lengths_.push_back(view.scenario().length(task, job.number, what, chosen.bcet, chosen.wcet));
    }
    return add_blocks(view, task, job, block, lengths_);
  }

  Skipping skipping_;
  std::vector<Runner> runners_;                    ///< by task; without pieces: takes no part
  std::vector<std::vector<ElementShare>> shares_;  ///< by task and element
  std::vector<Launch> launches_;                   ///< of the job being expanded
  std::vector<Time> lengths_;
};

/// What the verdict says every task runs on: the plan's shares and widths; for a task that is alone
/// the whole platform and the widths of its bound there, unless that bound holds on the plan's share
/// too.
Result<std::vector<Runner>> runners_of(const System& system, std::vector<gang::GangTask> tasks,
                                       const Verdict& verdict) {
  const auto* plan = dynamic_cast<const gang::SharePlan*>(verdict.plan.get());
  const bool alone = tasks.size() == 1;
  // The bound in a plan counts from the release.
  const auto planned = [&] {
    return plan->shares.front().bound + system.tasks[tasks.front().task].jitter;
  };
  const bool whole = alone && (plan == nullptr || planned() > verdict.tasks.front().bound);
  if (!whole && plan == nullptr) return Error{"there are no shares for the tasks to run on"};
  const gang::Widths noted = gang::noted_widths(verdict, system);
  std::vector<Runner> runners;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const auto entries =
        gang::entries_of(tasks[k], whole ? noted[tasks[k].task] : plan->shares[k].widths);
    if (!entries) return Error{"the verdict does not say how wide every node runs"};
    Runner runner{std::move(tasks[k]), {}, {}, *entries};
    runner.order = topological_order(runner.task.graph);
    if (whole) {
      for (const Element& element : system.platform.elements) {
        runner.units.push_back(element.units);
      }
    } else {
      runner.units = plan->shares[k].units;
    }
    runners.push_back(std::move(runner));
  }
  return runners;
}

}  // namespace

Result<std::unique_ptr<Policy>> make_gang(const System& system, const Verdict& verdict,
                                          Skipping skipping) {
  auto made = gang::make_tasks(system);
  if (!made) return Error{made.error().reason};
  auto& tasks = std::get<std::vector<gang::GangTask>>(made);
  std::int64_t blocks = 0;
  for (const gang::GangTask& task : tasks) {
    for (const gang::Piece& piece : task.pieces) {
      blocks += std::min(piece.copies, kMostBlocks + 1 - blocks);
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
  auto runners = runners_of(system, std::move(tasks), verdict);
  if (!runners) return runners.error();
  return std::unique_ptr<Policy>(std::make_unique<Gang>(system, std::move(*runners), skipping));
}

}  // namespace tactus::simulate
