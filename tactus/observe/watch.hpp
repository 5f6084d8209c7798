#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/base/time.hpp"
#include "tactus/observe/call_log.hpp"

namespace tactus::observe {

struct Watched {
  std::vector<Call> calls;
  std::uint64_t lost = 0;  ///< that did not fit
  int exit_code = 0;       ///< of the program, or 128 + the signal that ended it
  bool ended_by_us = false;
};

/// Runs a program with the library `preload` in it, until it ends, until it is to stop, or for
/// `longest`.
Result<Watched> watch(const std::vector<std::string>& command, const std::string& preload,
                      std::optional<Time> longest, std::stop_token stop);

}  // namespace tactus::observe
