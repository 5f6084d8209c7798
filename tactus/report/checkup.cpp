#include "tactus/report/checkup.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/json_writer.hpp"
#include "tactus/report/wrap.hpp"

namespace tactus::report {
namespace {

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
  std::string out = wrapped(plain, check.found);
  out.replace(0, word_of(check.state).size(),
              inked(word_of(check.state), ink_of(check.state), style));
  if (check.state == State::kFine) return out;
  const std::string indent(10, ' ');
  out +=
      wrapped(indent + "why:  ",
              check.why + (with_plan && !check.assumed ? " (this plan does not count on it)" : ""));
  if (!check.mend.empty()) out += wrapped(indent + "mend: ", check.mend);
  return out;
}

std::string verdict_line(const std::vector<Check>& checks) {
  const auto count = [&](State state) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const Check& check) { return check.assumed && check.state == state; });
  };
  switch (conclusion(checks)) {
    case State::kFine:
      return "Everything that the plan counts on is fine.";
    case State::kNotFine:
      return fmt::format("Not fit. Of what the plan counts on, not fine: {}; unknown: {}.",
                         count(State::kNotFine), count(State::kUnknown));
    case State::kUnknown:
      return fmt::format("Not known. Of what the plan counts on, unknown: {}; the rest is fine.",
                         count(State::kUnknown));
  }
  return {};
}

}  // namespace

std::string checkup_text(const deploy::Demand& demand, const std::vector<Check>& checks,
                         const Style& style) {
  const bool with_plan = !demand.title.empty();
  std::string out;
  if (with_plan) out += wrapped("", "Checked for " + demand.title) + "\n";
  for (const Check& check : checks) out += shown(check, with_plan, style);
  if (with_plan) out += "\n" + wrapped("", verdict_line(checks));
  return out;
}

std::string checkup_json(const deploy::Demand& demand, const std::vector<Check>& checks) {
  json::Writer out;
  out.begin_object();
  out.key("tactus").integer(1);
  out.key("plan");
  if (demand.title.empty()) {
    out.null();
  } else {
    out.string(demand.title);
  }
  out.key("fit");
  if (demand.title.empty() || conclusion(checks) == State::kUnknown) {
    out.null();
  } else {
    out.boolean(conclusion(checks) == State::kFine);
  }
  out.key("checks").begin_array();
  for (const Check& check : checks) {
    out.begin_object();
    out.key("check").string(check.id);
    out.key("state").string(to_string(check.state));
    out.key("assumed").boolean(check.assumed);
    out.key("found").string(check.found);
    out.key("why").string(check.why);
    out.key("mend").string(check.mend);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
