#pragma once

#include <string>

#include "tactus/base/metrics.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/watch/watcher.hpp"

namespace tactus::report {

/// What is seen while a proof is relied on: a row per task, and what has left the model.
std::string watch_text(const watch::Watcher& watcher, const Style& style);
std::string watch_json(const watch::Watcher& watcher);
/// With the metrics of the arbiter, where there is one.
void write_metrics(Metrics& metrics, const watch::Watcher& watcher);

/// Of a run that was watched from inside: what `tactus watch` says of the same tasks.
void write_metrics(Metrics& metrics, const System& system, const trace::Observed& observed);

}  // namespace tactus::report
