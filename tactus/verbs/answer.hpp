#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/diagnostic.hpp"
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

/// One thing to tell the caller.
struct Problem {
  std::string message;
  std::string file = {};  ///< where it is in; empty: in the request itself
  Position at = {};
  Severity severity = Severity::kError;
};

/// Why there is no answer.
struct NoAnswer {
  Exit exit = kBadInput;
  std::vector<Problem> problems;

  static NoAnswer bad_input(std::string message) { return {kBadInput, {{std::move(message)}}}; }
  static NoAnswer unknown(std::string message) { return {kUnknown, {{std::move(message)}}}; }
};

/// What accompanies a question: who may end the work, and who is told about it.
struct Companion {
  std::stop_token stop = {};
  std::function<void(std::string_view)> progress = {};
  /// What is to be known of the question or its files, beside the answer; a warning.
  std::function<void(const Problem&)> tell = {};

  void warn(const Problem& problem) const {
    if (tell) tell(problem);
  }
};

/// What was asked for, or why there is nothing.
template <typename T>
class Answer {
 public:
  Answer(T value) : state_(std::move(value)) {}
  Answer(NoAnswer none) : state_(std::move(none)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T& operator*() { return std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const NoAnswer& none() const { return std::get<NoAnswer>(state_); }

 private:
  std::variant<T, NoAnswer> state_;
};

}  // namespace tactus::verbs
