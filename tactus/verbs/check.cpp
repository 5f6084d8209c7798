#include "tactus/verbs/check.hpp"

#include <algorithm>

#include "tactus/methods/coverage.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::verbs {

void hold_to_methods(ReadResult& read) {
  if (!read.system) return;
  for (Diagnostic& diagnostic : check_for_methods(*read.system)) {
    const bool error = diagnostic.severity == Severity::kError;
    read.diagnostics.push_back(std::move(diagnostic));
    if (error) read.system.reset();
    if (error) return;
  }
}

void describe(CheckQuestion& question, Fields& is) {
  is("system", question.systems, "System files; - is standard input").positional("FILE").required();
  describe(question.what_if, is);
}

Exit Checked::exit() const {
  const bool good = std::all_of(files.begin(), files.end(), [](const report::CheckedFile& file) {
    return file.result.system.has_value();
  });
  return good ? kYes : kBadInput;
}

Answer<Checked> answer(const CheckQuestion& question, const Companion& companion) {
  Checked checked;
  for (const Document& document : question.systems) {
    report::CheckedFile file{document.name, {}, {}};
    std::vector<Diagnostic>& diagnostics = file.result.diagnostics;
    if (document.problem && document.path.empty()) return unreadable(document);  // given to us
    if (document.problem) {
      companion.warn({document.problem->message});
      diagnostics.push_back({document.problem->message});
      checked.files.push_back(std::move(file));
      continue;
    }
    file.result = read(document);
    if (file.result.system) {
      auto changed =
          question.what_if.applied(std::move(*file.result.system), document.name, companion);
      file.result.system.reset();
      if (!changed) {
        for (const Error& problem : changed.none().problems) {
          if (problem.file != document.name) return changed.none();
          diagnostics.push_back(problem);
        }
      } else {
        file.edited = std::move(*changed);
        file.result.system = std::move(file.edited.system);
        hold_to_methods(file.result);
      }
    }
    for (const Error& problem : problems_of(diagnostics, document.name)) companion.warn(problem);
    checked.files.push_back(std::move(file));
  }
  return checked;
}

void describe(CanonicalQuestion& question, Fields& is) { describe(question.about, is); }

Answer<Canonical> answer(const CanonicalQuestion& question, const Companion& companion) {
  const auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  return Canonical{write_system(edited->system)};
}

}  // namespace tactus::verbs
