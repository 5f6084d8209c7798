#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tactus/base/json_writer.hpp"
#include "tactus/base/question.hpp"
#include "tactus/tactus.h"
#include "tactus/verbs/answer.hpp"

/// The questions of the HTTP interface that have a body. They are those of the C interface, with the
/// documents in one JSON object; nothing here knows of HTTP.
namespace tactus::serve {

struct Question {
  std::string_view name;
  /// @return { "status": as exit codes, "document": ..., "problems": [...] }
  std::string (*ask)(const std::string& body, tactus_call* call);
};

std::span<const Question> questions();

/// The body of most questions: { "system": document, "request": object }.
class Enclosed {
 public:
  /// What is wrong with a body, if anything is.
  std::optional<verbs::NoAnswer> take(const std::string& body);

  const char* system_text() const { return system_.given() ? system_.text.c_str() : nullptr; }
  const char* request_text() const { return request_.given() ? request_.text.c_str() : nullptr; }
  bool trace = false;  ///< of a simulation only

 private:
  friend void describe(Enclosed& asked, Fields& is);
  Document system_, request_;
};

/// What the file becomes.
struct SaveQuestion {
  std::string text, revision;
};
void describe(SaveQuestion& question, Fields& is);

/// The JSON Schema of the body at an address that ends in this name.
void write_body_schema(json::Writer& out, std::string_view name);

/// Null where there is none of that name.
const Question* find_question(std::string_view name);

}  // namespace tactus::serve
