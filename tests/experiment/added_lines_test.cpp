#include <gtest/gtest.h>

#include <map>

#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/sqlite.hpp"
#include "tests/experiment/support.hpp"

/// Lines that are added to a store that has results already.
namespace tactus::experiment {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

/// The small experiment with a line in front and a variant and a line behind.
std::string larger_file() {
  std::string text = replaced(small_file(), "\"lines\": [ ",
                              "\"lines\": [ { \"name\": \"first\", \"method\": \"fmlp.busy\" }, ");
  return replaced(text, "{ \"method\": \"mpcp.busy\" }",
                  "{ \"method\": \"mpcp.busy\", \"variants\": [\"paper\", \"safe\"] }, "
                  "{ \"method\": \"tsg-rr.busy\" }");
}

using Times = std::map<std::string, std::int64_t>;

Times times_of(const std::string& folder) {
  Times times;
  EXPECT_FALSE(for_each_verdict(folder, true, [&](const RawVerdict& verdict) {
    times[report::raw_csv(verdict, false)] = verdict.ns.value_or(-1);
    return true;
  }));
  return times;
}

TEST(AddedLines, AloneAreJudged) {
  const Folder grown, fresh;
  ASSERT_TRUE(run(request_for(grown.path(), small_file())));
  const Times before = times_of(grown.path());
  RunRequest request = request_for(grown.path(), larger_file(), 2);
  request.resume = true;
  const auto outcome = run(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->judged, 4 * 30);
  ASSERT_TRUE(run(request_for(fresh.path(), larger_file())));
  EXPECT_EQ(dump(grown.path()), dump(fresh.path()));
  const Times after = times_of(grown.path());
  for (const auto& [verdict, ns] : before) {
    const auto found = after.find(verdict);
    ASSERT_NE(found, after.end());
    EXPECT_EQ(found->second, ns) << "what was there was judged again: " << verdict;
  }
  // And nothing is left to do.
  const auto again = run(request);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->judged, 0);
}

TEST(AddedLines, AreFinishedAfterAnInterruption) {
  const Folder grown, fresh;
  ASSERT_TRUE(run(request_for(grown.path(), small_file(200))));
  std::string file = replaced(larger_file(), "\"sets\": 30", "\"sets\": 200");
  std::stop_source stop;
  RunRequest request = request_for(grown.path(), file);
  request.resume = true;
  request.stop = stop.get_token();
  request.progress = [&](std::string_view) { stop.request_stop(); };
  ASSERT_TRUE(run(request));
  // What is there can be read: a line counts the sets that it judged.
  const auto half = read_results(grown.path());
  ASSERT_TRUE(half) << half.error().message;
  EXPECT_EQ(half->front().cell(0, 1).sets, 200);
  request.stop = {};
  request.progress = {};
  ASSERT_TRUE(run(request));
  ASSERT_TRUE(run(request_for(fresh.path(), file)));
  EXPECT_EQ(dump(grown.path()), dump(fresh.path()));
}

TEST(AddedLines, TakeMoreSetsAlong) {
  const Folder grown, fresh;
  RunRequest request = request_for(grown.path(), small_file());
  request.sets = 10;
  ASSERT_TRUE(run(request));
  request = request_for(grown.path(), larger_file());
  request.resume = true;
  request.sets = 30;
  const auto outcome = run(request);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->judged, 4 * 30) << "10 sets get the new lines, 20 all lines";
  ASSERT_TRUE(run(request_for(fresh.path(), larger_file())));
  EXPECT_EQ(dump(grown.path()), dump(fresh.path()));
}

/// `missed` of the variant paper needs to know what safe says.
TEST(AddedLines, OfSimulatedMeasuresKnowTheVerdictOfSafe) {
  const auto file = [](const char* variants) {
    return std::string(R"({"tactus_experiment":1,"name":"seen","title":"t","recipe":"gcaps-table3",
      "sweep":{"label":"U","set":["util-min","util-max"],"values":[0.2,0.3]},"sets":10,
      "measure":"missed","simulation":{"runs":2,"jobs":2},
      "lines":[{"method":"gcaps.suspend","variants":)") +
           variants + "}]}";
  };
  const Folder grown, fresh;
  ASSERT_TRUE(run(request_for(grown.path(), file(R"(["safe"])"))));
  RunRequest request = request_for(grown.path(), file(R"(["safe", "paper"])"));
  request.resume = true;
  ASSERT_TRUE(run(request));
  ASSERT_TRUE(run(request_for(fresh.path(), file(R"(["safe", "paper"])"))));
  EXPECT_EQ(dump(grown.path()), dump(fresh.path()));
}

TEST(AddedLines, CannotReplaceOthers) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), small_file())));
  RunRequest request =
      request_for(folder.path(), replaced(small_file(), "\"method\": \"mpcp.busy\"",
                                          "\"name\": \"mpcp.busy\", \"method\": \"fmlp.busy\""));
  request.resume = true;
  const auto other = run(request);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("its line `mpcp.busy` is another one"), std::string::npos);
}

}  // namespace
}  // namespace tactus::experiment
