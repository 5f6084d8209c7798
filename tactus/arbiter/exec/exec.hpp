#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/arbiter/urgency.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::exec {

/// What the command asks of an arbiter that admits, before it starts.
struct Wish {
  std::string request;  ///< JSON (docs/use/reservations.md)
  bool uses_gpu = true;
  bool waits = false;             ///< for tasks that are gone, but still counted
  bool else_best_effort = false;  ///< it runs without a reservation, if it is not admitted
};

/// Segments that nobody marked (preload/automatic.hpp).
struct Automatic {
  std::optional<std::int32_t> threshold;  ///< none: the priority; Submit::kProtected
  std::int64_t warm_up_ns = 0;            ///< 0: until the first wait after some launches
};

struct ExecOptions {
  std::vector<std::string> command;
  Urgency urgency;
  /// The command marks its segments itself: it gets the library, and is no segment as a whole.
  bool own_segments = false;
  /// The library cuts the command's GPU work into segments by what it calls.
  std::optional<Automatic> automatic;
  /// "process", or a tier of the preloaded library ("channel", "hold", "timeslice")
  std::string tier;
  int time_slice_us = 100;  ///< of the tier `timeslice`
  std::string socket;       ///< empty: the default place
  std::string preload;      ///< the library that carries the other tiers
  bool required = false;    ///< without an arbiter, do not run the command
  std::optional<Wish> wish;
  /// This process was started with SIGCHLD ignored; the command must be, too.
  bool children_ignored = false;
  /// One line for a person, before the command starts and when something changes.
  std::function<void(std::string_view)> tell;
};

/// Runs a program, and all it starts, under the arbiter: one segment from its start to its end.
///
/// Tier `process`: this process is the client; it stops and continues the command and every
/// descendant, also those that lost their parent: by the kernel's freezer where this process may
/// make a control group, else by SIGSTOP. All signals are passed on to the command. A signal to end
/// (SIGINT, SIGTERM, SIGHUP, SIGQUIT) removes it from the arbiter's control, so that it can end at
/// once.
///
/// A command with segments of its own: this process BECOMES the command, with the library preloaded.
/// The library knows the channels of the GPU, and splits segments around calls that wait for it.
///
/// With automatic segments the same, and the library cuts the segments.
///
/// Tier `timeslice`: this process BECOMES the command, with the library preloaded, which gives it
/// short time slices on the GPU. It is not under the arbiter, and never off the GPU: whoever else
/// wants the GPU waits for a slice and a switch.
///
/// With a wish this process asks for a reservation, and then BECOMES the command: the reservation is of
/// the process, whatever it runs.
///
/// Other tiers: this process BECOMES the command, with the library preloaded; the library makes
/// every process of it that uses the GPU a client of its own.
///
/// @return the command's exit code, 128 + signal when one killed it, 127 or 126 when it cannot be
///         started; an `Error` when the arbiter or the tier is not available
Result<int> execute(const ExecOptions& options);

/// The value of LD_PRELOAD with our library in it. A program that was built with a sanitizer refuses
/// to start unless the library of that comes first; else ours is in front of the `others`.
std::string preload_list(std::string_view own, std::string_view others);

}  // namespace tactus::arbiter::exec
