// tactusd, tactus exec and tactus top together, as a user runs them.
#include <algorithm>

#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

TEST_F(WithArbiter, ExecStopsTheLessUrgentAndLetsItGoOn) {
  Background low(exec({"--best-effort"}, endless()));
  ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  const std::string pid = pid_of_endless();
  {
    Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
    ASSERT_TRUE(eventually([&] { return first_client("state") == "pending"; }));
    EXPECT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));  // told first, then done
  }
  EXPECT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  EXPECT_TRUE(eventually([&] { return state_of(pid) != 'T'; }));
  EXPECT_EQ(first_client("preemptions"), "1");
  EXPECT_EQ(first_client("tier"), "process");
  const Ran costs = run_tactus({"top", "--costs", "--socket", socket_});
  EXPECT_EQ(costs.exit_code, 0);
  for (const char* attribute : {"runlist_update", "context_switch", "preemption_delay"}) {
    EXPECT_NE(costs.out.find(attribute), std::string::npos) << costs.out;
  }
  const Ran text = run_tactus({"top", "--once", "--socket", socket_});
  EXPECT_NE(text.out.find("safe-arbiter does not hold"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("Variant in force: safe-arbiter."), std::string::npos) << text.out;
}

TEST_F(WithArbiter, NothingStaysStoppedWhenExecIsKilled) {
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  low.stop(SIGKILL);
  EXPECT_TRUE(eventually([&] { return state_of(pid) != 'T'; }));
  kill(std::stoi(pid), SIGKILL);
}

TEST_F(WithArbiter, NothingStaysStoppedWhenTheArbiterIsKilled) {
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  daemon_->stop(SIGKILL);
  EXPECT_TRUE(eventually([&] { return state_of(pid) != 'T'; }));
}

TEST_F(WithArbiter, TheExampleOfTheClientLibraryRuns) {
  const std::string out = folder_.file("out");
  const auto run_example = [&](const std::string& socket) {
    EXPECT_EQ(std::system(("TACTUS_SOCKET=" + socket + " " TACTUS_SEGMENTS " 70 > " + out).c_str()),
              0);
    return slurp(out);
  };
  EXPECT_EQ(run_example(socket_),
            "C: running, tier gate\nC++: running\nmacros: running\nend: running\n"
            "end again: this thread is not inside a segment\n");
  EXPECT_EQ(run_example("/nonexistent/s").substr(0, 16), "C: unarbitrated:");
}

TEST_F(WithArbiter, ExecEndsWithItsCommandAndPassesItsCodeOn) {
  EXPECT_EQ(run_tactus({"exec", "--tier", "process", "--socket", socket_, "--priority", "5", "--",
                        "/bin/sh", "-c", "exit 7"})
                .exit_code,
            7);
  EXPECT_EQ(run_tactus({"exec", "--tier", "process", "--socket", socket_, "--priority", "5", "--",
                        "/bin/sh", "-c", "kill -9 $$"})
                .exit_code,
            128 + 9);
  const Ran missing = run_tactus({"exec", "--tier", "process", "--socket", socket_, "--priority",
                                  "5", "--", "/no/such/program"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_NE(missing.err.find("cannot run /no/such/program"), std::string::npos) << missing.err;
  EXPECT_EQ(run_tactus({"exec", "--tier", "process", "--socket", socket_, "--priority", "5", "--",
                        "/etc/passwd"})
                .exit_code,
            126);
  const Ran both = run_tactus({"exec", "--tier", "process", "--socket", socket_, "--best-effort",
                               "--quiet", "--", "/bin/sh", "-c", "cat; echo err >&2"},
                              "text");
  EXPECT_EQ(both.out, "text");
  EXPECT_EQ(both.err, "err\n");
}

TEST_F(WithArbiter, ASecondArbiterIsRefusedAndTheFirstEndsCleanly) {
  const std::string program =
      std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string();
  Background second({program, "--socket", socket_});
  EXPECT_EQ(WEXITSTATUS(second.stop(0)), 3);
  EXPECT_EQ(daemon_->stop(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(socket_));
  EXPECT_EQ(run_tactus({"top", "--socket", socket_}).exit_code, 3);
}

class WithBoostArbiter : public ArbiterPlace {
 protected:
  WithBoostArbiter() { serve(joined({"--protocol", "boost", "--slice", "20"}, kPatient)); }
};

TEST_F(WithBoostArbiter, CutsAnUnmarkedProgramIntoSegments) {
  const std::string out = folder_.file("out");
  const Background program({"/bin/sh", "-c",
                            std::string(TACTUS_BINARY) +
                                " exec --priority 70 --auto --threshold 80 --warm-up 1 " +
                                "--required --socket " + socket_ + " -- " + TACTUS_URGENT_PROGRAM +
                                " 100000 > " + out + " 2>&1"});
  EXPECT_TRUE(eventually([&] {
    const std::string segments = first_client("segments");  // nothing: it is not there yet
    return !segments.empty() && std::stoi(segments) > 5;
  }));
  EXPECT_GT(std::stoi(first_client("launches")), 5);
  EXPECT_EQ(first_client("forced"), "0") << slurp(out);
  const Ran text = run_tactus({"top", "--once", "--socket", socket_});
  EXPECT_NE(text.out.find("ungated"), std::string::npos) << text.out;
}

TEST_F(WithBoostArbiter, ExecStopsTheLessUrgentAndLetsItGoOn) {
  Background low(exec({"--best-effort"}, endless()));
  ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  const std::string pid = pid_of_endless();
  {
    Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
    ASSERT_TRUE(eventually([&] { return first_client("state") == "pending"; }));
    EXPECT_TRUE(eventually([&] { return state_of(pid) == 'T' || frozen(pid); }));
  }
  EXPECT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  EXPECT_TRUE(eventually([&] { return state_of(pid) != 'T' && !frozen(pid); }));
  EXPECT_EQ(first_client("preemptions"), "1");
  const Ran costs = run_tactus({"top", "--costs", "--socket", socket_});
  EXPECT_EQ(costs.exit_code, 0);
  for (const char* attribute : {"start_cost", "preempt_cost", "resume_cost"}) {
    EXPECT_NE(costs.out.find(attribute), std::string::npos) << costs.out;
  }
  const Ran text = run_tactus({"top", "--once", "--socket", socket_});
  EXPECT_NE(text.out.find("rule boost"), std::string::npos) << text.out;
}

TEST_F(WithBoostArbiter, ProgramsWithoutSegmentsTakeTurns) {
  Background one(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  Background other(exec({"--best-effort"}, {"/bin/sleep", "1000"}));
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(eventually([&] { return first_client("state") == "pending"; }));
    EXPECT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  }
}

TEST_F(WithBoostArbiter, AProgramGetsItsShare) {
  Background most(exec({"--best-effort", "--share", "80%"}, endless()));
  const std::string pid = pid_of_endless();
  ASSERT_TRUE(eventually([&] { return first_client("share") == "80"; }));
  EXPECT_TRUE(
      contains(run_tactus({"top", "--once", "--socket", socket_}).out, "best effort, 80 %"));
  Background other(exec({"--best-effort"}, {"/bin/sh", "-c", "while :; do :; done"}));
  // How long each was held off, a fifth and four fifths of the time: at least so much apart, once a
  // busy machine has made up for what it held up itself.
  EXPECT_TRUE(eventually([&] {
    const auto parsed =
        json::Document::parse(run_tactus({"top", "--json", "--socket", socket_}).out);
    const auto& clients = std::get<json::Document>(parsed).root().find("clients")->items();
    if (clients.size() != 2) return false;
    const auto off_ms = [&](std::size_t i) {
      return std::stoll(std::string(clients[i].find("off_ns")->text())) / 1'000'000;
    };
    return off_ms(1) > 2000 && off_ms(0) * 2 < off_ms(1);
  }));
  const Ran more = run_program(TACTUS_BINARY, exec_words({"--best-effort", "--share", "16"}));
  EXPECT_EQ(more.exit_code, 3);
  EXPECT_EQ(more.err,
            "tactus: the arbiter has promised 80 % already, and promises 95 % at most: 15 % are "
            "left\n");
}

TEST_F(WithArbiter, PromisesNoShare) {
  const Ran ran = run_program(TACTUS_BINARY, exec_words({"--best-effort", "--share", "20%"}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.err, "--share needs an arbiter for boost")) << ran.err;
}

TEST_F(WithBoostArbiter, AProgramForGcapsIsToldAndRuns) {
  const std::string out = folder_.file("out");
  EXPECT_EQ(
      std::system(
          ("TACTUS_SOCKET=" + socket_ + " " TACTUS_SEGMENTS " 70 > " + out + " 2>&1").c_str()),
      0);
  EXPECT_NE(slurp(out).find("it speaks boost, and tactus_segment_begin is for gcaps"),
            std::string::npos)
      << slurp(out);
  EXPECT_NE(slurp(out).find("C: unarbitrated"), std::string::npos) << slurp(out);
}

TEST(Tactusd, RefusesWhatBelongsToTheOtherProtocol) {
  const std::string program =
      std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string();
  for (const char* const options :
       {"--protocol boost --rule fifo", "--protocol boost --budget 3 --on-overstay demote",
        "--poll 1", "--slice 10", "--protocol best", "--protocol boost --poll 0"}) {
    const int status = std::system((program + " " + options + " 2> /dev/null").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << options;
  }
}

TEST(Exec, LoadsItsLibraryIntoAProgramWithSegments) {
  const Ran ran = run_tactus({"exec", "--segments", "--", "/bin/sh", "-c",
                              "echo $TACTUS_TIER $TACTUS_PRIORITY ${LD_PRELOAD##*/}"});
  EXPECT_EQ(ran.out, "hold libtactus_preload.so\n") << ran.err;
}

TEST(Exec, RunsWithoutAnArbiterAndSaysSo) {
  const Ran ran = run_tactus({"exec", "--tier", "process", "--socket", "/nonexistent/s",
                              "--best-effort", "--", "/bin/sh", "-c", "exit 3"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("no arbiter is running; sh runs without"), std::string::npos) << ran.err;
}

TEST(Exec, RefusesWhatItCannotDoInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, int>> mistakes = {
      {{"exec", "true"}, 2},
      {{"exec", "--priority", "3"}, 2},
      {{"exec", "--priority", "3", "--best-effort", "--", "true"}, 2},
      {{"exec", "--priority", "many", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--tier", "magic", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--segments", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--tier", "hold", "--", "true"}, 2},
      {{"exec", "--segments", "--tier", "process", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--tier", "timeslice", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "timeslice", "--required", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "timeslice", "--slice", "0", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "process", "--slice", "100", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "process", "--share", "0%", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "process", "--share", "96", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "process", "--share", "2.5%", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--tier", "process", "--share", "20%", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--auto", "--share", "20%", "--", "true"}, 2},
      {{"exec", "--priority", "3", "--auto", "--segments", "--", "true"}, 2},
      {{"exec", "--best-effort", "--tier", "process", "--required", "--socket", "/nonexistent/s",
        "--", "true"},
       3},
      {{"top", "--socket", "/nonexistent/s"}, 3},
      {{"top", "--interval", "0"}, 2},
      {{"top", "--socket", std::string(200, 'x')}, 3},
  };
  for (const auto& [arguments, code] : mistakes) {
    const Ran ran = run_tactus(arguments);
    EXPECT_EQ(ran.exit_code, code) << arguments.back() << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

}  // namespace
}  // namespace tactus::cli
