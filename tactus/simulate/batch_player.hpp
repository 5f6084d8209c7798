#pragma once

#include <memory>

#include "tactus/base/result.hpp"
#include "tactus/methods/pbs/edf.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/simulate/policy.hpp"

/// The policies behind the methods of methods/pbs: kernels go to the GPU in batches, and the next
/// decision is taken when the whole batch has completed. A batch may take less time than its
/// completion, never more; its kernels end with it.
///
/// @pre jobs arrive at the file's offsets, strictly periodic (`PolicyEntry::fixes_releases`).
namespace tactus::simulate {

/// Plays the verdict's table over and over, frame by frame in order: a frame starts when the one
/// before it has completed and all its jobs have arrived (`reclaim`), so early
/// completions cannot do harm.
Result<std::unique_ptr<Policy>> make_table_player(const System& system, const Verdict& verdict);

/// Plays the table if the verdict has one; otherwise decides online by the rule of the method, to
/// show what it misses.
Result<std::unique_ptr<Policy>> make_edf_player(const System& system, const Verdict& verdict,
                                                pbs::Batching batching);

}  // namespace tactus::simulate
