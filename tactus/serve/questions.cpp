#include "tactus/serve/questions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tactus/api/call.hpp"
#include "tactus/api/request.hpp"
#include "tactus/serve/reply.hpp"
#include "tactus/serve/traced.hpp"
#include "tactus/verbs/report.hpp"

namespace tactus::serve {
namespace {

using verbs::NoAnswer;

constexpr std::size_t kMostDocuments = 1000;

const char* text_of(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

/// { "system": document, "request": object }, for a question of the C interface.
template <auto question>
std::string ask(const std::string& body, tactus_call* call) {
  return reply_of(api::guarded([&] {
    api::Request asked(body.c_str());
    const std::optional<std::string> system = asked.document("system");
    const std::optional<std::string> request = asked.document("request");
    if (auto bad = asked.finish()) return api::answer_without(*bad);
    if constexpr (std::is_invocable_v<decltype(question), const char*, const char*, tactus_call*>) {
      return question(text_of(system), text_of(request), call);
    } else {
      return question(text_of(system), text_of(request));
    }
  }));
}

/// { "documents": [...], "names": [...], "slack": true }: what the page shows.
std::string ask_report(const std::string& body, tactus_call* call) {
  return reply_of(api::guarded([&] {
    const auto companion = api::Companion::of(call);
    if (!companion) return api::answer_without(companion.none());
    api::Request asked(body.c_str());
    const std::vector<std::string> documents = asked.documents("documents");
    const std::vector<std::string> names = asked.texts("names");
    verbs::ReportRequest request;
    request.slack = asked.flag("slack");
    if (auto bad = asked.finish()) return api::answer_without(*bad);
    // Each is answered by a part of the page, or by a problem, many times as long as itself.
    if (documents.size() > kMostDocuments) {
      return api::answer_without(NoAnswer::bad_input(
          fmt::format("{} documents are too many for a page; at most {} are shown",
                      documents.size(), kMostDocuments)));
    }
    api::Sources sources;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::string name = i < names.size() ? names[i] : fmt::format("<document {}>", i + 1);
      request.inputs.push_back({.name = name, .text = documents[i]});
      sources.texts.push_back({name, documents[i].c_str()});
    }
    request.version = tactus_version();
    request.stop = companion->stop;
    request.progress = companion->progress;
    auto reported = verbs::report(request);
    if (!reported) return api::answer_without(reported.none(), sources);
    if (companion->stop.stop_requested()) {
      return api::answer_without(NoAnswer::unknown("this was stopped before it was done"));
    }
    return api::answer_with(verbs::kYes, std::move(reported->json));
  }));
}

constexpr std::array kQuestions = {
    Question{"check", ask<tactus_check>},      Question{"canonical", ask<tactus_canonical>},
    Question{"analyze", ask<tactus_analyze>},  Question{"slack", ask<tactus_slack>},
    Question{"advise", ask<tactus_advise>},    Question{"plan", ask<tactus_plan>},
    Question{"simulate", ask_simulate_traced}, Question{"report", ask_report},
};

}  // namespace

std::span<const Question> questions() { return kQuestions; }

const Question* find_question(std::string_view name) {
  const auto* const found = std::find_if(kQuestions.begin(), kQuestions.end(),
                                         [&](const Question& one) { return one.name == name; });
  return found == kQuestions.end() ? nullptr : found;
}

}  // namespace tactus::serve
