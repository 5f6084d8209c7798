#include "tactus/simulate/registry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tactus::simulate {
namespace {

TEST(Policies, AreBehindEveryMethodThatNamesABehaviour) {
  for (const Method* method : registry()) {
    const auto policy = find_policy(*method);
    if (method->behaviour.name.empty()) {
      EXPECT_FALSE(method->behaviour.why_none.empty()) << method->id << " does not say why";
      EXPECT_FALSE(policy) << method->id;
      continue;
    }
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(policy->method, method);
    EXPECT_TRUE(hunting_ground(*method)) << method->id;
  }
}

TEST(Policies, AreEachBehindSomeMethodAndListedOnce) {
  std::set<std::string_view> named, listed;
  for (const Method* method : registry()) named.insert(method->behaviour.name);
  for (const PolicyEntry& entry : policies()) {
    EXPECT_TRUE(listed.insert(entry.behaviour).second) << entry.behaviour;
    EXPECT_TRUE(named.contains(entry.behaviour)) << "nobody behaves like " << entry.behaviour;
  }
}

TEST(Policies, OfAMethodThatDoesNotExistAreRefused) {
  const auto policy = find_policy("no-such-method");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().message, "there is no method `no-such-method`");
}

}  // namespace
}  // namespace tactus::simulate
