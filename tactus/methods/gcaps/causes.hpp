#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/methods/recurrence.hpp"
#include "tactus/methods/verdict.hpp"

namespace tactus::gcaps {

/// "work @ (period, jitter)": `work` for every job that matters in a window.
struct Component {
  static constexpr std::int64_t kNoCap = std::numeric_limits<std::int64_t>::max();

  Time work, period, jitter;
  /// More jobs than this do not matter, however long the window is: they are counted in each of the
  /// shorter windows in which they can do harm.
  std::int64_t most = 0;

  std::int64_t jobs(Time window) const { return jobs_in(window, period, jitter); }
  std::int64_t capped_jobs(Time window) const { return std::min(jobs(window), most); }
  void raise(std::int64_t by) {
    if (most != kNoCap) most = checked::add(most, by);
  }
};

/// One task that delays another one. What it does to it is bounded in one or two ways: as a whole,
/// or piece by piece. Both hold, so the smaller counts.
struct Cause {
  std::size_t task = 0;                          ///< place in the set
  std::uint32_t first = 0, middle = 0, end = 0;  ///< components: one way, and the other if any
};

/// Every task that delays another one in the same way.
class Causes {
 public:
  std::vector<Cause> all;
  std::vector<Component> components;

  void clear() {
    all.clear();
    components.clear();
  }
  /// A cause; the components that are added next belong to it.
  void begin(std::size_t task) { all.push_back({task, size(), size(), size()}); }
  void add(Time work, Time period, Time jitter) {
    components.push_back({work, period, clamp_at_zero(jitter)});
    all.back().end = size();
    if (one_way_) all.back().middle = size();
  }
  /// The components that follow are the second way.
  void other_way() { one_way_ = false; }
  void end() { one_way_ = true; }

  /// How much one of them does to a window. @param counted of a component, its jobs
  template <typename Counted>
  Time of(const Cause& cause, Counted counted) const {
    const auto sum = [&](std::uint32_t from, std::uint32_t to) {
      Time total;
      for (std::uint32_t c = from; c < to; ++c) {
        total += counted(components[c]) * components[c].work;
      }
      return total;
    };
    const Time one = sum(cause.first, cause.middle);
    return cause.middle == cause.end ? one : std::min(one, sum(cause.middle, cause.end));
  }

  /// What those from `from` to `to` do to a window, all their jobs counted.
  Time open(Time window, std::size_t from, std::size_t to) const {
    Time total;
    for (std::size_t k = from; k < to; ++k) {
      total += of(all[k], [&](const Component& c) { return c.jobs(window); });
    }
    return total;
  }
  Time open(Time window) const { return open(window, 0, all.size()); }
  /// What they all do to it, not more jobs counted than matter.
  Time capped(Time window) const {
    Time total;
    for (const Cause& cause : all) {
      total += of(cause, [&](const Component& c) { return c.capped_jobs(window); });
    }
    return total;
  }

  /// What one of them does, for a reader. Where it was counted as a whole, also its jobs.
  Term term_of(const Cause& cause, std::string_view label, TaskIndex by, Time window) const;

  /// How what they do to a window grows from there on, for `sure_step`, as far as the growth of each
  /// is sure. @param counted all jobs, or no more than matter
  enum class Counted { kAll, kCapped };
  struct SureGrowths {
    std::vector<Growth> all;
    Time until = Time::max();  ///< no longer sure in windows that are longer by more
  };
  void add_growths(Time window, std::size_t from, std::size_t to, Counted counted,
                   SureGrowths& sure) const {
    for (std::size_t k = from; k < to; ++k) add_growth(window, all[k], counted, sure);
  }

  /// One more window in which the jobs of a cause matter; nothing is known of a window without end.
  void raise(const Cause& cause, Time window) {
    for (std::uint32_t c = cause.first; c < cause.end; ++c) {
      if (window == Time::max()) {
        components[c].most = Component::kNoCap;
      } else {
        components[c].raise(components[c].jobs(window));
      }
    }
  }

 private:
  /// Both ways grow by a line, each component behind its own slack; so the smaller of them grows at
  /// least like the flatter line behind the longest slack. A component that has reached its cap does not
  /// grow, and then the cause may not.
  void add_growth(Time window, const Cause& cause, Counted counted, SureGrowths& sure) const {
    Time slack, until = Time::max(), one, other;
    for (std::uint32_t c = cause.first; c < cause.end; ++c) {
      const Component& component = components[c];
      const Growth own = growth_of_jobs(window, component.period, component.jitter, component.work);
      slack = std::max(slack, own.slack);
      (c < cause.middle ? one : other) += component.work;
      if (counted == Counted::kAll || component.most == Component::kNoCap) continue;
      if (component.capped_jobs(window) >= component.most) return;
      std::int64_t reached = 0;  // the window with as many jobs as matter; else it is never reached
      if (__builtin_mul_overflow(component.most, component.period.ns(), &reached)) continue;
      until = std::min(until, Time::from_ns(reached) - component.jitter - window);
    }
    const Time work = cause.middle == cause.end ? one : std::min(one, other);
    if (work == Time()) return;
    sure.all.push_back({slack, work.ns(), components[cause.first].period.ns()});
    sure.until = std::min(sure.until, until);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(components.size()); }
  bool one_way_ = true;
};

}  // namespace tactus::gcaps
