#pragma once

#include <cstdint>
#include <string_view>

namespace tactus::yaml {

/// What a word without quotes means in YAML.
enum class PlainScalar : std::uint8_t {
  kText,
  kNumber,  ///< as JSON writes it
  kTrue,
  kFalse,
  kNull,
  kDoubtful,  ///< a number to some readers, or in a notation that JSON does not have
};

/// As YAML 1.2 has it (core schema), but only what JSON can say too.
PlainScalar meaning_of(std::string_view word);

/// Is a text safe without quotes, for readers of YAML 1.1 as well?
bool is_safe_without_quotes(std::string_view text);

}  // namespace tactus::yaml
