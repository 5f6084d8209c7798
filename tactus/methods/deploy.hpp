#pragma once

#include <optional>
#include <string>

#include "tactus/base/result.hpp"
#include "tactus/methods/method.hpp"

namespace tactus {

/// The method and the variant that a file says are meant to run (`deploy`).
struct Deployed {
  const Method* method = nullptr;
  std::string variant;  ///< `safe` where the file does not say
};

/// What a file deploys; nothing where it does not say; or what is wrong with it, and where. The
/// reader takes any name, since it knows no methods.
Result<std::optional<Deployed>> deployed_by(const System& system);

}  // namespace tactus
