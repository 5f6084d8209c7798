#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// What the time of a GPU node means (docs/use/format.md, "What the time of a GPU node means"), for
/// every method. A kernel is described in one of four ways:
///
///     wcet alone           its time with the whole element
///     wcet + parallelism   a rigid gang: its time on that many units
///     load                 a malleable kernel: its time on one unit
///     times                a measured curve: its time on 8 units, on 16, ...
///
/// Methods that give the GPU to one task at a time need the time with the whole element
/// (`whole_gpu_time`). Methods that divide the units need the time on fewer, and refuse the first
/// description (`says_whole_time_only`): taking it for the time on one unit would be optimistic.
namespace tactus {

/// The time of a node that has the whole element alone.
struct WholeGpuTime {
  Time wcet, bcet;
  std::string note;  ///< what was derived, or must be kept at run time; empty: as in the file
};

/// Nothing if the file gives no time. @pre `node` is a node of `task` on a gpu element.
std::optional<WholeGpuTime> whole_gpu_time(const System& system, const Task& task,
                                           const Node& node);

/// Whether the width of `node` is stated: `parallelism`, or `threads` on an element with lanes.
bool states_width(const Element& element, const Node& node);

/// Whether the file says nothing about the time of `node` on fewer units than all (or lanes, if the
/// element has them). False if the element has only one.
bool says_whole_time_only(const Element& element, const Node& node);

/// What a method that divides the units says about such a node; one of the attributes `give` is
/// enough.
void lacks_time_on_fewer(Obstacles& obstacles, const Task& task, const Node& node,
                         Obstacles::Give give);

/// The entry that a node uses on a share of `units`: the shortest among those that fit; if several
/// are equal, the narrowest. Null below the first entry. @pre `times` is as the reader leaves it.
const TimesEntry* entry_for(std::span<const TimesEntry> times, std::int64_t units);

}  // namespace tactus
