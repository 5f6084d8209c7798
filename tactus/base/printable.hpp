#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tactus {

/// `text` as it may reach a terminal: what could control it, or change the order of shown text, is
/// written as an escape (`\u001b`, which is also what JSON has for it), and so are bytes that are
/// not UTF-8 (`\xff`). Line breaks and tabs stay. These are: control characters, those of Latin-1
/// (C1) included, marks that change the direction of text, separators of lines, and tags.
///
/// The sequences in `ours` stay too: the colours that we put in ourselves.
std::string printable(std::string_view text, std::span<const std::string_view> ours = {});

/// The same on one line: line breaks and tabs are escaped as well.
std::string printable_line(std::string_view text);

/// Does a text hold a control character, line breaks and those of Latin-1 included?
bool has_control_characters(std::string_view text);

}  // namespace tactus
