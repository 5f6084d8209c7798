#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/reserve/controller.hpp"

namespace tactus::reserve {

/// What an arbiter that starts with nobody would answer the tasks of a file, if they asked one after
/// the other. Nothing is reserved.
struct DryRun {
  struct Request {
    TaskIndex task = 0;
    Answer answer;
    std::optional<Time> bound;  ///< of an admitted one, as it is told
    std::optional<Instead> instead;
  };
  /// Who has a reservation at the end.
  struct Standing {
    TaskIndex task = 0;
    Time bound;
    Values enforced;
    std::vector<std::size_t> cuts;  ///< by GPU segment: how many GPU tasks from the top take it off
  };

  Rules rules;
  std::vector<Request> requests;    ///< in the order of the file
  std::vector<Standing> standings;  ///< the most urgent first
  bool stopped = false;             ///< before all had asked

  std::size_t count(Answer::Kind kind) const;
  /// Of the one with the least room between what it is held to and its deadline, in thousandths of
  /// that, rounded down.
  struct Room {
    TaskIndex task;
    std::int64_t thousandths;
  };
  std::optional<Room> least_room(const System& system) const;
};

/// Times, of the deadline, that are left.
std::int64_t room_of(const Task& task, const Values& enforced);

/// @param instead also what would be admitted in the place of what is refused
DryRun dry_run(const System& system, const Rules& rules, bool instead,
               const std::stop_token& stop = {});

}  // namespace tactus::reserve
