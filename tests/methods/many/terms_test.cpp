#include "tests/methods/many/support.hpp"

/// `Options::terms` and `Options::plan` leave out what nobody reads, and nothing else.
namespace tactus::tests {
namespace {

TEST(WithoutTerms, EveryMethodProvesTheSameBounds) {
  std::size_t with_terms = 0;
  for (const System& system : systems_of_all_families(12)) {
    for (const Method* method : registry()) {
      for (std::string_view variant : method->variants) {
        Options options = in_variant(variant);
        SCOPED_TRACE(name_of(*method, options, system));
        const Verdict full = analyze(*method, system, options);
        options.terms = false;
        const Verdict bare = analyze(*method, system, options);
        options.plan = false;
        const Verdict least = analyze(*method, system, options);
        expect_same_bounds(full, bare);
        expect_same_bounds(full, least);
        EXPECT_EQ(full.plan == nullptr, bare.plan == nullptr);
        for (const TaskVerdict& task : full.tasks) with_terms += task.terms.empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(with_terms, 1000u) << "there was nothing to leave out";
}

TEST(WithoutTerms, NoBoundHasThem) {
  for (const System& system : systems_of_all_families(2)) {
    for (const Method* method : registry()) {
      Options options = in_variant(method->variants.front());
      options.terms = false;
      SCOPED_TRACE(name_of(*method, options, system));
      for (const TaskVerdict& task : analyze(*method, system, options).tasks) {
        EXPECT_TRUE(task.terms.empty());
        EXPECT_TRUE(task.details.empty());
      }
    }
  }
}

}  // namespace
}  // namespace tactus::tests
