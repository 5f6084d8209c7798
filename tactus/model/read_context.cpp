#include "tactus/model/read_context.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/tell_the_rest.hpp"

namespace tactus {

void tell_the_rest(std::size_t errors, std::size_t warnings, std::vector<Diagnostic>& told) {
  const auto summarise = [&](Severity severity, std::size_t count, const char* noun) {
    if (count <= kMaxProblems) return;
    told.push_back({.message = fmt::format("and {} more {}", count - kMaxProblems, noun),
                    .severity = severity});
  };
  summarise(Severity::kError, errors, "errors");
  summarise(Severity::kWarning, warnings, "warnings");
}

void ReadContext::report(Severity severity, Place where, std::string_view message) {
  std::size_t& count = severity == Severity::kError ? errors_ : warnings_;
  if (++count > kMaxProblems) return;
  std::string text;
  for (const PathPart& part : path_) {
    if (!part.name.empty()) {
      text += fmt::format("{} {}: ", part.noun, quote(part.name));
    } else if (part.index == kUnique) {
      text += fmt::format("{}: ", part.noun);
    } else {
      // "tasks[3]", "batches[0]": the words of the file for what has no name.
      text +=
          fmt::format("{}{}[{}]: ", part.noun, part.noun.ends_with("ch") ? "es" : "s", part.index);
    }
  }
  text += message;
  const Position at = where.offset ? document_->position(*where.offset) : where.at;
  // In memory there is no order but that of the walk.
  told_.emplace_back(where.offset.value_or(0), Diagnostic{std::move(text), {}, at, severity});
}

std::vector<Diagnostic> ReadContext::take_diagnostics() {
  std::stable_sort(told_.begin(), told_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Diagnostic> all;
  for (auto& [offset, diagnostic] : told_) all.push_back(std::move(diagnostic));
  tell_the_rest(errors_, warnings_, all);
  return all;
}

}  // namespace tactus
