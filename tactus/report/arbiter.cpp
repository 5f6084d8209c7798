#include "tactus/report/arbiter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tactus/arbiter/daemon/decision.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

using arbiter::Row;
using arbiter::Summary;

std::string state_of(const Row& row) {
  if (row.silent != 0) return "silent";  // got an order, and has not confirmed it
  if (row.active == 0) return row.on != 0 ? "idle" : "off";
  return row.on != 0 ? "running" : "pending";
}

std::string priority_of(const Row& row) {
  if (row.active == 0) return "-";
  return row.best_effort != 0 ? "best effort" : std::to_string(row.priority);
}

std::string microseconds(std::int64_t ns) { return format_scaled((ns + 999) / 1000, 0); }
std::string milliseconds(std::int64_t ns) { return format_scaled((ns + 999'999) / 1'000'000, 0); }
std::string count(std::uint64_t number) { return std::to_string(number); }

bool fifo(const Summary& summary) {
  return summary.rule == static_cast<std::uint32_t>(arbiter::daemon::Rule::kFifo);
}
bool boosts(const Summary& summary) { return summary.rule == arbiter::kRuleBoost; }
std::string_view rule_of(const Summary& summary) {
  return boosts(summary) ? "boost" : fifo(summary) ? "fifo" : "priority";
}

/// What was accepted at the start although the proof needs it; empty: nothing.
std::string_view waived_of(const Summary& summary) {
  const std::string_view why = summary.not_isolated;
  return why.starts_with(arbiter::kWaived) ? why.substr(std::strlen(arbiter::kWaived))
                                           : std::string_view();
}

/// The variant of gcaps whose bounds cover this arbiter, and whether it is as they assume.
std::string variant_text(const Summary& summary) {
  if (fifo(summary)) return "Rule fifo: no variant of gcaps covers it.\n";
  if (const auto waived = waived_of(summary); !waived.empty())
    return fmt::format("Nothing is proved of this start. Waived: {}.\n", waived);
  if (boosts(summary))
    return fmt::format("The bounds of gcaps.boost count the arbiter on a core of its own. {}\n",
                       summary.not_isolated[0] == 0
                           ? std::string("It has one.")
                           : fmt::format("It has none: {}.", summary.not_isolated));
  return fmt::format("Variant in force: safe-arbiter. {}",
                     summary.not_isolated[0] == 0
                         ? std::string("The assumption of safe-arbiter holds.\n")
                         : fmt::format("The assumption of safe-arbiter does not hold: {}.\n",
                                       summary.not_isolated));
}

/// "2 clients, rule boost, 17 segments, 17 starts (worst 40 us, mean 9 us), ..."
std::string boost_line(const arbiter::client::Snapshot& snapshot) {
  const arbiter::BoostSummary& b = snapshot.boost;
  const auto times = [](std::uint64_t number, const char* what, std::int64_t max,
                        std::int64_t mean) {
    return fmt::format("{} {} (worst {} us, mean {} us)", number, what, microseconds(max),
                       microseconds(mean));
  };
  return fmt::format(
      "{} client{}, rule boost, {} segments, {}, {}, {}, {} late, {} shared, {} forced\n",
      snapshot.clients.size(), snapshot.clients.size() == 1 ? "" : "s", snapshot.summary.begins,
      times(b.starts, "starts", b.start_max_ns, b.start_mean_ns),
      times(b.offs, "off", b.off_max_ns, b.off_mean_ns),
      times(b.ons, "on", b.on_max_ns, b.on_mean_ns), snapshot.summary.late, snapshot.summary.shared,
      b.forced);
}

/// Costs that were seen, as a piece of a system file: its GPU, with times in microseconds.
class CostsFile {
 public:
  CostsFile() {
    out_.begin_object();
    out_.key("tactus").integer(kFormatVersion);
    out_.key("time_unit").string("us");
    out_.key("platform").begin_object().key("elements").begin_array().begin_object();
    out_.key("name").string("gpu");
    out_.key("kind").string("gpu");
  }
  void add(const char* key, std::int64_t ns) { out_.key(key).number(format_scaled(ns, 3)); }
  std::string take() {
    out_.end_object().end_array().end_object().end_object();
    return out_.take();
  }

 private:
  json::Writer out_;
};

std::string boost_costs(const arbiter::BoostSummary& b) {
  if (b.start_max_ns == 0) return {};  // nobody saw when they were started
  CostsFile file;
  file.add("start_cost", b.start_max_ns);
  // Not seen is not zero: without them the analysis asks for more.
  if (b.offs > 0) file.add("preempt_cost", b.off_max_ns);
  // A batch that is put back switches the context like one that is started.
  if (b.ons > 0) file.add("resume_cost", b.on_max_ns + b.gate_max_ns);
  return file.take();
}

/// The same costs with everything else it has seen, for `--json`.
void write_boost(json::Writer& out, const arbiter::BoostSummary& b) {
  out.key("boost").begin_object();
  const auto operation = [&](const char* key, std::uint64_t number, std::int64_t max,
                             std::int64_t mean) {
    out.key(key).begin_object();
    out.key("count").number(std::to_string(number));
    out.key("max_ns").integer(max);
    out.key("mean_ns").integer(mean);
    out.end_object();
  };
  operation("start", b.starts, b.start_max_ns, b.start_mean_ns);
  operation("off", b.offs, b.off_max_ns, b.off_mean_ns);
  operation("on", b.ons, b.on_max_ns, b.on_mean_ns);
  out.key("gate_max_ns").integer(b.gate_max_ns);
  out.key("completions").number(std::to_string(b.completions));
  out.key("seen_late_max_ns").integer(b.late_max_ns);
  out.key("forced").number(std::to_string(b.forced));
  out.end_object();
}

/// "protected", a number, or "-".
std::string threshold_of(const Row& row) {
  if (row.active == 0) return "-";
  if (row.threshold == arbiter::Submit::kProtected) return "protected";
  return row.best_effort != 0 ? "-" : std::to_string(row.threshold);
}

}  // namespace

std::string arbiter_text(const arbiter::client::Snapshot& snapshot, const Style& style) {
  const Summary& s = snapshot.summary;
  std::string out = boosts(s)
                        ? boost_line(snapshot)
                        : fmt::format(
                              "{} client{}, rule {}, {} decided begins, {} updates (worst {} us, "
                              "mean {} us), {} late, {} "
                              "shared\n",
                              snapshot.clients.size(), snapshot.clients.size() == 1 ? "" : "s",
                              rule_of(s), s.begins, s.updates, microseconds(s.update_max_ns),
                              microseconds(s.update_mean_ns), s.late, s.shared);
  if (s.shared > 0)
    out += inked(fmt::format("{} times a client got the GPU while another, told to leave, had not "
                             "confirmed that it was off: no bound covers that.\n",
                             s.shared),
                 Ink::kRed, style);
  out += fmt::format("No work stays off for longer than {} ms after the arbiter fails.\n",
                     milliseconds(s.lease_ns));
  out += variant_text(s);
  if (boosts(s) && snapshot.boost.forced > 0)
    out += inked(fmt::format("{} times a client opened its own gate: no bound covers that.\n",
                             snapshot.boost.forced),
                 Ink::kRed, style);
  std::vector<Table::Column> columns({{"client", Align::kRight},
                                      {"pid", Align::kRight},
                                      {"name"},
                                      {"priority", Align::kRight},
                                      {"state"},
                                      {"tier"},
                                      {"segments", Align::kRight},
                                      {"preempted", Align::kRight},
                                      {"off ms", Align::kRight},
                                      {"worst wait us", Align::kRight},
                                      {"late", Align::kRight},
                                      {"shared", Align::kRight},
                                      {"overstayed", Align::kRight}});
  if (boosts(s))
    columns.insert(columns.end(), {{"threshold", Align::kRight}, {"forced", Align::kRight}});
  Table table(columns);
  for (const Row& row : snapshot.clients) {
    const std::string state = state_of(row);
    std::vector<Cell> cells = {count(row.client),
                               std::to_string(row.pid),
                               std::string_view(row.name),
                               priority_of(row),
                               {state, state == "running"  ? Ink::kGreen
                                       : state == "silent" ? Ink::kRed
                                                           : Ink::kPlain},
                               std::string_view(row.tier),
                               count(row.segments),
                               count(row.preemptions),
                               milliseconds(row.off_ns),
                               microseconds(row.wait_max_ns),
                               {count(row.late), row.late > 0 ? Ink::kRed : Ink::kPlain},
                               {count(row.shared), row.shared > 0 ? Ink::kRed : Ink::kPlain},
                               {count(row.overstays), row.overstays > 0 ? Ink::kRed : Ink::kPlain}};
    if (boosts(s)) {
      cells.emplace_back(threshold_of(row));
      cells.emplace_back(count(row.forced), row.forced > 0 ? Ink::kRed : Ink::kPlain);
    }
    table.add(std::move(cells));
  }
  if (!table.empty()) out += table.render(style, "  ");
  return out;
}

std::string arbiter_json(const arbiter::client::Snapshot& snapshot) {
  const Summary& s = snapshot.summary;
  json::Writer out;
  const auto number = [&](const char* key, std::uint64_t value) {
    out.key(key).number(std::to_string(value));
  };
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("rule").string(rule_of(s));
  out.key("variant");
  if (fifo(s) || boosts(s)) {
    out.null();
  } else {
    out.string("safe-arbiter");
  }
  if (boosts(s)) write_boost(out, snapshot.boost);
  number("begins", s.begins);
  number("updates", s.updates);
  number("late", s.late);
  number("shared", s.shared);
  out.key("update_max_ns").integer(s.update_max_ns);
  out.key("update_mean_ns").integer(s.update_mean_ns);
  out.key("prompt_update_max_ns").integer(s.prompt_update_max_ns);
  out.key("take_off_max_ns").integer(s.take_off_max_ns);
  out.key("put_back_max_ns").integer(s.put_back_max_ns);
  out.key("leave_max_ns").integer(s.leave_max_ns);
  out.key("lease_ns").integer(s.lease_ns);
  out.key("update_timeout_ns").integer(s.update_timeout_ns);
  out.key("safe_arbiter").boolean(s.not_isolated[0] == 0);
  if (s.not_isolated[0] != 0) out.key("why_not").string(s.not_isolated);
  if (!waived_of(s).empty()) out.key("waived").string(waived_of(s));
  out.key("clients").begin_array();
  for (const Row& row : snapshot.clients) {
    out.begin_object();
    number("client", row.client);
    out.key("pid").integer(row.pid);
    number("uid", row.uid);
    out.key("name").string(row.name);
    out.key("state").string(state_of(row));
    out.key("priority");
    if (row.active != 0 && row.best_effort == 0) {
      out.integer(row.priority);
    } else {
      out.null();
    }
    out.key("tier").string(row.tier);
    number("segments", row.segments);
    number("preemptions", row.preemptions);
    out.key("off_ns").integer(row.off_ns);
    out.key("wait_max_ns").integer(row.wait_max_ns);
    number("late", row.late);
    number("shared", row.shared);
    number("overstays", row.overstays);
    if (boosts(s)) {
      out.key("threshold");
      if (row.active == 0 || row.best_effort != 0 || row.threshold == arbiter::Submit::kProtected) {
        out.null();
      } else {
        out.integer(row.threshold);
      }
      out.key("protected").boolean(row.active != 0 && row.threshold == arbiter::Submit::kProtected);
      number("forced", row.forced);
    }
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

std::string arbiter_costs(const arbiter::client::Snapshot& snapshot) {
  const Summary& s = snapshot.summary;
  if (boosts(s)) return boost_costs(snapshot.boost);
  // Somebody is taken off or leaves by itself, then somebody is put back.
  const std::int64_t theta = std::max(s.take_off_max_ns, s.leave_max_ns) + s.put_back_max_ns;
  if (theta == 0) return {};
  // The wait for work that leaves by itself is the delay, and counts once.
  const std::int64_t epsilon =
      std::max(s.take_off_max_ns + s.put_back_max_ns, s.prompt_update_max_ns);
  CostsFile file;
  file.add("runlist_update", epsilon);
  file.add("context_switch", theta);
  file.add("preemption_delay", s.leave_max_ns);
  return file.take();
}

}  // namespace tactus::report
