// Sessions: a plan runs the caller's own work.
#include "tactus/api/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "tactus/api/ask.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/base/metrics.hpp"
#include "tactus/host/clock.hpp"
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

/// How long somebody who asks what was seen waits for a run that goes on.
constexpr auto kPatience = std::chrono::seconds(2);

/// Another thread wants to know what was seen until now: the thread that runs the plan copies it.
void show(tactus_session& session, const Verdict& of, const trace::Observed& so_far,
          const std::vector<runtime::LiveJob>& live) {
  const std::lock_guard guard(session.mutex);
  if (!session.look_wanted) return;
  session.look_wanted = false;
  session.seen = so_far;
  session.seen->method = of.method;
  session.seen->variant = of.variant;
  for (const runtime::LiveJob& job : live) {
    session.seen->notes.push_back(
        fmt::format("job {} of task {} runs, for {} until now", job.job,
                    quote(session.system.tasks[job.task].name),
                    format_time(so_far.end - job.since, session.system.time_unit)));
  }
  session.looked.notify_all();
}

/// What the last run saw, or this one until now.
std::optional<trace::Observed> seen_by(const tactus_session& session) {
  std::unique_lock lock(session.mutex);
  if (session.running) {
    session.look_wanted = true;
    session.looked.wait_for(lock, kPatience, [&] { return !session.look_wanted; });
  }
  return session.seen;
}

/// The run of a session, as others see it, from its begin to its end.
class RunScope {
 public:
  explicit RunScope(tactus_session& session) : session_(session) {
    session_.feed.begin();
    session_.begin_run();
  }
  ~RunScope() {
    session_.arrivals.forget();
    session_.end_run(std::move(seen_));
    session_.feed.end();
  }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;
  void keep(trace::Observed seen) { seen_ = std::move(seen); }

 private:
  tactus_session& session_;
  std::optional<trace::Observed> seen_;
};

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

tactus_answer* tactus_session_on_arrival(tactus_session* session, const char* task, uint32_t most) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const Use use(*session);
    if (!use) return session_in_use();
    const std::string name = task == nullptr ? "" : task;
    const auto& tasks = session->system.tasks;
    if (std::none_of(tasks.begin(), tasks.end(), [&](const Task& t) { return t.name == name; })) {
      return answer_without(NoAnswer::bad_input("there is no task " + quote(name)));
    }
    session->arrivals.release_on_arrival(name, most);
    return answer_with(TACTUS_YES, "{}\n");
  });
}

tactus_answer* tactus_session_on_overrun(tactus_session* session,
                                         int (*decide)(const tactus_overrun* overrun, void* data),
                                         void* data) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const Use use(*session);
    if (!use) return session_in_use();
    session->overrun = nullptr;
    if (decide != nullptr) {
      session->overrun = [session, decide, data](const runtime::Overrun& seen) {
        const Task& task = session->system.tasks[seen.task];
        const tactus_overrun told = {task.name.c_str(),
                                     seen.node ? task.nodes[*seen.node].name.c_str() : nullptr,
                                     seen.job, seen.limit.ns(), seen.took.ns()};
        const int answer = decide(&told, data);
        return answer == TACTUS_OVERRUN_STOP        ? runtime::OnOverrun::kStop
               : answer == TACTUS_OVERRUN_SKIP_NEXT ? runtime::OnOverrun::kSkipNext
                                                    : runtime::OnOverrun::kLog;
      };
    }
    return answer_with(TACTUS_YES, "{}\n");
  });
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
    how.look = [&](const System&, const Verdict& of, const trace::Observed& so_far,
                   const std::vector<runtime::LiveJob>& live) { show(*session, of, so_far, live); };
    how.arrivals = &session->arrivals;
    how.overrun = session->overrun;
    how.skipped = [&](TaskIndex task, std::uint32_t job) { session->feed.skipped(task, job); };
    how.watch = [&](const System&, trace::TraceSink* next) -> verbs::Answer<trace::TraceSink*> {
      session->feed.pass_on_to(next);
      return &session->feed;
    };
    RunScope run(*session);
    std::vector<Error> told;
    const verbs::Companion companion{
        session->stop_token(), {}, [&](const Error& problem) { told.push_back(problem); }};
    const auto seen = verbs::play(session->system, session->subject, how, session->machine, fields,
                                  companion, &session->workload);
    session->stop_was_heard();
    if (!seen) return answer_without(seen.none());
    run.keep(*seen);
    return answer_with(verbs::exit_of(*seen), trace::observed_json(session->system, *seen), told);
  });
}

void tactus_session_stop(tactus_session* session) {
  if (!Sessions::knows(session)) return;
  {
    const std::lock_guard guard(session->mutex);
    session->stop.request_stop();
  }
  session->arrivals.doorbell().ring();
}

int64_t tactus_session_arrive(tactus_session* session, const char* task, int64_t at_ns) {
  if (!Sessions::knows(session) || task == nullptr) return -1;
  const bool in_virtual_time = session->machine.backend == "emulator";
  if (at_ns == 0 && !in_virtual_time) at_ns = host::now_ns();
  const auto number = session->arrivals.arrive(task, at_ns);
  return number ? static_cast<int64_t>(*number) : -1;
}

int64_t tactus_session_jobs(tactus_session* session, tactus_session_job* jobs, size_t room,
                            int wait_ms) {
  if (!Sessions::knows(session) || jobs == nullptr) return -1;
  return session->feed.take(jobs, room, wait_ms);
}

tactus_answer* tactus_session_report(const tactus_session* session) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const auto seen = seen_by(*session);
    if (!seen) return answer_without(NoAnswer::unknown("this session has not run yet"));
    return answer_with(verbs::exit_of(*seen), trace::observed_json(session->system, *seen));
  });
}

tactus_answer* tactus_session_metrics(const tactus_session* session) {
  return guarded([&] {
    if (!Sessions::knows(session)) return not_a_session();
    const auto seen = seen_by(*session);
    if (!seen) return answer_without(NoAnswer::unknown("this session has not run yet"));
    Metrics metrics(Metrics::Form::kOpenMetrics);
    report::write_metrics(metrics, session->system, *seen);
    return answer_with(TACTUS_YES, metrics.take());
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
