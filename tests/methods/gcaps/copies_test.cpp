#include "tactus/methods/gcaps/copies.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/random.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/support.hpp"

/// How long copies wait for each other, and what is said where their times should tell.
namespace tactus::gcaps::tests {
namespace {

TEST(CopyQueue, WaitsUntilAUnitIsFreeOfTheOthers) {
  Random random(7, 1);
  for (int trial = 0; trial < 3'000; ++trial) {
    const std::int64_t units = random.integer(1, 4);
    CopyQueue queue(units);
    std::vector<naive::Ns> others;
    const std::int64_t count = random.integer(0, 6);
    for (std::int64_t k = 0; k < count; ++k) {
      others.push_back(random.integer(0, trial % 2 == 0 ? 9 : 1'000'000));
      queue.add(Time::from_ns(others.back()));
    }
    EXPECT_EQ(queue.wait().ns(), naive::wait_behind(others, units));
    if (others.empty()) continue;
    const naive::Ns gone = others[static_cast<std::size_t>(random.integer(0, count - 1))];
    std::vector<naive::Ns> rest = others;
    rest.erase(std::find(rest.begin(), rest.end(), gone));
    EXPECT_EQ(queue.wait(Time::from_ns(gone)).ns(), naive::wait_behind(rest, units));
  }
}

/// Two tasks that copy on one element.
System two(std::string_view of_engine, std::string_view of_copy) {
  return support::read(fmt::format(
      R"({{"tactus":1,"platform":{{"elements":[{{"name":"cpu","kind":"cpu","units":3}},
      {{"name":"gpu","kind":"gpu","units":1,"runlist_update":1,"context_switch":0,"time_slice":1}},
      {{"name":"bus","kind":"copy","units":1{}}}]}},"tasks":[
      {{"name":"a","period":100,"priority":2,"core":1,"nodes":[
        {{"name":"up","on":"bus","wcet":1{}}},{{"name":"k","on":"gpu","wcet":1}}]}},
      {{"name":"b","period":100,"priority":1,"core":2,"nodes":[
        {{"name":"k","on":"gpu","wcet":1}},{{"name":"down","on":"bus","wcet":2{}}}]}}]}})",
      of_engine, of_copy, of_copy));
}

TEST(SharedCopies, WarnUnlessTheirTimesWereMeasuredBesideCopies) {
  constexpr std::string_view kShared = R"(,"sharing":"shared")";
  constexpr std::string_view kWarning =
      "copies on element `bus` are shared, but `measured` does not say that `a.up` (and 1 more) "
      "was "
      "measured beside `copies` of others: the bounds cover them only where copies of others are "
      "taken off";
  const auto warns = [&](const System& system, std::string_view method) {
    const Verdict verdict = run(method, system, "safe");
    EXPECT_NE(verdict.status, Status::kNotApplicable) << method << verdict.reason;
    return std::count(verdict.warnings.begin(), verdict.warnings.end(), kWarning) == 1;
  };
  for (const std::string_view method :
       {"gcaps.suspend", "gcaps.boost.suspend", "tsg-rr.busy", "mpcp.suspend"}) {
    EXPECT_TRUE(warns(two(kShared, ""), method)) << method;
    EXPECT_TRUE(warns(two(kShared, R"(,"measured":{"enemy":"atomics"})"), method)) << method;
    EXPECT_FALSE(warns(two(kShared, R"(,"measured":{"enemy":"copies to the host"})"), method));
    EXPECT_FALSE(warns(two("", ""), method)) << "one at a time: the analysis counts that";
  }
  System alone = two(kShared, "");
  alone.tasks[1].nodes.pop_back();
  alone.tasks[1].graph = Graph::chain(1);
  EXPECT_TRUE(run("gcaps.suspend", alone, "safe").warnings.empty()) << "nobody else copies";
}

TEST(ExclusiveCopies, AreIgnoredByThePublishedEquationsWhichSaySo) {
  const auto has = [](const Verdict& verdict) {
    return std::any_of(verdict.warnings.begin(), verdict.warnings.end(), [](const std::string& w) {
      return w == "the published equations ignore that copies wait for each other";
    });
  };
  EXPECT_TRUE(has(run("gcaps.suspend", two("", ""), "paper")));
  EXPECT_FALSE(has(run("gcaps.suspend", two("", ""), "safe")));
  EXPECT_FALSE(has(run("gcaps.suspend", two(R"(,"sharing":"shared")", ""), "paper")));
}

TEST(ExclusiveCopies, UnderALockWaitForNobody) {
  for (const std::string_view method : {"mpcp.suspend", "mpcp.busy", "fmlp.suspend", "fmlp.busy"}) {
    const Verdict exclusive = run(method, two("", ""), "safe");
    const Verdict shared = run(method, two(R"(,"sharing":"shared")", ""), "safe");
    for (std::size_t i = 0; i < exclusive.tasks.size(); ++i) {
      EXPECT_EQ(exclusive.tasks[i].bound, shared.tasks[i].bound) << method;
    }
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
