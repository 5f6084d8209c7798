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
  const std::int64_t now = host::now_ns(), limit = std::min(*ms, kForever) * 1'000'000;
  half_ns_ = now + limit / 2;
  end_ns_ = now + limit;
  limit_ = INT64_MAX;
}

void SearchBudget::spend_allocation() {
  if (++allocations_ > kMostAllocations) {
    throw LimitReached(
        fmt::format("allocation search exceeded {} partial allocations", kMostAllocations));
  }
  if (time_is_up()) throw LimitReached("allocation search exceeded the time limit");
}

bool SearchBudget::time_is_up() const { return end_ns_ && host::now_ns() > *end_ns_; }

bool SearchBudget::half_spent() const {
  if (allocations_ > kMostAllocations / 2) return true;
  return half_ns_ ? host::now_ns() > *half_ns_ : steps_ > limit_ / 2;
}

void SearchBudget::give_up() const {
  throw LimitReached(
      fmt::format("allocation search exceeded its default budget of {} million steps; "
                  "--time-limit SECONDS lets it go on for that long",
                  limit_ / 1'000'000));
}

}  // namespace tactus::rtgpu
