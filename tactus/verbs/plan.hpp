#pragma once

#include <string>

#include "tactus/verbs/about.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {

/// A plan that keeps the deadlines.
struct PlanQuestion {
  About about;
  MethodChoice choice;
};
void describe(PlanQuestion& question, Fields& is);

struct Planned {
  decide::Edited edited;
  Subject subject;
  std::string why;  ///< which method was taken where none was named

  Exit exit() const { return exit_of(subject.verdict.status); }
  std::string json() const;
};
Answer<Planned> answer(const PlanQuestion& question, const Companion& companion);

/// The plan that the one method makes for a system, with why it is this one.
/// @param fits which methods may be taken where none is named
Answer<Subject> plan_made_now(const MethodChoice& choice, const System& system,
                              const std::string& name, const Companion& companion,
                              const std::function<bool(const Method&)>& fits, std::string& why);

/// Does this plan hold?
struct CheckPlanQuestion {
  About about;
  Document plan;
};
void describe(CheckPlanQuestion& question, Fields& is);

struct CheckedPlan {
  decide::Edited edited;
  PlanFile file;

  Exit exit() const { return file.failures.empty() ? kYes : kNo; }
  std::string json() const;
};
Answer<CheckedPlan> answer(const CheckPlanQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
