#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::cli {

/// Writes to standard output as a whole. If that fails (a full disk): false, with a complaint. Only
/// this and `complain` write to the terminal: no text from a file controls it (`printable`).
bool emit(std::string_view text);

/// One line on standard error.
void complain(std::string_view line);
/// The same, of what is no problem: not with `--quiet`.
void note(std::string_view line);

/// The name of a file in messages; standard input has a special one.
std::string shown_name(const std::string& path);

/// Makes a folder for output, if it does not exist; false, with a complaint, if that fails.
bool make_folder(const std::string& path);

/// Replaces a file; false, with a complaint, if that fails.
bool save(const std::string& path, std::string_view text);

/// Says why a verb ends without an answer.
verbs::Exit fail(const std::string& why, verbs::Exit exit = verbs::kBadInput);

/// Tells why there is no answer, a line per problem.
verbs::Exit complain_of(const verbs::NoAnswer& none);
void complain_of(const Error& problem);
/// Who asks is told on standard error.
verbs::Companion told_here();

/// Prints diagnostics as `file:line:col: message`.
void complain_about(const std::string& path, const std::vector<Diagnostic>& diagnostics);

}  // namespace tactus::cli
