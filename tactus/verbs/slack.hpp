#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/decide/choose.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/report/sweep.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// How far times, periods and costs may go; or how bounds follow one value.
struct SlackQuestion {
  About about;
  MethodChoice choice;
  std::string sweep;  ///< empty: none
  std::int64_t points = 16;
};
void describe(SlackQuestion& question, Fields& is);

struct Slacked {
  decide::Edited edited;
  decide::Choice choice;
  std::optional<decide::Slack> slack;  ///< or a sweep
  std::optional<decide::SweepRange> range;
  std::vector<decide::SweepPoint> points;
  bool stopped = false;

  /// @pre it is a sweep, and this lives as long
  report::Swept swept() const;
  Exit exit() const;
  std::string json() const;
};

Answer<Slacked> answer(const SlackQuestion& question, const Companion& companion);

/// The one method that is named, with these options; where none is named, the method that the file
/// deploys, or the best one.
/// @param methods empty: none was named
/// @param file of the system, in messages
/// @param variant where the caller asked for one
/// @param fits which methods may be taken where none is named; empty: all
Answer<decide::Choice> choose_one(const Methods& methods, const System& system,
                                  const std::string& file, const Options& options,
                                  const std::optional<std::string>& variant,
                                  const std::function<bool(const Method&)>& fits = {});

/// "method: gcaps.boost.suspend (safe), which the file deploys": where nobody named one.
std::string choice_text(const decide::Choice& choice);

}  // namespace tactus::verbs
