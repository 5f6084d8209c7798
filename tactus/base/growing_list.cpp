#include "tactus/base/growing_list.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"

namespace tactus {

std::optional<Error> why_not_added(Added added, std::string_view noun, std::string_view nouns,
                                   std::string_view name, std::size_t most) {
  switch (added) {
    case Added::kYes:
      return std::nullopt;
    case Added::kClashes:
      return Error{fmt::format("there is a {} {} already", noun, quote(name))};
    case Added::kFull:
      break;
  }
  return Error{fmt::format("there are {} {}, and no place for {}", most, nouns, quote(name))};
}

}  // namespace tactus
