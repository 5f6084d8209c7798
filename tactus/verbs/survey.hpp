#pragma once

#include <vector>

#include "tactus/report/survey.hpp"
#include "tactus/verbs/analyze.hpp"

namespace tactus::verbs {

/// What methods say about many systems; documents may be JSON lines.
struct Survey {
  std::vector<report::Surveyed> all;
  bool named = false;

  /// The worst of all systems. Of one system: all of the named methods must prove it; if none is
  /// named, one proof is enough.
  Exit exit() const;
};
Answer<Survey> survey(const std::vector<Document>& documents, const AnalyzeQuestion& question,
                      const Companion& companion);

}  // namespace tactus::verbs
