// A session measures the caller's own work.
#include "tactus/api/ask.hpp"
#include "tactus/api/session.hpp"
#include "tactus/report/measurement.hpp"
#include "tactus/verbs/measure.hpp"

using namespace tactus;
using namespace tactus::api;

tactus_answer* tactus_session_measure(tactus_session* session, const char* request,
                                      tactus_call* call) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const Use use(*session);
    if (!use) return session_in_use();
    const auto companion = companion_of(call);
    if (!companion) return answer_without(companion.none());
    verbs::MeasureQuestion question;
    Fields fields;
    describe(question, fields);
    Request asked(request);
    if (auto bad = asked.take(fields)) return answer_without(*bad);
    runtime::MeasureOptions options;
    options.backend = session->machine.backend;
    options.machine = verbs::machine_of(session->machine);
    options.progress = companion->progress;
    std::stop_source either;  // the call is cancelled, or the session is stopped
    const auto end = [&either] { either.request_stop(); };
    const std::stop_callback by_call(companion->stop, end);
    const std::stop_callback by_session(session->stop_token(), end);
    options.stop = either.get_token();
    const auto measured = verbs::measure(session->system, session->workload, question, options);
    session->stop_was_heard();
    if (!measured) return answer_without(measured.none());
    return answer_with(TACTUS_YES, report::measurement_json(*measured, options, question.samples));
  });
}
