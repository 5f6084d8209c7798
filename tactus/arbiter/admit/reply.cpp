#include "tactus/arbiter/admit/reply.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/written.hpp"

namespace tactus {

using namespace codec;  // the words of the tables
using arbiter::admit::Told;

template <>
std::span<const Field<Told::Summand>> fields<Told::Summand>() {
  using Owner = Told::Summand;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::label, Line>("label", "What it stands for"),
      where_known<&Owner::by, Line>("by", "The task that causes it"),
      always<&Owner::amount, TimeSeen>("amount", "Its part of what the task is held to"),
  });
  return kTable;
}

template <>
std::span<const Field<Told::Standing>> fields<Told::Standing>() {
  using Owner = Told::Standing;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::task, Line>("task", "Who has it, where that may be known"),
      always<&Owner::core, AnyInteger>("core", "Of its CPU work"),
      always<&Owner::bound, TimeSeen>("bound", "Its response is at most this"),
      always<&Owner::held_to, TimeSeen>("held_to", "When its job must be done, from its arrival"),
      always<&Owner::deadline, TimeSeen>("deadline", "Its deadline"),
      always<&Owner::period, TimeSeen>("period", "Its period"),
      always<Decimal>("room", "Share of the deadline that is left",
                      [](const Owner& one) { return format_scaled(one.room_thousandths, 3); }),
      where_known<&Owner::process, AnyInteger>("process", "Whose it is"),
      always<&Owner::kept, Flag>("kept", "Of the arbiter's file: it stays when its process ends"),
      always<&Owner::starting, Flag>("starting", "Its segments are still best effort"),
      always<&Owner::cuts, List<Number>>(
          "cuts", "Of each GPU segment: so many GPU tasks from the top take it off"),
      always<&Owner::jobs, Number>("jobs", "Whose last GPU segment was seen to be done"),
      always<&Owner::longest, TimeSeen>(
          "longest", "From an arrival to the end of the last GPU segment, of these jobs"),
      always<&Owner::demotions, Number>("demotions", "Of its segments, below best effort"),
      always<&Owner::between, Number>("between", "Its segments while there was no arbiter"),
  });
  return kTable;
}

template <>
std::span<const Field<Told::Departed>> fields<Told::Departed>() {
  using Owner = Told::Departed;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      always<&Owner::task, Line>("task", "Who had it"),
      where_known<&Owner::until, TimeSeen>("for", "So long it is still counted"),
  });
  return kTable;
}

template <>
std::span<const Field<Told>> fields<Told>() {
  using Owner = Told;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "reservation">(),
      system_name<Owner>(),
      always<Word<TimeUnit>>("time_unit", "The unit of every time here",
                             [](const System& system, const Owner&) { return system.time_unit; }),
      always<&Owner::word, OneOf<"admitted", "refused", "later", "done", "error">>(
          "answer", "later: refused only because of tasks that are gone"),
      always<&Owner::text, Line>("text", "The same in words"),
      where_known<&Owner::task, Line>("task", "Under which name"),
      where_known<&Owner::bound, TimeSeen>("bound", "Its response is at most this"),
      where_known<&Owner::deadline, TimeSeen>("deadline", "Its deadline"),
      where_known<&Owner::core, AnyInteger>("core", "Of its CPU work"),
      where_known<&Owner::terms, List<Object<Owner::Summand>>>("terms",
                                                               "What it is held to, in summands"),
      where_known<&Owner::trusts, List<Line>>(
          "trusts", "Above it on its core, and nobody holds them to their CPU time"),
      where_known<Line>("late", "Who is late first, at the deadline-monotonic place",
                        [](const Owner& told) { return told.late ? told.late->task : ""; }),
      where_known<TimeSeen>("late_by", "By how much, at least",
                            [](const Owner& told) {
                              return told.late
                                         ? std::optional(told.late->at_least - told.late->deadline)
                                         : std::nullopt;
                            }),
      where_known<TimeSeen>(
          "instead_period", "The smallest that would be admitted; it was tried",
          [](const Owner& told) { return told.instead ? told.instead->period : std::nullopt; }),
      where_known<Decimal>("instead_gpu_share", "The longest share of its GPU time; it was tried",
                           [](const Owner& told) {
                             return told.instead && told.instead->gpu_thousandths
                                        ? std::optional(
                                              format_scaled(*told.instead->gpu_thousandths, 3))
                                        : std::nullopt;
                           }),
      where_known<AnyInteger>(
          "instead_core", "Another core; it was tried",
          [](const Owner& told) { return told.instead ? told.instead->core : std::nullopt; }),
      where_known<&Owner::again, TimeSeen>("again_in", "After this it would be admitted"),
      where_known<Number>("again_ns", "The same in nanoseconds",
                          [](const Owner& told) {
                            return told.again ? std::optional(told.again->ns()) : std::nullopt;
                          }),
      where_known<Number>("first_ns", "After so many nanoseconds its first job may arrive",
                          [](const Owner& told) {
                            return told.first ? std::optional(told.first->ns()) : std::nullopt;
                          }),
      where_known<&Owner::cut_short, Flag>("cut_short", "Not everything was tried"),
      always<&Owner::reservations, List<Object<Owner::Standing>>>(
          "reservations", "In force now, the most urgent first"),
      always<&Owner::departed, List<Object<Owner::Departed>>>("departed",
                                                              "Gone, but still counted"),
      always<&Owner::refusals, Number>("refusals", "Since the arbiter began"),
      always<&Owner::beyond, Number>(
          "beyond", "Operations and notices that took longer than any bound counts"),
  });
  return kTable;
}

namespace arbiter::admit {

Reply reply_of(const System& platform, const Told& told) {
  return {told.word, told.text, document_of(platform, told)};
}

std::string reservation_schema() {
  return schema_of<Told>("reservation",
                         "Answers of an arbiter that admits (tactus reserve --list --json)");
}

std::string standings_text(const System& platform, const Told& told) {
  const auto shown = [&](Time time) { return format_time(time, platform.time_unit); };
  std::vector<std::vector<std::string>> rows = {
      {"task", "core", "period", "bound", "longest", "deadline", "room", "demoted", "process"}};
  for (const Told::Standing& one : told.reservations) {
    rows.push_back({one.task, std::to_string(one.core), shown(one.period), shown(one.bound),
                    one.jobs > 0 ? shown(one.longest) : "-", shown(one.deadline),
                    format_scaled(one.room_thousandths, 1) + " %", std::to_string(one.demotions),
                    one.process == 0 ? "-"
                    : one.starting   ? fmt::format("{} (starting)", one.process)
                                     : std::to_string(one.process)});
  }
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                     : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
  if (told.reservations.empty()) text = "Nobody has a reservation.\n";
  if (told.beyond > 0)
    text += fmt::format(
        "{} operations or notices took longer than the arbiter's file and --notice say: no bound "
        "covers that\n",
        told.beyond);
  for (const Told::Departed& one : told.departed) {
    text += one.until
                ? fmt::format("{} is gone, and still counted for {}\n", one.task, shown(*one.until))
                : fmt::format("{} is gone, and still counted until nobody has a job\n", one.task);
  }
  return text;
}

}  // namespace arbiter::admit
}  // namespace tactus
