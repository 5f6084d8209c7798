#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/cli/parser.hpp"
#include "tactus/decide/edit.hpp"

namespace tactus::cli {

/// `--set` and `--add` of every verb that reads a system: what would be, were the file different?
class WhatIf {
 public:
  void add_to(Parser& verb);

  /// The system of a file with the changes; or nothing, after everything wrong has been told.
  std::optional<decide::Edited> read(const std::string& path) const;
  /// The changes on a system that has been read from `path`.
  std::optional<decide::Edited> applied(const std::string& path, System system) const;

  /// The file and the changes as words for another command; empty where there is no file to name.
  std::string words(const std::string& path) const;

 private:
  std::vector<std::string> sets_, files_;
};

}  // namespace tactus::cli
