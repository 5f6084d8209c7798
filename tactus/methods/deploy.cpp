#include "tactus/methods/deploy.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus {

Result<std::optional<Deployed>> deployed_by(const System& system) {
  if (!system.deploy) return std::optional<Deployed>();
  const Deploy& deploy = *system.deploy;
  const auto wrong = [&](std::string problem) {
    return Error{"deploy: " + std::move(problem), {}, deploy.at};
  };
  const Method* method = find_method(deploy.method);
  if (method == nullptr || method->id != deploy.method) {
    std::vector<std::string_view> ids;
    for (const Method* known : registry()) ids.push_back(known->id);
    const std::string meant = suggestion(deploy.method, ids);
    return wrong(fmt::format("there is no method {}{}", quote(deploy.method),
                             meant.empty() ? "; `tactus methods` lists them" : meant));
  }
  std::string variant = deploy.variant.value_or(std::string(kSafe));
  if (std::find(method->variants.begin(), method->variants.end(), variant) ==
      method->variants.end()) {
    return wrong(fmt::format("{} has no variant {}; it has {}", method->id, quote(variant),
                             fmt::join(method->variants, ", ")));
  }
  return std::optional(Deployed{method, std::move(variant)});
}

}  // namespace tactus
