#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/reserve/controller.hpp"

namespace tactus::arbiter::admit {

/// What who asked is told: a word for programs, a text for people, a JSON document.
struct Reply {
  std::string word;  ///< admitted, refused, later (because of tasks that are gone), done, error
  std::string text, json;
};

/// The word of an answer, and what it is about.
struct Told {
  struct Summand {
    std::string label, by;
    Time amount;
  };
  struct Standing {
    std::string task;
    std::int64_t core = 0;
    Time bound, held_to, deadline, period;
    std::int64_t room_thousandths = 0;
    pid_t process = 0;  ///< 0: nobody has taken it up, or it is another user's
    bool kept = false, starting = false;
    std::vector<std::size_t> cuts;
    std::uint64_t jobs = 0, demotions = 0, between = 0;
    Time longest;
  };
  struct Departed {
    std::string task;
    std::optional<Time> until;  ///< from now; none: until nobody has a job
  };

  std::string word, text;
  std::string task;
  std::optional<Time> bound, deadline;
  std::optional<std::int64_t> core;
  std::vector<Summand> terms;
  std::vector<std::string> trusts;
  std::optional<reserve::Answer::Late> late;
  std::optional<reserve::Instead> instead;
  std::optional<Time> again;
  std::optional<Time> first;  ///< from now on until its first job may arrive
  bool cut_short = false;
  std::vector<Standing> reservations;  ///< that are in force now, the most urgent first
  std::vector<Departed> departed;      ///< gone, but still counted
  std::uint64_t refusals = 0;
  std::uint64_t beyond = 0;  ///< operations and notices that were slower than every bound counts
};

/// @param platform of the arbiter: its name and its unit
Reply reply_of(const System& platform, const Told& told);

/// JSON Schema of that document; `tactus schema reservation` prints it.
std::string reservation_schema();

/// For people: who has a reservation.
std::string standings_text(const System& platform, const Told& told);

}  // namespace tactus::arbiter::admit
