#include "tactus/report/cover.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/decide/never_run.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {

using decide::Condition;
using decide::Holds;
using decide::Whose;

namespace {

std::string block(const Condition& condition, const Style& style) {
  const bool no = condition.holds == Holds::kNo;
  const std::string_view word = no ? "NO" : to_string(condition.holds);
  const std::string head = fmt::format("{:<9} {}: ", word, condition.id);
  std::string out = wrapped(head, condition.what);
  out.replace(0, word.size(), inked(word, no ? Ink::kRed : Ink::kYellow, style));
  out += wrapped("          from: ", condition.from);
  if (!condition.help.empty()) out += wrapped("          help: ", condition.help);
  return out;
}

}  // namespace

std::string ids_of(const std::vector<Condition>& conditions, std::string_view between) {
  std::string ids;
  for (const Condition& condition : conditions)
    ids += fmt::format("{}{}", ids.empty() ? "" : between, condition.id);
  return ids;
}

std::vector<Condition> those(const std::vector<Condition>& conditions, Holds holds) {
  std::vector<Condition> some;
  std::copy_if(conditions.begin(), conditions.end(), std::back_inserter(some),
               [&](const Condition& condition) { return condition.holds == holds; });
  return some;
}

std::vector<Condition> those(const std::vector<Condition>& conditions, Holds holds, Whose whose) {
  std::vector<Condition> some = those(conditions, holds);
  std::erase_if(some, [&](const Condition& condition) { return condition.whose != whose; });
  return some;
}

std::string conditions_text(const std::vector<Condition>& conditions, const Style& style) {
  std::string out;
  for (const Holds holds : {Holds::kNo, Holds::kNotKnown})
    for (const Condition& condition : those(conditions, holds)) out += block(condition, style);
  const auto good = those(conditions, Holds::kYes);
  if (!good.empty()) out += wrapped("holds     ", ids_of(good));
  return out;
}

void write_conditions(json::Writer& out, const std::vector<Condition>& conditions) {
  out.begin_array();
  for (const Condition& condition : conditions) {
    out.begin_object().key("id").string(condition.id);
    out.key("holds").string(to_string(condition.holds));
    out.key("what").string(condition.what).key("from").string(condition.from);
    out.key("help").string(condition.help).key("whose").string(to_string(condition.whose));
    out.end_object();
  }
  out.end_array();
}

void write_cover(json::Writer& out, const decide::Cover& cover) {
  out.begin_object();
  out.key("tier").string(arbiter::tasks::to_string(cover.tier));
  out.key("covered").string(to_string(conclusion(cover.conditions)));
  write_conditions(out.key("conditions"), cover.conditions);
  out.end_object();
}

void write_never_run(json::Writer& out, const System& system, const Verdict& plan) {
  const auto never = decide::never_run(system, plan);
  if (never.empty()) return;
  out.key("never_run").begin_array();
  for (const decide::NeverRun& one : never) {
    out.begin_object().key("task").string(system.tasks[one.task].name);
    out.key("why").string(one.why).end_object();
  }
  out.end_array();
}

std::string need_of(const decide::Cover& cover) {
  const auto refused = those(cover.conditions, Holds::kNo);
  if (!refused.empty()) {
    const std::string& help = refused.front().help;
    return fmt::format("{} (condition {})", help.substr(0, help.find(';')), refused.front().id);
  }
  if (cover.tier != decide::Tier::kChannel) return {};
  return "the tier channel (deploy --tier channel), which takes GPU work off in the middle of a "
         "kernel";
}

std::string obstacle_of(const decide::Cover& cover) {
  const auto refused = those(cover.conditions, Holds::kNo);
  return refused.empty() ? std::string() : refused.front().what;
}

std::string not_covered_text(const System& system) {
  return fmt::format("{}", fmt::join(decide::not_covered(system), "; "));
}

}  // namespace tactus::report
