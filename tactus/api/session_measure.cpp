// A session measures the caller's own work.
#include "tactus/api/call.hpp"
#include "tactus/api/request.hpp"
#include "tactus/api/session.hpp"
#include "tactus/report/measurement.hpp"
#include "tactus/verbs/measure.hpp"

using namespace tactus;
using namespace tactus::api;

namespace {

constexpr std::int64_t kMostRuns = 1'000'000, kMostPercent = 1000;

/// What is asked for, but for the machine.
verbs::Answer<runtime::MeasureOptions> options_of(Request& asked) {
  runtime::MeasureOptions options;
  const auto units = asked.list("units"), enemies = asked.list("enemies");
  options.nodes = asked.texts("nodes");
  options.runs = static_cast<int>(asked.whole("runs", 1, kMostRuns, options.runs));
  options.margin = static_cast<int>(asked.whole("margin", 0, kMostPercent, options.margin));
  options.pairs = asked.flag("pairs", true);
  options.bcet = asked.flag("bcet");
  options.noisy = asked.flag("noisy-ok");
  if (units) {
    const auto widths = verbs::widths_of(*units);
    if (!widths) return widths.none();
    options.units = *widths;
  }
  if (enemies) options.enemies = verbs::enemies_of(*enemies);
  return options;
}

}  // namespace

tactus_answer* tactus_session_measure(tactus_session* session, const char* request,
                                      tactus_call* call) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const Use use(*session);
    if (!use) return session_in_use();
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    auto options = options_of(asked);
    const bool samples = asked.flag("samples");
    if (auto bad = asked.finish()) return answer_without(*bad);
    if (!options) return answer_without(options.none());
    options->backend = session->backend;
    options->machine = session->machine;
    options->progress = companion->progress;
    std::stop_source either;  // the call is cancelled, or the session is stopped
    const auto end = [&either] { either.request_stop(); };
    const std::stop_callback by_call(companion->stop, end);
    const std::stop_callback by_session(session->stop_token(), end);
    options->stop = either.get_token();
    const auto measured = verbs::measure(session->system, session->workload, *options);
    session->stop_was_heard();
    if (!measured) return answer_without(measured.none());
    return answer_with(TACTUS_YES, report::measurement_json(*measured, *options, samples));
  });
}
