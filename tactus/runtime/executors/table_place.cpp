#include "tactus/runtime/executors/table_place.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::runtime {

Result<TablePlace> make_table_place(const System& system, Device& device,
                                    const BestEffort& best_effort, std::int64_t sms, bool shares) {
  const Capabilities& machine = device.capabilities();
  TablePlace place;
  place.sms = machine.sms;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kCpu) place.left.first_core += element.units;
    if (element.kind == ElementKind::kCopy) place.left.first_engine += element.units;
  }
  if (!best_effort.wants_sms()) return place;
  const std::int64_t own[] = {sms};
  if (const std::int64_t rest = best_effort.sms_beside(own, machine); rest > 0) {
    const std::int64_t both[] = {sms, rest};
    const auto made = device.partition(both);
    if (!made) return made.error();
    place.partition = made->front().id;
    place.sms = made->front().got;
    place.left.sms = made->back();
    place.note = fmt::format(
        "the table has {} SMs, the rest is for best-effort tasks: its completions must have been "
        "measured like this",
        place.sms);
  } else if (shares) {
    place.priority = std::max(machine.priorities - 1, 0);
    place.left.sms = Partition{kWholeGpu, machine.sms, machine.sms};
    place.note =
        "best-effort tasks share the whole GPU at the lowest priority, and a block of theirs that "
        "runs is not interrupted: the completions of the table must have been measured like this";
  }
  return place;
}

}  // namespace tactus::runtime
