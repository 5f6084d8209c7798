#include <sys/stat.h>

#include "tactus/experiment/store/sqlite.hpp"
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

TEST_F(DamagedStore, WithTooManyOrTooFewVerdictsIsRefused) {
  const std::string missing = "cannot read " + path_ + ": verdicts are missing";
  for (const std::string change :
       {"statuses = '0'", "statuses = ''", "statuses = '0000'", "amounts = '1'", "amounts = '1 2'",
        "amounts = '1 2 3 4'", "amounts = 'x y z'", "amounts = '1  2 3'", "amounts = '1 2 3 '",
        "times = ' '", "times = '1 2 3'", "times = '1 2 -- 3'", "times = '1 2 3 4 5'",
        "times = '1 2 3 99999999999999999999'"}) {
    SCOPED_TRACE(change);
    damage("UPDATE sets SET " + change);
    EXPECT_EQ(read(), missing);
    EXPECT_EQ(read_raw(), missing);
    damage("UPDATE sets SET statuses = '013', amounts = '', times = '1 2 3 4'");
    EXPECT_EQ(read(), "read");
  }
  for (const std::string none : {"times = ''", "times = '- 2 - -'"}) {
    damage("UPDATE sets SET " + none);
    EXPECT_EQ(read(), "read") << "not all times are taken: " << none;
  }
}

TEST_F(DamagedStore, ThatIsStillEmptySaysSo) {
  std::filesystem::resize_file(path_, 0);  // a run that was killed before it began
  EXPECT_EQ(read(), "cannot read " + path_ + ": there are no results in it yet");
  EXPECT_EQ(read_raw(), "cannot read " + path_ + ": there are no results in it yet");
}

TEST_F(DamagedStore, OfAnotherSchemaIsRefused) {
  damage("UPDATE meta SET value = '1' WHERE key = 'schema'");
  const std::string why = ": it has schema `1`; this tactus reads schema 2";
  EXPECT_EQ(read(), "cannot read " + path_ + why);
  EXPECT_EQ(read_raw(), "cannot read " + path_ + why);
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

TEST(StoreProblem, IsToldInOneLineWhateverTheStoreHolds) {
  const Folder folder;
  const Database database(folder.path() + "/some.db", Database::Mode::kWrite);
  try {
    const Statement wrong(database, "SELECT \"two\nlines\" FROM (SELECT 1 AS x) AS t, [no\nsuch]");
    FAIL() << "there is no such table";
  } catch (const SqliteError& problem) {
    EXPECT_EQ(std::string_view(problem.what()).find('\n'), std::string_view::npos)
        << problem.what();
  }
}

}  // namespace
}  // namespace tactus::experiment
