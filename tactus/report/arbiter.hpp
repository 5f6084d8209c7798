#pragma once

#include <string>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// Which client has the GPU, which clients wait, and what it costs.
std::string arbiter_text(const arbiter::client::Snapshot& snapshot, const Style& style);
std::string arbiter_json(const arbiter::client::Snapshot& snapshot);

/// What the arbiter measured, as the piece of a system file that the analysis needs:
/// `context_switch` is the worst time to take work off and put other work back, `runlist_update`
/// the worst whole update, never less than that. Of an arbiter for boost: `start_cost`,
/// `preempt_cost` and `resume_cost`. Empty when nothing has been measured yet.
std::string arbiter_costs(const arbiter::client::Snapshot& snapshot);

}  // namespace tactus::report
