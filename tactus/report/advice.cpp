#include "tactus/report/advice.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tactus/decide/never_run.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/report/slack.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus {
namespace report {
namespace {

using decide::Option;

std::string limited_by(const Option& option) {
  if (option.limit.task) return option.system.tasks[*option.limit.task].name;
  if (option.limit.chain) return "chain " + option.system.chains[*option.limit.chain].name;
  return option.limit.status == Status::kUndecided ? "(undecided)" : "";
}

std::string factor_text(const Option& option) {
  return fmt::format("{}{}", format_scaled(option.factor, 3), option.exact ? "" : "+");
}

/// A value without the quotes that a text has in JSON.
std::string plain(const std::string& value) {
  if (value.empty()) return "-";
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// With room to fold a long list.
std::string spaced(std::string_view list) {
  std::string out;
  for (char c : list) out.append(1, c).append(c == ',' ? " " : "");
  return out;
}

std::string best_text(const System& system, const Option& best, const Style& style) {
  std::string out = heading("", Ink::kPlain,
                            fmt::format("Best for {}: {} ({}), proved", system.name,
                                        best.method->id, best.deployment.variant),
                            style);
  if (const std::size_t at = out.find(best.method->id); at != std::string::npos)
    out.replace(at, best.method->id.size(), inked(best.method->id, Ink::kBold, style));
  out += heading("", Ink::kPlain,
                 fmt::format("All times may grow to {} of the file's.", factor_text(best)), style) +
         '\n';
  if (best.changes.empty()) {
    out += "  nothing to change in the file\n";
  } else {
    Table table({{"change"}, {"from", Align::kRight}, {"to", Align::kRight}});
    for (const decide::Change& change : best.changes) {
      table.add({change.path, plain(change.before), plain(change.after)});
    }
    out += table.render(style, "  ");
  }
  out += '\n' + paragraph("  at run time: ", decide::needs_of(best.deployment.way), style);
  if (const auto cover = decide::cover_of(best.system, best.verdict)) {
    if (const std::string need = need_of(*cover); !need.empty())
      out += paragraph("  needs:       ", need, style);
    if (const std::string now = obstacle_of(*cover); !now.empty())
      out += paragraph("  now:         ", now, style);
  }
  if (!best.shares.empty()) out += paragraph("  SMs:         ", spaced(best.shares), style);
  out += paragraph("  limited by:  ", limited_by(best), style);
  for (const auto& one : decide::never_run(best.system, best.verdict))
    out += paragraph(
        "  never runs:  ", fmt::format("{}: {}", best.system.tasks[one.task].name, one.why), style);
  out += paragraph("  not covered: ", not_covered_text(system), style);
  return out;
}

std::string others_text(const decide::Advice& advice, const Style& style) {
  Table table({{"method"},
               {"variant"},
               {"factor", Align::kRight},
               {"limited by"},
               {"cores", Align::kRight},
               {"SMs", Align::kRight},
               {"run by"}});
  for (const Option& option : advice.options) {
    table.add({option.method->id,
               option.deployment.variant,
               {factor_text(option), option.proved() ? Ink::kGreen : Ink::kRed},
               limited_by(option),
               option.cores > 0 ? std::to_string(option.cores) : "-",
               option.sms > 0 ? std::to_string(option.sms) : "-",
               to_string(option.deployment.way)});
  }
  return table.render(style);
}

/// Methods that were left out, those with the same reason together; only counted where others were
/// not.
std::string left_out_text(const decide::Advice& advice, const Style& style) {
  if (!advice.options.empty() && !advice.left_out.empty()) {
    return paragraph("",
                     fmt::format("Left out: {} methods that the file does not suit, or that are "
                                 "not run here (--json says why)",
                                 advice.left_out.size()),
                     style);
  }
  std::vector<std::pair<std::string, std::vector<std::string_view>>> reasons;
  for (const decide::LeftOut& left : advice.left_out) {
    // "plans of X are not run here: why": X stands before it anyway.
    const std::string own = fmt::format("plans of {} are ", left.method->id);
    const std::string why = left.why.starts_with(own) ? left.why.substr(own.size()) : left.why;
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const auto& each) { return each.first == why; });
    if (same == reasons.end()) {
      reasons.push_back({why, {left.method->id}});
    } else {
      same->second.push_back(left.method->id);
    }
  }
  constexpr std::size_t kMostNamed = 4;
  std::string out;
  for (const auto& [why, ids] : reasons) {
    const std::string who = ids.size() > kMostNamed ? fmt::format("{} methods", ids.size())
                                                    : fmt::format("{}", fmt::join(ids, ", "));
    out += paragraph("left out: ", fmt::format("{}: {}", who, why), style);
  }
  return out;
}

std::string value_text(const decide::Reach& reach, std::int64_t value, const System& system) {
  return decide::is_time(reach.knob) ? format_time(Time::from_ns(value), system.time_unit)
                                     : std::to_string(value);
}

std::string way_out_text(const System& system, const decide::Advice& advice, const WayOut& way_out,
                         const Style& style) {
  std::string out =
      paragraph("",
                advice_conclusion(system, advice, way_out) +
                    (way_out.only.empty() ? "." : "; --vary method tries the others."),
                style);
  if (advice.options.empty()) return out;
  out += paragraph(
      "",
      fmt::format("Nearest: {} ({}), proved if all times shrink to {}; {} is late.",
                  advice.options.front().method->id, advice.options.front().deployment.variant,
                  factor_text(advice.options.front()), limited_by(advice.options.front())),
      style);
  const auto with_one_more = [&](std::string_view what, const decide::Advice& other) {
    const Option& option = other.options.front();
    out += paragraph("",
                     fmt::format("With one more {} it works: {} ({}), factor {}.", what,
                                 option.method->id, option.deployment.variant, factor_text(option)),
                     style);
  };
  if (way_out.one_more_core) with_one_more("core", *way_out.one_more_core);
  if (way_out.one_more_sm) with_one_more("SM", *way_out.one_more_sm);
  const auto& [remedies, cut_short] = way_out.remedies;
  if (remedies.empty()) {
    return out + (cut_short ? "No change of one time, period or deadline alone was found before "
                              "the search was cut short.\n"
                            : "No change of one time, period or deadline alone would do.\n");
  }
  out += "Smallest single changes that would do:\n\n";
  Table table({{"change"},
               {"from", Align::kRight},
               {"to", Align::kRight},
               {"by", Align::kRight},
               {"proved by"}});
  for (const decide::Remedy& remedy : remedies) {
    table.add({decide::name_of(remedy.reach.knob, remedy.system),
               value_text(remedy.reach, remedy.reach.now, system),
               value_text(remedy.reach, *remedy.reach.holds, system),
               share_text(remedy.reach.now, *remedy.reach.holds), remedy.method->id});
  }
  out += table.render(style, "  ");
  if (cut_short) out += "\nNot every value was tried: the search was cut short.\n";
  return out;
}

std::string effort_text(const decide::Advice& advice, const Style& style) {
  std::string out = advice.exhaustive ? "Every candidate was looked at"
                                      : "Searched from several starts, not every candidate";
  out += fmt::format(" ({} analyses).", advice.analyses);
  if (advice.stopped) out += " Stopped early: this is the best so far.";
  if (std::any_of(advice.options.begin(), advice.options.end(),
                  [](const Option& option) { return !option.exact; })) {
    out +=
        " A factor with + was tried itself; the method is not known to keep its order, and "
        "larger ones may do too.";
  }
  return paragraph("", out, style);
}

}  // namespace

std::string advice_conclusion(const System& system, const decide::Advice& advice,
                              const WayOut& way_out) {
  if (advice.found()) {
    const Option& best = advice.options.front();
    return fmt::format("A way to run {} is proved: {} ({})", system.name, best.method->id,
                       best.deployment.variant);
  }
  if (way_out.only.empty()) return fmt::format("No way to run {} is proved", system.name);
  return fmt::format("No way to run {} by {}, which the file deploys, is proved", system.name,
                     way_out.only);
}

std::string advice_text(const System& system, const decide::Advice& advice, const WayOut& way_out,
                        const Style& style) {
  if (advice.options.empty()) {
    return way_out_text(system, advice, way_out, style) + '\n' + effort_text(advice, style) +
           left_out_text(advice, style);
  }
  std::string out = advice.found() ? best_text(system, advice.options.front(), style)
                                   : way_out_text(system, advice, way_out, style);
  out += '\n' + others_text(advice, style);
  out += '\n' + effort_text(advice, style);
  return out + left_out_text(advice, style);
}

}  // namespace report

using namespace codec;  // the words of the tables
using decide::Advice, decide::Change, decide::LeftOut, decide::Remedy;

namespace {

struct AdviceDocument {
  const Advice& advice;
  const report::WayOut& way_out;
  std::span<const Change> changes;
  bool systems;

  template <typename Value>
  std::optional<Value> if_not_found(Value value) const {
    return advice.found() ? std::nullopt : std::optional(std::move(value));
  }
};

struct OptionRow {
  const decide::Option& option;
  bool whole;  ///< with its system and its plan
};

std::vector<OptionRow> option_rows(const AdviceDocument& document) {
  std::vector<OptionRow> rows;
  for (const decide::Option& option : document.advice.options) {
    rows.push_back({option, document.systems && option.proved()});
  }
  return rows;
}

/// From one value to another, of what the caller is told to change.
struct Step {
  const Change& change;
};

std::vector<std::pair<std::string_view, Step>> steps_of(const OptionRow& row) {
  std::vector<std::pair<std::string_view, Step>> steps;
  for (const Change& change : row.option.changes) steps.emplace_back(change.path, Step{change});
  return steps;
}

/// Documents inside of this one, as text.
struct SystemText : AnyValue {
  static void describe(json::Writer& out) { describe_object<System>(out); }
};
struct PlanText : AnyValue {
  static void describe(json::Writer& out) { AnyPlan::describe(out); }
};

}  // namespace

template <>
std::span<const Field<Step>> fields<Step>() {
  static constexpr auto kTable = std::to_array<Field<Step>>({
      always<AnyValue>("from", "In the file; null: not given",
                       [](const Step& step) { return std::string_view(step.change.before); }),
      always<AnyValue>("to", "What it should be",
                       [](const Step& step) { return std::string_view(step.change.after); }),
  });
  return kTable;
}

template <>
std::span<const Field<OptionRow>> fields<OptionRow>() {
  using Row = OptionRow;
  static constexpr auto kTable = std::to_array<Field<Row>>({
      always<Line>("method", "Its id", [](const Row& row) { return row.option.method->id; }),
      always<Line>("variant", "Which variant of it",
                   [](const Row& row) { return row.option.deployment.variant; }),
      always<Flag>("proved", "Is every deadline?",
                   [](const Row& row) { return row.option.proved(); }),
      always<Decimal>("factor", "By which all times may grow",
                      [](const Row& row) { return format_scaled(row.option.factor, 3); }),
      always<Flag>("exact", "Is that the largest?",
                   [](const Row& row) { return row.option.exact; }),
      where_known<Line>("limited_by", "The task that is late first, or the chain too long",
                        [](const Row& row) {
                          const auto& limit = row.option.limit;
                          return limit.task || limit.chain ? report::limited_by(row.option)
                                                           : std::string();
                        }),
      always<report::AnyWay>("run_by", "What runs it",
                             [](const Row& row) { return row.option.deployment.way; }),
      always<Line>("needs", "What that needs at run time",
                   [](const Row& row) { return decide::needs_of(row.option.deployment.way); }),
      where_known<Object<decide::Cover>>(
          "cover", report::kCoverDoc,
          [](const Row& row) { return decide::cover_of(row.option.system, row.option.verdict); }),
      where_known<List<Object<decide::NeverRun>>>(
          "never_run", report::kNeverRunDoc,
          [](const Row& row) { return decide::never_run(row.option.system, row.option.verdict); }),
      always<Number>("cores", "That its tasks are on",
                     [](const Row& row) { return row.option.cores; }),
      always<Number>("sms", "SMs that they use", [](const Row& row) { return row.option.sms; }),
      where_known<Line>("shares", "Of the SMs: TASK=SMS,...",
                        [](const Row& row) { return std::string_view(row.option.shares); }),
      where_known<AnyInteger>("arbiter_core", "The core that is kept for the arbiter",
                              [](const Row& row) { return row.option.arbiter_core; }),
      always<steps_of, ByName<Object<Step>>>("to_change", "By path"),
      where_known<SystemText>("system", "With everything chosen, where it was asked for",
                              [](const Row& row) {
                                return row.whole ? write_system(row.option.system) : std::string();
                              }),
      where_known<PlanText>("plan", "The plan for that",
                            [](const Row& row) {
                              return row.whole && row.option.verdict.plan
                                         ? report::plan_json(row.option.system, row.option.verdict)
                                         : std::string();
                            }),
  });
  return kTable;
}

template <>
std::span<const Field<LeftOut>> fields<LeftOut>() {
  static constexpr auto kTable = std::to_array<Field<LeftOut>>({
      always<Line>("method", "Its id", [](const LeftOut& left) { return left.method->id; }),
      always<&LeftOut::why, Line>("why", "Why"),
  });
  return kTable;
}

template <>
std::span<const Field<Remedy>> fields<Remedy>() {
  static constexpr auto kTable = std::to_array<Field<Remedy>>({
      always<Line>(
          "change", "The value",
          [](const Remedy& remedy) { return decide::name_of(remedy.reach.knob, remedy.system); }),
      always<Decimal>("from", "What it is",
                      [](const System& system, const Remedy& remedy) {
                        return report::value_text(remedy.reach, remedy.reach.now, system);
                      }),
      always<Decimal>("to", "What would do",
                      [](const System& system, const Remedy& remedy) {
                        return report::value_text(remedy.reach, *remedy.reach.holds, system);
                      }),
      always<Line>("method", "What would prove it",
                   [](const Remedy& remedy) { return remedy.method->id; }),
  });
  return kTable;
}

template <>
std::span<const Field<AdviceDocument>> fields<AdviceDocument>() {
  using Owner = AdviceDocument;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "advice">(),
      system_name<Owner>(),
      report::changes_field<Owner>(),
      always<Flag>("found", "Is a way proved?", [](const Owner& d) { return d.advice.found(); }),
      always<Line>("conclusion", "The same in words, and by what",
                   [](const System& system, const Owner& d) {
                     return report::advice_conclusion(system, d.advice, d.way_out);
                   }),
      always<option_rows, List<Object<OptionRow>>>("options", "The best first"),
      always<Objects<LeftOut, "method">>("left_out", "Methods that cannot be used",
                                         [](const Owner& d) { return d.advice.left_out; }),
      where_known<List<Object<Remedy>>>(
          "would_do", "The smallest changes that would be enough",
          [](const Owner& d) { return d.advice.found() ? nullptr : &d.way_out.remedies.smallest; }),
      where_known<Flag>(
          "would_do_cut_short", "Were not all values tried?",
          [](const Owner& d) { return d.if_not_found(d.way_out.remedies.cut_short); }),
      where_known<Flag>(
          "one_more_core_would_do", "Is there a way with it?",
          [](const Owner& d) { return d.if_not_found(d.way_out.one_more_core.has_value()); }),
      where_known<Flag>(
          "one_more_sm_would_do", "Is there a way with it?",
          [](const Owner& d) { return d.if_not_found(d.way_out.one_more_sm.has_value()); }),
      always<Flag>("exhaustive", "Was everything tried?",
                   [](const Owner& d) { return d.advice.exhaustive; }),
      always<Number>("analyses", "How many were made",
                     [](const Owner& d) { return d.advice.analyses; }),
      always<Flag>("stopped", "Before the end", [](const Owner& d) { return d.advice.stopped; }),
  });
  return kTable;
}

namespace report {

std::string advice_json(const System& system, const Advice& advice, const WayOut& way_out,
                        std::span<const Change> changes, bool systems) {
  return document_of(system, AdviceDocument{advice, way_out, changes, systems});
}

std::string advice_schema() {
  return schema_of<AdviceDocument>("advice", "Ways to run a system (tactus advise --json)");
}

}  // namespace report
}  // namespace tactus
