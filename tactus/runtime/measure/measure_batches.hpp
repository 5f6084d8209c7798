#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "tactus/runtime/device.hpp"

/// The oracle of the pbs methods, measured: how long kernels take when they are submitted together.
namespace tactus::runtime {

struct MeasureBatchesOptions {
  std::size_t max_size = 3;  ///< kernels of a batch
  int repeats = 30;
  std::int64_t quantile =
      1'000'000;   ///< of the repeats that count, in millionths; all: the maximum
  int margin = 5;  ///< percent on top, and 20 us
  int fill = 95;   ///< percent of its wcet that a synthetic kernel works alone
  /// Where the file leaves no SMs: best-effort tasks run beside the batches at the lowest priority.
  bool best_effort_shares = false;
  std::stop_token stop;
  std::function<void(std::string_view)> progress;
};

/// What was seen of one submission order.
struct MeasuredOrder {
  std::vector<TaskIndex> order;
  std::vector<Time> samples;  ///< ascending; from the first submission to the last end
  Time completion;            ///< the quantile plus margin; never below a member's wcet
};

struct MeasuredBatches {
  std::vector<MeasuredOrder> singles;  ///< kernels alone, to be compared with their wcet
  std::vector<MeasuredOrder> orders;   ///< every eligible order of two or more, set by set
  /// As given, with the table; the `wcet` of a kernel that took longer alone is what it took, plus
  /// the margin.
  System system;
  std::vector<std::string> notes;  ///< what ran beside them
};

/// Submission orders of two or more kernels that fit the GPU together, sets in ascending order and
/// the orders of one set side by side. An `Error` if pbs does not cover the system, or if there are
/// more than can be measured.
Result<std::vector<std::vector<TaskIndex>>> eligible_orders(const System& system,
                                                            std::size_t max_size);

/// The table entries of measured orders: for each set its worst order, and in addition every order
/// that is better.
std::vector<Batch> batches_from(const std::vector<MeasuredOrder>& orders);

/// Runs every eligible order on the machine, again and again, beside the best-effort tasks of the file
/// if there is room for them, as when the table is played. The device must be fresh.
Result<MeasuredBatches> measure_batches(const System& system, Device& device,
                                        const MeasureBatchesOptions& options);

}  // namespace tactus::runtime
