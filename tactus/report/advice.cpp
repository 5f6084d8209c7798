#include "tactus/report/advice.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/decide/never_run.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/report/slack.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
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
  std::string out = fmt::format(
      "Best for {}: {} ({}), proved\nAll times may grow to {} of the file's.\n\n", system.name,
      inked(best.method->id, Ink::kBold, style), best.deployment.variant, factor_text(best));
  if (best.changes.empty()) {
    out += "  nothing to change in the file\n";
  } else {
    Table table({{"change"}, {"from", Align::kRight}, {"to", Align::kRight}});
    for (const decide::Change& change : best.changes) {
      table.add({change.path, plain(change.before), plain(change.after)});
    }
    out += table.render(style, "  ");
  }
  out += '\n' + wrapped("  at run time: ", decide::needs_of(best.deployment.way));
  if (const auto cover = decide::cover_of(best.system, best.verdict)) {
    if (const std::string need = need_of(*cover); !need.empty())
      out += wrapped("  needs:       ", need);
    if (const std::string now = obstacle_of(*cover); !now.empty())
      out += wrapped("  now:         ", now);
  }
  if (!best.shares.empty()) out += wrapped("  SMs:         ", spaced(best.shares));
  out += wrapped("  limited by:  ", limited_by(best));
  for (const auto& one : decide::never_run(best.system, best.verdict))
    out += wrapped("  never runs:  ",
                   fmt::format("{}: {}", best.system.tasks[one.task].name, one.why));
  out += wrapped("  not covered: ", not_covered_text(system));
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

/// Methods that were left out, those with the same reason together.
std::string left_out_text(const decide::Advice& advice) {
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
    out += wrapped("left out: ", fmt::format("{}: {}", who, why));
  }
  return out;
}

std::string value_text(const decide::Reach& reach, std::int64_t value, const System& system) {
  return decide::is_time(reach.knob) ? format_time(Time::from_ns(value), system.time_unit)
                                     : std::to_string(value);
}

std::string way_out_text(const System& system, const decide::Advice& advice, const WayOut& way_out,
                         const Style& style) {
  std::string out = fmt::format("No way to run {} is proved.\n", system.name);
  if (advice.options.empty()) return out;
  out += wrapped(
      "", fmt::format("Nearest: {} ({}), proved if all times shrink to {}; {} is late.",
                      advice.options.front().method->id, advice.options.front().deployment.variant,
                      factor_text(advice.options.front()), limited_by(advice.options.front())));
  const auto with_one_more = [&](std::string_view what, const decide::Advice& other) {
    const Option& option = other.options.front();
    out +=
        wrapped("", fmt::format("With one more {} it works: {} ({}), factor {}.", what,
                                option.method->id, option.deployment.variant, factor_text(option)));
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

std::string effort_text(const decide::Advice& advice) {
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
  return wrapped("", out);
}

void write_option(json::Writer& out, const Option& option, bool systems) {
  out.begin_object();
  out.key("method").string(option.method->id).key("variant").string(option.deployment.variant);
  out.key("proved").boolean(option.proved());
  out.key("factor").number(format_scaled(option.factor, 3));
  out.key("exact").boolean(option.exact);
  if (option.limit.task || option.limit.chain) out.key("limited_by").string(limited_by(option));
  out.key("run_by").string(to_string(option.deployment.way));
  out.key("needs").string(decide::needs_of(option.deployment.way));
  if (const auto cover = decide::cover_of(option.system, option.verdict))
    write_cover(out.key("cover"), *cover);
  write_never_run(out, option.system, option.verdict);
  out.key("cores").integer(option.cores).key("sms").integer(option.sms);
  if (!option.shares.empty()) out.key("shares").string(option.shares);
  if (option.arbiter_core) out.key("arbiter_core").integer(*option.arbiter_core);
  out.key("to_change").begin_object();
  const auto value = [&](std::string_view text) {
    if (text.empty()) {
      out.null();
    } else {
      out.number(text);
    }
  };
  for (const decide::Change& change : option.changes) {
    out.key(change.path).begin_object();
    value((out.key("from"), change.before));
    value((out.key("to"), change.after));
    out.end_object();
  }
  out.end_object();
  if (systems && option.proved()) {
    out.key("system").number(write_system(option.system));  // JSON text already
    if (option.verdict.plan) out.key("plan").number(plan_json(option.system, option.verdict));
  }
  out.end_object();
}

}  // namespace

std::string advice_text(const System& system, const decide::Advice& advice, const WayOut& way_out,
                        const Style& style) {
  if (advice.options.empty()) {
    return way_out_text(system, advice, way_out, style) + '\n' + effort_text(advice) +
           left_out_text(advice);
  }
  std::string out = advice.found() ? best_text(system, advice.options.front(), style)
                                   : way_out_text(system, advice, way_out, style);
  out += '\n' + others_text(advice, style);
  out += '\n' + effort_text(advice);
  return out + left_out_text(advice);
}

std::string advice_json(const System& system, const decide::Advice& advice, const WayOut& way_out,
                        std::span<const decide::Change> changes, bool systems) {
  json::Writer out;
  begin_document(out, system, changes);
  out.key("found").boolean(advice.found());
  out.key("options").begin_array();
  for (const Option& option : advice.options) write_option(out, option, systems);
  out.end_array();
  out.key("left_out").begin_array();
  for (const decide::LeftOut& left : advice.left_out) {
    out.begin_object().key("method").string(left.method->id).key("why").string(left.why);
    out.end_object();
  }
  out.end_array();
  if (!advice.found()) {
    out.key("would_do").begin_array();
    for (const decide::Remedy& remedy : way_out.remedies.smallest) {
      out.begin_object();
      out.key("change").string(decide::name_of(remedy.reach.knob, remedy.system));
      out.key("from").number(value_text(remedy.reach, remedy.reach.now, system));
      out.key("to").number(value_text(remedy.reach, *remedy.reach.holds, system));
      out.key("method").string(remedy.method->id);
      out.end_object();
    }
    out.end_array();
    out.key("would_do_cut_short").boolean(way_out.remedies.cut_short);
    out.key("one_more_core_would_do").boolean(way_out.one_more_core.has_value());
    out.key("one_more_sm_would_do").boolean(way_out.one_more_sm.has_value());
  }
  out.key("exhaustive").boolean(advice.exhaustive);
  out.key("analyses").integer(advice.analyses);
  out.key("stopped").boolean(advice.stopped);
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
