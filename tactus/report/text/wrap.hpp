#pragma once

#include <string>
#include <string_view>

#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// Words in lines of at most `columns`, the first behind `head`, the others below it. A word is never
/// cut: one that is longer has a line of its own.
std::string wrapped(std::string_view head, std::string_view text, int columns = 80);

/// A paragraph of text for a reader: as wide as the style allows, but no wider than is easily read.
std::string paragraph(std::string_view head, std::string_view text, const Style& style);
/// An entry of a list: further lines are indented a little more than the first.
std::string list_entry(std::string_view text, const Style& style);

/// A name in at most so many columns: what is too long loses its middle, because names in a file
/// often differ at their ends.
std::string shortened(std::string_view name, int columns, const Style& style);

}  // namespace tactus::report
