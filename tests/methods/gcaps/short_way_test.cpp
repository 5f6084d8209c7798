#include "tactus/methods/many.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// `Method::decide`, the shorter way to a status, against the second implementation, and where
/// `analyze` has to be asked.
namespace tactus::gcaps::tests {
namespace {

constexpr std::string_view kMethods[] = {
    "gcaps.suspend", "gcaps.busy",   "gcaps.suspend.prio", "gcaps.busy.prio", "tsg-rr.suspend",
    "tsg-rr.busy",   "mpcp.suspend", "mpcp.busy",          "fmlp.suspend",    "fmlp.busy"};

std::vector<Question> all_questions() {
  std::vector<Question> questions;
  for (const std::string_view method : kMethods) {
    for (const std::string_view variant : variants_of(method)) {
      Question& question = questions.emplace_back();
      question.method = find_method(method);
      question.options = options_of(variant);
      question.options.terms = question.options.plan = false;
      question.status_only = true;
    }
  }
  return questions;
}

/// By method and variant: how many sets were judged by the shorter way, and how.
struct Count {
  int proved = 0, refuted = 0;
};

std::vector<Count> compare(System (*draw)(Random&), std::uint64_t seed, int sets) {
  const std::vector<Question> questions = all_questions();
  Survey survey(questions);
  std::vector<Count> counts(questions.size());
  Random random(seed, 0);
  for (int set = 0; set < sets; ++set) {
    const System system = draw(random);
    const bool orders_differ = naive::orders_differ(naive::make_set(system));
    survey.ask(system, [&](std::size_t k, const Verdict& verdict) {
      const Options& options = questions[k].options;
      const std::string_view method = questions[k].method->id;
      const std::string_view variant = options.settings.empty() ? options.variant : kWindows;
      if (variant == "safe-inherit" && orders_differ) {
        EXPECT_EQ(verdict.status, Status::kNotApplicable);
        return true;
      }
      const bool schedulable = naive::analyze(system, method, variant).schedulable;
      EXPECT_EQ(verdict.status, schedulable ? Status::kSchedulable : Status::kUnschedulable)
          << method << " " << variant << ", set " << set;
      const bool whole = !verdict.method.empty();
      if (!whole) ++(schedulable ? counts[k].proved : counts[k].refuted);
      return !::testing::Test::HasFailure();
    });
    if (::testing::Test::HasFailure()) break;
  }
  return counts;
}

TEST(ShortWay, LeadsToTheStatusOfTheSecondImplementation) {
  for (const Count& count : compare(random_system_with_default_gpu_priorities, 41, 3'000)) {
    EXPECT_GT(count.proved, 100);
    EXPECT_GT(count.refuted, 100);
  }
}

TEST(ShortWay, LeadsToItWhereGpuPrioritiesDifferToo) { compare(random_system, 42, 3'000); }

TEST(ShortWay, IsNotTakenByWhoReadsMore) {
  Random random(43, 0);
  const System system = random_system_with_default_gpu_priorities(random);
  std::vector<Question> questions = all_questions();
  for (Question& question : questions) question.status_only = false;
  Survey survey(questions);
  survey.ask(system, [&](std::size_t k, const Verdict& verdict) {
    EXPECT_EQ(verdict.method, questions[k].method->id);
    EXPECT_FALSE(verdict.tasks.empty());
    return true;
  });
}

TEST(ShortWay, IsNotTakenWhereAnAnalystIsAsked) {
  struct Never final : Analyst {
    Verdict analyze(const System&, const Options&) const override {
      return Verdict::undecided("never asked for a bound");
    }
  };
  const Never never;
  Random random(47, 0);
  const System system = random_system_with_default_gpu_priorities(random);
  Method method = *find_method("gcaps.suspend");
  method.analyst = &never;
  EXPECT_EQ(status_of(method, system, {}), Status::kUndecided);
  method.analyst = nullptr;
  EXPECT_NE(status_of(method, system, {}), Status::kUndecided);
}

TEST(ShortWay, LeavesItToTheWholeAnalysisToSayWhyAMethodDoesNotApply) {
  Random random(44, 0);
  System system = random_system_with_default_gpu_priorities(random);
  system.tasks.front().core.reset();
  Survey survey(all_questions());
  survey.ask(system, [&](std::size_t, const Verdict& verdict) {
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_NE(verdict.reason.find("has no core"), std::string::npos) << verdict.reason;
    return true;
  });
}

TEST(ShortWay, LeavesItToTheWholeAnalysisToSayWhichVariantsThereAre) {
  Random random(45, 0);
  const System system = random_system_with_default_gpu_priorities(random);
  std::vector<Question> questions = all_questions();
  for (Question& question : questions) question.options.variant = "fast";
  Survey survey(questions);
  survey.ask(system, [&](std::size_t, const Verdict& verdict) {
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_NE(verdict.reason.find("has no variant"), std::string::npos) << verdict.reason;
    return true;
  });
}

TEST(ShortWay, LeavesItToTheWholeAnalysisToSayWhatOverflows) {
  Random random(46, 0);
  System system = random_system_with_default_gpu_priorities(random);
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (node.wcet) node.wcet = Time::max();
    }
  }
  Survey survey(all_questions());
  survey.ask(system, [&](std::size_t k, const Verdict& verdict) {
    EXPECT_EQ(verdict.status, Status::kUndecided) << kMethods[k / kAllVariants.size()];
    EXPECT_FALSE(verdict.reason.empty());
    return true;
  });
}

}  // namespace
}  // namespace tactus::gcaps::tests
