#pragma once

#include <string>
#include <string_view>

#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// Words in lines of at most `columns`, the first behind `head`, the others below it. A word is never
/// cut: one that is longer has a line of its own.
std::string wrapped(std::string_view head, std::string_view text, int columns = 80);
/// The same, with `hang` blanks before further lines.
std::string wrapped(std::string_view head, std::string_view text, int columns, int hang);

/// Terminals with fewer columns are narrow: there tables stand in parts, and headings are folded.
inline constexpr int kRoomForTables = 60;

/// A line that begins in a colour; only a narrow terminal folds it.
std::string heading(std::string_view begin, Ink ink, std::string_view rest, const Style& style);

/// A paragraph of text for a reader: as wide as the style allows, but no wider than is easily read.
std::string paragraph(std::string_view head, std::string_view text, const Style& style);
/// An entry of a list: further lines are indented a little more than the first.
std::string list_entry(std::string_view text, const Style& style);

/// A name in at most so many columns: what is too long loses its middle, because names in a file
/// often differ at their ends.
std::string shortened(std::string_view name, int columns, const Style& style);

}  // namespace tactus::report
