#include "tactus/runtime/cuda/kernels.hpp"

#include "tactus/base/words.hpp"

namespace tactus::runtime::cuda {

std::string_view to_string(Kind kind) {
  static constexpr auto kWords =
      words_up_to<Kind::kMixed>("compute", "special", "branch", "memory", "mixed");
  return word_of(kind, kWords);
}

std::optional<Kind> parse_kind(std::string_view name) {
  for (const Kind kind : kKinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace tactus::runtime::cuda
