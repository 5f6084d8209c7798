#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

/// A second implementation of the four methods of boost/theory.md, written from the equations
/// alone and sharing nothing with the product but the reader's `System`. Every set and every sum is
/// spelled out where it is used, nothing is kept, and speed is of no interest. It expects a system
/// that the methods accept.
namespace tactus::gcaps::boost::naive {

using Ns = std::int64_t;

/// What a mutant of these analyses forgets.
enum class Forget {
  kNothing,
  kBlocking,
  kPair,
  kGpuJitters,
  kCpuJitters,
  kGpuWindows,        ///< they are 1 ns long
  kHalfOfGpuWindows,  ///< they are half as long
  kHalfOfCpuWindows,
  kEmptyPieces,    ///< a piece without work does not wait
  kArbiterStart,   ///< on a shared core
  kOwnCopies,      ///< a section does not wait for copies of lower tasks
  kSourceCopies,   ///< ... and higher ones do not, while they have the GPU
  kItemCopies,     ///< ... and protected lower ones do not
  kLocalCopies,    ///< ... and those that spin on the core do not
  kOwnJitter,      ///< of the task itself
  kOthersJitter,   ///< where nothing else says how late they are
  kWaitersJitter,  ///< of those who spin above it
};

struct Answer {
  bool schedulable = false;
  std::map<std::string, std::optional<Ns>> responses;
  std::map<std::string, std::vector<Ns>> completions;  ///< of GPU tasks with a bound
  std::map<std::string, std::vector<std::int64_t>> thresholds;
  std::map<std::string, std::int64_t> gpu_priorities;
};

/// Any of the four methods.
Answer analyze(const System& system, bool busy, bool search_order,
               Forget forget = Forget::kNothing);

}  // namespace tactus::gcaps::boost::naive
