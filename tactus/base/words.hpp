#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tactus {

/// The word of an enumerator, given the words of all, in the order of the enumeration. Empty where
/// the value is none of them: it may come from memory that another process writes.
template <typename Enumeration, std::size_t kCount>
constexpr std::string_view word_of(Enumeration value,
                                   const std::array<std::string_view, kCount>& words) {
  const auto place = static_cast<std::size_t>(value);
  return place < kCount ? words[place] : std::string_view();
}

/// The words of an enumeration, whose last enumerator is `kLast`: it does not compile when one is
/// missing.
template <auto kLast, typename... Words>
constexpr std::array<std::string_view, sizeof...(Words)> words_up_to(Words... words) {
  static_assert(static_cast<std::size_t>(kLast) + 1 == sizeof...(Words));
  return {words...};
}

}  // namespace tactus
