#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tactus::cli {

/// How `--help` looks: what an option takes, what it is for and its default, within 80 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  std::string make_footer(const CLI::App* app) const override;
};

/// For a program, before it is told of its verbs.
void use_our_help(CLI::App& app);

/// The usage and the verbs, without anything else: for a call that names no verb.
std::string short_usage(const CLI::App& app);

}  // namespace tactus::cli
