#include "tactus/methods/many.hpp"

#include <atomic>
#include <stdexcept>

#include "tests/methods/many/support.hpp"

namespace tactus::tests {
namespace {

std::vector<Question> every_question() {
  std::vector<Question> all;
  for (const Method* method : registry()) {
    for (std::string_view variant : method->variants) all.push_back({method, in_variant(variant)});
  }
  return all;
}

/// Verdicts, reasons, warnings, notes and terms.
void expect_same(const Verdict& a, const Verdict& b) {
  expect_same_bounds(a, b);
  expect_same_terms(a, b);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.plan == nullptr, b.plan == nullptr);
}

TEST(AnalyzeMany, AnswersAsAnalyzeDoesOneByOne) {
  const std::vector<Question> questions = every_question();
  const std::vector<System> systems = systems_of_all_families(8);
  const auto together = analyze_many(systems, questions);
  ASSERT_EQ(together.size(), systems.size());
  std::size_t proved = 0;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    ASSERT_EQ(together[i].size(), questions.size());
    for (std::size_t k = 0; k < questions.size(); ++k) {
      SCOPED_TRACE(name_of(*questions[k].method, questions[k].options, systems[i]));
      const Verdict alone = analyze(*questions[k].method, systems[i], questions[k].options);
      expect_same(together[i][k], alone);
      proved += alone.status == Status::kSchedulable ? 1 : 0;
    }
  }
  EXPECT_GT(proved, 100u) << "the systems are too hard to say much";
}

TEST(AnalyzeMany, AnswersTheSameWithSeveralThreads) {
  const std::vector<Question> questions = every_question();
  const std::vector<System> systems = systems_of_all_families(2);
  const auto one = analyze_many(systems, questions), three = analyze_many(systems, questions, 3);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const std::vector<Verdict> shared = analyze_many(systems[i], questions, 3);
    for (std::size_t k = 0; k < questions.size(); ++k) {
      SCOPED_TRACE(name_of(*questions[k].method, questions[k].options, systems[i]));
      expect_same(one[i][k], three[i][k]);
      expect_same(one[i][k], shared[k]);
    }
  }
}

TEST(AnalyzeMany, TellsOneByOneAndStopsWhereItIsTold) {
  const System system = systems_of_all_families(1).front();
  const std::vector<Question> questions = every_question();
  std::vector<std::size_t> told;
  Survey(questions).ask(system, [&](std::size_t k, const Verdict& verdict) {
    EXPECT_EQ(verdict.method, questions[k].method->id);
    told.push_back(k);
    return k < 4;
  });
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

/// The view of a system must not stand for a changed copy of it.
TEST(Views, AreOfOneSystemOnly) {
  const std::vector<System> systems = systems_of_all_families(1);
  System changed = systems.front();
  changed.tasks.front().period = changed.tasks.front().deadline = Time::from_ns(1);
  const Question question{find_method("gcaps.suspend"), {}};
  const auto both = analyze_many(std::vector<System>{systems.front(), changed}, {{question}});
  EXPECT_NE(both[0][0].tasks.front().deadline, both[1][0].tasks.front().deadline);
}

TEST(ForEachIndex, DoesEachOnceWithAnyNumberOfThreads) {
  for (int threads : {-1, 0, 1, 2, 7}) {
    std::vector<std::atomic<int>> done(100);
    for_each_index(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  for_each_index(0, 3, [](std::size_t) { FAIL() << "there is nothing to do"; });
}

TEST(ForEachIndex, ThrowsAgainWhatWasThrown) {
  for (int threads : {1, 3}) {
    EXPECT_THROW(for_each_index(50, threads,
                                [](std::size_t i) {
                                  if (i == 20) throw std::runtime_error("no");
                                }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace tactus::tests
