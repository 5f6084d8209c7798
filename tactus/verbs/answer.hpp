#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/result.hpp"

/// What the verbs DO, for the command line and for the C interface: a request goes in, an answer
/// comes out. Nothing here reads files, prints, or knows who asks.
namespace tactus::verbs {

/// How an answer turned out; also the exit code of the process.
enum Exit {
  kYes = 0,       ///< schedulable, valid, done
  kNo = 1,        ///< not schedulable, bound violated
  kBadInput = 2,  ///< bad input or usage
  kUnknown = 3,   ///< undecided or unavailable
};

/// Why there is no answer.
struct NoAnswer {
  Exit exit = kBadInput;
  std::vector<Error> problems;  ///< without a file: of the question itself

  static NoAnswer bad_input(std::string message) { return {kBadInput, {{std::move(message)}}}; }
  static NoAnswer bad_input(Error error, const std::string& file) {
    if (error.file.empty()) error.file = file;
    return {kBadInput, {std::move(error)}};
  }
  static NoAnswer unknown(std::string message) { return {kUnknown, {{std::move(message)}}}; }
};

/// What accompanies a question: who may end the work, and who is told about it.
struct Companion {
  std::stop_token stop = {};
  std::function<void(std::string_view)> progress = {};
  /// What is to be known of the question or its files, beside the answer; a warning.
  std::function<void(const Error&)> tell = {};

  void warn(const Error& problem) const {
    if (tell) tell(problem);
  }
};

/// What was asked for, or why there is nothing.
template <typename T>
class Answer : public Result<T, NoAnswer> {
 public:
  using Result<T, NoAnswer>::Result;
  const NoAnswer& none() const { return this->error(); }
};

}  // namespace tactus::verbs
