#include "tactus/methods/terms.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

Term caused(std::string_view label, TaskIndex by, std::int64_t ns) {
  return {.label = label, .by = by, .amount = Time::from_ns(ns)};
}

Time sum(const std::vector<Term>& terms) {
  Time all;
  for (const Term& term : terms) all += term.amount;
  return all;
}

TEST(ReadableTerms, LeaveAShortListAlone) {
  std::vector<Term> terms;
  for (TaskIndex task = 0; task < kMostTerms; ++task) terms.push_back(caused("a", task, task));
  const std::vector<Term> readable = readable_terms(terms);
  ASSERT_EQ(readable.size(), terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_EQ(readable[i].by, terms[i].by);
}

TEST(ReadableTerms, AddUpTheSmallOnesOfEachKind) {
  std::vector<Term> terms = {{.label = "own", .amount = Time::from_ns(1)}};
  for (TaskIndex task = 0; task < 1000; ++task) {
    terms.push_back(caused("CPU", task, 10 + task % 97));
    terms.push_back(caused("GPU", task, task % 5 == 0 ? 1000 : 3));
  }
  const std::vector<Term> readable = readable_terms(terms);
  EXPECT_EQ(sum(readable), sum(terms));
  ASSERT_EQ(readable.size(), kMostTerms + 2);  // the sums of two kinds
  EXPECT_EQ(readable.front().label, "own");
  for (std::size_t i = 1; i < kMostTerms; ++i) {
    EXPECT_EQ(readable[i].amount, Time::from_ns(1000)) << i;
    EXPECT_EQ(readable[i].by, 5 * (i - 1)) << "the first of equals keep their names";
  }
  for (std::size_t i = kMostTerms; i < readable.size(); ++i) {
    EXPECT_EQ(readable[i].by, Term::kNoTask);
  }
}

TEST(ReadableTerms, KeepThoseThatNobodyCauses) {
  std::vector<Term> terms;
  for (TaskIndex task = 0; task < 200; ++task) {
    terms.push_back({.label = "step", .amount = Time::from_ns(1)});
    terms.push_back(caused("CPU", task, task));
  }
  const std::vector<Term> readable = readable_terms(terms);
  EXPECT_EQ(sum(readable), sum(terms));
  EXPECT_EQ(readable.size(), 200U + 1 + 1);
}

}  // namespace
}  // namespace tactus
