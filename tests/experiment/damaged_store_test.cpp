#include <sys/stat.h>

#include "tactus/experiment/sqlite.hpp"
#include "tests/experiment/support.hpp"

/// A store may be damaged, or made by somebody else: everything in it is looked at before it is
/// used.
namespace tactus::experiment {
namespace {

class DamagedStore : public testing::Test {
 protected:
  DamagedStore() {
    EXPECT_TRUE(run(request_for(folder_.path(), small_file(2))));
    path_ = folder_.path() + "/results.db";
  }
  void damage(const std::string& statements) {
    Database(path_, Database::Mode::kWrite).run(statements);
  }
  std::string resume() {
    RunRequest request = request_for(folder_.path(), small_file(2));
    request.resume = true;
    request.wanted.clear();
    const auto outcome = run(request);
    return outcome ? "resumed" : outcome.error().message;
  }
  std::string read() {
    const auto all = read_results(folder_.path());
    return all ? "read" : all.error().message;
  }
  std::string read_raw() {
    const auto problem =
        for_each_verdict(folder_.path(), false, [](const RawVerdict&) { return true; });
    return problem ? problem->message : "read";
  }

  Folder folder_;
  std::string path_;
};

TEST_F(DamagedStore, IsFineBeforeTheDamage) {
  EXPECT_EQ(resume(), "resumed");
  EXPECT_EQ(read(), "read");
  EXPECT_EQ(read_raw(), "read");
}

TEST_F(DamagedStore, WithAnExperimentOfAStrangeNumberIsRefused) {
  damage("UPDATE experiments SET experiment = 1000000");
  EXPECT_EQ(resume(), "cannot write " + path_ + ": its experiments are not numbered from 0");
  damage("UPDATE experiments SET experiment = -1");
  EXPECT_EQ(resume(), "cannot write " + path_ + ": its experiments are not numbered from 0");
}

TEST_F(DamagedStore, WithASetOfAStrangeNumberIsRefused) {
  for (const std::string set : {"-1", "2", "1000000000", "9223372036854775807"}) {
    SCOPED_TRACE(set);
    damage("BEGIN; UPDATE sets SET set_index = " + set +
           " WHERE point = 1 AND set_index NOT IN (0); UPDATE verdicts SET set_index = " + set +
           " WHERE point = 1 AND set_index NOT IN (0); COMMIT");
    EXPECT_EQ(resume(), "cannot write " + path_ + ": there is an unknown set");
    if (set == "2") continue;  // there may be more sets than the experiment asks for now
    EXPECT_EQ(read(), "cannot read " + path_ + ": there is an unknown set");
    if (set == "-1") continue;  // is never asked for
    EXPECT_EQ(read_raw(), "cannot read " + path_ + ": there is an unknown set");
  }
}

TEST_F(DamagedStore, WithAPointThatTheExperimentDoesNotHaveIsRefused) {
  for (const std::string point : {"-1", "4", "1000000000"}) {
    SCOPED_TRACE(point);
    damage("BEGIN; UPDATE points SET point = " + point +
           " WHERE point NOT IN (0, 1, 2); UPDATE sets SET point = " + point +
           " WHERE point NOT IN (0, 1, 2); UPDATE verdicts SET point = " + point +
           " WHERE point NOT IN (0, 1, 2); COMMIT");
    EXPECT_EQ(resume(), "cannot write " + path_ + ": there is an unknown point");
    EXPECT_EQ(read(), "cannot read " + path_ + ": there is an unknown point");
  }
}

TEST_F(DamagedStore, WithTooManyOrTooFewSetsIsRefused) {
  damage("UPDATE experiments SET sets = 1000000000000");
  EXPECT_EQ(resume(), "cannot write " + path_ +
                          ": experiment `small` has 1000000000000 sets per point; there can be 1 "
                          "to 1000000000");
  damage("UPDATE experiments SET sets = 0");
  EXPECT_NE(resume(), "resumed");
}

TEST_F(DamagedStore, WithVerdictsOfOtherSetsIsRefused) {
  damage("UPDATE verdicts SET set_index = 7 WHERE point = 0 AND set_index = 1 AND curve = 1");
  EXPECT_EQ(read(), "cannot read " + path_ + ": verdicts are missing");
  damage("UPDATE verdicts SET curve = 99 WHERE point = 0 AND set_index = 0 AND curve = 1");
  EXPECT_EQ(read_raw(), "cannot read " + path_ + ": there is an unknown curve");
}

TEST_F(DamagedStore, WithAnotherExperimentUnderItsNameIsRefused) {
  damage("UPDATE experiments SET name = 'other'");
  EXPECT_EQ(resume(), "experiment `other` in " + path_ + " is called `small` in its file");
}

TEST_F(DamagedStore, ThatWouldDoWorkOfItsOwnIsRefused) {
  damage(
      "ALTER TABLE sets RENAME TO hidden; CREATE VIEW sets AS WITH RECURSIVE n(i) AS "
      "(SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT 0 AS experiment, 0 AS point, "
      "i AS set_index, 1 AS utilisation FROM n");
  const std::string why = "it has parts that no store of tactus has";
  EXPECT_EQ(resume(), "cannot write " + path_ + ": " + why);
  EXPECT_EQ(read(), "cannot read " + path_ + ": " + why);
  EXPECT_EQ(read_raw(), "cannot read " + path_ + ": " + why);
}

TEST(StoreFolder, ThatEverybodyMayWriteIsNotWritten) {
  const Folder folder;
  ::chmod(folder.path().c_str(), 01777);
  const auto outcome = run(request_for(folder.path(), small_file(1)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "cannot write " + folder.path() +
                "/results.db: its folder belongs to another user, or all users may write to it");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(StoreFolder, ThatEverybodyMayWriteCanBeRead) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), small_file(1))));
  ::chmod(folder.path().c_str(), 01777);
  EXPECT_TRUE(read_results(folder.path()));
}

TEST(StoreFolder, IsNotReachedThroughALinkInASharedFolder) {
  const Folder folder, shared;
  ::chmod(shared.path().c_str(), 01777);
  std::filesystem::create_directory_symlink(folder.path(), shared.path() + "/run");
  const auto outcome = run(request_for(shared.path() + "/run", small_file(1)));
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("symbolic link"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace tactus::experiment
