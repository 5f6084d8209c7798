#include "tactus/experiment/work/bundle.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tactus/base/file.hpp"
#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/writer.hpp"
#include "tests/experiment/support.hpp"

namespace tactus::experiment {
namespace {

std::vector<ArchiveMember> bundle(const std::string& store) {
  auto members = bundle_of(store, "test", {{"points.csv", "x,y\n"}});
  EXPECT_TRUE(members) << members.error().message;
  return members ? std::move(*members) : std::vector<ArchiveMember>{};
}

RunRequest again_in(const Folder& folder) {
  RunRequest request;
  request.folder = folder.path();
  request.context.version = "test";
  return request;
}

TEST(Bundle, HasAllThatIsNeededToRunItAgain) {
  const Folder out, files, again;
  const Recipe& recipe = *find_recipe("gcaps-small");
  std::ofstream lines(files.path() + "/s.jsonl");
  for (std::uint64_t k = 0; k < 5; ++k) {
    lines << write_system_line(*generate(recipe, Settings(recipe.parameters, {}), 1, k)) << '\n';
  }
  lines.close();
  const std::string file = R"({"tactus_experiment": 2, "name": "own", "title": "t",
    "files": "s.jsonl", "lines": [ { "method": "gcaps.suspend" }, { "method": "mpcp.busy" } ] })";
  RunRequest request = request_for(out.path(), small_file(4));
  request.points = {"0.3"};
  ASSERT_TRUE(run(request));
  request = request_for(out.path(), file, 1, files.path());
  request.resume = true;
  ASSERT_TRUE(run(request));

  const auto members = bundle(out.path());
  EXPECT_TRUE(tampered(members).empty());
  ASSERT_NE(find_member(members, "experiments/own.json"), nullptr);
  EXPECT_EQ(*find_member(members, "experiments/own.json"), file);
  ASSERT_NE(find_member(members, "sets/own.jsonl"), nullptr);
  EXPECT_NE(find_member(members, "MANIFEST.json")->find("\"machine\""), std::string::npos);

  // The files themselves are not needed.
  std::filesystem::remove(files.path() + "/s.jsonl");
  const Folder unpacked;
  ASSERT_FALSE(
      write_text_file(unpacked.path() + "/results.db", *find_member(members, kBundledStore)));
  const auto outcome = run_again(unpacked.path(), again_in(again));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->judged, 2 * 4 + 5);
  const auto difference = compare_stores(unpacked.path(), again.path());
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->differing, 0);
  EXPECT_EQ(difference->compared, 3 * 2 * 4 + 2 * 5);
  EXPECT_EQ(dump(out.path()), dump(again.path()));
}

TEST(Bundle, NoticesWhatWasChangedAddedOrTakenAway) {
  const Folder out;
  ASSERT_TRUE(run(request_for(out.path(), small_file(2))));
  using Problems = std::vector<std::string>;
  auto members = bundle(out.path());
  members[1].bytes.back() ^= 1;
  EXPECT_EQ(tampered(members), Problems{"results.db was changed"});
  members = bundle(out.path());
  members.push_back({"more.txt", ""});
  EXPECT_EQ(tampered(members), Problems{"more.txt was added"});
  members.pop_back();
  members.pop_back();
  EXPECT_EQ(tampered(members), Problems{"points.csv is missing"});
  members.erase(members.begin());
  EXPECT_EQ(tampered(members), Problems{"MANIFEST.json is missing"});
}

/// Whoever changes a verdict and the list of hashes with it is found by running it again.
TEST(Bundle, SaysWhichVerdictsDoNotComeOutAgain) {
  const Folder out, again;
  ASSERT_TRUE(run(request_for(out.path(), small_file(3))));
  Database(out.path() + "/results.db", Database::Mode::kWrite)
      .run("UPDATE sets SET statuses = '222' WHERE point = 1 AND set_index = 2");
  EXPECT_TRUE(tampered(bundle(out.path())).empty());
  ASSERT_TRUE(run_again(out.path(), again_in(again)));
  const auto difference = compare_stores(out.path(), again.path());
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->differing, 3);
  ASSERT_EQ(difference->first.size(), 3u);
  EXPECT_TRUE(difference->first[0].starts_with(
      "small: case few, x 0.3, set 2, mpcp.busy (safe): the bundle says undecided, now "))
      << difference->first[0];
}

TEST(Bundle, NeedsAFinishedStore) {
  const Folder out;
  ASSERT_TRUE(run(request_for(out.path(), small_file(3))));
  Database(out.path() + "/results.db", Database::Mode::kWrite)
      .run("DELETE FROM sets WHERE point = 1 AND set_index = 2");
  const auto members = bundle_of(out.path(), "test", {});
  ASSERT_FALSE(members);
  EXPECT_EQ(members.error().message,
            "small is not finished; `tactus lab reproduce --resume` goes on with it");
}

TEST(Bundle, CannotForgeALineByTheNameOfAMember) {
  const std::string name = "m\nx.tar.gz: all 50 verdicts came out again";
  for (const std::string& problem :
       tampered({{"MANIFEST.json", R"({"files": [{"name": "a\nb", "sha256": "x"}]})"}, {name, ""}}))
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
}

}  // namespace
}  // namespace tactus::experiment
