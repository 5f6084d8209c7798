#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "tactus/tactus.h"
#include "tests/support/folder.hpp"
#include "tests/support/paths.hpp"

/// Answers of the C interface, freed by themselves.
namespace tactus::api_test {

struct Free {
  void operator()(tactus_answer* answer) const { tactus_answer_free(answer); }
};

class Answer {
 public:
  Answer(tactus_answer* answer) : answer_(answer) {}
  int status() const { return tactus_answer_status(answer_.get()); }
  bool has_document() const { return tactus_answer_document(answer_.get()) != nullptr; }
  std::string document() const {
    const char* text = tactus_answer_document(answer_.get());
    return text == nullptr ? std::string() : text;
  }
  std::string problems() const { return tactus_answer_problems(answer_.get()); }
  bool says(const std::string& part) const { return problems().find(part) != std::string::npos; }
  bool shows(const std::string& part) const { return document().find(part) != std::string::npos; }

 private:
  std::unique_ptr<tactus_answer, Free> answer_;
};

inline std::string text_of(const std::string& path) {
  return support::slurp(support::source_path(path));
}

inline const std::string& robot() {
  static const std::string text = text_of("examples/robot.system.json");
  return text;
}

}  // namespace tactus::api_test
