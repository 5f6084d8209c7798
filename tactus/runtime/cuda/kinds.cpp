#include "tactus/runtime/cuda/kernels.hpp"

#include "tactus/base/words.hpp"

namespace tactus::runtime::cuda {

std::string_view to_string(KernelKind kind) {
  static constexpr auto kWords =
      words_up_to<KernelKind::kMixed>("compute", "special", "branch", "memory", "mixed");
  return word_of(kind, kWords);
}

std::optional<KernelKind> parse_kind(std::string_view name) {
  for (const KernelKind kind : kKinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace tactus::runtime::cuda
