#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/model/reader.hpp"
#include "tactus/model/system.hpp"

namespace tactus::cli {

/// Writes to standard output as a whole. A full disk is an error like any other: false, and told.
/// This and `complain` are the doors to the terminal: no text from a file steers it (`printable`).
bool emit(std::string_view text);

/// One line on standard error.
void complain(std::string_view line);

/// Standard input is shown under a name of its own.
std::string shown_name(const std::string& path);

/// Makes a folder for output, if it is not there yet; false, and told, when that fails.
bool make_folder(const std::string& path);

/// The system of a file ("-" is standard input); or nothing, after everything wrong has been told.
std::optional<System> system_or_complaint(const std::string& path);

/// Tells diagnostics as `file:line:col: message`.
void complain_about(const std::string& path, const std::vector<Diagnostic>& diagnostics);

}  // namespace tactus::cli
