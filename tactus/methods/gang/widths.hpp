#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/base/json_writer.hpp"
#include "tactus/methods/gang/pieces.hpp"

/// The widths of moldable gangs as plans and verdicts name them: {task: {node: units}}.
namespace tactus::gang {

/// By task of the file; empty: the task has no nodes with `times`, or their widths are not known.
using Widths = std::vector<std::vector<NodeUnits>>;

std::vector<NodeUnits> widths_of(const GangTask& task, const Entries& entries);

/// The inverse. Nothing if a moldable node is not named, or has units for which it has no
/// time.
std::optional<Entries> entries_of(const GangTask& task, std::span<const NodeUnits> widths);

/// Writes the object, tasks without widths left out.
void write_widths(json::Writer& out, const System& system, const Widths& widths);

/// Says in a verdict, for programs and for people, which widths its bounds count on. A verdict may come without a plan, or with a
/// plan for fewer units than its bound is for. Does nothing if no task has any.
void note_widths(Verdict& verdict, const System& system, const Widths& widths);

/// The widths that the bounds of a verdict assume.
Widths noted_widths(const Verdict& verdict, const System& system);

}  // namespace tactus::gang
