#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// The one source of what `--help` and the man pages say.
namespace tactus::cli {

/// "tactus gpu info": a verb with everything above it.
std::string full_name(const CLI::App& verb);

/// What stands behind an option: "N", "FILE", "a|b"; empty where nothing does.
std::string value_name(const CLI::Option& option);

/// The description of an option with its default.
std::string described(const CLI::Option& option);

/// The footer of a verb in paragraphs, each on one line; lines of examples begin with two blanks.
std::vector<std::string> footer_paragraphs(const CLI::App& app);

}  // namespace tactus::cli
