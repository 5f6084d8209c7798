#include "tactus/generate/gcaps_table3.hpp"
#include "tactus/methods/many.hpp"
#include "tests/methods/many/counted.hpp"
#include "tests/methods/many/support.hpp"

namespace tactus::tests {
namespace {

std::vector<System> drawn(int count) {
  std::vector<System> systems;
  const Settings settings(gcaps::kTable3.parameters, {{"util-min", "0.2"}, {"util-max", "0.4"}});
  for (int i = 0; i < count; ++i) {
    systems.push_back(*generate(gcaps::kTable3, settings, 5, static_cast<std::uint64_t>(i)));
  }
  return systems;
}

std::vector<Question> small_questions() {
  std::vector<Question> questions;
  for (const char* id : {"gcaps.suspend", "gcaps.busy", "tsg-rr.suspend", "tsg-rr.busy",
                         "mpcp.suspend", "mpcp.busy", "fmlp.suspend", "fmlp.busy"}) {
    Question& question = questions.emplace_back();
    question.method = find_method(id);
    question.options.terms = question.options.plan = false;
  }
  return questions;
}

TEST(Survey, AllocatesNothingOnceItHasSeenSuchSystems) {
  const std::vector<System> systems = drawn(60);
  Survey survey(small_questions());
  std::size_t allocated = 0, warnings = 0, proved = 0;
  for (int round = 0; round < 2; ++round) {
    allocated = warnings = proved = 0;
    for (const System& system : systems) {
      const std::size_t before = allocations();
      survey.ask(system, [&](std::size_t, const Verdict& verdict) {
        warnings += verdict.warnings.size();
        proved += verdict.status == Status::kSchedulable ? 1 : 0;
        return true;
      });
      allocated += allocations() - before;
    }
  }
  EXPECT_GT(proved, 50u);
  EXPECT_EQ(allocated, 2 * warnings) << "a warning is a text in a list; nothing else is allocated";
}

TEST(Survey, AllocatesNothingForStatusesNotEvenInASearchOrForWarnings) {
  const std::vector<System> systems = drawn(60);
  std::vector<Question> questions = small_questions();
  for (const char* id : {"gcaps.suspend.prio", "gcaps.busy.prio"}) {
    questions.push_back(questions.front());
    questions.back().method = find_method(id);
  }
  for (Question& question : questions) {
    question.options.variant = "paper";
    question.status_only = true;
  }
  Survey survey(questions);
  std::size_t allocated = 0, refuted = 0;
  for (int round = 0; round < 2; ++round) {
    const std::size_t before = allocations();
    refuted = 0;
    for (const System& system : systems) {
      survey.ask(system, [&](std::size_t k, const Verdict& verdict) {
        refuted += k >= questions.size() - 2 && verdict.status != Status::kSchedulable ? 1 : 0;
        return true;
      });
    }
    allocated = allocations() - before;
  }
  EXPECT_GT(refuted, 5u) << "nobody searched";
  EXPECT_EQ(allocated, 0u);
}

TEST(Survey, AllocatesNothingBesideViewsThatOthersHold) {
  const std::vector<System> systems = drawn(20);
  std::vector<std::unique_ptr<Views>> held;
  for (const System& system : systems) {
    Question question = small_questions().front();
    question.options.views = held.emplace_back(std::make_unique<Views>(system)).get();
    analyze(*question.method, system, question.options);
  }
  Survey survey({small_questions().front()});
  std::size_t allocated = 0;
  for (int round = 0; round < 3; ++round) {
    const std::size_t before = allocations();
    for (const System& system : systems) {
      survey.ask(system, [](std::size_t, const Verdict&) { return true; });
    }
    allocated = allocations() - before;
  }
  EXPECT_EQ(allocated, 0u);
}

TEST(Survey, AnswersAsAnalyzeDoesWhateverItWasAskedBefore) {
  std::vector<System> systems = systems_of_all_families(4);
  for (System& system : drawn(20)) systems.push_back(std::move(system));
  std::vector<Question> questions;
  for (const Method* method : registry()) {
    for (std::string_view variant : method->variants) {
      questions.push_back({method, in_variant(variant)});
      questions.back().options.terms = questions.size() % 2 == 0;
    }
  }
  Survey survey(questions);
  for (const System& system : systems) {
    survey.ask(system, [&](std::size_t k, const Verdict& verdict) {
      SCOPED_TRACE(name_of(*questions[k].method, questions[k].options, system));
      const Verdict alone = analyze(*questions[k].method, system, questions[k].options);
      expect_same_bounds(verdict, alone);
      expect_same_terms(verdict, alone);
      EXPECT_EQ(verdict.warnings, alone.warnings);
      return true;
    });
  }
}

TEST(Reused, GivesNestedUsersObjectsOfTheirOwn) {
  const Reused<std::vector<int>> outer;
  outer->assign(3, 7);
  {
    const Reused<std::vector<int>> inner;
    EXPECT_NE(&*inner, &*outer);
    inner->assign(100, 1);
  }
  const Reused<std::vector<int>> again;
  EXPECT_GE(again->capacity(), 100u) << "the memory is used again";
  EXPECT_EQ(outer->size(), 3u);
}

TEST(ReusedShared, IsUsedAgainOnlyWhenNobodyHoldsIt) {
  auto first = reused_shared<std::vector<int>>();
  const auto second = reused_shared<std::vector<int>>();
  EXPECT_NE(first, second);
  const auto* const place = first.get();
  first.reset();
  EXPECT_EQ(reused_shared<std::vector<int>>().get(), place);
}

}  // namespace
}  // namespace tactus::tests
