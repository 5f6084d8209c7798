#include "tactus/report/experiments.hpp"

#include <gtest/gtest.h>

#include "sample_results.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/text/terminal.hpp"

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

int widest_line(const std::string& text) {
  int widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(PointsText, FitsTheTerminalHoweverManyLinesThereAre) {
  std::vector<std::string> methods;
  for (const Method* method : registry()) methods.emplace_back(method->id);
  const auto results = sample_results(methods, 1);
  for (const int columns : {60, 80, 120}) {
    Style style;
    style.fold = columns;
    const std::string text = points_text(results, style);
    EXPECT_LE(widest_line(text), columns) << text;
    for (const auto& line : results.experiment.lines) EXPECT_TRUE(has(text, line.name));
  }
}

TEST(ClaimsText, FitsTheTerminalHoweverLongTheClaimsAre) {
  auto results = sample_results();
  experiment::Claim claim;
  for (int i = 0; i < 20; ++i) claim.text += "very long ";
  claim.variant = "safe";
  claim.ours = results.experiment.lines[0].name + "[" + results.points[0].x + "]";
  claim.paper = {experiment::Expected::Relation::kGreater, 0, "> 0"};
  results.experiment.claims = {claim};
  results.experiment.note = claim.text;
  const std::string text = claims_text(results, {}, Shown::kAll);
  EXPECT_LE(widest_line(text), 80) << text;
  EXPECT_TRUE(has(text, "\n  1. very long very long")) << text;
  EXPECT_TRUE(has(text, "81 (paper): inside\n")) << text;
  EXPECT_EQ(text.find("\n  1."), text.rfind("\n  1.")) << "a claim is written once: " << text;
}

TEST(ClaimsText, ShowsWhatIsOutsideFirstAndCountsTheRest) {
  auto results = sample_results();
  experiment::Claim inside;
  inside.text = "harmless";
  inside.variant = "safe";
  inside.ours = results.experiment.lines[0].name + "[" + results.points[0].x + "]";
  inside.paper = {experiment::Expected::Relation::kGreater, 0, "> 0"};
  experiment::Claim fitted = inside, explained = inside, outside = inside;
  fitted.text = "adjusted";
  fitted.basis = experiment::Basis::kFitted;
  fitted.own_threshold = true;
  explained.text = "known";
  explained.paper = {experiment::Expected::Relation::kGreater, 1000, "> 1000"};
  explained.deviation = "percent end at 100";
  outside = explained;
  outside.text = "unknown";
  outside.deviation.clear();
  results.experiment.claims = {inside, fitted, explained, outside};
  const std::string text = claims_text(results, {});
  EXPECT_LT(text.find("4. unknown"), text.find("3. known")) << text;
  EXPECT_LT(text.find("3. known"), text.size()) << text;
  EXPECT_FALSE(has(text, "harmless") || has(text, "adjusted")) << text;
  EXPECT_TRUE(has(text, "\n  2 of 4 claims are inside, 1 of them fitted (--all shows them)\n"))
      << text;
  const std::string all = claims_text(results, {}, Shown::kAll);
  EXPECT_LT(all.find("3. known"), all.find("1. harmless")) << all;
  EXPECT_TRUE(has(all, "inside, fitted") && has(all, "> 0 (ours)")) << all;
}

TEST(PointsText, SaysThatThereIsNothingYet) {
  auto results = sample_results();
  for (auto& cell : results.cells) cell = {};
  EXPECT_EQ(points_text(results, {}), "sample: A sample\n  no sets yet\n");
}

}  // namespace
}  // namespace tactus::report
