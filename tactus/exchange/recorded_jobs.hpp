#pragma once

#include "tactus/exchange/options.hpp"
#include "tactus/exchange/shape.hpp"

namespace tactus::exchange {

/// What was seen of a task. Times are sums over one job, in ns, without margin.
struct TaskSeen {
  std::size_t jobs = 0;
  std::size_t works = 0;      ///< kernels, copies and memsets of a job that does them all
  std::int64_t gpu_time = 0;  ///< of them, in the job where it was longest
  std::int64_t cpu_time = 0;  ///< of the threads that launch them, likewise
};

/// What happened in a recording, job by job.
struct RecordedTasks {
  std::vector<RecordedTask> tasks;
  std::vector<std::int64_t> devices;  ///< that did work, by number of the recording's elements
  std::vector<std::int64_t> streams;  ///< by lane
  std::vector<std::string> notes;     ///< what was assumed and left out
  std::size_t threads = 1;            ///< that launch work
};

TaskSeen seen_of(const RecordedTask& task);

/// Cuts a recording into the jobs of its tasks. The recording must live on, because steps refer to
/// its names.
Result<RecordedTasks> find_jobs(Recording& recording, const ImportOptions& options);

}  // namespace tactus::exchange
