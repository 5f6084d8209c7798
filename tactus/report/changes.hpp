#pragma once

#include <span>
#include <string>

#include "tactus/base/json_writer.hpp"
#include "tactus/decide/edit.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/trace/observed.hpp"

/// What the command line changed in a system (`--set`, `--add`), in front of every result about it.
namespace tactus {

template <>
std::span<const Field<decide::Change>> fields<decide::Change>();

namespace report {

/// "changed: camera.detect.wcet: 9 -> 11", a line per change; nothing where there is none.
std::string changes_text(const decide::Edited& edited, const Style& style);

/// The member `changes` of a document that has them.
template <typename Document>
constexpr auto changes_field() {
  return codec::where_known<&Document::changes, codec::List<codec::Object<decide::Change>>>(
      "changes", "What differs from the file (--set, --add)");
}

/// The head of a document about a system: what it is, the name, and `changes` where there are some.
/// The object stays open.
void begin_document(json::Writer& out, std::string_view kind, const System& system,
                    std::span<const decide::Change> changes);
/// The member `changes` of a document; nothing where there is none.
void write_changes(json::Writer& out, std::span<const decide::Change> changes);

/// The same among the notes of a run, for its JSON.
void note_changes(const decide::Edited& edited, trace::Observed& observed);

}  // namespace report
}  // namespace tactus
