#include "tactus/arbiter/tasks/task_runner.hpp"

#include "tactus/base/words.hpp"

namespace tactus::arbiter::tasks {

std::string_view to_string(Mode mode) {
  static constexpr auto kWords =
      words_up_to<Mode::kBoost>("off", "lock", "priority-lock", "arbiter", "boost");
  return word_of(mode, kWords);
}

namespace {

constexpr auto kTiers =
    words_up_to<TierChoice::kHold>("channel", "yield", "gate", "process", "hold");

}  // namespace

std::string_view to_string(TierChoice tier) { return word_of(tier, kTiers); }

std::optional<TierChoice> tier_named(std::string_view word) {
  for (std::size_t k = 0; k < kTiers.size(); ++k)
    if (word == kTiers[k]) return static_cast<TierChoice>(k);
  return std::nullopt;
}

}  // namespace tactus::arbiter::tasks
