// An arbiter of an ordinary user, whose clients belong to other users.
#include <sys/stat.h>

#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

constexpr int kArbiter = 60001, kLow = 60002, kHigh = 60003, kGroup = 60000;

class OfAnOrdinaryUser : public ArbiterPlace {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
    become(kArbiter);
    if (Background(joined(prefix_, {TACTUS_BINARY, "version"})).stop(0) != 0)
      GTEST_SKIP() << "other users cannot reach " << TACTUS_BINARY;
    std::filesystem::create_directory(folder_.file("own"));
    for (const char* const shared : {"", "own"}) {
      ASSERT_EQ(chown(folder_.file(shared).c_str(), kArbiter, kGroup), 0);
      ASSERT_EQ(chmod(folder_.file(shared).c_str(), 0750), 0);
    }
    std::ofstream(folder_.file("pid")).close();
    ASSERT_EQ(chmod(folder_.file("pid").c_str(), 0666), 0);
  }

  /// What is started from now on is this user's, who is in the arbiter's group.
  void become(int user) {
    const std::string number = std::to_string(user);
    prefix_ = {"/usr/bin/setpriv", "--reuid=" + number, "--regid=" + number,
               "--groups=" + std::to_string(kGroup)};
  }
  void serve_group(const std::vector<std::string>& options) {
    serve(joined({"--group", std::to_string(kGroup), "--log", folder_.file("own/log")}, options));
  }
  bool logged(const std::string& event) const {
    return slurp(folder_.file("own/log")).find("\"" + event + "\"") != std::string::npos;
  }
};

TEST_F(OfAnOrdinaryUser, OneUsersWorkMakesRoomForAnothersAndIsNeverLeftStopped) {
  serve_group(kPatient);
  become(kLow);
  Background low(exec({"--priority", "1"}, endless()));
  const std::string pid = pid_of_endless();
  ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  become(kHigh);
  {
    Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
    EXPECT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  }
  EXPECT_TRUE(eventually([&] { return state_of(pid) != 'T'; }));
  Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  EXPECT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  daemon_->stop(SIGKILL);
  EXPECT_TRUE(eventually([&] { return state_of(pid) != 'T'; }));
}

TEST_F(OfAnOrdinaryUser, WhoOverstaysAndCannotBeKilledIsDemoted) {
  serve_group(
      {"--lease", "1000", "--update-timeout", "10000", "--budget", "100", "--on-overstay", "kill"});
  become(kHigh);
  Background greedy(exec({"--priority", "99"}, endless()));
  EXPECT_TRUE(eventually([&] { return logged("demote"); }));
  EXPECT_FALSE(logged("kill"));
  EXPECT_NE(state_of(pid_of_endless()), 'X');
}

TEST_F(OfAnOrdinaryUser, NobodyHasMoreThanWasAllowed) {
  serve_group(
      joined(kPatient, {"--allow", std::to_string(kHigh) + ":1-9", "--allow", "*:best-effort"}));
  become(kLow);
  Background low(exec({"--required", "--priority", "1"}, {"/bin/true"}));
  EXPECT_NE(low.stop(0), 0);
  become(kHigh);
  Background high(exec({"--required", "--priority", "9"}, {"/bin/true"}));
  EXPECT_EQ(high.stop(0), 0);
}

}  // namespace
}  // namespace tactus::cli
