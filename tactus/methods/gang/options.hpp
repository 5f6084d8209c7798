#pragma once

#include <array>
#include <charconv>
#include <string_view>

#include "tactus/methods/method.hpp"

/// What the four methods share: variants and the reading of options.
namespace tactus::gang {

/// No printed formula is replaced, only gaps are filled: both give the same numbers.
inline constexpr std::array<std::string_view, 2> kVariants = {kSafe, "paper"};

inline constexpr std::string_view kPaperTitle =
    "Ahmed, Massey, Anderson: Scheduling Processing Graphs of Gang Tasks on Heterogeneous "
    "Platforms";

/// A count in [1, 1e9], or `otherwise` if the option is not given.
inline std::size_t count_option(const Options& options, std::string_view name,
                                std::size_t otherwise) {
  const std::string_view text = options.get(name);
  if (text.empty()) return otherwise;
  constexpr std::size_t kMost = 1'000'000'000;
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 1 || value > kMost) {
    throw BadOption(name, "a count of at least 1", text);
  }
  return value;
}

inline bool flag_option(const Options& options, std::string_view name) {
  return !options.get(name).empty() && options.get(name) != "off";
}

}  // namespace tactus::gang
