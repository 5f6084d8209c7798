#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/decimal.hpp"
#include "tactus/base/position.hpp"
#include "tactus/base/rare.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/graph.hpp"

/// What a system IS: plain data, one member for each attribute of the system file (docs/use/format.md).
///
/// A `System` comes from `read_system` or, if a program has built it, from `check_system`: names
/// are unique, every reference is resolved to an index, every graph is acyclic, every number is in
/// range. Nothing changes it afterwards. What a method needs beyond that (a chain, a period, a
/// priority), the method checks itself.
namespace tactus {

/// The unit that times are written in. Inside, every time is in nanoseconds.
enum class TimeUnit { kNs, kUs, kMs, kS, kUnit };

/// The power of ten of nanoseconds in one unit; a dimensionless `unit` counts as 1 ms.
constexpr int decimal_places(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return 0;
    case TimeUnit::kUs:
      return 3;
    case TimeUnit::kMs:
      return 6;
    case TimeUnit::kS:
      return 9;
    case TimeUnit::kUnit:
      return 6;
  }
  return 0;
}

/// Nanoseconds in one unit.
constexpr std::int64_t nanoseconds_in(TimeUnit unit) {
  std::int64_t ns = 1;
  for (int i = 0; i < decimal_places(unit); ++i) ns *= 10;
  return ns;
}

/// `time` as exact decimal text in `unit`.
inline std::string format_time(Time time, TimeUnit unit) {
  return format_scaled(time.ns(), decimal_places(unit));
}

enum class ElementKind { kCpu, kCopy, kGpu };

/// How copies of several tasks meet on a copy engine.
enum class CopySharing {
  kExclusive,  ///< one at a time, each to its end
  kShared,  ///< side by side, each slower: times must have been measured beside copying neighbours
};

/// What one SM holds; a missing limit does not bind.
struct SmLimits {
  std::optional<std::int64_t> threads, blocks, registers, shared_memory;

  friend bool operator==(const SmLimits&, const SmLimits&) = default;
};

using ElementIndex = std::uint32_t;
using TaskIndex = std::uint32_t;

/// A compute element: a set of CPU cores, a copy engine, a GPU.
struct Element {
  std::string name;
  ElementKind kind = ElementKind::kCpu;
  std::int64_t units = 1;  ///< cores, engines, SMs
  std::int64_t lanes = 1;  ///< processors per unit
  std::optional<SmLimits> sm;
  std::optional<Time> t_min;                 ///< shortest kernel time (malleable kernels)
  std::optional<Time> time_slice;            ///< driver round-robin slice, L
  std::optional<Time> context_switch;        ///< GPU context switch, theta
  std::optional<Time> runlist_update;        ///< one Begin or End request, epsilon
  std::optional<Time> preemption_delay;      ///< from the order to leave until the GPU is free, d
  std::optional<Time> preempt_cost;          ///< a segment is taken off the GPU, off
  std::optional<Time> resume_cost;           ///< it is put back, on
  std::optional<Time> start_cost;            ///< the gate of a segment is opened, st
  std::optional<std::int64_t> arbiter_core;  ///< where the arbiter runs, 1-based
  std::optional<CopySharing> sharing;        ///< of a copy engine; exclusive where not given
  Position at;

  friend bool operator==(const Element&, const Element&) = default;
};

/// One point of a measured curve: bounds of the time on exactly this many units of its own.
struct TimesEntry {
  std::int64_t units = 0;
  Time wcet, bcet;
  Position at;

  friend bool operator==(const TimesEntry&, const TimesEntry&) = default;
};

/// Where the times of a node come from. No method reads it; reports show it.
struct Measured {
  std::optional<std::int64_t> runs;
  std::optional<Time> alone;         ///< the longest seen without competition
  std::optional<Time> worst;         ///< the longest seen beside the enemy
  std::optional<std::string> enemy;  ///< what ran beside it
  std::optional<Margin> margin;      ///< what was added to the longest
  std::optional<std::string> on, date;

  friend bool operator==(const Measured&, const Measured&) = default;
};

/// One piece of work of a task, on one element.
///
/// What `wcet`, `parallelism`, `load` and `times` of a GPU node mean: docs/use/format.md. Methods
/// get at them through tactus/methods/gpu_time.hpp.
struct Node {
  // First what nearly every method reads, side by side: a file may have a million nodes.
  ElementIndex on = 0;
  std::optional<Time> wcet;  ///< with the whole element, or `parallelism` units of it
  Time launch;               ///< CPU side of a GPU segment, G^m
  std::optional<Time> load;  ///< malleable kernel: time on one SM
  std::optional<std::int64_t> parallelism;  ///< rigid gang width
  std::string name;
  Time bcet;
  Time overlap;                   ///< `launch` and its time are together this much less, at least
  std::vector<TimesEntry> times;  ///< with that many units; rising, empty where not given
  Time load_min;
  Time overhead;                     ///< part of `load` that does not speed up
  std::optional<Factor> interleave;  ///< latency extension on virtual SMs
  std::optional<Factor> slowdown;    ///< when sharing the GPU with another kernel
  std::optional<std::int64_t> blocks, threads, registers, shared_memory;
  std::optional<std::int64_t> gpu_threshold;  ///< taken off only for GPU priorities above it
  Rare<Measured> measured;
  Position at;

  friend bool operator==(const Node&, const Node&) = default;
};

/// An environment variable.
struct Variable {
  std::string name, value;

  friend bool operator==(const Variable&, const Variable&) = default;
};

/// How the program of a task is started. No method reads it; `tactus deploy` does.
struct Command {
  std::vector<std::string> argv;   ///< the program and its arguments
  std::optional<std::string> cwd;  ///< folder in which it starts
  std::vector<Variable> env;       ///< beyond what it inherits
  std::optional<std::string> user;
  Position at;

  friend bool operator==(const Command&, const Command&) = default;
};

/// What the CPU does while a GPU segment runs.
enum class WaitMode { kSuspend, kBusy };

/// A recurring job: a graph of nodes.
struct Task {
  std::string name;
  std::optional<Time> period;
  std::optional<Time> deadline;  ///< the period if the file gives none
  Time offset;
  Time jitter;                           ///< a job is released at most this long after its arrival
  std::optional<TaskIndex> after;        ///< its job k is released when job k of this one completes
  std::optional<std::int64_t> priority;  ///< larger = more urgent
  std::optional<std::int64_t> gpu_priority;  ///< as in the file; methods default it to `priority`
  std::optional<std::int64_t> core;          ///< 1-based
  std::optional<WaitMode> wait;
  bool best_effort = false;
  Rare<Command> command;
  std::vector<Node> nodes;
  Graph graph;  ///< on the indices of `nodes`
  Position at;

  friend bool operator==(const Task&, const Task&) = default;
};

enum class InterferenceModel { kTable, kSlowdown, kNone };

struct Interference {
  std::optional<InterferenceModel> model;
  std::optional<Factor> factor;

  friend bool operator==(const Interference&, const Interference&) = default;
};

/// A measured (or forbidden) combination of kernels run together.
struct Batch {
  std::vector<TaskIndex> tasks;
  std::optional<Time> completion;
  bool ordered = false;
  bool forbid = false;
  Position at;

  friend bool operator==(const Batch&, const Batch&) = default;
};

/// A requirement from end to end: neighbours share a register, each job reads it at its start and
/// writes its own at its end.
struct Chain {
  enum class Phases { kAny, kFixed };  ///< fixed: offsets are kept at run time

  std::string name;
  std::vector<TaskIndex> tasks;
  std::optional<Time> reaction;  ///< from an outside change to the first output based on it
  std::optional<Time> age;       ///< of what an output in use is based on
  Phases phases = Phases::kAny;
  Position at;

  friend bool operator==(const Chain&, const Chain&) = default;
};

struct Platform {
  std::vector<Element> elements;

  friend bool operator==(const Platform&, const Platform&) = default;
};

/// What is meant to run: the verdict of this method counts. The reader does not know the methods.
struct Deploy {
  std::string method;
  std::optional<std::string> variant;
  Position at;

  friend bool operator==(const Deploy&, const Deploy&) = default;
};

struct System {
  std::string name;
  std::string note;
  TimeUnit time_unit = TimeUnit::kMs;
  Platform platform;
  std::vector<Task> tasks;
  std::optional<Interference> interference;
  std::vector<Batch> batches;
  std::vector<Chain> chains;
  std::optional<Deploy> deploy;

  friend bool operator==(const System&, const System&) = default;
};

}  // namespace tactus
