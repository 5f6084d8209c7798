#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tactus/base/file.hpp"
#include "tactus/model/reader.hpp"
#include "tests/support/paths.hpp"

namespace tactus::support {

/// The system in `text`; fails the test when the reader has anything to say about it, but for doubts
/// about its unit: periods of a few nanoseconds are handy in tests.
inline System read(const std::string& text) {
  ReadResult result = read_system(text);
  for (const Diagnostic& problem : result.diagnostics) {
    if (problem.message.ends_with("is `time_unit` right?")) continue;
    ADD_FAILURE() << to_string(problem, "test") << "\n" << text;
  }
  return result.system.value_or(System{});
}

/// The system in a file of the repository.
inline System read_file(const std::string& path) {
  const auto text = read_text_file(support::source_path(path));
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return {};
  }
  return read(*text);
}

}  // namespace tactus::support
