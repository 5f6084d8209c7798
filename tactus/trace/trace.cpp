#include "tactus/trace/trace.hpp"

namespace tactus {

std::string_view to_string(Activity activity) {
  switch (activity) {
    case Activity::kRun:
      return "run";
    case Activity::kLaunch:
      return "launch";
    case Activity::kUpdate:
      return "update";
    case Activity::kSpin:
      return "spin";
    case Activity::kSwitch:
      return "switch";
  }
  return {};
}

}  // namespace tactus
