#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

/// What is wrong with a command line, in our words and with a suggestion if there is one.
namespace tactus::cli {

/// The first of these words that stands where a verb must stand and is none (`help` included, and
/// the verbs of a verb), as a complaint; empty if there is no such word.
std::string unknown_verb(const CLI::App& app, std::span<const std::string> words);

/// What the parser complains about; and where to read more.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error,
                          std::span<const std::string> words);

/// The verb (`gpu info` is one) that a command line begins with.
const CLI::App& chosen_verb(const CLI::App& app, std::span<const std::string> words);

/// The verbs that people may use.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);

}  // namespace tactus::cli
