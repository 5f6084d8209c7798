#include "tactus/runtime/gpu/work_rates.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tactus::runtime::gpu {
namespace {

WorkRates some_rates() {
  WorkRates rates;
  rates.key = "a GPU, driver 1";
  rates.items = {{"compute", 1024, 1, 1555.5}, {"memory", 512, 4, 2000.25}};
  rates.gap_ns = 736;
  rates.to_device = {4177, 0.018, 0};
  rates.to_host = {2939, 0.019, 0};
  return rates;
}

TEST(WorkRates, SurviveTheirFile) {
  const WorkRates rates = some_rates();
  const auto back = rates_from_json(rates_to_json(rates), rates.key);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->gap_ns, 736);
  EXPECT_EQ(back->to_host.fixed, 2939);
  ASSERT_NE(back->find("memory", 512, 4), nullptr);
  EXPECT_EQ(back->find("memory", 512, 4)->ns, 2000.25);
  EXPECT_EQ(back->find("memory", 512, 1), nullptr);
}

TEST(WorkRates, OfAnotherMachineOrOfDamagedFilesAreNotUsed) {
  const std::string text = rates_to_json(some_rates());
  EXPECT_FALSE(rates_from_json(text, "another GPU"));
  EXPECT_FALSE(rates_from_json("", some_rates().key));
  EXPECT_FALSE(rates_from_json("[1, 2]", some_rates().key));
  EXPECT_FALSE(rates_from_json(text.substr(0, text.size() / 2), some_rates().key));
  std::string negative = text;
  negative.replace(negative.find("1555.5"), 6, "-555.5");
  EXPECT_FALSE(rates_from_json(negative, some_rates().key));
}

TEST(ItemsFor, NeverExceedTheLoad) {
  for (const double load : {1e4, 1e5, 3.3e6}) {
    for (const std::int64_t blocks : {1, 3, 132}) {
      const std::int64_t items = items_for(load, blocks, 1555.5, 736);
      EXPECT_EQ(items % blocks, 0) << "blocks with more work than others";
      const double each = static_cast<double>(items / blocks) * 1555.5 + 736;
      if (items == blocks) continue;  // the least there is
      EXPECT_LE(each, load / static_cast<double>(blocks));
    }
  }
  EXPECT_EQ(items_for(1, 5, 1555.5, 736), 5) << "a block does something";
}

TEST(BytesFor, InvertTheCopyModel) {
  const Line copy = {4000, 0.02, 0};
  EXPECT_EQ(bytes_for(24'000, copy), 1'000'000);
  EXPECT_EQ(bytes_for(100, copy), 1);
}

TEST(RatesPath, FollowsTheCacheFolderOfTheUser) {
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  const std::string path = rates_path("a");
  EXPECT_TRUE(path.starts_with("/somewhere/tactus/gpu-")) << path;
  EXPECT_NE(path, rates_path("b"));
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_TRUE(rates_path("a").starts_with("/home/me/.cache/tactus/"));
  unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace tactus::runtime::gpu
