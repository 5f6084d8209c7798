#include "tactus/report/checkup.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/report/cover.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

using decide::Holds;
using deploy::Check;
using deploy::State;

std::string_view word_of(State state) {
  return state == State::kNotFine ? "NOT FINE" : to_string(state);
}

Ink ink_of(State state) {
  return state == State::kFine ? Ink::kGreen : state == State::kNotFine ? Ink::kRed : Ink::kYellow;
}

std::string shown(const Check& check, bool with_plan, const Style& style) {
  // The head is as wide as its text; colours must not count.
  const std::string plain = fmt::format("{:<8}  {:<13} ", word_of(check.state), check.id);
  std::string out = paragraph(plain, check.found, style);
  out.replace(0, word_of(check.state).size(),
              inked(word_of(check.state), ink_of(check.state), style));
  if (check.state == State::kFine) return out;
  const std::string indent(10, ' ');
  out += paragraph(
      indent + "why:  ",
      check.why + (with_plan && !check.assumed ? " (this plan does not count on it)" : ""), style);
  if (!check.mend.empty()) out += paragraph(indent + "mend: ", check.mend, style);
  return out;
}

std::string verdict_line(const Checkup& checkup) {
  const auto& conditions = checkup.conditions;
  std::string line;
  switch (conclusion(conditions)) {
    case Holds::kYes:
      line = "Everything that the plan counts on is fine.";
      break;
    case Holds::kNo:
      line = fmt::format("Not fit. Of what the plan counts on, not fine: {}",
                         ids_of(those(conditions, Holds::kNo)));
      break;
    case Holds::kNotKnown:
      line = "Not known.";
  }
  std::vector<decide::Condition> unknown = those(conditions, Holds::kNotKnown);
  std::erase_if(unknown, [](const auto& each) { return each.whose == decide::Whose::kProgram; });
  if (!unknown.empty())
    line += fmt::format("{} unknown: {}.",
                        line.back() == '.' ? " Of what the plan counts on," : ";", ids_of(unknown));
  else if (line.back() != '.')
    line += '.';
  const auto programs = those(conditions, Holds::kNotKnown, decide::Whose::kProgram);
  if (!programs.empty()) line += fmt::format(" Left to the programs: {}.", ids_of(programs));
  if (!checkup.waived.empty())
    line += fmt::format(" Waived: {}; nothing is proved of this start.", ids_of(checkup.waived));
  return line;
}

/// What is no check of the machine: these have a list of their own.
std::vector<decide::Condition> of_the_start(const Checkup& checkup) {
  std::vector<decide::Condition> some = checkup.conditions;
  std::erase_if(some, [](const auto& each) { return each.whose == decide::Whose::kMachine; });
  return some;
}

}  // namespace

std::string checkup_text(const Checkup& checkup, const Style& style) {
  const bool with_plan = !checkup.demand.title.empty();
  std::string out;
  if (with_plan) out += paragraph("", "Checked for " + checkup.demand.title, style) + "\n";
  for (const Check& check : checkup.checks) out += shown(check, with_plan, style);
  if (with_plan)
    out += "\nDoes the start cover the proof?\n" + conditions_text(of_the_start(checkup), style) +
           "\n" + paragraph("", verdict_line(checkup), style);
  return out;
}

}  // namespace tactus::report

namespace tactus {

using namespace codec;  // the words of the tables
using report::Checkup;

template <>
std::span<const Field<deploy::Check>> fields<deploy::Check>() {
  using deploy::Check;
  static constexpr auto kTable = std::to_array<Field<Check>>({
      always<&Check::id, Line>("check", "What was looked at"),
      always<&Check::state, Named<deploy::State, deploy::State::kUnknown>>("state", "How it is"),
      always<&Check::assumed, Flag>("assumed", "The plan counts on it"),
      always<&Check::found, Line>("found", "What is there"),
      always<&Check::why, Line>("why", "Why it matters"),
      always<&Check::mend, Line>("mend", "How to make it fine; empty: there is nothing to do"),
  });
  return kTable;
}

template <>
std::span<const Field<Checkup>> fields<Checkup>() {
  static constexpr auto with_plan = [](const Checkup& c) { return !c.demand.title.empty(); };
  static constexpr auto kTable = std::to_array<Field<Checkup>>({
      version<Checkup>(),
      kind<Checkup, "checkup">(),
      always<OrNull<Line>>("plan", "What the machine was checked for",
                           [](const Checkup& c) {
                             return with_plan(c) ? std::optional(c.demand.title) : std::nullopt;
                           }),
      always<OrNull<Flag>>("fit", "Null: not known, or without a plan",
                           [](const Checkup& c) -> std::optional<bool> {
                             const decide::Holds all = conclusion(c.conditions);
                             if (!with_plan(c) || all == decide::Holds::kNotKnown) return {};
                             return all == decide::Holds::kYes;
                           }),
      always<List<Object<deploy::Check>>>("checks", "One after the other",
                                          [](const Checkup& c) { return c.checks; }),
      where_known<List<Object<decide::Condition>>>("conditions", "All that the judge was asked",
                                                   [](const Checkup& c) {
                                                     return with_plan(c)
                                                                ? std::optional(c.conditions)
                                                                : std::nullopt;
                                                   }),
      where_known<Lines>("waived", "Conditions that do not hold, and were accepted",
                         [](const Checkup& c) {
                           return with_plan(c) ? std::optional(report::id_list(c.waived))
                                               : std::nullopt;
                         }),
  });
  return kTable;
}

namespace report {

std::string checkup_json(const Checkup& checkup) { return document_of(System(), checkup); }

std::string checkup_schema() {
  return schema_of<Checkup>("checkup", "Is a machine fit for a plan? (tactus doctor --json)");
}

}  // namespace report
}  // namespace tactus
