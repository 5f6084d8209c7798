#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus::pbs {

/// A time in ticks. The tick is the largest power of ten of a nanosecond, at most one time unit of
/// the file, that divides every time the methods read; only the rounding of the slowdown formula
/// depends on it.
using Ticks = std::int64_t;

/// What one SM offers, or one block needs: threads, block slots, registers, shared memory.
using Resources = std::array<std::int64_t, 4>;

/// A task: one kernel, or a chain of kernels that counts as one, released every `period` from
/// `offset` on.
struct Kernel {
  TaskIndex index = 0;  ///< in the system file
  std::string_view name;
  Ticks period = 0, deadline = 0, offset = 0;
  Ticks wcet = 0;           ///< completion of the batch of this kernel alone
  Ticks level = 0;          ///< slowdown model: ceil(s * C), its time beside any other kernel
  std::int64_t blocks = 0;  ///< of its grid; 0 when the file has no block data
  Resources need = {};      ///< of one block
};

/// An entry of `batches` with two or more tasks.
struct ListedBatch {
  std::vector<std::uint32_t> kernels;  ///< in the listed order
  bool ordered = false;
  std::optional<Ticks> completion;  ///< nothing: forbidden
};

/// The part of a system that these methods read, checked against what they assume.
struct TaskSet {
  std::vector<Kernel> kernels;  ///< real-time tasks in file order
  Time tick;
  Ticks hyperperiod = 0;
  std::int64_t jobs = 0;  ///< of one hyperperiod
  InterferenceModel model = InterferenceModel::kNone;
  std::vector<ListedBatch> listed;
  std::int64_t units = 1;  ///< SMs
  Resources sm = {};       ///< of one SM
  bool has_blocks = false;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< derived because the file does not state it

  std::size_t size() const { return kernels.size(); }
  Time time(Ticks ticks) const { return ticks * tick; }
};

/// The largest hyperperiod, in jobs, that is unrolled.
inline constexpr std::int64_t kMaxJobs = 100'000;

/// The task set of a system, or why these methods do not cover it. `margin` is added to every
/// completion, those of single kernels included, after the slowdown formula.
Result<TaskSet, Refusal> make_task_set(const System& system, Time margin = Time());

}  // namespace tactus::pbs
