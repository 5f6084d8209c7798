#include "tactus/serve/routes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "tactus/api/request.hpp"
#include "tactus/arbiter/client/observer.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/arbiter.hpp"
#include "tactus/serve/assets.hpp"
#include "tactus/serve/reply.hpp"
#include "tactus/serve/text.hpp"

namespace tactus::serve {
namespace {

constexpr std::chrono::seconds kMostTime{30};  ///< of a question that is no job

constexpr std::array kRoutes = {
    Route{"GET", "/"},
    Route{"GET", "/app.js"},
    Route{"GET", "/style.css"},
    Route{"GET", "/openapi.json"},
    Route{"GET", "/api/methods"},
    Route{"GET", "/api/schema"},
    Route{"GET", "/api/file"},
    Route{"GET", "/api/arbiter"},
    Route{"POST", "/api/check"},
    Route{"POST", "/api/canonical"},
    Route{"POST", "/api/analyze"},
    Route{"POST", "/api/slack"},
    Route{"POST", "/api/advise"},
    Route{"POST", "/api/plan"},
    Route{"POST", "/api/simulate"},
    Route{"POST", "/api/report"},
    Route{"POST", "/api/save"},
    Route{"POST", "/api/jobs/{question}"},
    Route{"GET", "/api/jobs/{id}"},
    Route{"DELETE", "/api/jobs/{id}"},
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
    : subject_(subject), guard_(std::move(guard)), file_(subject.file), jobs_(watch_, {}) {}

HttpResponse Routes::answer(const HttpRequest& request) {
  constexpr std::string_view kApi = "/api/";
  const std::string_view path = request.path;
  if (path.starts_with(kApi)) return answer_api(path.substr(kApi.size()), request);
  return request.method == "GET" || request.method == "HEAD" ? asset(path) : nothing_here();
}

HttpResponse Routes::answer_api(std::string_view path, const HttpRequest& request) {
  constexpr std::string_view kJobs = "jobs/";
  if (path.starts_with(kJobs)) return answer_jobs(path.substr(kJobs.size()), request);
  if (request.method == "GET") {
    if (path == "methods") return {200, reply_of(tactus_methods(nullptr))};
    if (path == "schema") return {200, system_schema()};
    if (path == "file") return file(request);
    if (path == "arbiter") return arbiter();
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
  api::Request asked(request.body.c_str());
  const std::string text = asked.text("text"), revision = asked.text("revision");
  const bool complete = asked.has("text") && asked.has("revision");
  if (const auto bad = asked.finish()) return refusal(400, bad->problems.front().message);
  if (!complete) return refusal(400, "`text` and `revision` must be given");
  const EditedFile::Outcome outcome = file_.save(text, revision);
  switch (outcome.saved) {
    case EditedFile::Saved::kYes:
      return {200, fmt::format("{{\"revision\": {}}}\n", json_text(outcome.revision))};
    case EditedFile::Saved::kChangedMeanwhile:
      return refusal(409, outcome.message);
    default:
      return refusal(500, outcome.message);
  }
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
