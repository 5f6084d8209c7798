#include "tactus/report/experiments.hpp"

#include <gtest/gtest.h>

#include "sample_results.hpp"

namespace tactus::report {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ClaimsText, ShowsThePointsWhereNothingIsClaimed) {
  auto results = sample_results();
  results.experiment.claims.clear();
  EXPECT_EQ(claims_text(results, {}), points_text(results, {}));
  EXPECT_TRUE(has(claims_text(results, {}), "percent of the sets accepted"));
}

TEST(ClaimsText, GivesAReasonOnceForAllItsClaims) {
  auto results = sample_results();
  experiment::Claim claim;
  claim.text = "impossible";
  claim.variant = "safe";
  claim.ours = results.experiment.lines[0].name + "[" + results.points[0].x + "]";
  claim.paper = {experiment::Expected::Relation::kGreater, 1000, "> 1000"};
  claim.deviation = "percent end at 100";
  results.experiment.claims = {claim, claim, claim};
  const std::string text = claims_text(results, {});
  EXPECT_TRUE(has(text, "  1, 2, 3: percent end at 100\n")) << text;
  EXPECT_EQ(unexplained_claims(results), 0);
}

TEST(PointsText, SaysWhoDidNotAnswerForAllSets) {
  auto results = sample_results();
  EXPECT_FALSE(has(points_text(results, {}), "not applicable"));
  results.cells[0].not_applicable = 3;
  results.cells[1].undecided = 2;
  const std::string text = points_text(results, {});
  EXPECT_TRUE(has(text, "(safe): not applicable to 3 of ")) << text;
  EXPECT_TRUE(has(text, "(paper): undecided on 2 of ")) << text;
}

TEST(PointsText, SaysThatThereIsNothingYet) {
  auto results = sample_results();
  for (auto& cell : results.cells) cell = {};
  EXPECT_EQ(points_text(results, {}), "sample: A sample\n  no sets yet\n");
}

}  // namespace
}  // namespace tactus::report
