#include <deque>
#include <memory>
#include <mutex>

#include "tactus/api/ask.hpp"
#include "tactus/api/c_answer.hpp"
#include "tactus/methods/own/function.hpp"

/// What a function of the caller's fills with its answer; it lives as long as the call.
struct tactus_reply {
  std::string text;
};

namespace tactus::api {
namespace {

using AnswerFunction = void (*)(const char* question, tactus_reply* reply, void* data);

/// The methods of callers. The registry points to them to the end of the process, so they are
/// never destroyed.
std::deque<std::unique_ptr<own::FunctionMethod>>& kept() {
  static auto* all = new std::deque<std::unique_ptr<own::FunctionMethod>>;
  return *all;
}

tactus_answer* add(const char* text, AnswerFunction function, void* data) {
  std::string id, title, policy;
  Fields fields;
  fields("id", id, "What it is called");
  fields("title", title, "What it is, in a line");
  fields("policy", policy, "The method whose policy is its own");
  Request asked(text);
  if (auto bad = asked.take(fields)) return answer_without(*bad);
  if (function == nullptr) {
    return answer_without(verbs::NoAnswer::bad_input("there is no function that answers"));
  }
  const Method* runs_as = nullptr;
  if (!policy.empty()) {
    const auto found = own::method_of_policy(policy);
    if (!found) return answer_without(verbs::NoAnswer::bad_input(found.error().message));
    runs_as = *found;
  }
  auto method = std::make_unique<own::FunctionMethod>(
      id, title, runs_as, [function, data](const std::string& question) {
        tactus_reply reply;
        function(question.c_str(), &reply, data);
        return std::move(reply.text);
      });
  static std::mutex joining;
  const std::lock_guard guard(joining);
  if (const auto problem = method->join()) {
    return answer_without(verbs::NoAnswer::bad_input(problem->message));
  }
  kept().push_back(std::move(method));
  return answer_with(TACTUS_YES, "{}\n");
}

}  // namespace
}  // namespace tactus::api

tactus_answer* tactus_add_method(const char* request,
                                 void (*answer)(const char* question, tactus_reply* reply,
                                                void* data),
                                 void* data) {
  return tactus::api::guarded([&] { return tactus::api::add(request, answer, data); });
}

void tactus_reply_set(tactus_reply* reply, const char* answer) {
  if (reply == nullptr || answer == nullptr) return;
  try {
    reply->text = answer;
  } catch (...) {  // without memory there is no answer, and the verdict says so
  }
}
