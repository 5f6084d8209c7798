#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

namespace tactus::arbiter::admit {

/// What a program asks of an arbiter that admits: one JSON object.
///
///     {"ask": "reserve", "period": "33 ms", "gpu": "9 ms", "launch": "0.8 ms", "cpu": 2.5, "core": 1}
///     {"ask": "reserve", "task": {"name": "detector", "period": 33, ...}}    a task as in a system file
///     {"ask": "reserve", "name": "camera"}              one that the arbiter's own file keeps
///     {"ask": "release"}  {"ask": "start", "name": "detector"}  {"ask": "list"}  {"ask": "dump"}
///
/// Numbers are milliseconds.
struct Request {
  enum class Kind { kReserve, kRelease, kStart, kList, kDump };
  static constexpr std::int64_t kUntilStarted = INT64_MAX;

  Kind kind = Kind::kList;
  std::string name;             ///< empty: not given
  bool name_may_vary = false;   ///< another one of that name gets a number behind it
  std::optional<Task> task;     ///< its core may be missing: any that is free
  std::optional<Time> bound;    ///< its response never exceeds this, whoever comes later
  bool declared = false;        ///< its program says when a job arrives
  bool leaves = true;           ///< its GPU work can be taken off
  std::int64_t warm_up_ns = 0;  ///< so long its segments are those of its start-up
};

/// @param platform of the arbiter: its elements
Result<Request> read_request(const std::string& text, const System& platform);

}  // namespace tactus::arbiter::admit
