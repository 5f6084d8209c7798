#pragma once

#include <cstdint>
#include <vector>

#include "tactus/trace/trace.hpp"

namespace tactus::simulate {

/// A piece of a job that occupies part of one element until it is done. The policy cuts jobs into
/// works; the engine runs those that the policy chooses.
struct Work {
  NodeIndex node = 0;
  ElementIndex element = 0;
  std::uint32_t width = 1;  ///< zero: it shares a unit with others
  std::uint32_t tag = 0;    ///< the policy's own
  /// Valid while it does not run. Zero: it ends when everything before it has ended (a barrier).
  Time remaining;
  trace::Activity activity = trace::Activity::kRun;
  /// If false: once started it stays on its unit until it is done; the engine checks it.
  bool preemptible = true;
  /// Never runs: it is done when the policy says so (a request that must be granted).
  bool gated = false;

  // Kept by the engine:
  bool done = false;
  bool running = false;
  bool started = false;
  std::uint32_t waiting_for = 0;
  std::uint32_t first_link = kNoLink, last_link = kNoLink;  ///< to the works that wait for it
  std::uint32_t unit = 0;
  std::uint32_t ready_at = 0;    ///< place in the list of ready works
  std::uint64_t ready_turn = 0;  ///< how many got ready before it
  std::uint64_t chosen_in = 0;   ///< number of the last decision that let it run
  Time since;                    ///< start of the present interval
  Time end;                      ///< when it will be done, if it goes on
  Time executed;                 ///< in the intervals before, and
  Time length;                   ///< what it must come to

  static constexpr std::uint32_t kNoLink = static_cast<std::uint32_t>(-1);
};

/// A work by task (which has one live job) and place in the job.
struct WorkId {
  TaskIndex task = 0;
  std::uint32_t index = 0;

  friend bool operator==(WorkId, WorkId) = default;
};

/// The live job of a task.
struct Job {
  bool live = false;
  std::uint32_t number = 0;
  Time release;        ///< its arrival
  Time late;           ///< from its arrival to its release
  Time begin;          ///< its arrival, or the end of the job before
  bool reads = false;  ///< it has not begun to run: what it is based on is not read yet
  std::vector<Work> works;
  /// Precedences, as lists in one vector: a job costs no allocation once one of its size has run.
  struct Link {
    std::uint32_t to, next;
  };
  std::vector<Link> links;
  std::uint32_t left = 0;  ///< works not done

  /// Adds a work; `precede` states its predecessors.
  std::uint32_t add(const Work& work) {
    works.push_back(work);
    return static_cast<std::uint32_t>(works.size() - 1);
  }
  void precede(std::uint32_t before, std::uint32_t after) {
    const auto link = static_cast<std::uint32_t>(links.size());
    links.push_back({after, Work::kNoLink});
    Work& from = works[before];
    (from.first_link == Work::kNoLink ? from.first_link : links[from.last_link].next) = link;
    from.last_link = link;
    ++works[after].waiting_for;
  }
  void clear() {
    works.clear();
    links.clear();
  }
};

}  // namespace tactus::simulate
