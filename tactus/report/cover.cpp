#include "tactus/report/cover.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus {
namespace report {

using decide::Condition;
using decide::Holds;
using decide::Whose;

namespace {

std::string block(const Condition& condition, const Style& style) {
  const bool no = condition.holds == Holds::kNo;
  const std::string_view word = no ? "NO" : to_string(condition.holds);
  const std::string head = fmt::format("{:<9} {}: ", word, condition.id);
  std::string out = paragraph(head, condition.what, style);
  out.replace(0, word.size(), inked(word, no ? Ink::kRed : Ink::kYellow, style));
  out += paragraph("          from: ", condition.from, style);
  if (!condition.help.empty()) out += paragraph("          help: ", condition.help, style);
  return out;
}

}  // namespace

std::vector<std::string> id_list(const std::vector<Condition>& conditions) {
  std::vector<std::string> ids;
  ids.reserve(conditions.size());
  for (const Condition& condition : conditions) ids.push_back(condition.id);
  return ids;
}

std::string ids_of(const std::vector<Condition>& conditions, std::string_view between) {
  return fmt::format("{}", fmt::join(id_list(conditions), between));
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
  if (!good.empty()) out += paragraph("holds     ", ids_of(good), style);
  return out;
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

}  // namespace report

using namespace codec;  // the words of the tables
using decide::Condition;
using decide::Cover;
using decide::NeverRun;

template <>
std::span<const Field<Condition>> fields<Condition>() {
  static constexpr auto kTable = std::to_array<Field<Condition>>({
      always<&Condition::id, Line>("id", "A word, for --accept"),
      always<&Condition::holds, Named<decide::Holds, decide::Holds::kNotKnown>>("holds",
                                                                                "Does it hold?"),
      always<&Condition::what, Line>("what", "What must hold, or what is there instead"),
      always<&Condition::from, Line>("from", "The sentence of the assumption, and its page"),
      always<&Condition::help, Line>("help", "What would make it hold"),
      always<&Condition::whose, Named<decide::Whose, decide::Whose::kProgram>>("whose",
                                                                               "Who can see to it"),
  });
  return kTable;
}

template <>
std::span<const Field<Cover>> fields<Cover>() {
  static constexpr auto kTable = std::to_array<Field<Cover>>({
      always<OneOf<"channel", "yield", "gate", "process", "hold">>(
          "tier", "Of GPU work: the first under which nothing is refused",
          [](const Cover& cover) { return arbiter::tasks::to_string(cover.tier); }),
      always<Named<decide::Holds, decide::Holds::kNotKnown>>(
          "covered", "The worst of the conditions that are not left to the programs",
          [](const Cover& cover) { return conclusion(cover.conditions); }),
      always<&Cover::conditions, Objects<Condition, "condition">>("conditions", "All of them"),
  });
  return kTable;
}

template <>
std::span<const Field<NeverRun>> fields<NeverRun>() {
  static constexpr auto kTable = std::to_array<Field<NeverRun>>({
      always<&NeverRun::task, TaskName>("task", "Its name"),
      always<&NeverRun::why, Line>("why", "Why it never runs"),
  });
  return kTable;
}

}  // namespace tactus
