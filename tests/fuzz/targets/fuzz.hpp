#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tactus/base/diagnostic.hpp"

/// What the fuzz targets share. Each target is one function, called by libFuzzer with every input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::fuzz {

/// Ends the target, and so tells libFuzzer to keep the input, where something does not hold.
inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this does not hold: %s\n", what);
  std::abort();
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
}

/// A complaint is one line, whatever the file holds, and not a book.
inline void demand_one_line(std::string_view message) {
  demand(!message.empty(), "a complaint says something");
  demand(message.find('\n') == std::string_view::npos, "a complaint is one line");
  demand(message.size() < 4000, "a complaint is short");
}

template <typename Diagnostics>
void demand_lines(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) demand_one_line(diagnostic.message);
}

}  // namespace tactus::fuzz
