#pragma once

#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// How the family sees a file: tasks of gangs, each on one element.
namespace tactus::gang {

/// A node of the file; or the launch of one, which is a piece of its own: it runs on a core, once,
/// before all blocks of its kernel.
struct Piece {
  NodeIndex node = 0;
  bool launch = false;
  ElementIndex on = 0;
  std::int64_t copies = 1;  ///< blocks, where units have lanes
  /// What it may take, widths rising: this many processors (`units`; lanes of one unit, if units
  /// have lanes) at the same time, for as long as the bounds say. A rigid gang has one choice. A
  /// moldable one has the entries of its `times`: the plan chooses one of them before run time.
  std::vector<TimesEntry> choices;
  bool moldable = false;

  /// The choice with the least wcet among those of at most `units`; if several, the narrowest. @pre
  /// the first fits.
  std::uint32_t fastest_within(std::int64_t units) const;
};

/// A real-time task of the file. Pieces are in the order of the file, a launch right before its
/// kernel; so without launches they are the nodes.
struct GangTask {
  TaskIndex task = 0;
  Time period, deadline;
  std::vector<Piece> pieces;
  Graph graph;  ///< on `pieces`

  bool moldable() const;
};

/// For every piece of a task, which of its choices it has.
using Entries = std::vector<std::uint32_t>;

/// The real-time tasks of the file, or everything in it that these methods do not cover.
using TasksOrRefusal = Result<std::vector<GangTask>, Refusal>;
TasksOrRefusal make_tasks(const System& system);

/// What was derived from the file, for the notes of a verdict: launches that became nodes.
std::vector<std::string> notes_on(const System& system, const std::vector<GangTask>& tasks);

/// "conv", or "conv (launch)".
std::string name_of(const Task& task, const Piece& piece);

}  // namespace tactus::gang
