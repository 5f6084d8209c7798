#include "tactus/methods/rtgpu/search_budget.hpp"

#include <fmt/core.h>

namespace tactus::rtgpu {

SearchBudget::SearchBudget(const Options& options) {
  const std::string_view text = options.get("time-limit");
  if (text.empty()) return;
  const auto ms = plain_decimal(text, 3);
  if (!ms) throw BadOption("time-limit", "a number of seconds", text);
  constexpr std::int64_t kForever = 1'000'000'000'000;  // about thirty years: no clock overflows
  end_ = Clock::now() + std::chrono::milliseconds(std::min(*ms, kForever));
}

void SearchBudget::spend(std::int64_t steps) {
  if (++allocations_ > kMostAllocations) {
    throw LimitReached(fmt::format("allocation search exceeded {} partial allocations",
                                   kMostAllocations));
  }
  if (end_) {
    if (Clock::now() > *end_) throw LimitReached("allocation search exceeded the time limit");
    return;
  }
  steps_ += steps;
  if (steps_ <= kMostSteps) return;
  throw LimitReached(
      fmt::format("allocation search exceeded its default budget of {} million steps; "
                  "--time-limit SECONDS lets it go on for that long",
                  kMostSteps / 1'000'000));
}

}  // namespace tactus::rtgpu
