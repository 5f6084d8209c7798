#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/cli/parser.hpp"

namespace tactus::cli {

/// The command line of a program.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& about, const std::string& footer);
  ~CommandLine();

  CLI::App& app() { return *app_; }
  Parser& parser() { return parser_; }

  /// Reads the words, and runs the verb among them. An exit code where there is nothing to do: help
  /// or the version was asked for, or the words have no sense, which is told.
  std::optional<int> take(const std::vector<std::string>& words);

 private:
  std::unique_ptr<CLI::App> app_;
  Parser parser_;
};

}  // namespace tactus::cli
