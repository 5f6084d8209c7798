#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "tactus/methods/gcaps/boost/arrangement.hpp"
#include "tactus/methods/gcaps/mode.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// Reservations: tasks come and go while others run, and gcaps.boost proves before each of them is let
/// in that all keep their deadlines (docs/use/reservations.md; theory.md beside this file).
namespace tactus::reserve {

/// What the arbiter keeps, and what it trusts the programs with.
struct Rules {
  gcaps::Mode mode = gcaps::Mode::kSuspend;
  /// GPU segments are held to their lengths and to their completion times: what is too long is taken
  /// off, and that costs `notice` and one operation.
  bool enforced = true;
  /// From a violation to the decision, at most: delta.
  Time notice = Time::from_us(50);
  /// GPU work without a deadline may come at any time; always where they are enforced, for whoever is
  /// taken off for being too long has none any more.
  bool best_effort = true;
  /// On a core that several reservations share, nobody holds them to their CPU time.
  bool cpu_trusted = false;
  /// Reservations may share a core. Else each has one of its own, and nobody need be held to its CPU
  /// time.
  bool cores_shared = true;
  /// Other places than the deadline-monotonic one are tried, too.
  bool all_places = true;
  /// An answer may take so many analyses, and as many again for what would be admitted instead.
  std::size_t most_analyses = 4'000;
};

/// R and F of one task.
struct Values {
  Time response;
  std::vector<Time> completions;  ///< by GPU segment

  friend bool operator==(const Values&, const Values&) = default;
};

/// A task that has its place: by the order of a list, and who may take its GPU segments off.
struct Placed {
  std::shared_ptr<const Task> task;
  /// tr, by GPU segment: GPU tasks of a lower rank than this take it off. Empty: not known yet.
  std::vector<std::size_t> cuts;
};

/// What a set of placed tasks looks like to the analysis. One list is the order of all cores and of
/// the GPU.
class Ordered {
 public:
  /// @param platform its elements, and the best-effort tasks that are always there
  Ordered(const System& platform, const Rules& rules, std::span<const Placed> list);
  Ordered(const Ordered&) = delete;  // its parts point to each other

  /// Why the analysis does not cover it.
  const std::optional<Refusal>& refusal() const { return refusal_; }
  /// @pre nothing is refused, here and below
  std::size_t segments_of(std::size_t place) const { return view_.eta(place); }
  /// By place in the list; `kNoRank` for a task that does not use the GPU.
  std::size_t rank_of(std::size_t place) const { return ranks_[place]; }
  /// st + e of a segment.
  Time length(std::size_t place, std::size_t segment) const {
    return view_.sections[view_.first[place] + segment].length;
  }
  /// What a job does on the CPU before it submits its first segment, or in all if it has none.
  Time first_phase(std::size_t place) const { return view_.phases_of(place).front(); }
  /// The longest CPU work of a job between two of its segments.
  Time longest_pause(std::size_t place) const;
  const gcaps::boost::Costs& costs() const { return view_.costs; }
  /// The task of a rank, by place.
  std::size_t at_rank(std::size_t rank) const { return view_.gpu_tasks[rank]; }

  struct Late {
    std::size_t place = 0;
    Time at_least;  ///< the demand that first exceeded its deadline
  };
  struct Outcome {
    std::vector<Values> values;  ///< by place; empty unless all deadlines are proved
    std::optional<Late> late;    ///< who is late first

    bool passes() const { return !values.empty(); }
  };
  /// @param cuts by place and segment
  Outcome analyze(std::span<const Placed> list, std::stop_token stop = {});
  /// What the bound of one task is made of, as `analyze` found it; `Term::by` is a place. @pre it passes
  std::vector<Term> terms_of(std::size_t place, std::span<const Placed> list);

 private:
  gcaps::boost::Arrangement arrangement_of(std::span<const Placed> list) const;

  System system_;
  Rules rules_;
  gcaps::FamilyView family_;
  gcaps::boost::View view_;
  std::vector<std::size_t> ranks_;
  std::optional<Refusal> refusal_;
};

}  // namespace tactus::reserve
