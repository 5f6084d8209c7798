#include "tactus/runtime/cuda/kernels.hpp"

namespace tactus::runtime::cuda {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
      return "compute";
    case Kind::kSpecial:
      return "special";
    case Kind::kBranch:
      return "branch";
    case Kind::kMemory:
      return "memory";
    case Kind::kMixed:
      return "mixed";
  }
  return "?";
}

std::optional<Kind> parse_kind(std::string_view name) {
  for (const Kind kind : kKinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace tactus::runtime::cuda
