#include <gtest/gtest.h>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

/// The four of tests/data/reserve/four.json, of which the fourth is refused, and the smaller one.
std::string system_of(const std::string& last, const std::string& gpu = "") {
  const auto task = [](const std::string& name, int core, const std::string& period,
                       const std::string& before, const std::string& kernel,
                       const std::string& launch, const std::string& after) {
    return R"({"name":")" + name + R"(","core":)" + std::to_string(core) + R"(,"period":)" +
           period + R"(,"nodes":[{"name":"a","on":"cpu","wcet":)" + before +
           R"(},{"name":"b","on":"gpu","wcet":)" + kernel + R"(,"launch":)" + launch +
           R"(},{"name":"c","on":"cpu","wcet":)" + after + "}]}";
  };
  return R"({"tactus":1,"name":"four","time_unit":"ms","platform":{"elements":[)"
         R"({"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":1,)"
         R"("preempt_cost":0.67,"resume_cost":0.38,"start_cost":0.15)" +
         gpu + R"(}]},"tasks":[)" + task("lidar", 2, "100", "5", "18", "1", "4") + ",\n" +
         task("camera", 1, "33", "2", "9", "0.8", "0.5") + ",\n" +
         task("planner", 3, "50", "3", "6", "0.5", "2") + ",\n" + last + "]}";
}
const std::string kBig =
    R"({"name":"big","core":4,"period":40,"nodes":[{"name":"a","on":"cpu","wcet":2},)"
    R"({"name":"b","on":"gpu","wcet":14,"launch":0.5},{"name":"c","on":"cpu","wcet":1}]})";
const std::string kSmaller =
    R"({"name":"segment","core":4,"period":66,"nodes":[{"name":"a","on":"cpu","wcet":2},)"
    R"({"name":"b","on":"gpu","wcet":5,"launch":0.8},{"name":"c","on":"cpu","wcet":1}]})";

TEST(ReserveVerb, AdmitsOneAfterTheOtherAndSaysThatNothingIsReserved) {
  const Ran ran = run_tactus({"reserve", "-", "--dry"}, system_of(kSmaller));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "4 of 4 would be admitted")) << ran.out;
  // What they are held to is 14.22 and 92.36; both have one segment, of which 0.72 is for others.
  EXPECT_TRUE(contains(ran.out, "admitted: response at most 13.5 of 33")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "91.64")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "Least room: lidar 7.6 %")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "nothing is reserved")) << ran.out;
}

TEST(ReserveVerb, RefusesAndNamesWhoWouldBeLateAndWhatWouldDo) {
  const Ran ran = run_tactus({"reserve", "-", "--dry"}, system_of(kBig));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(contains(ran.out, "3 of 4 would be admitted")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "refused: ")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "could be late")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "would be admitted with")) << ran.out;
  const Ran json = run_tactus({"reserve", "-", "--dry", "--json"}, system_of(kBig));
  const std::size_t at = json.out.find("\"gpu_share\": ");
  ASSERT_NE(at, std::string::npos) << json.out;
  // What it says would be admitted is.
  const double share = std::stod(json.out.substr(at + 13));
  const Ran shorter =
      run_tactus({"reserve", "-", "--dry", "--set", "big.b.wcet=" + std::to_string(14 * share)},
                 system_of(kBig));
  EXPECT_EQ(shorter.exit_code, 0) << shorter.out;
}

TEST(ReserveVerb, NamesWhomATaskTrustsOnItsCore) {
  const std::vector<std::string> shared = {"reserve", "-", "--dry", "--set", "segment.core=1"};
  std::vector<std::string> trusting = shared;
  trusting.emplace_back("--trust");
  EXPECT_TRUE(contains(run_tactus(trusting, system_of(kSmaller)).out, "trusts camera on core 1"));
  EXPECT_FALSE(contains(run_tactus(shared, system_of(kSmaller)).out, "trusts"));
}

TEST(ReserveVerb, SaysWhatItDoesNotCover) {
  const Ran core =
      run_tactus({"reserve", "-", "--dry"}, system_of(kSmaller, R"(,"arbiter_core":4)"));
  EXPECT_EQ(core.exit_code, 3) << core.out;
  EXPECT_TRUE(contains(core.out, "has an arbiter_core")) << core.out;
  std::string follower = kSmaller;
  follower.replace(follower.find(R"("period":66)"), 11, R"("after":"camera")");
  const Ran after = run_tactus({"reserve", "-", "--dry"}, system_of(follower));
  EXPECT_EQ(after.exit_code, 3) << after.out;
  EXPECT_TRUE(contains(after.out, "is started by another task")) << after.out;
  std::string chained = system_of(kSmaller);
  chained.insert(chained.size() - 1,
                 R"(,"chains":[{"name":"ch","tasks":["camera","planner"],"age":1}])");
  const Ran limits = run_tactus({"reserve", "-", "--dry"}, chained);
  EXPECT_EQ(limits.exit_code, 3) << limits.out;
  EXPECT_TRUE(contains(limits.out, "is in chain `ch`")) << limits.out;
  // What is refused gets its alternatives where there is no answer in 64 bits.
  const Ran far = run_tactus(
      {"reserve", "-", "--dry", "--set", "big.period=9223372036000", "--set", "big.deadline=18"},
      system_of(kBig));
  EXPECT_EQ(far.exit_code, 1) << far.out << far.err;
  // Who spins has no budget on a core that others use.
  std::string spins = kSmaller;
  spins.replace(spins.find(R"("core":4)"), 8, R"("core":1,"wait":"busy")");
  const Ran busy = run_tactus({"reserve", "-", "--dry"}, system_of(spins));
  EXPECT_EQ(busy.exit_code, 3) << busy.out;
  EXPECT_TRUE(contains(busy.out, "spins has no CPU budget")) << busy.out;
}

TEST(ReserveVerb, IsRefusedInOneLine) {
  const Ran bare = run_tactus({"reserve", "-"}, system_of(kSmaller));
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_TRUE(contains(bare.err, "reserve needs FILE --dry, --list, --dump or --start NAME"))
      << bare.err;
  const Ran wrong = run_tactus({"reserve", "-", "--dry", "--notice", "soon"}, system_of(kSmaller));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "--notice must be a decimal number > 0")) << wrong.err;
  const Ran nobody = run_tactus(
      {"reserve", "-", "--dry"},
      R"({"tactus":1,"name":"n","platform":{"elements":[{"name":"cpu","kind":"cpu","units":1}]},"tasks":[]})");
  EXPECT_EQ(nobody.exit_code, 2) << nobody.out;
  EXPECT_TRUE(contains(nobody.err, "no task asks")) << nobody.err;
}

}  // namespace
}  // namespace tactus::cli
