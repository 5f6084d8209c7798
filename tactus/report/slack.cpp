#include "tactus/report/slack.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/methods/end_to_end.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/end_to_end.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/csv.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus {
namespace report {
namespace {

using decide::Knob;
using decide::Reach;

/// A value of a knob, exactly.
std::string exact(const Knob& knob, std::int64_t value, const System& system) {
  if (knob.what == Knob::What::kAllTimes) return format_scaled(value, 3);
  return decide::is_time(knob) ? format_scaled(value, decimal_places(system.time_unit))
                               : std::to_string(value);
}

/// With at most three decimals, rounded towards the file's value: it still holds (or fails) there.
std::string rounded(const Knob& knob, std::int64_t value, bool up, const System& system) {
  if (!decide::is_time(knob)) return exact(knob, value, system);
  const int places = decimal_places(system.time_unit);
  std::int64_t grain = 1;
  for (int i = 3; i < places; ++i) grain *= 10;
  std::int64_t whole = value / grain;
  if (up && value % grain != 0) ++whole;
  return format_scaled(whole, std::min(3, places));
}

std::string unit_in_brackets(const System& system) {
  static constexpr std::string_view kNames[] = {" [ns]", " [us]", " [ms]", " [s]", ""};
  return std::string(kNames[static_cast<std::size_t>(system.time_unit)]);
}

/// Who is late where it no longer holds.
std::string broken_by(const Reach& reach, const System& system) {
  if (!reach.fails) return "";
  if (reach.breaks.task) return system.tasks[*reach.breaks.task].name;
  if (reach.breaks.chain) return "chain " + system.chains[*reach.breaks.chain].name;
  switch (reach.breaks.status) {
    case Status::kNotApplicable:
      return "(the method does not apply)";
    case Status::kUndecided:
      return "(undecided)";
    default:
      return "(no single task)";
  }
}

/// One block of the text.
Table table_of(const decide::Slack& slack, const System& system, std::string_view what, bool tried,
               auto belongs) {
  const bool room = slack.verdict.status == Status::kSchedulable;
  std::vector<Table::Column> columns = {
      {std::string(what)},
      {"now" + unit_in_brackets(system), Align::kRight},
      {room ? tried ? "holds at" : "may be" : "must be", Align::kRight},
      {"by", Align::kRight}};
  if (tried) columns.push_back({"fails at", Align::kRight});
  columns.push_back({room ? "then late" : "late now"});
  Table table(std::move(columns));
  for (const Reach& reach : slack.reaches) {
    if (!belongs(reach.knob)) continue;
    const bool harder_up = decide::grows_harder(reach.knob);
    std::string to = "?", by;
    if (reach.holds) {
      to = room && !reach.fails ? "any" : rounded(reach.knob, *reach.holds, !harder_up, system);
      if (to != "any") by = share_text(reach.now, *reach.holds);
    } else if (!room) {
      to = "not enough";
    }
    std::vector<Cell> cells = {decide::name_of(reach.knob, system),
                               exact(reach.knob, reach.now, system), to, by};
    if (tried) {
      cells.emplace_back(reach.fails ? rounded(reach.knob, *reach.fails, harder_up, system) : "");
    }
    cells.emplace_back(broken_by(reach, system));
    table.add(std::move(cells));
  }
  return table;
}

/// What each chain consists of most.
Table chains_table(const Verdict& verdict, const System& system) {
  const auto shown = [&](Time time) { return format_time(time, system.time_unit); };
  Table table({{"chain"},
               {"bound" + unit_in_brackets(system), Align::kRight},
               {"limit", Align::kRight},
               {"left", Align::kRight},
               {"mostly"}});
  for (const ChainVerdict& found : verdict.chains) {
    if (!found.bound) continue;
    const Chain& chain = system.chains[found.chain];
    std::optional<Time> limit = chain.reaction;
    if (chain.age && (!limit || *chain.age < *limit)) limit = chain.age;
    const std::vector<ChainPart> parts = chain_parts(system, verdict, found);
    const auto largest =
        std::max_element(parts.begin(), parts.end(), [](const ChainPart& a, const ChainPart& b) {
          return std::max(a.wait, a.takes) < std::max(b.wait, b.takes);
        });
    const bool waits = largest->wait >= largest->takes;
    table.add({chain.name, shown(*found.bound), limit ? shown(*limit) : "-",
               limit ? share_text(limit->ns(), 2 * limit->ns() - found.bound->ns()) : "",
               fmt::format("{} {}: {}", waits ? "wait for" : "bound of",
                           system.tasks[waits ? largest->first : largest->last].name,
                           shown(waits ? largest->wait : largest->takes))});
  }
  return table;
}

std::string headline(const System& system, const decide::Slack& slack, std::string_view why,
                     const Style& style) {
  const Reach& all = slack.all_times();
  std::string out =
      paragraph("",
                fmt::format("{} ({}) on {}: {}", slack.method->id, slack.verdict.variant,
                            system.name, to_string(slack.verdict.status)),
                style);
  out.replace(0, slack.method->id.size(), inked(slack.method->id, Ink::kBold, style));
  const auto add = [&](const std::string& text) { out += paragraph("", text, style); };
  if (!why.empty()) add(fmt::format("Chosen: {}, {}", slack.method->id, why));
  const std::string late = broken_by(all, system);
  if (!all.holds) {
    add("No scaling of all times together was found that does.");
  } else if (all.needs_change) {
    add(fmt::format("All times together must shrink to {} of the file's; now {} is late.",
                    format_scaled(*all.holds, 3), late));
  } else if (!all.fails) {
    add("All times together may grow as far as was tried (1000 times).");
  } else if (all.exact) {
    add(fmt::format("All times together may grow to {} of the file's; then {} is late.",
                    format_scaled(*all.holds, 3), late));
  } else {
    add(fmt::format("All times together: verified at {} of the file's, fails at {} ({}).",
                    format_scaled(*all.holds, 3), format_scaled(*all.fails, 3), late));
  }
  return out;
}

bool is_tried_only(const decide::Slack& slack, auto belongs) {
  return std::any_of(slack.reaches.begin(), slack.reaches.end(), [&](const Reach& reach) {
    return belongs(reach.knob) && reach.fails && !reach.exact;
  });
}

constexpr std::string_view kKnobs[] = {"all-times", "time",  "period", "deadline",
                                       "jitter",    "units", "cost",   "longer-period"};

}  // namespace

std::string share_text(std::int64_t from, std::int64_t to) {
  if (from == 0) return "";
  // In tenths of a percent, towards zero: never more than there is.
  const auto tenths = static_cast<std::int64_t>(static_cast<__int128>(to - from) * 1000 / from);
  return fmt::format("{}{} %",
                     tenths > 0   ? "+"
                     : tenths < 0 ? "-"
                                  : "",
                     format_scaled(std::abs(tenths), 1));
}

std::string slack_text(const System& system, const decide::Slack& slack, std::string_view why,
                       const Style& style) {
  std::string out = headline(system, slack, why, style);
  bool any_tried = false;
  const auto block = [&](std::string_view what, auto belongs) {
    const bool tried = is_tried_only(slack, belongs);
    const Table table = table_of(slack, system, what, tried, belongs);
    if (table.empty()) return;
    out += '\n' + table.render(style);
    any_tried = any_tried || tried;
  };
  using What = Knob::What;
  block("time, alone", [](const Knob& knob) { return knob.what == What::kNodeTime; });
  block("period", [](const Knob& knob) { return knob.what == What::kPeriod; });
  block("period, longer", [](const Knob& knob) { return knob.what == What::kLongerPeriod; });
  block("deadline", [](const Knob& knob) { return knob.what == What::kDeadline; });
  block("jitter", [](const Knob& knob) { return knob.what == What::kJitter; });
  block("platform",
        [](const Knob& knob) { return knob.what == What::kUnits || knob.what == What::kCost; });
  if (const Table table = chains_table(slack.verdict, system); !table.empty())
    out += '\n' + table.render(style);
  if (any_tried) {
    out += '\n' + paragraph("",
                            fmt::format("{} is not known to keep its order: where there is a "
                                        "column `fails at`, the two values of a line were tried, "
                                        "and nothing is said of those between.",
                                        slack.method->id),
                            style);
  }
  for (const std::string& line : slack.notes) out += '\n' + paragraph("note: ", line, style);
  for (const std::string& line : slack.left_out)
    out += '\n' + paragraph("not shown: ", line, style);
  if (slack.stopped) out += "\nStopped early: values may go further than shown.\n";
  return out;
}

std::string slack_csv(const System& system, const decide::Slack& slack) {
  std::string out = csv_line({"system", "method", "variant", "status", "of", "kind", "now", "holds",
                              "fails", "exact", "breaks"});
  for (const Reach& reach : slack.reaches) {
    const auto text = [&](const std::optional<std::int64_t>& value) {
      return value ? exact(reach.knob, *value, system) : std::string();
    };
    out += csv_line({system.name, slack.method->id, slack.verdict.variant,
                     to_string(slack.verdict.status), decide::name_of(reach.knob, system),
                     kKnobs[static_cast<std::size_t>(reach.knob.what)], text(reach.now),
                     text(reach.holds), text(reach.fails), reach.exact ? "true" : "false",
                     broken_by(reach, system)});
  }
  return out;
}

}  // namespace report

using namespace codec;  // the words of the tables
using decide::Breaks, decide::Reach;

namespace {

struct SlackDocument {
  const decide::Slack& slack;
  std::span<const decide::Change> changes;
};

template <auto kMember>
std::optional<std::string> reach_value(const System& system, const Reach& reach) {
  const std::optional<std::int64_t> value = reach.*kMember;
  return value ? std::optional(report::exact(reach.knob, *value, system)) : std::nullopt;
}

}  // namespace

template <>
std::span<const Field<Breaks>> fields<Breaks>() {
  static constexpr auto kTable = std::to_array<Field<Breaks>>({
      always<&Breaks::status, AnyStatus>("status", "Of the system there"),
      where_known<&Breaks::task, TaskName>("task", "The task that is late first"),
      where_known<Line>("chain", "Or the chain that is too long",
                        [](const System& system, const Breaks& breaks) {
                          return breaks.chain ? std::string_view(system.chains[*breaks.chain].name)
                                              : std::string_view();
                        }),
      where_known<&Breaks::reason, Line>("reason", "Why"),
  });
  return kTable;
}

template <>
std::span<const Field<Reach>> fields<Reach>() {
  static constexpr auto kTable = std::to_array<Field<Reach>>({
      always<Line>("of", "camera.detect.wcet; `all times` stands for a factor",
                   [](const System& system, const Reach& reach) {
                     return decide::name_of(reach.knob, system);
                   }),
      always<OneOf<"all-times", "time", "period", "deadline", "jitter", "units", "cost",
                   "longer-period">>(
          "kind", "What it is a value of",
          [](const Reach& reach) {
            return report::kKnobs[static_cast<std::size_t>(reach.knob.what)];
          }),
      always<reach_value<&Reach::now>, OrNull<Decimal>>("now", "Its value in the file"),
      always<reach_value<&Reach::holds>, OrNull<Decimal>>("holds",
                                                          "The hardest value that is still proved"),
      always<reach_value<&Reach::fails>, OrNull<Decimal>>("fails", "The easiest value that is not"),
      always<&Reach::exact, Flag>("exact", "Is there nothing between the two?"),
      where_known<Object<Breaks>>(
          "breaks", "What happens there",
          [](const Reach& reach) { return reach.fails ? &reach.breaks : nullptr; }),
  });
  return kTable;
}

template <>
std::span<const Field<SlackDocument>> fields<SlackDocument>() {
  using Owner = SlackDocument;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "slack">(),
      system_name<Owner>(),
      report::changes_field<Owner>(),
      always<Line>("method", "The method that was asked",
                   [](const Owner& d) { return d.slack.method->id; }),
      always<Line>("variant", "Which variant of it",
                   [](const Owner& d) { return std::string_view(d.slack.verdict.variant); }),
      always<AnyStatus>("status", "Of the system as it is",
                        [](const Owner& d) { return d.slack.verdict.status; }),
      where_known<Line>("reason", "Why",
                        [](const Owner& d) { return std::string_view(d.slack.verdict.reason); }),
      always<Objects<Reach, "value">>("slack", "One entry per value",
                                      [](const Owner& d) { return d.slack.reaches; }),
      where_known<List<Object<report::ChainRow>>>(
          "chains", report::kChainsDoc,
          [](const Owner& d) { return report::chain_rows(d.slack.verdict); }),
      always<Lines>("notes", "What goes with a value here, and not with --set",
                    [](const Owner& d) { return d.slack.notes; }),
      always<Lines>("left_out", "Values that could not be turned",
                    [](const Owner& d) { return d.slack.left_out; }),
      always<Number>("analyses", "How many were made",
                     [](const Owner& d) { return d.slack.analyses; }),
      always<Flag>("stopped", "Before the end", [](const Owner& d) { return d.slack.stopped; }),
  });
  return kTable;
}

namespace report {

std::string slack_json(const System& system, const decide::Slack& slack,
                       std::span<const decide::Change> changes) {
  return document_of(system, SlackDocument{slack, changes});
}

std::string slack_schema() {
  return schema_of<SlackDocument>("slack",
                                  "How far the values of a system may go (tactus slack --json)");
}

}  // namespace report
}  // namespace tactus
