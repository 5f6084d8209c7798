// The small languages of the command line, and texts of other programs that are read. The first letter
// says which.
#include <algorithm>

#include "tactus/arbiter/daemon/permissions.hpp"
#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/tiers/channel_notes.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/decide/spoken_task.hpp"
#include "tactus/exchange/pattern.hpp"
#include "tactus/trace/scenario.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

void read_scenario(const std::string& text) {
  const auto read = trace::parse_scenario(text, 7);
  if (!read) return fuzz::demand_one_line(read.error().message);
  const auto again = trace::parse_scenario(trace::to_string(*read), 7);
  fuzz::demand(bool(again), "a scenario can be read from its own words");
  fuzz::demand(trace::to_string(*again) == trace::to_string(*read), "and is the same");
}

void read_permission(const std::string& text) {
  arbiter::daemon::Permissions permissions;
  if (const auto problem = permissions.add(text)) fuzz::demand_one_line(problem->message);
  fuzz::demand(permissions.allows(12345, arbiter::Urgency{}), "everybody may be best effort");
}

void read_driver(const std::string& text) {
  const auto driver = arbiter::preload::parse_driver(text);
  fuzz::demand(driver.supported == driver.reason.empty(),
               "a driver is supported, or a reason given");
}

void read_cost(const std::string& text) {
  const arbiter::TierCost cost = arbiter::preload::tier_cost_of(text.c_str());
  if (cost.samples <= 0) return;
  fuzz::demand(cost.take_off_max >= cost.take_off_mean && cost.put_back_max >= cost.put_back_mean,
               "the longest is not shorter than the mean");
  const arbiter::TierCost again =
      arbiter::preload::tier_cost_of(arbiter::tiers::to_text(cost).c_str());
  fuzz::demand(again.take_off_max == cost.take_off_max && again.samples == cost.samples,
               "a note is read as it was written");
}

void read_task(const std::string& text) {
  const auto task = decide::spoken_task(text, {});
  if (!task) return fuzz::demand_one_line(task.error().message);
  fuzz::demand(!task->name.empty() && !task->nodes.empty(), "a task has a name and work");
  fuzz::demand(task->best_effort || *task->period > Time(), "and a period, or no deadline");
}

void match(const std::string& text) {
  const std::size_t middle = text.find('\n');
  if (middle == std::string::npos) return;
  exchange::matches(text.substr(0, middle), text.substr(middle + 1));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text = fuzz::text_of(data + 1, size - 1);
  switch (data[0]) {
    case 's':
      read_scenario(text);
      break;
    case 'p':
      read_permission(text);
      break;
    case 'd':
      read_driver(text);
      break;
    case 'c':
      read_cost(text);
      break;
    case 'm':
      match(text);
      break;
    case 't':
      read_task(text);
      break;
    default:
      break;
  }
  return 0;
}
