#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/base/time.hpp"
#include "tactus/observe/call_log.hpp"

/// From the calls of a program to jobs: what it does again and again.
namespace tactus::observe {

struct CutOptions {
  /// The program does nothing for this long, and waits for nothing of the GPU: a job has ended.
  Time idle_gap = Time::from_us(500);
  std::string at;          ///< or: a job begins with each call of this function
  bool automatic = false;  ///< GPU parts are cut where `tactus exec --auto` cuts segments
};

/// A part of a job, in order.
struct Part {
  enum class Kind {
    kCpu,
    kGpu,      ///< from the first launch until the program knew that it had ended
    kCopyIn,   ///< to the device, while the GPU had nothing else of the program
    kCopyOut,  ///< to the host
    kCopyElsewhere,
  };
  Kind kind = Kind::kCpu;
  Time time;
  Time launch;              ///< of a GPU part: until its last launch had returned
  std::uint64_t bytes = 0;  ///< copied in it
};

struct Job {
  Time start;  ///< on the clock of the calls
  std::vector<Part> parts;
};

struct Jobs {
  std::vector<Job> jobs;  ///< whole ones; neither the start of the program, nor its end
  bool by_segments = false;
  bool automatic = false;
  std::size_t unfinished = 0;  ///< jobs that did not wait for their GPU work; left out
  std::size_t other_processes = 0;
};

/// Jobs of the process that asked the GPU most often. An `Error` if there is nothing to see in it, or if
/// it is cut automatically and several threads launch.
Result<Jobs> cut_into_jobs(std::span<const Call> calls, const CutOptions& options);

/// Parts that all jobs have: their kinds agree. Where they do not, each job is made one CPU part, one
/// of each kind of copy, and one GPU part, with the times of all.
struct Shape {
  std::vector<Part::Kind> kinds;
  std::vector<std::vector<Part>> seen;  ///< by kind, one per job
  bool joined = false;
};
Shape shape_of(const Jobs& jobs);

}  // namespace tactus::observe
