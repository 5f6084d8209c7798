#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/methods/own/command.hpp"

namespace tactus::cli {

/// Their options are the same for every verb: help has a topic for them.
inline constexpr std::string_view kOwnMethodsGroup = "Your own methods";

/// The methods that a command line brings along. They must join the registry before any verb is
/// told to the parser, because verbs offer what methods have; so they are looked for in the words
/// of the command line, and the parser only skips them.
class OwnMethods {
 public:
  /// What is wrong with them, or nothing.
  std::optional<Error> join(std::span<const std::string> words);
  /// One line for each that failed, on standard error: a verb may ask about thousands of systems.
  void tell_failures() const;

  /// For the parser and the reader of help.
  friend void describe(OwnMethods& own, Fields& is);

 private:
  std::vector<std::string> unread_;
  std::vector<std::unique_ptr<own::CommandMethod>> commands_;
};

}  // namespace tactus::cli
