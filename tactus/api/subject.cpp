#include "tactus/api/subject.hpp"

#include <fmt/core.h>

#include "tactus/verbs/what_if.hpp"

namespace tactus::api {

std::vector<verbs::Problem> problems_of(const std::vector<Diagnostic>& diagnostics,
                                        const std::string& name) {
  std::vector<verbs::Problem> problems;
  for (const Diagnostic& found : diagnostics) {
    problems.push_back({found.message, name, found.at, found.severity});
  }
  return problems;
}

Asked::Asked(const char* system, Request& request)
    : text_(system),
      name_(request.text("file", "<system>")),
      sets_(request.texts("set")),
      additions_(request.documents("add")) {
  add_source(name_, text_);
}

verbs::Answer<decide::Edited> Asked::edited(Request& request) {
  if (auto bad = request.finish()) return *bad;
  if (text_ == nullptr) return verbs::NoAnswer::bad_input("there is no system: it is NULL");
  ReadResult read = read_system(text_);
  verbs::NoAnswer none{verbs::kBadInput, problems_of(read.diagnostics, name_)};
  std::vector<verbs::Addition> additions;
  for (std::size_t i = 0; i < additions_.size(); ++i) {
    const std::string name = fmt::format("<add {}>", i + 1);
    ReadResult other = read_system(additions_[i]);
    for (auto& problem : problems_of(other.diagnostics, name)) none.problems.push_back(problem);
    if (!other.system) read.system.reset();
    if (other.system) additions.push_back({name, std::move(*other.system)});
  }
  if (!read.system) return none;
  warnings_ = std::move(none.problems);
  return verbs::changed(std::move(*read.system), name_, additions, sets_);
}

}  // namespace tactus::api
