#include "tactus/serve/questions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tactus/api/ask.hpp"
#include "tactus/serve/reply.hpp"
#include "tactus/serve/traced.hpp"
#include "tactus/verbs/questions.hpp"
#include "tactus/verbs/report.hpp"

namespace tactus::serve {
namespace {

using verbs::NoAnswer;

constexpr std::size_t kMostDocuments = 1000;

/// { "system": document, "request": object }, for a question of the C interface.
template <auto question>
std::string ask(const std::string& body, tactus_call* call) {
  return reply_of(api::guarded([&] {
    Enclosed asked;
    if (auto bad = asked.take(body)) return api::answer_without(*bad);
    if constexpr (std::is_invocable_v<decltype(question), const char*, const char*, tactus_call*>) {
      return question(asked.system_text(), asked.request_text(), call);
    } else {
      return question(asked.system_text(), asked.request_text());
    }
  }));
}

/// What the page shows, of documents of any kind.
struct ReportQuestion {
  std::vector<Document> documents;
  std::vector<std::string> names;
  bool slack = false;
};

void describe(ReportQuestion& question, Fields& is) {
  is("documents", question.documents, "What is to be shown");
  is("names", question.names, "What they are called");
  is("slack", question.slack, "Also search how far the values of systems may go");
}

verbs::Answer<verbs::Reported> report_of(const ReportQuestion& question,
                                         const verbs::Companion& companion) {
  // Each is answered by a part of the page, or by a problem, many times as long as itself.
  if (question.documents.size() > kMostDocuments) {
    return NoAnswer::bad_input(
        fmt::format("{} documents are too many for a page; at most {} are shown",
                    question.documents.size(), kMostDocuments));
  }
  verbs::ReportRequest request;
  for (std::size_t i = 0; i < question.documents.size(); ++i) {
    const std::string name =
        i < question.names.size() ? question.names[i] : fmt::format("<document {}>", i + 1);
    request.inputs.push_back({.name = name, .text = question.documents[i].text});
  }
  request.slack = question.slack;
  request.version = tactus_version();
  request.stop = companion.stop;
  request.progress = companion.progress;
  auto reported = verbs::report(request);
  if (reported && companion.stop.stop_requested()) {
    return NoAnswer::unknown("this was stopped before it was done");
  }
  return reported;
}

std::string ask_report(const std::string& body, tactus_call* call) {
  return reply_of(api::guarded([&] {
    api::Request asked(body.c_str());
    return api::ask<ReportQuestion>(asked, call, report_of);
  }));
}

constexpr std::array kQuestions = {
    Question{"check", ask<tactus_check>},      Question{"canonical", ask<tactus_canonical>},
    Question{"analyze", ask<tactus_analyze>},  Question{"slack", ask<tactus_slack>},
    Question{"advise", ask<tactus_advise>},    Question{"plan", ask<tactus_plan>},
    Question{"simulate", ask_simulate_traced}, Question{"report", ask_report},
};

}  // namespace

void describe(Enclosed& asked, Fields& is) {
  is("system", asked.system_,
     "The system as an object, or its text; only in a text do problems have the line and the "
     "column "
     "of the sender")
      .required();
  is("request", asked.request_, "What is asked about it");
  is("trace", asked.trace, "Of a simulation: also what happens, slice by slice");
}

void describe(SaveQuestion& question, Fields& is) {
  is("text", question.text, "What the file becomes").required();
  is("revision", question.revision, "Of the file that the text was made from").required();
}

void write_body_schema(json::Writer& out, std::string_view name) {
  const auto schema = [&](auto body) {
    Fields fields;
    describe(body, fields);
    write_question_schema(out, fields);
  };
  if (name == "save") return schema(SaveQuestion());
  if (name == "report") return schema(ReportQuestion());
  if (name == "{question}") {
    out.begin_object().key("type").string("object").end_object();
    return;
  }
  out.begin_object().key("type").string("object").key("properties").begin_object();
  Enclosed enclosed;
  Fields fields;
  describe(enclosed, fields);
  for (const AskedField& field : fields.all()) {
    if (field.key == "trace" && name != "simulate") continue;
    out.key(field.key);
    if (field.key != "request") {
      write_field_schema(out, field);
      continue;
    }
    verbs::for_each_question([&](std::string_view question, const Fields& of) {
      if (question == name) write_question_schema(out, of);
    });
  }
  out.end_object().key("required").begin_array().string("system").end_array();
  out.key("additionalProperties").boolean(false).end_object();
}

std::optional<NoAnswer> Enclosed::take(const std::string& body) {
  Fields fields;
  describe(*this, fields);
  api::Request asked(body.c_str());
  return asked.take(fields);
}

std::span<const Question> questions() { return kQuestions; }

const Question* find_question(std::string_view name) {
  const auto* const found = std::find_if(kQuestions.begin(), kQuestions.end(),
                                         [&](const Question& one) { return one.name == name; });
  return found == kQuestions.end() ? nullptr : found;
}

}  // namespace tactus::serve
