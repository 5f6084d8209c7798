#include "tactus/verbs/what_if.hpp"

#include "tactus/methods/coverage.hpp"

namespace tactus::verbs {

Answer<decide::Edited> changed(System system, const std::string& file,
                               std::span<const Addition> additions,
                               std::span<const std::string> assignments) {
  decide::Edited edited{std::move(system)};
  if (additions.empty() && assignments.empty()) return edited;
  for (const Addition& addition : additions) {
    if (auto problem = add(edited, addition.system, addition.name)) {
      return NoAnswer::bad_input(problem->message);
    }
  }
  for (const std::string& assignment : assignments) {
    if (auto problem = set(edited, assignment)) return NoAnswer::bad_input(problem->message);
  }
  NoAnswer none;
  for (Diagnostic& found : finish(edited)) {
    found.message.insert(0, "as changed: ");
    none.problems.push_back({std::move(found.message), file, found.at, found.severity});
  }
  if (!none.problems.empty()) return none;
  return edited;
}

void hold_to_methods(ReadResult& read) {
  if (!read.system) return;
  for (Diagnostic& diagnostic : check_for_methods(*read.system)) {
    const bool error = diagnostic.severity == Severity::kError;
    read.diagnostics.push_back(std::move(diagnostic));
    if (error) read.system.reset();
    if (error) return;
  }
}

}  // namespace tactus::verbs
