#pragma once

#include "tactus/api/c_answer.hpp"
#include "tactus/api/call.hpp"
#include "tactus/base/question_json.hpp"

/// One way from a question in JSON to an answer, for every function of the C interface.
namespace tactus::api {

/// A question as a program puts it: its request, and documents that come apart from it.
class Request {
 public:
  static constexpr const char* kName = "<request>";

  /// @param request null: nothing is said
  explicit Request(const char* request) : text_(request == nullptr ? "{}" : request) {}

  /// A document that is not in the request, by the key that it has in the table. Null is told as
  /// missing. What the system is called may stand in the request (`file`).
  void apart(std::string_view key, const char* text);
  /// Takes everything; or says what is wrong.
  std::optional<verbs::NoAnswer> take(Fields& fields);
  /// Of problems.
  const Sources& sources() const { return sources_; }

 private:
  std::string text_, file_;
  std::vector<std::pair<std::string_view, const char*>> apart_;
  Sources sources_;
};

/// Asks, and makes the answer. @param ask_it takes the question and its companion
template <typename Question, typename Ask>
tactus_answer* ask(Request& request, tactus_call* call, const Ask& ask_it) {
  auto companion = companion_of(call);
  if (!companion) return answer_without(companion.none());
  Question question;
  Fields fields;
  describe(question, fields);
  if constexpr (requires { question.fields; }) question.fields = &fields;
  if (auto bad = request.take(fields)) return answer_without(*bad, request.sources());
  std::vector<Error> told;
  companion->tell = [&](const Error& problem) { told.push_back(problem); };
  const auto found = ask_it(question, *companion);
  if (!found) {
    verbs::NoAnswer none = found.none();
    none.problems.insert(none.problems.begin(), told.begin(), told.end());
    return answer_without(none, request.sources());
  }
  return answer_with(found->exit(), found->json(), told, request.sources());
}

template <typename Question>
tactus_answer* ask(Request& request, tactus_call* call = nullptr) {
  return ask<Question>(request, call, [](Question& question, const verbs::Companion& companion) {
    return answer(question, companion);
  });
}

/// About a system.
template <typename Question>
tactus_answer* ask_about(const char* system, const char* request, tactus_call* call = nullptr) {
  return guarded([&] {
    Request asked(request);
    asked.apart("system", system);
    return ask<Question>(asked, call);
  });
}

}  // namespace tactus::api
