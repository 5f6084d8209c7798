#include "tactus/report/arbiter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "tactus/arbiter/client/costs.hpp"
#include "tactus/arbiter/daemon/decision.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus {
namespace report {
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
  if (row.best_effort == 0) return std::to_string(row.priority);
  return row.share == 0 ? "best effort" : fmt::format("best effort, {} %", row.share);
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

/// "The longest update by how many left at once: 1: 812 us, 2: 1240 us." Empty: nobody left.
std::string leaving_line(const arbiter::Leaving& leaving) {
  std::string each;
  for (std::size_t i = 0; i < arbiter::Leaving::kMost; ++i) {
    if (leaving.updates[i] == 0) continue;
    each += fmt::format("{}{}{}: {} us", each.empty() ? "" : ", ", i + 1,
                        i + 1 == arbiter::Leaving::kMost ? " and more" : "",
                        microseconds(leaving.max_ns[i]));
  }
  return each.empty() ? each
                      : fmt::format("The longest update by how many left at once: {}.\n", each);
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
  void add(std::string_view key, std::int64_t ns) { out_.key(key).number(format_scaled(ns, 3)); }
  std::string take() {
    out_.end_object().end_array().end_object().end_object();
    return out_.take();
  }

 private:
  json::Writer out_;
};

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
  out += leaving_line(snapshot.leaving);
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
    columns.insert(columns.end(), {{"threshold", Align::kRight},
                                   {"forced", Align::kRight},
                                   {"launches", Align::kRight},
                                   {"ungated", Align::kRight},
                                   {"reserved"},
                                   {"demoted", Align::kRight}});
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
      cells.emplace_back(row.launches > 0 ? count(row.launches) : "-");
      cells.emplace_back(row.launches > 0 ? count(row.passed) : "-");
      cells.emplace_back(row.reserved != 0 ? "yes" : "-");
      cells.emplace_back(count(row.demotions), row.demotions > 0 ? Ink::kRed : Ink::kPlain);
    }
    table.add(std::move(cells));
  }
  if (!table.empty()) out += table.render(style, "  ");
  return out;
}

std::string arbiter_costs(const arbiter::client::Snapshot& snapshot) {
  const auto costs = arbiter::client::costs_of(snapshot);
  if (costs.empty()) return {};
  CostsFile file;
  for (const arbiter::client::SeenCost& cost : costs) file.add(cost.name, cost.ns);
  return file.take();
}

}  // namespace report

using namespace codec;  // the words of the tables
using arbiter::BoostSummary, arbiter::Row, arbiter::Summary, arbiter::client::Snapshot;

namespace {

/// What the arbiter of `boost` did, of one kind.
struct Operation {
  std::uint64_t count;
  std::int64_t max_ns, mean_ns;
};

template <auto kCount, auto kMax, auto kMean>
Operation operation(const BoostSummary& b) {
  return {b.*kCount, b.*kMax, b.*kMean};
}

/// Updates at which so many left.
struct LeftAtOnce {
  std::size_t programs;
  std::uint64_t updates;
  std::int64_t max_ns;
};

std::vector<LeftAtOnce> left_at_once(const Snapshot& snapshot) {
  std::vector<LeftAtOnce> all;
  for (std::size_t i = 0; i < arbiter::Leaving::kMost; ++i) {
    if (snapshot.leaving.updates[i] > 0)
      all.push_back({i + 1, snapshot.leaving.updates[i], snapshot.leaving.max_ns[i]});
  }
  return all;
}

struct ClientRow {
  const Row& row;
  bool boosts;

  bool asks() const { return row.active != 0 && row.best_effort == 0; }
  bool is_protected() const {
    return row.active != 0 && row.threshold == arbiter::Submit::kProtected;
  }
  template <typename Value>
  std::optional<Value> if_boosts(Value value) const {
    if (!boosts) return std::nullopt;
    return std::optional<Value>(std::in_place, value);
  }
  std::optional<std::uint32_t> if_automatic(std::uint32_t value) const {
    return row.launches > 0 ? std::optional(value) : std::nullopt;
  }
};

template <auto kMember>
auto of_row(const ClientRow& client) {
  return client.row.*kMember;
}
template <auto kMember>
auto of_summary(const Snapshot& snapshot) {
  return snapshot.summary.*kMember;
}

std::optional<std::int32_t> priority(const ClientRow& client) {
  return client.asks() ? std::optional(client.row.priority) : std::nullopt;
}
std::optional<std::optional<std::int32_t>> threshold(const ClientRow& client) {
  const bool number = client.asks() && !client.is_protected();
  return client.if_boosts(number ? std::optional(client.row.threshold) : std::nullopt);
}

std::optional<std::string_view> variant(const Snapshot& snapshot) {
  const bool priorities = !report::fifo(snapshot.summary) && !report::boosts(snapshot.summary);
  return priorities ? std::optional<std::string_view>("safe-arbiter") : std::nullopt;
}

std::vector<ClientRow> clients_of(const Snapshot& snapshot) {
  std::vector<ClientRow> rows;
  for (const Row& row : snapshot.clients) rows.push_back({row, report::boosts(snapshot.summary)});
  return rows;
}

}  // namespace

template <>
std::span<const Field<Operation>> fields<Operation>() {
  static constexpr auto kTable = std::to_array<Field<Operation>>({
      always<&Operation::count, Number>("count", "How many"),
      always<&Operation::max_ns, AnyInteger>("max_ns", "From the decision to its effect"),
      always<&Operation::mean_ns, AnyInteger>("mean_ns", "The same, on average"),
  });
  return kTable;
}

template <>
std::span<const Field<BoostSummary>> fields<BoostSummary>() {
  using B = BoostSummary;
  static constexpr auto kTable = std::to_array<Field<B>>({
      always<operation<&B::starts, &B::start_max_ns, &B::start_mean_ns>, Object<Operation>>(
          "start", "Gates that were opened"),
      always<operation<&B::offs, &B::off_max_ns, &B::off_mean_ns>, Object<Operation>>(
          "off", "Segments that were taken off"),
      always<operation<&B::ons, &B::on_max_ns, &B::on_mean_ns>, Object<Operation>>(
          "on", "Segments that were put back"),
      always<&B::gate_max_ns, AnyInteger>("gate_max_ns", "Of a start, after its gate was opened"),
      always<&B::completions, Number>("completions", "That were seen"),
      always<&B::late_max_ns, AnyInteger>("seen_late_max_ns", "How late one may have been seen"),
      always<&B::forced, Number>("forced", "Gates that were opened without the arbiter"),
  });
  return kTable;
}

template <>
std::span<const Field<LeftAtOnce>> fields<LeftAtOnce>() {
  using Owner = LeftAtOnce;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::programs, Number>("programs", "How many left; 8: or more"),
      always<&Owner::updates, Number>("updates", "How often"),
      always<&Owner::max_ns, AnyInteger>("max_ns", "The longest, as prompt_update_max_ns"),
  });
  return kTable;
}

template <>
std::span<const Field<ClientRow>> fields<ClientRow>() {
  using Owner = ClientRow;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<of_row<&Row::client>, Number>("client", "Its number"),
      always<of_row<&Row::pid>, Number>("pid", "Its process"),
      always<of_row<&Row::uid>, Number>("uid", "Its user"),
      always<Line>("name", "What it calls itself",
                   [](const Owner& c) { return std::string_view(c.row.name); }),
      always<OneOf<"silent", "idle", "off", "running", "pending">>(
          "state", "What it does", [](const Owner& c) { return report::state_of(c.row); }),
      always<priority, OrNull<AnyInteger>>("priority", "Of its segment; null: none, best effort"),
      always<Line>("tier", "How its work is taken off",
                   [](const Owner& c) { return std::string_view(c.row.tier); }),
      always<of_row<&Row::segments>, Number>("segments", "GPU segments until now"),
      always<of_row<&Row::preemptions>, Number>("preemptions", "How often it was taken off"),
      always<of_row<&Row::off_ns>, AnyInteger>("off_ns", "How long its work was held off"),
      always<of_row<&Row::wait_max_ns>, AnyInteger>("wait_max_ns", "Its longest wait"),
      always<of_row<&Row::late>, Number>("late", "Orders that it followed too late"),
      always<of_row<&Row::shared>, Number>("shared", "Segments beside one that had not left"),
      always<of_row<&Row::overstays>, Number>("overstays", "Segments longer than its lease"),
      where_known<threshold, OrNull<AnyInteger>>("threshold", "boost: of its segment"),
      where_known<Flag>("protected", "boost: is it never taken off?",
                        [](const Owner& c) { return c.if_boosts(c.is_protected()); }),
      where_known<Number>("forced", "boost: gates that it opened without the arbiter",
                          [](const Owner& c) { return c.if_boosts(c.row.forced); }),
      where_known<Number>("launches", "Automatic segments: calls that put work into a stream",
                          [](const Owner& c) { return c.if_automatic(c.row.launches); }),
      where_known<Number>("ungated", "Automatic segments: how many of these waited at no gate",
                          [](const Owner& c) { return c.if_automatic(c.row.passed); }),
      where_known<Flag>("reserved", "boost: does its process have a reservation?",
                        [](const Owner& c) { return c.if_boosts(c.row.reserved != 0); }),
      where_known<Number>("demotions", "boost: how many of its segments broke it",
                          [](const Owner& c) { return c.if_boosts(c.row.demotions); }),
      where_known<Number>("share", "boost: percent of best effort's time that it is promised",
                          [](const Owner& c) { return c.if_boosts(c.row.share); }),
  });
  return kTable;
}

template <>
std::span<const Field<Snapshot>> fields<Snapshot>() {
  using Owner = Snapshot;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "arbiter">(),
      always<OneOf<"priority", "fifo", "boost">>(
          "rule", "Who gets the GPU", [](const Owner& s) { return report::rule_of(s.summary); }),
      always<variant, OrNull<Line>>("variant", "Of the bounds that cover this; null: see the rule"),
      where_known<Object<BoostSummary>>(
          "boost", "What it did, under that rule",
          [](const Owner& s) { return report::boosts(s.summary) ? &s.boost : nullptr; }),
      always<of_summary<&Summary::begins>, Number>("begins", "Segments until now"),
      always<of_summary<&Summary::updates>, Number>("updates", "Changes of who has the GPU"),
      always<of_summary<&Summary::late>, Number>("late", "Orders that were followed too late"),
      always<of_summary<&Summary::shared>, Number>("shared",
                                                   "Segments beside one that had not left"),
      always<of_summary<&Summary::update_max_ns>, AnyInteger>("update_max_ns",
                                                              "The longest that moved a client"),
      always<of_summary<&Summary::update_mean_ns>, AnyInteger>("update_mean_ns", "On average"),
      always<of_summary<&Summary::prompt_update_max_ns>, AnyInteger>(
          "prompt_update_max_ns", "Without the wait for work that leaves by itself"),
      always<left_at_once, List<Object<LeftAtOnce>>>("left_at_once",
                                                     "Updates, by how many had to leave"),
      always<of_summary<&Summary::take_off_max_ns>, AnyInteger>("take_off_max_ns",
                                                                "To take a task off"),
      always<of_summary<&Summary::put_back_max_ns>, AnyInteger>("put_back_max_ns",
                                                                "To put a task back"),
      always<of_summary<&Summary::leave_max_ns>, AnyInteger>("leave_max_ns",
                                                             "Until work left by itself"),
      always<of_summary<&Summary::lease_ns>, AnyInteger>("lease_ns",
                                                         "How long a silent client is trusted"),
      always<of_summary<&Summary::update_timeout_ns>, AnyInteger>("update_timeout_ns",
                                                                  "How long an order may take"),
      always<Flag>("safe_arbiter", "Does the arbiter run as the bounds assume?",
                   [](const Owner& s) { return s.summary.not_isolated[0] == 0; }),
      where_known<Line>("why_not", "Where it does not: why",
                        [](const Owner& s) { return std::string_view(s.summary.not_isolated); }),
      where_known<Line>("waived", "What was accepted at the start although the proof needs it",
                        [](const Owner& s) { return report::waived_of(s.summary); }),
      always<clients_of, List<Object<ClientRow>>>("clients", "Who is there"),
  });
  return kTable;
}

namespace report {

std::string arbiter_json(const Snapshot& snapshot) { return document_of({}, snapshot); }

std::string arbiter_schema() {
  return schema_of<Snapshot>("arbiter", "What tactusd has seen (tactus top --json)");
}

}  // namespace report
}  // namespace tactus
