// Sessions: a plan runs the caller's own work.
#include <array>

#include "tactus/api/call.hpp"
#include "tactus/api/session.hpp"
#include "tactus/api/subject.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/executors/run.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/verbs/simulate.hpp"

using namespace tactus;
using namespace tactus::api;
using tactus::verbs::NoAnswer;

namespace {

constexpr std::array<std::string_view, 3> kBackends = {"emulator", "cuda", "driver"};
constexpr std::int64_t kMostWhole = 999'999'999;

/// Binds work to a node, if it fits there.
template <typename Work>
tactus_answer* bind(tactus_session* session, const char* task, const char* node, Work work) {
  if (!Sessions::knows(session)) return not_a_session();
  if (task == nullptr || node == nullptr) {
    return answer_without(NoAnswer::bad_input("the name of a task or of a node is NULL"));
  }
  runtime::Workload alone;
  alone.bind(task, node, work);
  if (const auto misfit = alone.misfit(session->system)) {
    return answer_without(NoAnswer::bad_input(misfit->message));
  }
  const Use use(*session);
  if (!use) return session_in_use();
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
    const auto companion = Companion::of(call);
    if (!companion) return answer_without(companion.none());
    Request asked(request);
    Asked about(system, asked);
    auto opened = std::make_unique<tactus_session>();
    opened->backend = asked.word("backend", kBackends, "emulator");
    opened->machine.device = static_cast<int>(asked.whole("device", 0, 1024, 0));
    opened->machine.realtime = asked.flag("realtime");
    if (asked.has("sms")) opened->machine.sms = asked.whole("sms", 1, 100'000, 1);
    const std::optional<std::string> plan = asked.document("plan");
    const std::string list = asked.text("method");
    Options options = asked.options();
    auto edited = about.edited(asked);
    if (!edited) return answer_without(edited.none(), about.sources());
    opened->system = std::move(edited->system);
    if (plan) about.add_source("<plan>", plan->c_str());
    options.stop = companion->stop;
    options.progress = companion->progress;
    if (!plan && list.empty()) {  // it can be measured before there are times to plan with
      Sessions::add(opened.get());
      *session = opened.release();
      return answer_with(TACTUS_YES, "{}\n", about.warnings(), about.sources());
    }
    auto subject = [&]() -> verbs::Answer<verbs::Subject> {
      if (plan) return verbs::plan_in(*plan, "<plan>", opened->system);
      const auto methods = verbs::choose(list, options);
      if (!methods) return methods.none();
      return verbs::plan_made_now(*methods, opened->system, about.name(), options);
    }();
    if (!subject) return answer_without(subject.none(), about.sources());
    opened->subject = std::move(*subject);
    const std::string made = report::plan_json(opened->system, opened->subject.verdict);
    const int status = verbs::exit_of(opened->subject.verdict.status);
    Sessions::add(opened.get());
    *session = opened.release();
    return answer_with(status, made, about.warnings(), about.sources());
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
    Request asked(request);
    runtime::RunOptions options;
    options.jobs = static_cast<std::uint32_t>(asked.whole("jobs", 1, kMostWhole, options.jobs));
    const std::string duration = asked.decimal("duration"),
                      words = asked.text("scenario", "offsets,worst");
    const auto seed = static_cast<std::uint64_t>(asked.whole("seed", 0, kMostWhole, 1));
    options.strict = asked.flag("strict");
    options.best_effort_shares = asked.flag("share-gpu");
    options.until_stopped = asked.flag("until-stopped");
    options.fill = static_cast<int>(asked.whole("fill", 1, 100, options.fill));
    if (auto bad = asked.finish()) return answer_without(*bad);
    if (!duration.empty()) {
      const auto time = verbs::time_of("duration", duration, session->system);
      if (!time) return answer_without(time.none());
      options.duration = *time;
    }
    const auto scenario = trace::parse_scenario(words, seed);
    if (!scenario) return answer_without(NoAnswer::bad_input(scenario.error().message));
    const auto policy = simulate::find_policy(*session->subject.method);
    options.scenario = policy ? policy->admit(*scenario) : *scenario;
    options.stop = session->stop_token();
    session->machine.scenario = options.scenario;
    session->machine.workload = &session->workload;
    const auto seen = [&]() -> Result<trace::Observed> {
      const auto device =
          runtime::open_backend(session->backend, session->system, session->machine);
      if (!device) return device.error();
      const Verdict& verdict = session->subject.verdict;
      return runtime::run_plan(session->system, {verdict.method, verdict.plan, verdict.variant},
                               **device, options);
    }();
    session->stop_was_heard();
    if (!seen) return answer_without(NoAnswer::unknown(seen.error().message));
    std::string report = trace::observed_json(session->system, *seen);
    const std::lock_guard guard(session->mutex);
    session->report_status = verbs::exit_of(*seen);
    session->report = std::move(report);
    return answer_with(session->report_status, *session->report);
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

void tactus_session_close(tactus_session* session) {
  if (Sessions::remove(session)) delete session;
}
