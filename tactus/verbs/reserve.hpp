#pragma once

#include <string>

#include "tactus/reserve/dry_run.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// Would the tasks of a file be admitted, if they asked one after the other?
struct ReserveQuestion {
  About about;
  bool trust = false, enforce = true, all_places = true, instead = true;
  std::string notice;  ///< in the unit of the system; empty: 50 us
};
void describe(ReserveQuestion& question, Fields& is);

struct Reserved {
  decide::Edited edited;
  reserve::DryRun run;

  Exit exit() const;
  std::string json() const;
};

Answer<Reserved> answer(const ReserveQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
