#include "tactus/verbs/what_if.hpp"

#include <algorithm>

#include "tactus/methods/coverage.hpp"

namespace tactus::verbs {

namespace {

/// What there is to know of a system that is in order.
std::vector<std::string> warnings_of(const System& system) {
  std::vector<std::string> all;
  for (const Diagnostic& found : check_system(system).diagnostics) all.push_back(found.message);
  return all;
}

}  // namespace

Answer<decide::Edited> changed(System system, const std::string& file,
                               std::span<const Addition> additions,
                               std::span<const std::string> assignments) {
  decide::Edited edited{std::move(system)};
  if (additions.empty() && assignments.empty()) return edited;
  const std::vector<std::string> known = warnings_of(edited.system);
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
  for (std::string& warning : warnings_of(edited.system)) {
    if (std::find(known.begin(), known.end(), warning) == known.end()) {
      edited.notes.push_back(std::move(warning));
    }
  }
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
