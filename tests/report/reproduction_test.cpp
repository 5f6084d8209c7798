#include "tactus/report/reproduction.hpp"

#include <gtest/gtest.h>

#include "sample_results.hpp"
#include "tactus/base/file.hpp"
#include "tactus/experiment/results/claims.hpp"
#include "tests/support/paths.hpp"

namespace tactus::report {
namespace {

using namespace experiment;

Claim claim(std::string text, std::string paper, double value, std::string ours,
            std::string deviation = {}) {
  Claim made;
  made.text = std::move(text);
  made.where = "Section 7";
  made.paper = {Expected::Relation::kNear, value, std::move(paper)};
  made.ours = std::move(ours);
  made.unit = std::string(1, '%');  // the compiler warns of a literal here
  made.tolerance = 2;
  made.deviation = std::move(deviation);
  return made;
}

TEST(ReproductionPage, HasOurOwnExperimentsAfterThoseOfThePapers) {
  std::vector<Results> all = {sample_results(), sample_results()};
  for (Results& results : all) {
    results.lost.assign(results.cells.size() * results.curves.size(), 0);
    results.experiment.claims.clear();
  }
  all[0].experiment.name = "a-of-ours";
  all[0].experiment.paper = "Tactus: ours";
  all[1].experiment.name = "b-of-a-paper";
  all[1].experiment.paper = "A paper";
  const std::string page = reproduction_page(all, {}, "", "");
  EXPECT_LT(page.find("### b-of-a-paper"), page.find("### a-of-ours"));
  EXPECT_NE(page.find("### a-of-ours"), std::string::npos);
}

TEST(ReproductionPage, LaysClaimsBesideOurNumbersAndExplainsWhatDiffers) {
  Results results = sample_results();
  results.lost.assign(results.cells.size() * results.curves.size(), 0);
  Experiment& experiment = results.experiment;
  experiment.paper = "A | paper *with* marks";
  experiment.figure = "Figure 1";
  experiment.note = "A note with a <tag>.";
  experiment.claims = {
      claim("at 0.5", "81", 81, "gcaps.suspend.prio[0.5]"),
      claim("too good", "99", 99, "gcaps.suspend.prio[1.0]", "its generator is not stated"),
      claim("unexplained", "10", 10, "mpcp.busy[1.0]"),
  };
  experiment.claims[1].test = "tactus lab reproduce sample";
  const RunHistory history = {
      "0.1.0",
      {{"tactus lab reproduce sample", "2026-01-02 03:04:05", "a machine", 4, 2, 1, 12.3}}};
  const auto golden = read_text_file(support::source_path("tests/data/charts/page.md"));
  EXPECT_EQ(reproduction_page({results}, history, "images", "## Errata\n\nNone.\n\n"),
            golden ? *golden : "");
}

TEST(ReproductionPage, CountsWhatWasAdjustedApart) {
  Results results = sample_results();
  results.lost.assign(results.cells.size() * results.curves.size(), 0);
  results.experiment.figure = "Figure 1";
  Claim inside = claim("at 0.5", "81", 81, "gcaps.suspend.prio[0.5]");
  results.experiment.claims = {inside, inside, inside, inside};
  results.experiment.claims[1].basis = Basis::kFitted;
  results.experiment.claims[1].basis_note = "one number";
  results.experiment.claims[2].basis = Basis::kOwn;
  results.experiment.claims[3].own_threshold = true;
  const std::string page = reproduction_page({results}, {}, "", "");
  for (const char* line :
       {"| Figure 1 | 3 points, 100 sets each | 3 | 1 | 0 | 0 |\n",
        "| **all that the papers claim** | | | 2 | 1 | 0 | 0 |\n",
        "| explanations, and our own claims | | | 1 | 0 | 0 | 0 |\n",
        "Inside, but adjusted: 1 after a free number was fitted to them.",
        "| inside, fitted: one number |\n", "| inside, own |\n", "| 81 ± 2 % (ours) |"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line << page;
  }
}

TEST(ReproductionPage, SumsUpManyRuns) {
  RunHistory history{"0.1.0", {}};
  for (int i = 1; i <= 6; ++i) {
    history.runs.push_back(
        {"tactus lab reproduce", "2026-01-0" + std::to_string(i), "a machine", 4, 2, 1, 10});
  }
  EXPECT_NE(reproduction_page({}, history, "", "")
                .find("| runs | 6, one after another into one store, from 2026-01-01 to "
                      "2026-01-06: 60 s |\n"),
            std::string::npos);
}

TEST(ReproductionPage, HasTheFiguresOfAPaperInTheirOrder) {
  std::vector<Results> all;
  for (const char* name : {"b-fig10", "b-fig9", "a-fig1", "b-fig9a"}) {
    all.push_back(sample_results());
    all.back().experiment.name = name;
    all.back().lost.assign(all.back().cells.size() * all.back().curves.size(), 0);
  }
  const std::string page = reproduction_page(all, {}, "", "");
  std::size_t at = 0;
  for (const char* heading : {"### a-fig1\n", "### b-fig9\n", "### b-fig9a\n", "### b-fig10\n"}) {
    const std::size_t found = page.find(heading);
    ASSERT_NE(found, std::string::npos) << heading;
    EXPECT_GT(found, at);
    at = found;
  }
}

}  // namespace
}  // namespace tactus::report
