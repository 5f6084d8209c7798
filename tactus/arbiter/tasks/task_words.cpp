#include "tactus/arbiter/tasks/task_runner.hpp"

#include "tactus/base/words.hpp"

namespace tactus::arbiter::tasks {

std::string_view to_string(Mode mode) {
  static constexpr auto kWords =
      words_up_to<Mode::kBoost>("off", "lock", "priority-lock", "arbiter", "boost");
  return word_of(mode, kWords);
}

std::string_view to_string(TierChoice tier) {
  static constexpr auto kWords =
      words_up_to<TierChoice::kHold>("channel", "yield", "gate", "process", "hold");
  return word_of(tier, kWords);
}

}  // namespace tactus::arbiter::tasks
