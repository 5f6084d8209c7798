#include "tactus/methods/rtgpu/search_budget.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/host/clock.hpp"

namespace tactus::rtgpu {

SearchBudget::SearchBudget(const Options& options, std::int64_t descent)
    : limit_(std::max(kMostSteps, descent)) {
  const std::string_view text = options.get("time-limit");
  if (text.empty()) return;
  const auto ms = plain_decimal(text, 3);
  if (!ms) throw BadOption("time-limit", "a number of seconds", text);
  constexpr std::int64_t kForever = 1'000'000'000'000;  // about thirty years: no clock overflows
  end_ns_ = host::now_ns() + std::min(*ms, kForever) * 1'000'000;
  limit_ = INT64_MAX;
}

void SearchBudget::spend_allocation() {
  if (++allocations_ > kMostAllocations) {
    throw LimitReached(
        fmt::format("allocation search exceeded {} partial allocations", kMostAllocations));
  }
  if (end_ns_ && host::now_ns() > *end_ns_) {
    throw LimitReached("allocation search exceeded the time limit");
  }
}

void SearchBudget::give_up() const {
  throw LimitReached(
      fmt::format("allocation search exceeded its default budget of {} million steps; "
                  "--time-limit SECONDS lets it go on for that long",
                  limit_ / 1'000'000));
}

}  // namespace tactus::rtgpu
