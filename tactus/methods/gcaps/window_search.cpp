#include "tactus/methods/gcaps/window_search.hpp"

#include <fmt/core.h>

#include "tactus/methods/method.hpp"

namespace tactus::gcaps {

constexpr std::int64_t kMostSteps = 10'000'000;

void WindowSearch::count_step() {
  if (++steps_ % 4096 == 0) Stopped::check(stop_);
  if (steps_ > kMostSteps) {
    throw LimitReached(fmt::format("no fixed point within {} steps", kMostSteps));
  }
}

}  // namespace tactus::gcaps
