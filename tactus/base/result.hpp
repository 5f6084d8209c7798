#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tactus {

/// Why an operation at the boundary (a file, later a device or a socket) failed: one line for a
/// person.
struct Error {
  std::string message;
};

/// A value or the reason why there is none; the only way to report errors at the boundaries.
///
///     Result<std::string> text = read_text_file(path);
///     if (!text) return complain(text.error().message);
///     use(*text);
template <typename T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T& operator*() { return std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace tactus
