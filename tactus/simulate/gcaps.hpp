#pragma once

#include <cstdint>
#include <memory>

#include "tactus/methods/verdict.hpp"
#include "tactus/simulate/policy.hpp"

/// The policies behind the methods of methods/gcaps.
namespace tactus::simulate {

enum class Queue { kPriority, kFifo };

/// The piece of a job under which a scenario draws how long the job stays on the GPU after the so
/// many-th order to leave it; far above those of its nodes.
constexpr std::uint32_t leave_piece(std::uint32_t order) { return (1U << 31) + order; }

/// In all of these, copies are made while their task is inside a GPU segment, whoever has the GPU:
/// nothing takes a copy off.

/// Preemptive GPU priorities: Begin and End are updates of length epsilon under one lock; the
/// active task with the highest GPU priority owns the GPU. Updates run on the caller's core and are
/// not preemptible; in the verdict's variant safe-arbiter they run on no core of the system, in
/// safe-inherit at their caller's priority under an rt_mutex: whoever waits for it gives up its core,
/// and the holder inherits the priority of the most urgent one that waits. A task
/// that is taken off the GPU stays on it for up to `preemption_delay` (exactly that in the scenario
/// `worst`), without progress, and the new owner waits; with an arbiter the update lasts until
/// then. GPU priorities are those of the verdict's plan, if it has one.
std::unique_ptr<Policy> make_gcaps(const System& system, bool busy, const Verdict& verdict);

/// Gates: the launches of a GPU segment are held back until all are made; then the arbiter starts it
/// when its turn comes, and takes it off again only for a task above its threshold. It holds the GPU
/// until its work is done, and needs no core for it. Thresholds and GPU priorities are those of the
/// verdict's plan, else those of the file. On its `arbiter_core` the arbiter takes the core for every
/// operation. Operations take their full cost in the scenario `worst`, and else may be shorter; then
/// a segment that is taken off may also still progress.
std::unique_ptr<Policy> make_boost(const System& system, bool busy, const Verdict& verdict);

/// The driver's time-sliced round robin.
std::unique_ptr<Policy> make_round_robin(const System& system, bool busy);

/// One lock around GPU segments (MPCP: priority queue, FMLP+: FIFO); its holder is boosted.
std::unique_ptr<Policy> make_locking(const System& system, bool busy, Queue queue);

}  // namespace tactus::simulate
