#include "tactus/methods/gcaps/gpu_priority_releases.hpp"

#include "tactus/methods/gcaps/gcaps.hpp"
#include "tactus/methods/gcaps/unassigned.hpp"

namespace tactus::gcaps {
namespace {

class Assignment {
 public:
  explicit Assignment(const Inquiry& inquiry)
      : inquiry_(inquiry),
        set_(inquiry.set),
        test_(inquiry, /*terms=*/inquiry.options.terms, GcapsTest::Levels::kStillChosen),
        unassigned_(set_, left_),
        levels_(set_.real_time, kUnassigned),
        bounds_(set_.real_time) {
    for (std::size_t i = 0; i < set_.real_time; ++i) {
      deadlines_.push_back(set_.tasks[i].deadline);
    }
    responses_ = deadlines_;
  }

  bool find() {
    for (std::int64_t level = 1; level <= std::ssize(levels_); ++level) {
      settle(level);
      std::optional<std::size_t> taken;
      while ((taken = unassigned_.candidate_above(taken))) {
        bounds_[*taken] = bound_at(*taken, level);
        if (bounds_[*taken].response.found()) break;
      }
      if (!taken) return false;
      levels_[*taken] = level;
      responses_[*taken] = bounds_[*taken].response.value;
      unassigned_.take(*taken);
    }
    return true;
  }

  std::pair<std::vector<std::int64_t>, std::vector<TaskBound>> take() {
    return {std::move(levels_), std::move(bounds_)};
  }

 private:
  TaskBound bound_at(std::size_t i, std::int64_t level) {
    levels_[i] = level;
    TaskBound bound = test_.bound_of(i, levels_, deadlines_, GcapsTest::Levels::kStillChosen);
    levels_[i] = kUnassigned;
    return bound;
  }

  /// How late each unassigned task can be released, at most, whichever takes this level: as if each
  /// had it, which is the worst for it. A task that fails then is held at its deadline.
  void settle(std::int64_t level) {
    inquiry_.releases->restart();
    // What is not known yet begins with the least.
    for (const Follower& follower : set_.followers) {
      if (levels_[follower.after] == kUnassigned) responses_[follower.after] = follower.least;
    }
    while (inquiry_.releases->follow(responses_, set_.real_time) || fresh_) {
      fresh_ = false;
      for (std::size_t i = 0; i < set_.real_time; ++i) {
        if (levels_[i] != kUnassigned) continue;
        Stopped::check(inquiry_.options.stop);
        const FixedPoint response = bound_at(i, level).response;
        responses_[i] = response.found() ? response.value : set_.tasks[i].deadline;
      }
    }
    fresh_ = true;
  }

  const Inquiry& inquiry_;
  const TaskSet& set_;
  GcapsTest test_;
  std::vector<std::size_t> left_;
  Unassigned unassigned_;
  std::vector<std::int64_t> levels_;
  std::vector<TaskBound> bounds_;
  std::vector<Time> deadlines_, responses_;  ///< by task
  bool fresh_ = true;                        ///< no task has been tested at this level
};

}  // namespace

std::optional<std::pair<std::vector<std::int64_t>, std::vector<TaskBound>>> assign_with_releases(
    const Inquiry& inquiry) {
  Assignment assignment(inquiry);
  if (!assignment.find()) return std::nullopt;
  return assignment.take();
}

}  // namespace tactus::gcaps
