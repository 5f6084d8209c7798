#include "tactus/report/checkup.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/json_writer.hpp"
#include "tactus/report/cover.hpp"
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

std::string checkup_json(const Checkup& checkup) {
  json::Writer out;
  codec::begin_document(out, "checkup");
  out.key("plan");
  const bool with_plan = !checkup.demand.title.empty();
  if (with_plan) {
    out.string(checkup.demand.title);
  } else {
    out.null();
  }
  const Holds fit = conclusion(checkup.conditions);
  out.key("fit");
  if (!with_plan || fit == Holds::kNotKnown) {
    out.null();
  } else {
    out.boolean(fit == Holds::kYes);
  }
  out.key("checks").begin_array();
  for (const Check& check : checkup.checks) {
    out.begin_object();
    out.key("check").string(check.id);
    out.key("state").string(to_string(check.state));
    out.key("assumed").boolean(check.assumed);
    out.key("found").string(check.found);
    out.key("why").string(check.why);
    out.key("mend").string(check.mend);
    out.end_object();
  }
  out.end_array();
  if (with_plan) {
    write_conditions(out.key("conditions"), checkup.conditions);
    out.key("waived").begin_array();
    for (const decide::Condition& waived : checkup.waived) out.string(waived.id);
    out.end_array();
  }
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
