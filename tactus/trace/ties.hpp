#pragma once

#include "tactus/trace/scenario.hpp"

namespace tactus::trace {

/// The order of events at the same instant, where reality decides and not the analysis: a bound must
/// hold for every order.
struct Ties {
  bool requests_before_releases = false;  ///< requests for a lock are made before jobs arrive
  bool newcomers_first =
      false;               ///< a free lock is given after all requests of the instant are heard
  bool backwards = false;  ///< requests of one instant come from the last core to the first
};

/// `fifo`: jobs arrive first, and waiting tasks are served before new requests; `lifo`: the other way
/// round; `latest`: jobs arrive first, but new requests are heard; `shuffled`: changes at every instant.
Ties ties_at(const Scenario& scenario, Time now);

}  // namespace tactus::trace
