#include "tactus/report/catalogue.hpp"

#include <gtest/gtest.h>

#include "tactus/base/json.hpp"
#include "tests/support/text.hpp"

namespace tactus::report {
namespace {

using support::contains;

TEST(Catalogue, SaysWhatCanBeDoneWithAMethodAndWhyNot) {
  const std::string runs = method_text(*find_method("rtgpu"), {});
  EXPECT_TRUE(contains(runs, "  simulate  yes\n")) << runs;
  EXPECT_TRUE(contains(runs, "  run       yes, by partitions (variant safe)\n")) << runs;
  const std::string arbitrated = method_text(*find_method("gcaps.boost.suspend"), {});
  EXPECT_TRUE(contains(arbitrated, "  run       yes, by tactusd (variant safe)\n")) << arbitrated;
  const std::string spins = method_text(*find_method("stgm"), {});
  EXPECT_TRUE(contains(spins, "  run       no: plans of stgm are not run here: its jobs spin"))
      << spins;
  const std::string locks = method_text(*find_method("gang.rm-he"), {});
  EXPECT_TRUE(contains(locks, "two lock protocols")) << locks;
  EXPECT_TRUE(contains(locks, "  run       no: it makes no plans\n")) << locks;
}

/// A program must not have to guess: what is false has a reason, what is true has none.
TEST(Catalogue, GivesAReasonInJsonExactlyWhereSomethingCannotBeDone) {
  const auto parsed = json::Document::parse(methods_json(registry()));
  const auto& methods = std::get<json::Document>(parsed).root().find("methods")->items();
  ASSERT_EQ(methods.size(), registry().size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    EXPECT_EQ(methods[i].find("id")->text(), registry()[i]->id);
    for (const std::string ability : {"simulated", "run"}) {
      const bool able = methods[i].find(ability)->boolean();
      EXPECT_NE(able, methods[i].find("why_not_" + ability) != nullptr) << registry()[i]->id;
    }
  }
}

}  // namespace
}  // namespace tactus::report
