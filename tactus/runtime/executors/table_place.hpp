#pragma once

#include "tactus/runtime/executors/best_effort.hpp"

namespace tactus::runtime {

/// Where the batches of a table run, when they are measured and when they are played: the whole GPU,
/// or, if best-effort tasks want SMs and the machine has more than the file, a partition of as many
/// SMs as the file has. Times of the one do not hold in the other.
struct TablePlace {
  PartitionId partition = kWholeGpu;
  std::int64_t sms = 0;
  int priority = 0;  ///< of the batches; best-effort work has 0
  BestEffort::Left left;
  std::string note;  ///< for the report; empty: nothing is shared
};

/// @param sms  of the file's GPU
/// @param shares  where no SMs are left, best-effort tasks run on the whole GPU at the lowest priority
Result<TablePlace> make_table_place(const System& system, Device& device,
                                    const BestEffort& best_effort, std::int64_t sms, bool shares);

}  // namespace tactus::runtime
