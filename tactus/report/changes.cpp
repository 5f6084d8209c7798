#include "tactus/report/changes.hpp"

#include <fmt/core.h>

#include "tactus/model/format.hpp"

namespace tactus::report {

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

void begin_document(json::Writer& out, const System& system,
                    std::span<const decide::Change> changes) {
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("system").string(system.name);
  write_changes(out, changes);
}

void write_changes(json::Writer& out, std::span<const decide::Change> changes) {
  if (changes.empty()) return;
  const auto value = [&](std::string_view text) {
    if (text.empty()) {
      out.null();
    } else {
      out.number(text);  // JSON text already
    }
  };
  out.key("changes").begin_array();
  for (const decide::Change& change : changes) {
    out.begin_object().key(change.added ? "add" : "set").string(change.path);
    if (!change.added) value((out.key("from"), change.before));
    value((out.key(change.added ? "tasks" : "to"), change.after));
    out.end_object();
  }
  out.end_array();
}

void note_changes(const decide::Edited& edited, trace::Observed& observed) {
  for (const decide::Change& change : edited.changes) {
    observed.notes.push_back("changed: " + to_string(change));
  }
  observed.notes.insert(observed.notes.end(), edited.notes.begin(), edited.notes.end());
}

}  // namespace tactus::report
