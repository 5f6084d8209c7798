#include "tactus/report/analysis.hpp"
#include "tactus/report/checks.hpp"

namespace tactus::report {

std::vector<const Verdict*> counting_verdicts(const Analysis& analysis) {
  std::vector<const Verdict*> all;
  if (analysis.judged_by == JudgedBy::kNamed) {
    for (const Verdict& verdict : analysis.asked_verdicts()) all.push_back(&verdict);
  } else if (!analysis.standings.empty()) {
    all.push_back(&analysis.verdicts[analysis.best().place]);  // whom the answer is about
  }
  return all;
}

}  // namespace tactus::report
