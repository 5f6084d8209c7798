#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/field.hpp"

/// The document of a script, as it is written: names instead of indices. The tables that read it,
/// write it and describe it in JSON Schema are in script_document.cpp.
namespace tactus::trace {

inline constexpr std::int64_t kScriptVersion = 1;

/// One time, under the name of what takes it.
struct ScriptedTime {
  std::string name;
  std::uint32_t which = 0;  ///< its place, where a node has several
  Time time;
  Position at;

  friend bool operator==(const ScriptedTime&, const ScriptedTime&) = default;
};

struct ScriptedJob {
  Time release;
  std::optional<Time> late;
  std::vector<ScriptedTime> times, launches, operations;
  Position at;

  friend bool operator==(const ScriptedJob&, const ScriptedJob&) = default;
};

struct ScriptedTask {
  std::string task;
  std::vector<ScriptedJob> jobs;
  Position at;

  friend bool operator==(const ScriptedTask&, const ScriptedTask&) = default;
};

struct ScriptDocument {
  std::string system, fingerprint;
  std::optional<TimeUnit> time_unit;
  std::string scenario;
  std::uint64_t seed = 1;
  std::optional<Time> end;
  std::vector<ScriptedTask> tasks;
  Position at;
};

}  // namespace tactus::trace

namespace tactus {

template <>
std::span<const Field<trace::ScriptDocument>> fields<trace::ScriptDocument>();
template <>
std::span<const Field<trace::ScriptedTask>> fields<trace::ScriptedTask>();
template <>
std::span<const Field<trace::ScriptedJob>> fields<trace::ScriptedJob>();

}  // namespace tactus
