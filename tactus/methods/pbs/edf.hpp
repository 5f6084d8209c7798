#pragma once

#include <vector>

#include "tactus/methods/pbs/batches/oracle.hpp"
#include "tactus/methods/pbs/pbs_task_set.hpp"
#include "tactus/methods/pbs/table.hpp"

/// The baselines: what earliest-deadline-first does with one hyperperiod.
namespace tactus::pbs {

enum class Batching {
  kSerial,    ///< the most urgent job alone
  kParallel,  ///< as many further jobs, in order of urgency, as the oracle accepts
};

/// What the simulation wrote: every job of the hyperperiod, late ones too.
struct EdfRun {
  struct Miss {
    Frame::Job job;
    Ticks deadline = 0, finish = 0;
  };
  std::vector<Frame> frames;
  std::vector<Miss> missed;  ///< in the order of the frames and, inside one, of the batch
};

/// Simulates from 0 until all jobs of [0, H) have run, even if deadlines are missed.
EdfRun run_edf(const TaskSet& set, const Oracle& oracle, Batching batching);

}  // namespace tactus::pbs
