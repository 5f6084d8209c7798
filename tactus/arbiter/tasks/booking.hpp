#pragma once

#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::arbiter::tasks {

/// Writes down what the processes of a run did: their jobs, how these were released, and what chains
/// took, from the reads and writes of the jobs.
void book_jobs(const System& system, const RunBlock& run, trace::Observed& observed);

}  // namespace tactus::arbiter::tasks
