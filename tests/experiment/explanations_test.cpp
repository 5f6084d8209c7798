#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "support.hpp"
#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/experiment/results/claims.hpp"
#include "tactus/experiment/results/results.hpp"

/// An explanation of why a claim is outside names a command. Here that command is run, with fewer
/// sets than it has (with TACTUS_FULL=1: with all), and must show what the explanation says.
/// (tests/cli/explanations_test.cpp runs those that are no experiments.)
namespace tactus::experiment {
namespace {

bool all_sets() {
  const char* full = std::getenv("TACTUS_FULL");
  return full != nullptr && std::string_view(full) == "1";
}

/// What the run of an experiment must show: the expression, with every line in that variant, is
/// between the two.
struct Shown {
  std::string_view experiment;
  std::string expression;
  std::string variant;
  double least, most;
};

/// The claims of one experiment that have the same explanation.
struct Explained {
  std::string_view experiment;
  std::vector<std::size_t> claims;  ///< from 1
  std::vector<Shown> shown;
};

constexpr double kAny = 1e9;

/// The previous methods in a case, TSG-RR in that variant.
std::string previous_in(const std::string& in, const std::string& tsg_rr = "paper") {
  const std::string tsg = ":" + tsg_rr + "{" + in + "}", here = "{" + in + "}";
  return "tsg-rr.suspend" + tsg + ", tsg-rr.busy" + tsg + ", mpcp.suspend" + here + ", mpcp.busy" +
         here + ", fmlp.suspend" + here + ", fmlp.busy" + here;
}
/// Where the better form of GCAPS is compared with them.
std::string lead_as(const std::string& in, const std::string& tsg_rr) {
  return "mean(max(gcaps.suspend{" + in + "}, gcaps.busy{" + in + "}) - max(" +
         previous_in(in, tsg_rr) + "))";
}
std::string gain_of(const std::string& mode, const std::string& in, const std::string& at = "") {
  const std::string where = "{" + in + "}" + at;
  return "(gcaps." + mode + ".prio" + where + " - gcaps." + mode + where + ")";
}
const std::string kGcapsSuspend8e =
    "[98.5, 50, 39.1, 29.8, 26.7, 24, 23.3, 18.2, 16.2, 15.6, 16.5]";
/// How far the two draws are apart, in their curve with the largest difference.
const std::string kApart =
    "max(max(abs(gcaps.suspend{released} - gcaps.suspend{text}), abs(tsg-rr.suspend{released} - "
    "tsg-rr.suspend{text}), abs(fmlp.suspend{released} - fmlp.suspend{text})))";

const std::vector<Explained>& explained() {
  static const std::vector<Explained> kAll = {
      {"dag-fig4",
       {1},
       {{"dag-fig4", "100 * (1 - balanced{random}[128] / graham{random}[128])", "paper", 26.7,
         30.7},
        {"why-dag-fig4", "100 * mean(1 - balanced / graham)", "paper", 23, 27}}},
      {"dag-fig4",
       {4},
       {{"dag-fig4", "100 * (balanced{unit}[8] / greedy{unit}[8] - 1)", "paper", 3, 4},
        {"dag-fig4", "100 * (1 - balanced{unit}[8] / greedy{unit}[8])", "safe", 1.8, 3}}},
      {"dag-safety",
       {1},
       {{"dag-safety", "max(balanced)", "paper", 50, 100},
        {"dag-safety", "max(balanced)", "safe", 0, 0}}},
      {"gang-fig8a",
       {5},
       {{"why-gang-fig8a", "max(gang.swc{heavy-6}) - gang.swc{heavy-6}[0.1]", "safe", 0, 0},
        {"why-gang-fig8a", "max(gang.swc{heavy-2}) - gang.swc{heavy-2}[0.3]", "safe", 0, 0}}},
      {"gcaps-fig8a",
       {10, 12},  // with the draws of the release, and with its TSG-RR, or with the printed one
       {{"gcaps-fig8a", lead_as("released", "released"), "paper", 1.5, 4.5},
        {"gcaps-fig8a", lead_as("released", "paper"), "paper", -1.5, 2},
        {"gcaps-fig8a", lead_as("text", "paper"), "paper", -2.0, 1.5}}},
      {"gcaps-fig8d",
       {12},
       {{"gcaps-fig8d", lead_as("released", "paper") + " - " + lead_as("text", "paper"), "paper", 2,
         9}}},
      {"gcaps-fig8e",
       {1, 2},
       {{"gcaps-fig8e", "max(abs(gcaps.suspend{released} - " + kGcapsSuspend8e + "))", "paper", 25,
         40},
        {"gcaps-fig8e", "gcaps.suspend{released}[0]", "paper", 60, 75}}},
      {"gcaps-fig8f",
       {14},
       {{"gcaps-fig8f",
         "max(max(gcaps.suspend{released}, gcaps.busy{released}) - max(" + previous_in("released") +
             "))",
         "paper", 50, 70}}},
      {"gcaps-fig9e", {2}, {{"gcaps-fig9e", gain_of("busy", "released", "[0]"), "paper", 0.5, 5}}},
      {"gcaps-fig8a", {13}, {{"gcaps-fig8a", kApart, "paper", 4, 60}}},
      {"gcaps-fig8b", {13}, {{"gcaps-fig8b", kApart, "paper", 4, 60}}},
      {"gcaps-fig8c", {13}, {{"gcaps-fig8c", kApart, "paper", 4, 60}}},
      {"gcaps-fig8d", {13}, {{"gcaps-fig8d", kApart, "paper", 4, 60}}},
      {"gcaps-fig8e", {15}, {{"gcaps-fig8e", kApart, "paper", 4, 60}}},
      {"gcaps-fig8f", {13}, {{"gcaps-fig8f", kApart, "paper", 4, 60}}},
      {"gcaps-fig9b",
       {7},
       {{"gcaps-fig9b",
         "max(" + gain_of("busy", "released") + ") - max(" + gain_of("busy", "text") + ")", "paper",
         1.5, 12}}},
      {"gcaps-fig9c",
       {7},
       {{"gcaps-fig9c",
         "max(" + gain_of("busy", "released") + ") - max(" + gain_of("busy", "text") + ")", "paper",
         1.5, 12}}},
      {"gcaps-fig9d",
       {7},
       {{"gcaps-fig9d",
         "max(" + gain_of("busy", "released") + ") - max(" + gain_of("busy", "text") + ")", "paper",
         1.5, 12}}},
      {"gcaps-fig9e",
       {7},
       {{"gcaps-fig9e",
         "max(" + gain_of("busy", "released") + ") - max(" + gain_of("busy", "text") + ")", "paper",
         1.5, 12}}},
      {"gcaps-fig9f",
       {7},
       {{"gcaps-fig9f",
         "max(" + gain_of("busy", "released") + ") - max(" + gain_of("busy", "text") + ")", "paper",
         1.5, 12}}},
  };
  return kAll;
}

/// Those whose command is no experiment, or measures the time of this machine.
bool is_tested_elsewhere(const Claim& claim) {
  return !claim.test.starts_with("tactus lab reproduce ") ||
         claim.test.starts_with("tactus lab reproduce pbs-fig5");
}

const BundledFile& file_of(std::string_view name) {
  const auto files = bundled_files();
  return *std::find_if(files.begin(), files.end(),
                       [&](const BundledFile& file) { return file.name == name; });
}

/// How many sets are enough to see what is to be seen.
std::int64_t few_sets(std::string_view experiment) {
  static const std::map<std::string_view, std::int64_t> kSets = {
      {"gcaps-fig8a", 300}, {"gcaps-fig8d", 300}, {"gcaps-fig8f", 300}, {"gcaps-fig9b", 300},
      {"gcaps-fig9c", 300}, {"gcaps-fig9d", 300}, {"gcaps-fig9e", 300}, {"gcaps-fig9f", 300},
  };
  const auto found = kSets.find(experiment);
  return found == kSets.end() ? 60 : found->second;
}

/// Every experiment is run once.
const Results& results_of(std::string_view name) {
  static std::map<std::string, Results, std::less<>> all;
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  const Folder folder;
  RunRequest request = request_for(folder.path(), std::string(file_of(name).text), 2);
  if (!all_sets()) request.sets = few_sets(name);
  EXPECT_TRUE(run(request));
  return all.emplace(name, std::move(read_results(folder.path())->front())).first->second;
}

TEST(Explanations, ComeOutWhenTheirCommandsAreRun) {
  for (const Explained& one : explained()) {
    for (const Shown& shown : one.shown) {
      Results results = results_of(shown.experiment);
      Claim claim;
      claim.ours = shown.expression;
      claim.variant = shown.variant;
      claim.paper = {Expected::Relation::kNear, (shown.least + shown.most) / 2, ""};
      claim.tolerance = (shown.most - shown.least) / 2;
      results.experiment.claims = {claim};
      const Judgement judgement = judge_claims(results).front();
      const Ours& ours = shown.variant == "paper" ? judgement.paper : judgement.safe;
      EXPECT_EQ(judgement.outcome, Outcome::kInside)
          << one.experiment << " " << one.claims.front() << ": " << shown.expression << " is "
          << ours.value_or(-1) << ", not between " << shown.least << " and " << shown.most;
    }
  }
}

/// With repaired baselines RTGPU leads with one copy, is behind with two, and accepts whatever
/// Self-Suspension accepts: what the explanations of Figures 8 to 11 say of the column `safe`.
TEST(Explanations, OfRtgpusBaselinesSayWhatTheRepairedOnesGive) {
  for (const char* name : {"rtgpu-fig8", "rtgpu-fig9", "rtgpu-fig10", "rtgpu-fig11"}) {
    const std::vector<Judgement> judged = judge_claims(results_of(name));
    EXPECT_LT(judged[0].safe.value(), 0) << name;
    EXPECT_GT(judged[1].safe.value(), 0) << name;
    EXPECT_EQ(judged[2].safe.value(), 0) << name;
    EXPECT_EQ(judged[3].safe.value(), 0) << name;
  }
}

/// Of sets that only the baselines as described accept, some miss deadlines; of others none does.
TEST(Explanations, OfRtgpuSafetySeeDeadlinesMissed) {
  if (!all_sets()) GTEST_SKIP() << "only few of many sets miss one: TACTUS_FULL=1";
  const Results& results = results_of("rtgpu-safety");
  double printed = 0, safe = 0;
  for (const Point& point : results.points) {
    for (const Curve& curve : results.curves) {
      const Cell& cell = results.cell(point.index, curve.index);
      if (cell.values > 0) (curve.variant == "paper" ? printed : safe) += cell.y;
    }
  }
  EXPECT_GT(printed, 0);
  EXPECT_EQ(safe, 0);
}

TEST(Explanations, AreAllTested) {
  std::set<std::pair<std::string, std::size_t>> in_files, here;
  for (const BundledFile& file : bundled_files()) {
    const Experiment experiment = wanted(std::string(file.text)).experiment;
    for (std::size_t i = 0; i < experiment.claims.size(); ++i) {
      const Claim& claim = experiment.claims[i];
      if (claim.deviation.empty() || is_tested_elsewhere(claim)) continue;
      in_files.emplace(experiment.name, i + 1);
    }
  }
  for (const Explained& one : explained()) {
    for (const std::size_t claim : one.claims) here.emplace(one.experiment, claim);
  }
  EXPECT_EQ(here, in_files);
}

/// GPUSched submits every order of every subset of five ready jobs, Tactus every subset.
TEST(Explanations, OfTheTimeOfGpuSchedCountItsListsRightly) {
  int lists = 0, orders = 1;
  for (int size = 1; size <= 5; ++size) {
    orders *= 6 - size;
    lists += orders;
  }
  EXPECT_EQ(lists, 325);
  EXPECT_NEAR(lists / 31.0, 10.5, 0.05);
}

}  // namespace
}  // namespace tactus::experiment
