// tactusd, tactus exec and tactus top where somebody means harm, or does what nobody thought of.
#include <pty.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

std::string daemon_program() {
  return std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string();
}

std::vector<std::string> children_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<std::string> children;
  for (std::string child; file >> child;) children.push_back(child);
  return children;
}

/// CPU time that a process has used.
long ticks_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;
  long user = 0, system = 0;
  words >> user >> system;
  return user + system;
}

TEST_F(WithArbiter, TopOnATerminalEndsWhenItIsTold) {
  for (const int signal : {SIGTERM, SIGINT}) {
    int terminal = -1;
    const pid_t top = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (top == 0) {
      execl(TACTUS_BINARY, "tactus", "top", "--socket", socket_.c_str(), nullptr);
      _exit(127);
    }
    // It draws again and again; nothing is told before it has begun to.
    std::string drawn;
    char some[4096];
    while (drawn.find("\033[2J", drawn.find("\033[2J") + 1) == std::string::npos) {
      const ssize_t got = read(terminal, some, sizeof some);
      ASSERT_GT(got, 0);
      drawn.append(some, static_cast<std::size_t>(got));
    }
    kill(top, signal);
    int status = -1;
    EXPECT_TRUE(eventually([&] { return waitpid(top, &status, WNOHANG) == top; }));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    close(terminal);
  }
}

TEST_F(WithArbiter, NothingStaysStoppedWhenExecIsKilledBeforeItsCommandHasBegun) {
  Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  for (int round = 0; round < 5; ++round) {
    Background low(exec({"--best-effort"}, endless()));
    // Its child is held, and stopped as well, until it is its turn.
    std::vector<std::string> children;
    ASSERT_TRUE(eventually([&] {
      children = children_of(low.pid());
      return !children.empty() && state_of(children.front()) == 'T' &&
             run_tactus({"top", "--json", "--socket", socket_}).out.find("pending") !=
                 std::string::npos;
    }));
    low.stop(SIGKILL);
    for (const std::string& child : children) {
      EXPECT_TRUE(eventually([&] { return state_of(child) != 'T'; })) << child;
      kill(std::stoi(child), SIGKILL);  // nobody else ends it: it would spin for ever
    }
  }
}

TEST_F(WithArbiter, ExecIsUnderTheArbiterAlsoWithoutStandardStreams) {
  const std::string command = std::string("exec ") + TACTUS_BINARY +
                              " exec --tier process --socket " + socket_ +
                              " --priority 5 -- /bin/sleep 1000 2>&-";
  Background bare({"/bin/sh", "-c", command});
  EXPECT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // whatever it had to say is said
  EXPECT_EQ(first_client("state"), "running");
}

TEST_F(WithArbiter, ExecLeavesClosedForItsCommandWhatWasClosed) {
  const std::string out = folder_.file("out");
  const auto run = [&](const std::string& end) {
    const std::string command = std::string(TACTUS_BINARY) +
                                " exec --tier process --quiet --socket " + socket_ +
                                " --priority 5 -- /bin/sh -c 'if [ -e /proc/$$/fd/2 ]; then echo "
                                "open; else echo closed; fi > " +
                                out + "'" + end;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return slurp(out);
  };
  EXPECT_EQ(run(""), "open\n");
  EXPECT_EQ(run(" 2>&-"), "closed\n");
}

TEST_F(WithArbiter, ExecEndsWithItsCommandAlsoWhereChildrenAreIgnored) {
  // Not `timeout`: it would set right what is wrong here.
  const std::string command = std::string("trap '' CHLD; exec ") + TACTUS_BINARY +
                              " exec --tier process --quiet --socket " + socket_ +
                              " --priority 5 -- /bin/sh -c 'exit 7'";
  Background ignored({"/bin/sh", "-c", command});
  ASSERT_TRUE(eventually([&] { return state_of(ignored.pid()) == 'Z'; }));
  EXPECT_EQ(WEXITSTATUS(ignored.stop(0)), 7);
}

TEST_F(WithArbiter, ExecPassesOnEverySignalThatCanBe) {
  const std::string ready = folder_.file("ready");
  for (const auto& [name, number] : std::vector<std::pair<std::string, int>>{{"VTALRM", SIGVTALRM},
                                                                             {"PROF", SIGPROF},
                                                                             {"IO", SIGIO},
                                                                             {"PWR", SIGPWR},
                                                                             {"XCPU", SIGXCPU},
                                                                             {"ABRT", SIGABRT},
                                                                             {"RTMIN", SIGRTMIN},
                                                                             {"PIPE", SIGPIPE}}) {
    std::filesystem::remove(ready);
    // Not every shell knows real-time signals by name.
    const std::string trap = name == "RTMIN" ? std::to_string(number) : name;
    Background running(exec({"--priority", "5"}, {"/bin/bash", "-c",
                                                  "trap 'exit 43' " + trap + "; echo > " + ready +
                                                      "; while :; do sleep 0.01; done"}));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
    EXPECT_EQ(WEXITSTATUS(running.stop(number)), 43) << name;
  }
}

TEST_F(ArbiterPlace, ALogThatCannotBeWrittenCostsLinesAndNothingElse) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  serve({"--log", pipe});
  const auto looks = [&] { return run_tactus({"top", "--socket", socket_}).exit_code; };
  // Each look is a line or two; the pipe is filled by hand.
  const int writer = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  const std::string much(65536, 'x');
  while (write(writer, much.data(), much.size()) > 0) {
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(looks(), 0);  // nobody reads
  close(writer);
  close(reader);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(looks(), 0);  // nobody is there to read
  EXPECT_EQ(daemon_->stop(SIGTERM), 0);
}

TEST_F(ArbiterPlace, ALogThatMustNotGrowCostsLinesAndNothingElse) {
  prefix_ = {"/bin/bash", "-c", "ulimit -f 8; exec \"$@\"", "bash"};  // of 1024 bytes
  serve({"--log", folder_.file("log", std::string(8192 - 10, '\n'))});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run_tactus({"top", "--socket", socket_}).exit_code, 0);
  EXPECT_EQ(daemon_->stop(SIGTERM), 0);
}

TEST_F(ArbiterPlace, SighupOpensTheLogAnewAndEndsNobody) {
  const std::string log = folder_.file("log");
  serve({"--log", log});
  ASSERT_TRUE(eventually([&] { return !slurp(log).empty(); }));
  std::filesystem::rename(log, log + ".1");
  daemon_->tell(SIGHUP);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log); }));
  EXPECT_EQ(run_tactus({"top", "--socket", socket_}).exit_code, 0);
}

TEST_F(ArbiterPlace, AnArbiterWithoutDescriptorsSaysThatItIsFull) {
  prefix_ = {"/bin/bash", "-c", "ulimit -n 30; exec \"$@\"", "bash"};
  serve(kPatient);
  std::vector<int> crowd;
  for (int i = 0; i < 60; ++i) {
    crowd.push_back(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.copy(address.sun_path, sizeof address.sun_path - 1);
    connect(crowd.back(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  const Ran ran = run_tactus({"exec", "--tier", "process", "--socket", socket_, "--priority", "5",
                              "--required", "--", "/bin/true"});
  // Either it found a place that somebody mute had to give up, or it was told.
  EXPECT_TRUE(ran.exit_code == 0 || ran.err.find("full") != std::string::npos) << ran.err;
  // Meanwhile it does not spin: that would take every tick of this second, if it got a CPU.
  const long before = ticks_of(daemon_->pid());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(ticks_of(daemon_->pid()) - before, sysconf(_SC_CLK_TCK) / 4);
  for (const int connection : crowd) close(connection);
  EXPECT_TRUE(eventually([&] { return run_tactus({"top", "--socket", socket_}).exit_code == 0; }));
}

TEST_F(ArbiterPlace, ASecondArbiterIsRefusedAlsoWhenTheLockFileWasRemoved) {
  serve(kPatient);
  std::filesystem::remove(socket_ + ".lock");
  Background second({daemon_program(), "--socket", socket_});
  EXPECT_EQ(WEXITSTATUS(second.stop(0)), 3);
  EXPECT_EQ(run_tactus({"top", "--socket", socket_}).exit_code, 0);
}

TEST_F(ArbiterPlace, AnOwnerThatOverstaysIsDemotedOrKilledWhereThatIsAsked) {
  serve(
      {"--lease", "1000", "--update-timeout", "10000", "--budget", "100", "--on-overstay", "kill"});
  Background greedy(exec({"--priority", "99"}, {"/bin/sleep", "1000"}));
  const int status = greedy.stop(0);  // waits for its end
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST_F(ArbiterPlace, ACommandThatOverstaysAndDoesNotListenIsKilledWithAllItStarted) {
  serve(
      {"--lease", "1000", "--update-timeout", "10000", "--budget", "100", "--on-overstay", "kill"});
  // Deaf, and so is its child in the background, which is in a session of its own.
  const std::string child = folder_.file("child");
  Background greedy(
      exec({"--priority", "99"}, {"/bin/bash", "-c",
                                  "trap '' TERM; setsid /bin/sh -c 'echo $$ > " + child +
                                      "; while :; do sleep 0.01; done' & "
                                      "while :; do sleep 0.01; done"}));
  ASSERT_TRUE(eventually([&] { return !slurp(child).empty(); }));
  std::string pid = slurp(child);
  pid.pop_back();
  EXPECT_EQ(WEXITSTATUS(greedy.stop(0)), 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return state_of(pid) == 'X' || state_of(pid) == 'Z'; }));
}

TEST_F(ArbiterPlace, ACommandThatOverstaysAndListensTakesAlongAllItStarted) {
  serve(
      {"--lease", "1000", "--update-timeout", "10000", "--budget", "100", "--on-overstay", "kill"});
  // The shell ends when it is told; what it leaves behind would have the GPU without an arbiter.
  const std::string child = folder_.file("child");
  Background greedy(exec({"--priority", "99"}, {"/bin/bash", "-c",
                                                "(trap '' TERM; echo $BASHPID > " + child +
                                                    "; while :; do sleep 0.01; done) & wait"}));
  ASSERT_TRUE(eventually([&] { return !slurp(child).empty(); }));
  std::string pid = slurp(child);
  pid.pop_back();
  EXPECT_EQ(WEXITSTATUS(greedy.stop(0)), 128 + SIGTERM);
  const auto over = [&] { return state_of(pid) == 'X' || state_of(pid) == 'Z'; };
  EXPECT_TRUE(eventually(over));
  if (!over()) kill(std::stoi(pid), SIGKILL);
}

TEST_F(ArbiterPlace, ASigtermThatIsNotTheArbitersKillsNoCommandThatWantsToGoOn) {
  serve({"--lease", "100", "--update-timeout", "10000"});
  const std::string steps = folder_.file("steps");
  Background deaf(exec({"--priority", "5"}, {"/bin/bash", "-c",
                                             "trap 'told=yes' TERM; while :; do sleep 0.01; "
                                             "[ -n \"$told\" ] && echo on >> " +
                                                 steps + "; done"}));
  ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  deaf.tell(SIGTERM);
  EXPECT_TRUE(eventually([&] { return slurp(steps).size() > 300; }));  // a second, ten leases
  EXPECT_EQ(WTERMSIG(deaf.stop(SIGKILL)), SIGKILL);
  // The guardian has nothing to do with this one; it is the test's to end.
  std::system(("kill -9 $(pgrep -f " + steps + ")").c_str());
}

TEST(Exec, SaysThatItsLibraryCannotBeLoadedFromAPathWithASpace) {
  const TemporaryFolder folder;
  const std::filesystem::path place = folder.file("with space");
  std::filesystem::create_directory(place);
  const std::filesystem::path built = std::filesystem::path(TACTUS_BINARY).parent_path();
  for (const char* name : {"tactus", "libtactus_preload.so"})
    std::filesystem::copy_file(built / name, place / name);
  const std::string said = folder.file("said");
  std::string command = "exec '";
  command += (place / "tactus").string();
  command += "' exec --tier channel --priority 1 -- true 2> " + said;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3);
  EXPECT_NE(slurp(said).find("LD_PRELOAD takes no path with a space"), std::string::npos)
      << slurp(said);
}

TEST(Unit, GivesNobodyAPriorityWhoWasNotNamed) {
  const std::string unit = slurp(source_path("tools/systemd/tactusd.service"));
  EXPECT_NE(unit.find("--allow *:best-effort"), std::string::npos);
  EXPECT_NE(unit.find("ExecReload=/bin/kill -HUP $MAINPID"), std::string::npos);
}

}  // namespace
}  // namespace tactus::cli
