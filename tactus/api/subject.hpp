#pragma once

#include <string>

#include "tactus/api/answer.hpp"
#include "tactus/api/request.hpp"
#include "tactus/decide/edit.hpp"
#include "tactus/model/reader.hpp"

namespace tactus::api {

/// The system of a question: its text, what it is called, and what the request changes in it.
class Asked {
 public:
  /// Reads "file", "set" and "add".
  Asked(const char* system, Request& request);

  /// Everything else of the request has been read: the system with the changes.
  verbs::Answer<decide::Edited> edited(Request& request);

  const std::string& name() const { return name_; }
  const char* text() const { return text_; }
  /// For the places of problems.
  const Sources& sources() const { return sources_; }
  void add_source(std::string name, const char* text) {
    sources_.texts.push_back({std::move(name), text});
  }
  /// Warnings of the reader, beside a document.
  const std::vector<verbs::Problem>& warnings() const { return warnings_; }

 private:
  const char* text_;
  std::string name_;
  std::vector<std::string> sets_, additions_;
  std::vector<verbs::Problem> warnings_;
  Sources sources_;
};

/// What was found in a text, as problems of it.
std::vector<verbs::Problem> problems_of(const std::vector<Diagnostic>& diagnostics,
                                        const std::string& name);

}  // namespace tactus::api
