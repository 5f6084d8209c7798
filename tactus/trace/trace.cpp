#include "tactus/trace/trace.hpp"

#include "tactus/base/words.hpp"

namespace tactus::trace {

std::string_view to_string(Activity activity) {
  static constexpr auto kWords =
      words_up_to<Activity::kSwitch>("run", "launch", "update", "spin", "switch");
  return word_of(activity, kWords);
}

}  // namespace tactus::trace
