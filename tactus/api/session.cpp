// Sessions: a plan runs the caller's own work.
#include "tactus/api/session.hpp"
#include "tactus/api/ask.hpp"
#include "tactus/base/metrics.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/report/watch.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/verbs/plan.hpp"
#include "tactus/verbs/simulate.hpp"

using namespace tactus;
using namespace tactus::api;
using tactus::verbs::NoAnswer;

namespace {

struct Opened {
  std::string document = "{}\n";
  verbs::Exit status = verbs::kYes;

  verbs::Exit exit() const { return status; }
  const std::string& json() const { return document; }
};

verbs::Answer<Opened> open(const verbs::OpenQuestion& question, const verbs::Companion& companion,
                           tactus_session** session) {
  auto opened = std::make_unique<tactus_session>();
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  opened->system = std::move(edited->system);
  opened->machine = question.machine;
  Opened answer;
  // Without a plan it can be measured, before there are times to plan with.
  if (question.plan.given() || question.choice.named()) {
    std::string why;
    auto subject = question.plan.given()
                       ? verbs::plan_in(question.plan, opened->system)
                       : verbs::plan_made_now(question.choice, opened->system,
                                              question.about.name(), companion, {}, why);
    if (!subject) return subject.none();
    opened->subject = std::move(*subject);
    answer.document = report::plan_json(opened->system, opened->subject.verdict);
    answer.status = verbs::exit_of(opened->subject.verdict.status);
  }
  Sessions::add(opened.get());
  *session = opened.release();
  return answer;
}

/// What was seen until now, for whoever asks from another thread.
void keep_metrics(tactus_session& session, const trace::Observed& seen) {
  Metrics metrics(Metrics::Form::kOpenMetrics);
  report::write_metrics(metrics, session.system, seen);
  std::string text = metrics.take();
  const std::lock_guard guard(session.mutex);
  session.metrics = std::move(text);
}

/// Binds work to a node, if it fits there.
template <typename Work>
tactus_answer* bind(tactus_session* session, const char* task, const char* node, Work work) {
  if (!Sessions::knows(session)) return not_a_session();
  if (task == nullptr || node == nullptr) {
    return answer_without(NoAnswer::bad_input("the name of a task or of a node is NULL"));
  }
  const Use use(*session);
  if (!use) return session_in_use();
  runtime::Workload alone;
  alone.bind(task, node, work);
  if (const auto misfit = alone.misfit(session->system)) {
    return answer_without(NoAnswer::bad_input(misfit->message));
  }
  session->workload.bind(task, node, std::move(work));
  return answer_with(TACTUS_YES, "{}\n");
}

/// The graph and the function of a node are bound one after the other, and stay together.
tactus_answer* bind_graph(tactus_session* session, const char* task, const char* node, void* graph,
                          std::function<void(void*)> enqueue) {
  runtime::UserGraph work;
  work.graph = graph;
  work.enqueue = std::move(enqueue);
  const bool names_known = Sessions::knows(session) && task != nullptr && node != nullptr;
  const runtime::UserGraph* before = names_known ? session->workload.graph(task, node) : nullptr;
  if (before != nullptr && work.graph != nullptr) work.enqueue = before->enqueue;
  if (before != nullptr && work.graph == nullptr && work.enqueue) work.graph = before->graph;
  return bind(session, task, node, std::move(work));
}

}  // namespace

tactus_answer* tactus::api::not_a_session() {
  return answer_without(NoAnswer::bad_input("this is not a tactus_session, or it was closed"));
}

tactus_answer* tactus::api::session_in_use() {
  return answer_without(NoAnswer::bad_input("this session runs: wait for its end first"));
}

tactus_answer* tactus_session_open(const char* system, const char* request, tactus_call* call,
                                   tactus_session** session) {
  if (session != nullptr) *session = nullptr;
  return guarded([&] {
    if (session == nullptr) {
      return answer_without(NoAnswer::bad_input("there is no place for the session: it is NULL"));
    }
    Request asked(request);
    asked.apart("system", system);
    return ask<verbs::OpenQuestion>(
        asked, call, [&](const verbs::OpenQuestion& question, const verbs::Companion& companion) {
          return open(question, companion, session);
        });
  });
}

tactus_answer* tactus_session_bind_cpu(tactus_session* session, const char* task, const char* node,
                                       void (*function)(void* data), void* data) {
  return guarded([&] {
    std::function<void()> work;
    if (function != nullptr) work = [function, data] { function(data); };
    return bind(session, task, node, std::move(work));
  });
}

tactus_answer* tactus_session_bind_graph(tactus_session* session, const char* task,
                                         const char* node, void* graph) {
  return guarded([&] { return bind_graph(session, task, node, graph, nullptr); });
}

tactus_answer* tactus_session_bind_stream(tactus_session* session, const char* task,
                                          const char* node,
                                          void (*enqueue)(void* stream, void* data), void* data) {
  return guarded([&] {
    std::function<void(void*)> work;
    if (enqueue != nullptr) work = [enqueue, data](void* stream) { enqueue(stream, data); };
    return bind_graph(session, task, node, nullptr, std::move(work));
  });
}

tactus_answer* tactus_session_bind_callbacks(tactus_session* session, const char* task,
                                             const char* node, void (*before)(void* data),
                                             void (*after)(void* data), void* data) {
  return guarded([&] {
    runtime::NodeCallbacks work;
    if (before != nullptr) work.before = [before, data] { before(data); };
    if (after != nullptr) work.after = [after, data] { after(data); };
    return bind(session, task, node, std::move(work));
  });
}

tactus_answer* tactus_session_bind_copy(tactus_session* session, const char* task, const char* node,
                                        void* to, const void* from, size_t bytes) {
  return guarded([&] { return bind(session, task, node, runtime::UserCopy{to, from, bytes}); });
}

tactus_answer* tactus_session_run(tactus_session* session, const char* request) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const Use use(*session);
    if (!use) return session_in_use();
    if (session->subject.method == nullptr) {
      return answer_without(NoAnswer::bad_input(
          "this session has no plan, so it can only measure: open one with `plan` or `method`"));
    }
    verbs::PlayQuestion how;
    Fields fields;
    describe(how, fields);
    Request asked(request);
    if (auto bad = asked.take(fields)) return answer_without(*bad);
    how.look = [&](const System&, const Verdict&, const trace::Observed& so_far) {
      keep_metrics(*session, so_far);
    };
    std::vector<Error> told;
    const verbs::Companion companion{
        session->stop_token(), {}, [&](const Error& problem) { told.push_back(problem); }};
    const auto seen = verbs::play(session->system, session->subject, how, session->machine, fields,
                                  companion, &session->workload);
    session->stop_was_heard();
    if (!seen) return answer_without(seen.none());
    std::string report = trace::observed_json(session->system, *seen);
    keep_metrics(*session, *seen);
    const std::lock_guard guard(session->mutex);
    session->report_status = verbs::exit_of(*seen);
    session->report = std::move(report);
    return answer_with(session->report_status, *session->report, told);
  });
}

void tactus_session_stop(tactus_session* session) {
  if (!Sessions::knows(session)) return;
  const std::lock_guard guard(session->mutex);
  session->stop.request_stop();
}

tactus_answer* tactus_session_report(const tactus_session* session) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const std::lock_guard guard(session->mutex);
    if (!session->report) {
      return answer_without(NoAnswer::unknown("this session has not run yet"));
    }
    return answer_with(session->report_status, *session->report);
  });
}

tactus_answer* tactus_session_metrics(const tactus_session* session) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const std::lock_guard guard(session->mutex);
    if (!session->metrics) {
      return answer_without(NoAnswer::unknown("this session has not run yet"));
    }
    return answer_with(TACTUS_YES, *session->metrics);
  });
}

void tactus_session_close(tactus_session* session) {
  if (!Sessions::remove(session)) return;
  {
    const std::lock_guard guard(session->mutex);
    session->stop.request_stop();
  }
  if (session->state.exchange(tactus_session::State::kClosing) == tactus_session::State::kIdle)
    delete session;
}
