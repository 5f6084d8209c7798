#pragma once

#include "tactus/base/statistics.hpp"
#include "tactus/model/system.hpp"
#include "tactus/observe/cut_into_jobs.hpp"

/// From the jobs of a program to a task of a system file.
namespace tactus::observe {

struct TaskOptions {
  std::string name = "program";
  int margin = 20;      ///< percent on top of the longest
  bool bcet = false;    ///< write the least, too, although it is no lower bound
  std::string machine;  ///< where it ran
};

/// A part of the jobs, as a node.
struct SeenNode {
  std::string name;  ///< "cpu 1", "gpu 1", "copy in 1"
  Part::Kind kind = Part::Kind::kCpu;
  std::vector<Time> times;  ///< one per job, in order
  Statistics time;
  bool grew = false;        ///< the longest is in the second half
  std::uint64_t bytes = 0;  ///< the most of one job
  Time wcet, launch;        ///< the longest plus the margin
};

struct SeenTask {
  std::size_t jobs = 0;
  Statistics period;  ///< from the start of a job to that of the next
  std::vector<SeenNode> nodes;
  std::vector<std::string> notes;
  System system;  ///< a file with this task
};

Result<SeenTask> task_of(const Jobs& jobs, const TaskOptions& options);

}  // namespace tactus::observe
