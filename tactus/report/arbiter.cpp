#include "tactus/report/arbiter.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/arbiter/daemon/decision.hpp"
#include "tactus/model/decimal.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/json_writer.hpp"
#include "tactus/report/table.hpp"

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
std::string_view rule_of(const Summary& summary) { return fifo(summary) ? "fifo" : "priority"; }

/// The variant of gcaps whose bounds cover this arbiter, and whether it is as they assume.
std::string variant_text(const Summary& summary) {
  if (fifo(summary)) return "Rule fifo: no variant of gcaps covers it.\n";
  return fmt::format("Variant in force: safe-arbiter. {}",
                     summary.not_isolated[0] == 0
                         ? std::string("The assumption of safe-arbiter holds.\n")
                         : fmt::format("The assumption of safe-arbiter does not hold: {}.\n",
                                       summary.not_isolated));
}

}  // namespace

std::string arbiter_text(const arbiter::client::Snapshot& snapshot, const Style& style) {
  const Summary& s = snapshot.summary;
  std::string out = fmt::format(
      "{} client{}, rule {}, {} decided begins, {} updates (worst {} us, mean {} us), {} late, {} "
      "shared\n",
      snapshot.clients.size(), snapshot.clients.size() == 1 ? "" : "s", rule_of(s), s.begins,
      s.updates, microseconds(s.update_max_ns), microseconds(s.update_mean_ns), s.late, s.shared);
  if (s.shared > 0)
    out += inked(fmt::format("{} times a client got the GPU while another, told to leave, had not "
                             "confirmed that it was off: no bound covers that.\n",
                             s.shared),
                 Ink::kRed, style);
  out += fmt::format("No work stays off for longer than {} ms after the arbiter fails.\n",
                     milliseconds(s.lease_ns));
  out += variant_text(s);
  Table table({{"client", Align::kRight},
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
  for (const Row& row : snapshot.clients) {
    const std::string state = state_of(row);
    table.add({count(row.client),
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
               {count(row.overstays), row.overstays > 0 ? Ink::kRed : Ink::kPlain}});
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
  if (fifo(s)) {
    out.null();
  } else {
    out.string("safe-arbiter");
  }
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
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

std::string arbiter_costs(const arbiter::client::Snapshot& snapshot) {
  const Summary& s = snapshot.summary;
  // Somebody is taken off or leaves by itself, then somebody is put back.
  const std::int64_t theta = std::max(s.take_off_max_ns, s.leave_max_ns) + s.put_back_max_ns;
  if (theta == 0) return {};
  // The wait for work that leaves by itself is the delay, and counts once.
  const std::int64_t epsilon =
      std::max(s.take_off_max_ns + s.put_back_max_ns, s.prompt_update_max_ns);
  json::Writer out;
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("time_unit").string("us");
  out.key("platform").begin_object().key("elements").begin_array().begin_object();
  out.key("name").string("gpu");
  out.key("kind").string("gpu");
  out.key("runlist_update").number(format_scaled(epsilon, 3));
  out.key("context_switch").number(format_scaled(theta, 3));
  out.key("preemption_delay").number(format_scaled(s.leave_max_ns, 3));
  out.end_object().end_array().end_object().end_object();
  return out.take();
}

}  // namespace tactus::report
