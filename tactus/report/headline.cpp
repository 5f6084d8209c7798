#include "tactus/report/headline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/methods/promise.hpp"
#include "tactus/report/cover.hpp"

namespace tactus {
namespace report {
namespace {

/// What the proof of the method that counts needs beyond what is here, and what is there instead;
/// both empty: nothing.
std::pair<std::string, std::string> need_of_best(const Analysis& analysis) {
  const decide::Standing& best = analysis.best();
  constexpr std::string_view kNeeds = "it needs: ";  // which the sentence says itself
  if (best.group != decide::Group::kRunnable) {
    return {best.why_not.substr(best.why_not.starts_with(kNeeds) ? kNeeds.size() : 0), {}};
  }
  const auto cover = decide::cover_of(analysis.system, analysis.verdicts[best.place]);
  if (!cover) return {};
  return {need_of(*cover), obstacle_of(*cover)};
}

/// Does a method prove the deadlines of all tasks, and only a chain is too long?
bool fails_by_a_chain_alone(const Verdict& verdict) {
  return !verdict.chains.empty() && !verdict.tasks.empty() &&
         std::all_of(verdict.tasks.begin(), verdict.tasks.end(),
                     [](const TaskVerdict& task) { return task.schedulable; }) &&
         std::any_of(verdict.chains.begin(), verdict.chains.end(),
                     [](const ChainVerdict& chain) { return !chain.holds; });
}

}  // namespace

Headline headline_of(const Analysis& analysis) {
  const Status status = judgement(analysis);
  if (status == Status::kUnschedulable) {
    const bool chain =
        std::any_of(analysis.verdicts.begin(), analysis.verdicts.end(), fails_by_a_chain_alone);
    return {
        Headline::State::kNotProved,
        chain ? "Every deadline is proved, but not every chain" : "Not every deadline is proved",
        {},
        {}};
  }
  if (analysis.best().group == decide::Group::kNotApplicable)
    return {Headline::State::kUndecided, "No method covers this system", {}, {}};
  if (status != Status::kSchedulable || analysis.best().group > decide::Group::kNotRunHere)
    return {Headline::State::kUndecided, "Undecided", {}, {}};
  if (!is_guaranteed(analysis.verdicts[analysis.best().place].variant))
    return {Headline::State::kNotProved,
            "Every deadline holds as published, which is no proof",
            {},
            {}};
  auto [needs, now] = need_of_best(analysis);
  if (needs.empty())
    return {Headline::State::kRunsHere, "Every deadline is proved, and it runs here", {}, {}};
  return {Headline::State::kNeeds, "Every deadline is proved, but it needs: " + needs, needs,
          std::move(now)};
}

std::string_view to_string(Headline::State state) {
  switch (state) {
    case Headline::State::kRunsHere:
      return "runs here";
    case Headline::State::kNeeds:
      return "needs";
    case Headline::State::kNotProved:
      return "not proved";
    case Headline::State::kUndecided:
      return "undecided";
  }
  return {};
}

}  // namespace report

using namespace codec;  // the words of the table
using report::Headline;

template <>
std::span<const Field<Headline>> fields<Headline>() {
  static constexpr auto kTable = std::to_array<Field<Headline>>({
      always<&Headline::state, Named<Headline::State, Headline::State::kUndecided>>(
          "state", "Proved and covered, proved but not for this start, or neither"),
      always<&Headline::text, Line>("text", "In a sentence"),
      where_known<&Headline::needs, Line>("needs", "What the proof needs and is not here"),
      where_known<&Headline::now, Line>("now", "What is there instead"),
      always<Lines>(
          "not_covered", "What no proof of this system covers",
          [](const System& system, const Headline&) { return decide::not_covered(system); }),
  });
  return kTable;
}

}  // namespace tactus
