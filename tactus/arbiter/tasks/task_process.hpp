#pragma once

namespace tactus::arbiter::tasks {

/// What one task process does: maps the runner's memory, gets ready, runs the task's jobs until the
/// end of the run, and leaves what it saw. @param file descriptor of the memory @param index which
/// task
/// @return the exit code of the process
int run_task_process(int file, unsigned index);

}  // namespace tactus::arbiter::tasks
