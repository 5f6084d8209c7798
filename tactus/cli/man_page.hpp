#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tactus::cli {

/// The man page of a program or of a verb, from what `--help` says: man(7) macros.
/// @param section "1" for what people call, "8" for what serves
std::string man_page(const CLI::App& app, const std::string& section);

/// Writes a page into `folder`/man1 or man8, under its name. False after a complaint.
bool write_man_page(const CLI::App& app, const std::string& section, const std::string& folder);

}  // namespace tactus::cli
