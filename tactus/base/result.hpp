#pragma once

#include <string>
#include <utility>
#include <variant>

#include "tactus/base/position.hpp"

namespace tactus {

enum class Severity { kError, kWarning };

/// What is wrong, or what is to be known: one line for a person, and its place if it is about a
/// text. Who reads a text knows its name, and may leave it to those who asked.
struct Error {
  std::string message;
  std::string file = {};
  Position at = {};
  Severity severity = Severity::kError;
};

/// A value or the reason why there is none; the only way to report errors at the boundaries. A
/// reason is an `Error`, unless there is more to say (all problems of a file, an exit code).
///
///     Result<std::string> text = read_text_file(path);
///     if (!text) return complain(text.error().message);
///     use(*text);
template <typename T, typename E = Error>
class Result : public std::variant<T, E> {
  using Either = std::variant<T, E>;

 public:
  Result(T value) : Either(std::in_place_index<0>, std::move(value)) {}
  Result(E reason) : Either(std::in_place_index<1>, std::move(reason)) {}

  explicit operator bool() const { return this->index() == 0; }
  const T& operator*() const { return std::get<0>(*this); }
  T& operator*() { return std::get<0>(*this); }
  const T* operator->() const { return &std::get<0>(*this); }
  T* operator->() { return &std::get<0>(*this); }
  const E& error() const { return std::get<1>(*this); }
};

}  // namespace tactus
