#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/plan.hpp"
#include "tactus/model/system.hpp"

/// What a method says about a system. A verdict is never an error code: bad input has been refused
/// by the reader before any method sees it.
namespace tactus {

enum class Status {
  kSchedulable,    ///< every deadline is proved
  kUnschedulable,  ///< this method cannot prove every deadline
  kUndecided,      ///< a limit was reached first
  kNotApplicable,  ///< this method does not cover this system
};

std::string_view to_string(Status status);

/// One summand of a bound. The terms of a bound add up to it.
struct Term {
  static constexpr TaskIndex kNoTask = static_cast<TaskIndex>(-1);
  static constexpr ElementIndex kNoElement = static_cast<ElementIndex>(-1);

  std::string_view label;  ///< what it stands for ("CPU preemption"); static text
  TaskIndex by = kNoTask;  ///< the task that causes it
  Time amount = {};

  /// If the amount is ceil((R + jitter) / period) * each, the parts of it; if it is another product,
  /// `jobs` * `each`, without a period; otherwise `jobs` is 0.
  std::int64_t jobs = 0;
  Time each = {}, period = {}, jitter = {};

  ElementIndex on = kNoElement;  ///< the element where it arises
  std::string_view how = {};     ///< what is counted or summed here, in words; static text
};

/// One thing that keeps a method from covering a system, and where in the file.
struct Obstacle {
  enum class Whose { kFile, kElement, kTask, kNode };

  std::string reason;  ///< "task `camera` has no core; these methods are partitioned"
  Position at = {};
  /// The attributes of which one must be given; none if the file must be changed, not completed.
  /// Static texts.
  std::vector<std::string_view> give = {};
  Whose whose = Whose::kFile;  ///< what lacks them, and its name, if there is something to give
  std::string name = {};
};

/// Why a method does not cover a system: the first obstacle in words, and every one that was found
/// (`Obstacles` collects them). A view that stops at the first one may leave them out.
struct Refusal {
  std::string reason;
  Position at;
  std::vector<Obstacle> obstacles = {};
  std::size_t more_obstacles = 0;  ///< that were counted only
};

/// A job that a simulated schedule finishes too late.
struct MissedJob {
  TaskIndex task = 0;
  std::int64_t job = 0;  ///< from 0, in release order
  Time deadline, finish;
};

/// A further figure of a verdict, for people and for JSON: "states" 9.
struct Figure {
  std::string_view name;  ///< static text, a JSON key
  std::string value;      ///< JSON text
};

/// A node of a task and the units it runs on.
struct NodeUnits {
  NodeIndex node = 0;
  std::int64_t units = 0;

  friend bool operator==(const NodeUnits&, const NodeUnits&) = default;
};

struct TaskVerdict {
  TaskIndex task = 0;
  std::optional<Time> bound;
  std::optional<Time> deadline;
  bool schedulable = false;
  /// Of the bound; without a bound, of the demand that first exceeded the deadline (empty when the
  /// task was not reached).
  std::vector<Term> terms;
  std::string_view note = {};  ///< why there is neither bound nor terms; static text
  /// What the terms were computed from, for a person who asks why.
  std::vector<PlanTable> details = {};
  /// The widths that the bound assumes, of nodes with several to choose from.
  std::vector<NodeUnits> widths = {};
  /// Where there is no bound because a more urgent task has none: the bound that this task would
  /// have if every such task met its deadline.
  std::optional<Time> conditional_bound = {};
  /// Of a task at the end of a path of `after`: from the arrival of the first task to its end.
  std::optional<Time> latency = {};
};

/// What was found about a chain of the file.
struct ChainVerdict {
  std::size_t chain = 0;      ///< index in the file
  std::optional<Time> bound;  ///< of reaction and of age: the largest of both is the same
  bool holds = false;
};

struct Verdict {
  std::string method;
  std::string variant;
  Status status = Status::kUnschedulable;
  /// Why, when undecided or not applicable, and the place in the file where there is one; when
  /// unschedulable, the proof used, where a method has several.
  std::string reason;
  Position at;
  std::vector<Obstacle> obstacles;  ///< when not applicable: every one that was found
  std::size_t more_obstacles = 0;   ///< that were counted only
  std::vector<std::string> warnings;
  std::vector<std::string> notes;    ///< values derived because the file does not state them
  std::vector<TaskVerdict> tasks;    ///< real-time tasks in file order
  std::vector<ChainVerdict> chains;  ///< in file order; schedulable means that these hold, too
  std::vector<MissedJob> missed;     ///< of methods that simulate, every one
  std::vector<Figure> figures;       ///< what else there is to know
  /// The bounds rely on the other tasks meeting their deadlines: none holds unless all do.
  bool hold_only_together = false;
  std::shared_ptr<const Plan> plan;  ///< what must be done at run time; null when none was made

  static Verdict not_applicable(Refusal refusal);
  static Verdict undecided(std::string reason);

  /// Brings `tasks` into file order.
  void sort_tasks();
};

}  // namespace tactus
