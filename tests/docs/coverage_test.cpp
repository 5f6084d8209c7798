// experiments/coverage.tsv says where everything is checked that the papers report; docs/errata.md
// names the tests of its counterexamples. What both name is really there, and nothing is forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/pages.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using namespace docs;

/// How many claims each experiment has; those of papers only, or all.
std::map<std::string, std::size_t> claims_by_experiment(bool of_papers) {
  static const std::regex kClaim(R"(\n +"text": |\{ *"text": )");
  std::map<std::string, std::size_t> count;
  for (const auto& entry : fs::directory_iterator(support::source_path("experiments"))) {
    const std::string text = text_of(entry.path());
    if (of_papers && text.find("\"paper\": \"Tactus") != std::string::npos) continue;
    for_each_match(text, kClaim, [&](const std::smatch&) { ++count[entry.path().stem()]; });
  }
  return count;
}

const std::string& all_tests() {
  static const std::string kAll = [] {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(support::source_path("tests"))) {
      if (entry.path().extension() == ".cpp") all += text_of(entry.path());
    }
    return all;
  }();
  return kAll;
}

/// "1 to 3, 5": the numbers.
std::vector<std::size_t> numbers_of(const std::string& text) {
  static const std::regex kRange(R"((\d+)(?: to (\d+))?)");
  std::vector<std::size_t> numbers;
  for_each_match(text, kRange, [&](const std::smatch& range) {
    const std::size_t first = std::stoul(range[1]);
    const std::size_t last = range[2].matched ? std::stoul(range[2]) : first;
    for (std::size_t i = first; i <= last; ++i) numbers.push_back(i);
  });
  return numbers;
}

struct Row {
  std::string where, checked_by;
};

/// The lines of the table: paper, place, what it says, checked by.
std::vector<Row> coverage() {
  std::ifstream file(support::source_path("experiments/coverage.tsv"));
  std::vector<Row> rows;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("#")) continue;
    const std::string where = "coverage.tsv:" + std::to_string(number) + ": ";
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 3) << where << line;
    rows.push_back({where, line.substr(line.rfind('\t') + 1)});
  }
  EXPECT_GT(rows.size(), 50U);
  return rows;
}

/// The experiments of a row with the numbers of their claims.
template <typename Visit>
void for_each_claim(const Row& row, Visit visit) {
  static const std::regex kClaims(R"(\b((?:dag|gang|gcaps|pbs|rtgpu)-[\w-]+)([^;]*))");
  for_each_match(row.checked_by, kClaims,
                 [&](const std::smatch& match) { visit(match[1].str(), numbers_of(match[2])); });
}

TEST(Coverage, NamesAnswersThatExist) {
  const auto claims = claims_by_experiment(false);
  static const std::regex kMeasured(R"(\bmeasured (\w+))");
  const std::string page = text_of(support::source_path("docs/use/reproduction.md"));
  for (const Row& row : coverage()) {
    int answers = expect_tests(row.checked_by, all_tests(), row.where);
    for_each_claim(row, [&](const std::string& experiment, const std::vector<std::size_t>& of) {
      const auto found = claims.find(experiment);
      ASSERT_NE(found, claims.end()) << row.where << experiment;
      for (const std::size_t claim : of) {
        EXPECT_LE(claim, found->second) << row.where << experiment;
        EXPECT_GE(claim, 1U) << row.where << experiment;
      }
      ++answers;
    });
    for_each_match(row.checked_by, kMeasured, [&](const std::smatch& measured) {
      std::string part = measured[1];
      for (char& c : part) c = static_cast<char>(std::toupper(c));
      const std::size_t all = page.find("\n## Measured on a GPU\n");
      EXPECT_NE(page.find("\n### " + part + "\n", all), std::string::npos) << row.where << part;
      ++answers;
    });
    if (row.checked_by.find("not repeated: ") != std::string::npos) ++answers;
    EXPECT_GT(answers, 0) << row.where << "nothing checks it, and no reason is given";
  }
}

TEST(Coverage, LeavesOutNoClaimOfAPaper) {
  std::map<std::string, std::set<std::size_t>> named;
  for (const Row& row : coverage()) {
    for_each_claim(row, [&](const std::string& experiment, const std::vector<std::size_t>& of) {
      named[experiment].insert(of.begin(), of.end());
    });
  }
  for (const auto& [experiment, count] : claims_by_experiment(true)) {
    for (std::size_t claim = 1; claim <= count; ++claim) {
      EXPECT_TRUE(named[experiment].contains(claim)) << experiment << " " << claim;
    }
  }
}

/// The counts of the page are those of the run that it shows: of all experiments of a paper.
TEST(Reproduction, CountsTheClaimsOfTheRecordedRun) {
  static const std::regex kRow(
      R"(\n\| \[((\w+)-[\w-]+)\]\(#[\w-]+\) \|.*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|(?=\n))");
  const std::string page = text_of(support::source_path("docs/use/reproduction.md"));
  const std::string record =
      text_of(support::source_path("bench/results/reproduction-2026-11-20.md"));
  std::set<std::string> shown;
  std::map<std::string, std::array<int, 4>> counts;
  for_each_match(record, kRow, [&](const std::smatch& row) {
    for (std::size_t i = 0; i < 4; ++i) counts[row[2]][i] += std::stoi(row[i + 3]);
    shown.insert(row[1]);
  });
  for (const auto& [experiment, count] : claims_by_experiment(false)) {
    EXPECT_TRUE(shown.contains(experiment)) << experiment;
  }
  for (const auto& [prefix, of] : counts) {
    std::string cells;
    for (const int count : of) cells += " " + std::to_string(count) + " |";
    const std::regex row("\\n\\| `" + prefix + R"(-\*`: [^|]* \|)" +
                         std::regex_replace(cells, std::regex(R"(\|)"), R"(\|)") + "\n");
    EXPECT_TRUE(std::regex_search(page, row)) << prefix << cells;
  }
  EXPECT_EQ(counts.size(), 8U);
}

/// The summary has a row per erratum; its last cell names a test, a suite, or an experiment.
TEST(Errata, AreKeptByTheTestsThatThePageNames) {
  static const std::regex kRow(R"(\n\| ([A-Z]+ \d+) \|.*\| ([^|]*) \|(?=\n))");
  static const std::regex kSuite(R"(`([A-Z]\w+)`)");
  static const std::regex kExperiment(R"(`tactus lab reproduce ([\w-]+)`)");
  const std::string page = text_of(support::source_path("docs/errata.md"));
  const std::string summary = page.substr(0, page.find("\n## "));
  const auto claims = claims_by_experiment(false);
  int rows = 0;
  for_each_match(summary, kRow, [&](const std::smatch& row) {
    ++rows;
    const std::string cell = row[2], where = row[1].str() + ": ";
    int named = expect_tests(cell, all_tests(), where);
    for_each_match(cell, kSuite, [&](const std::smatch& suite) {
      EXPECT_NE(all_tests().find("TEST(" + suite[1].str() + ","), std::string::npos) << where;
      ++named;
    });
    for_each_match(cell, kExperiment, [&](const std::smatch& experiment) {
      EXPECT_TRUE(claims.contains(experiment[1])) << where << experiment[1];
      ++named;
    });
    EXPECT_GT(named, 0) << where << cell;
  });
  EXPECT_EQ(rows, 17) << "the first sentence of the page has their number";
}

}  // namespace
}  // namespace tactus
