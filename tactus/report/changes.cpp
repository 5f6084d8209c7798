#include "tactus/report/changes.hpp"

#include <fmt/core.h>

#include <array>

namespace tactus {

using namespace codec;  // the words of the table
using decide::Change;

namespace {

/// Their values are JSON text already.
std::optional<std::string_view> before(const Change& change) {
  return change.added ? std::nullopt : std::optional<std::string_view>(change.before);
}
template <bool kAdded>
std::optional<std::string_view> after(const Change& change) {
  return change.added == kAdded ? std::optional<std::string_view>(change.after) : std::nullopt;
}
template <bool kAdded>
std::optional<std::string_view> path(const Change& change) {
  return change.added == kAdded ? std::optional<std::string_view>(change.path) : std::nullopt;
}

}  // namespace

template <>
std::span<const Field<Change>> fields<Change>() {
  static constexpr auto kTable = std::to_array<Field<Change>>({
      where_known<path<false>, Line>("set", "The path that was changed"),
      where_known<path<true>, Line>("add", "The file whose tasks were added"),
      where_known<before, AnyValue>("from", "The value before"),
      where_known<after<false>, AnyValue>("to", "The value now"),
      where_known<after<true>, AnyValue>("tasks", "What was added"),
  });
  return kTable;
}

namespace report {

std::string changes_text(const decide::Edited& edited, const Style& style) {
  std::string out;
  for (const decide::Change& change : edited.changes) {
    out += fmt::format("{} {}\n", inked("changed:", Ink::kYellow, style), to_string(change));
  }
  for (const std::string& note : edited.notes) {
    out += fmt::format("{} {}\n", inked("note:", Ink::kDim, style), note);
  }
  return out.empty() ? out : out + '\n';
}

void begin_document(json::Writer& out, std::string_view kind, const System& system,
                    std::span<const Change> changes) {
  codec::begin_document(out, kind);
  out.key("system").string(system.name);
  write_changes(out, changes);
}

void write_changes(json::Writer& out, std::span<const Change> changes) {
  if (changes.empty()) return;
  List<Object<Change>>::write(out.key("changes"), {}, changes);
}

void note_changes(const decide::Edited& edited, trace::Observed& observed) {
  for (const decide::Change& change : edited.changes) {
    observed.notes.push_back("changed: " + to_string(change));
  }
  observed.notes.insert(observed.notes.end(), edited.notes.begin(), edited.notes.end());
}

}  // namespace report
}  // namespace tactus
