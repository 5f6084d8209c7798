#pragma once

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/base/metrics.hpp"

namespace tactus::arbiter::client {

/// What the arbiter counts and measures: docs/use/watch.md has the names, which stay.
void write_metrics(Metrics& metrics, const Snapshot& snapshot);

}  // namespace tactus::arbiter::client
