#include "tactus/serve/routes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "tactus/api/ask.hpp"
#include "tactus/arbiter/client/observer.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/arbiter.hpp"
#include "tactus/serve/assets.hpp"
#include "tactus/serve/openapi.hpp"
#include "tactus/serve/reply.hpp"
#include "tactus/serve/text.hpp"

namespace tactus::serve {
namespace {

constexpr std::chrono::seconds kMostTime{30};  ///< of a question that is no job

constexpr std::array kRoutes = {
    Route{"GET", "/", "page", "The page", "text/html"},
    Route{"GET", "/app.js", "script", "Its script", "text/javascript"},
    Route{"GET", "/style.css", "style", "Its style", "text/css"},
    Route{"GET", "/openapi.json", "openapi", "This description", "application/json"},
    Route{"GET", "/api/methods", "methods", "All methods, as `tactus methods --json`"},
    Route{"GET", "/api/schema", "schema",
          "The JSON Schema of system files, as `tactus schema system`", "Schema"},
    Route{"GET",
          "/api/file",
          "file",
          "The file that the server was started with; with If-None-Match, only if it has changed",
          "File",
          200,
          {304, 500}},
    Route{"GET", "/api/arbiter", "arbiter",
          "The arbiter of this machine, as `tactus top --json`; status 3 where none runs"},
    Route{"GET", "/api/watch", "watch",
          "What is seen of the file's tasks as they run, as `tactus watch --json`"},
    Route{
        "GET",
        "/metrics",
        "metrics",
        "The same and the arbiter as OpenMetrics text, or as Prometheus text where Accept does not "
        "name that; the token as a parameter, or as `Authorization: Bearer`",
        "text/plain",
        200,
        {401, 0}},
    Route{"POST", "/api/check", "check", "Is the system valid? As `tactus check --json`"},
    Route{"POST", "/api/canonical", "canonical", "The system in its canonical form"},
    Route{"POST", "/api/analyze", "analyze",
          "Which methods prove every deadline? As `tactus analyze --json`"},
    Route{"POST", "/api/slack", "slack", "How far may values go? As `tactus slack --json`"},
    Route{"POST", "/api/advise", "advise",
          "Which way to run it leaves most room? As `tactus advise --json`"},
    Route{"POST", "/api/plan", "plan", "The plan of a method, as `tactus plan --json`"},
    Route{"POST", "/api/simulate", "simulate",
          "A simulated run, as `tactus simulate --json`; with `trace`, also what happened"},
    Route{"POST", "/api/report", "report",
          "Everything that the page shows of some documents, as one document"},
    Route{"POST",
          "/api/save",
          "save",
          "Replaces the file that the server was started with",
          "Saved",
          200,
          {409, 500}},
    Route{"POST",
          "/api/jobs/{question}",
          "start",
          "Starts a question as a job, which may take 10 minutes; at most 4 run at a time",
          "Started",
          202,
          {404, 429}},
    Route{"GET",
          "/api/jobs/{id}",
          "job",
          "How far a job is, and its answer when it is done; the last 16 are kept",
          "Job",
          200,
          {404, 0}},
    Route{"DELETE",
          "/api/jobs/{id}",
          "stop",
          "Asks a job to stop; its answer is what it has found until then",
          "Job",
          200,
          {404, 0}},
};

HttpResponse text(std::string_view body, const char* type) {
  return {200, std::string(body), type};
}

HttpResponse nothing_here() { return refusal(404, "there is nothing here"); }

/// A file of the page; the same for everybody.
HttpResponse asset(std::string_view path) {
  if (path == "/") return text(live_page(), "text/html; charset=utf-8");
  if (path == "/app.js") return text(live_script(), "text/javascript; charset=utf-8");
  if (path == "/style.css") return text(live_style(), "text/css; charset=utf-8");
  if (path == "/openapi.json") return text(openapi(), "application/json");
  return nothing_here();
}

}  // namespace

std::span<const Route> Routes::all() { return kRoutes; }

Routes::Routes(const Subject& subject, Guard guard)
    : subject_(subject),
      guard_(std::move(guard)),
      file_(subject.file),
      live_(file_, subject.arbiter_socket),
      jobs_(watch_, {}) {}

HttpResponse Routes::answer(const HttpRequest& request) {
  constexpr std::string_view kApi = "/api/";
  const std::string_view path = request.path;
  if (path.starts_with(kApi)) return answer_api(path.substr(kApi.size()), request);
  if (request.method != "GET" && request.method != "HEAD") return nothing_here();
  return path == "/metrics" ? metrics(request) : asset(path);
}

HttpResponse Routes::answer_api(std::string_view path, const HttpRequest& request) {
  constexpr std::string_view kJobs = "jobs/";
  if (path.starts_with(kJobs)) return answer_jobs(path.substr(kJobs.size()), request);
  if (request.method == "GET") {
    if (path == "methods") return {200, reply_of(tactus_methods(nullptr))};
    if (path == "schema") return {200, system_schema()};
    if (path == "file") return file(request);
    if (path == "arbiter") return arbiter();
    if (path == "watch") return watched();
    return nothing_here();
  }
  if (request.method != "POST") return nothing_here();
  if (path == "save") return save(request);
  const Question* const question = find_question(path);
  if (question == nullptr) return nothing_here();
  const Call call(tactus_call_new());
  const Watch::Watched watched(watch_, call.get(), kMostTime, request.socket);
  return {200, question->ask(request.body, call.get())};
}

HttpResponse Routes::answer_jobs(std::string_view path, const HttpRequest& request) {
  if (request.method == "POST") {
    const Question* const question = find_question(path);
    if (question == nullptr) return nothing_here();
    const auto id = jobs_.start(*question, request.body);
    if (!id) return refusal(429, "too many jobs run already: stop one, or wait");
    return {202, fmt::format("{{\"job\": {}}}\n", *id)};
  }
  std::uint64_t id = 0;
  const char* const end = path.data() + path.size();
  if (std::from_chars(path.data(), end, id) != std::from_chars_result{end, std::errc()}) {
    return nothing_here();
  }
  if (request.method == "DELETE" && !jobs_.stop(id)) return nothing_here();
  auto described = jobs_.describe(id);
  if (!described) return nothing_here();
  return {200, std::move(*described)};
}

HttpResponse Routes::file(const HttpRequest& request) const {
  if (!file_.exists()) return {200, "{\"name\": null, \"watch\": false}\n"};
  const auto now = file_.read();
  if (!now) return refusal(500, now.error().message);
  const std::string etag = fmt::format("\"{}\"", now->revision);
  if (request.if_none_match == etag) return {304, {}, {}, etag};
  return {200,
          fmt::format(R"({{"name":{},"watch":{},"revision":{},"text":{}}})"
                      "\n",
                      json_text(file_.name()), subject_.watch, json_text(now->revision),
                      json_text(now->text)),
          "application/json", etag};
}

HttpResponse Routes::save(const HttpRequest& request) {
  SaveQuestion question;
  Fields fields;
  describe(question, fields);
  api::Request asked(request.body.c_str());
  if (const auto bad = asked.take(fields)) return refusal(400, bad->problems.front().message);
  if (!fields.given("text") || !fields.given("revision")) {
    return refusal(400, "`text` and `revision` must be given");
  }
  const EditedFile::Outcome outcome = file_.save(question.text, question.revision);
  switch (outcome.saved) {
    case EditedFile::Saved::kYes:
      return {200, fmt::format("{{\"revision\": {}}}\n", json_text(outcome.revision))};
    case EditedFile::Saved::kChangedMeanwhile:
      return refusal(409, outcome.message);
    default:
      return refusal(500, outcome.message);
  }
}

HttpResponse Routes::watched() {
  return {200, reply_of(api::guarded([this]() -> tactus_answer* {
            const auto document = live_.document();
            return document ? api::answer_with(TACTUS_YES, *document)
                            : api::answer_without(document.none());
          }))};
}

HttpResponse Routes::metrics(const HttpRequest& request) {
  const Metrics::Form form = Metrics::form_for(request.accept);
  Metrics metrics(form);
  live_.write_metrics(metrics);
  return {200, metrics.take(), Metrics::content_type(form)};
}

HttpResponse Routes::arbiter() const {
  const auto answer = [this]() -> tactus_answer* {
    auto observer = arbiter::client::Observer::open(subject_.arbiter_socket);
    if (!observer) return api::answer_without(verbs::NoAnswer::unknown(observer.error().message));
    const auto snapshot = observer->look();
    if (!snapshot) return api::answer_without(verbs::NoAnswer::unknown(snapshot.error().message));
    return api::answer_with(TACTUS_YES, report::arbiter_json(*snapshot));
  };
  return {200, reply_of(api::guarded(answer))};
}

}  // namespace tactus::serve
