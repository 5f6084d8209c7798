#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tactus::cli {

/// How `--help` looks: what an option takes, what it is for and its default, within 100 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

/// What is wrong with the command line, in our words and with a suggestion if there is one; and
/// where to read more.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace tactus::cli
