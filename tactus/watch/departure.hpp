#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/decide/knob.hpp"

namespace tactus::watch {

/// Something was seen that the model of the proof does not have. Every kind is counted for each task,
/// node or other thing that it was seen of.
struct Departure {
  enum class Kind {
    kTime,      ///< a node took longer than its time in the file
    kSegments,  ///< a job had more or fewer GPU segments than the file says
    kEarly,     ///< a job arrived sooner than a period after the one before
    kLate,      ///< a job was released later than its `jitter`
    kNominal,   ///< a job was released before its nominal arrival: a `bcet` is too long
    kBound,     ///< a job took longer than was proved
    kDeadline,  ///< a job missed its deadline
    kGone,      ///< the process of a task has ended
    kUnseen,    ///< jobs that nobody could look at
    kAlone,     ///< a GPU segment ran without the arbiter
    kShared,    ///< a GPU segment began while another client had not left
    kForced,    ///< a program opened its own gate
    kSlow,      ///< a client did not leave the GPU in time
    kCost,      ///< an operation of the arbiter took longer than in the file
    kClient,    ///< the arbiter has a client with a priority that is no task of the file
    kProcess,   ///< a process that is no task uses the GPU
    kStart,     ///< a condition of the proof does not hold any more
    kArbiter,   ///< the arbiter has ended
  };
  Kind kind = Kind::kTime;
  std::optional<TaskIndex> task = {};  ///< none: every bound rests on it
  std::string what = {};               ///< the node, the operation, the process, the condition
  std::optional<Time> seen = {}, promised = {};  ///< the worst, where it is a time
  std::optional<decide::Knob> knob = {};         ///< what of the file stands for it
  std::uint64_t count = 0;

  /// Is it about the same thing?
  bool is(const Departure& other) const {
    return kind == other.kind && task == other.task && what == other.what;
  }
};

/// "time", "early": for programs.
std::string_view id_of(Departure::Kind kind);
inline constexpr Departure::Kind kLastKind = Departure::Kind::kArbiter;

/// "lidar: gpu scan took 4.2, more than its 3 in the file"; without a full stop.
std::string sentence_of(const System& system, const Departure& departure);

}  // namespace tactus::watch
