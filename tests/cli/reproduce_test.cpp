#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Takes a second or so of one core.
const Words kSmall = {"lab", "reproduce", "gcaps-fig8b", "pbs-fig4a",   "--sets",
                      "60",  "-j",        "2",           "--no-figures"};

std::string raw(const std::string& folder) {
  const Ran ran = run_tactus({"lab", "results", folder, "--raw"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return ran.out;
}

/// Starts a program without waiting for it. What it says goes to a file, or nowhere.
pid_t start(const Words& words, rlim_t most_bytes = RLIM_INFINITY,
            const std::string& errors = "/dev/null") {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
  const rlimit limit{most_bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Reproduce, ChecksItsClaimsWithFewSetsAndKeepsNothing) {
  const Ran ran =
      run_tactus({"lab", "reproduce", "--check", "gcaps-table5", "pbs-fig4a", "pbs-fig5a"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.out,
            "experiment    sets  inside  adjusted  explained  open  unexpected\n"
            "gcaps-table5     1      21         0          4     0           0\n"
            "pbs-fig4a       20       3         0          0     0           0\n"
            "pbs-fig5a        -       -         -          -     -           -\n");
  EXPECT_EQ(run_tactus({"lab", "reproduce", "--check", "gcaps-table5", "--sets", "3"}).exit_code,
            2);
}

TEST(Reproduce, ListsAndShowsItsExperiments) {
  const Ran list = run_tactus({"lab", "reproduce", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.out.find("gcaps-fig8b"), std::string::npos);
  const Ran show = run_tactus({"lab", "reproduce", "--show", "gcaps-fig8b"});
  EXPECT_EQ(show.exit_code, 0);
  EXPECT_EQ(show.out, slurp(source_path("experiments/gcaps-fig8b.json")));
}

TEST(Reproduce, ComparesWithThePaperAndTakesFilesOfTheUser) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("mine.json", slurp(source_path("experiments/gcaps-table5.json")));
  const Ran ran = run_tactus({"lab", "reproduce", file, "-o", folder.file("out"), "--no-figures"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::string inside = "WCRT of histogram under gcaps.suspend";
  EXPECT_EQ(ran.out.find(inside), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\n  21 of 25 claims are inside (--all shows them)\n"), std::string::npos);
  EXPECT_LT(ran.out.find("WCRT of mmul_cpu under tsg-rr.suspend"), ran.out.size());
  EXPECT_EQ(ran.out.find("Picture"), std::string::npos) << "none was drawn";
  const Ran all = run_tactus({"lab", "reproduce", "--resume", "-o", folder.file("out"), "--all"});
  EXPECT_LT(all.out.find(inside), all.out.size()) << all.out;
  if (all.err.find("gnuplot") == std::string::npos) {
    const std::string picture = folder.file("out") + "/gcaps-table5.svg";
    EXPECT_LT(all.out.find("\n  Picture: " + picture + ", .pdf\n"), all.out.size()) << all.out;
    EXPECT_NE(slurp(picture), "");
  }
  EXPECT_EQ(run_tactus({"lab", "reproduce", "--all", "--json", "-o", folder.file("out")}).exit_code,
            2);
  const Ran json = run_tactus({"lab", "results", folder.file("out"), "--json"});
  EXPECT_NE(json.out.find("\"as_printed\": 16"), std::string::npos);
  const Ran csv = run_tactus({"lab", "results", folder.file("out"), "--csv"});
  EXPECT_NE(csv.out.find("gcaps-table5,,histogram,gcaps.suspend,"), std::string::npos);
}

TEST(Reproduce, SaysInOneLineWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string broken = folder.file("broken.json", "{\n  \"tactus_experiment\": 3\n}\n");
  const std::string out = folder.file("out");
  const struct {
    Words words;
    std::string error;
  } cases[] = {
      {{"lab", "reproduce", "gcaps-fig8x", "-o", out},
       "tactus: there is no experiment `gcaps-fig8x`; did you mean `gcaps-fig8a`?\n"},
      {{"lab", "reproduce", folder.file("none.json"), "-o", out},
       "tactus: cannot open " + folder.file("none.json") + ": No such file or directory\n"},
      {{"lab", "reproduce", "gcaps-fig8b", "gcaps-fig8?", "-o", out},
       "tactus: experiment `gcaps-fig8b` is named twice\n"},
      {{"lab", "reproduce", "gcaps-fig8b", "-o", "/proc/sys"},
       "tactus: cannot write /proc/sys/results.db: No such file or directory\n"},
      {{"lab", "reproduce", "--resume", "-o", out},
       "tactus: there is nothing to resume in " + out + "/results.db\n"},
      {{"lab", "results", folder.file("none")},
       "tactus: there is no store " + folder.file("none") + "\n"},
  };
  for (const auto& [words, error] : cases) {
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.err, error);
    EXPECT_EQ(ran.out, "");
  }
  const Ran ran = run_tactus({"lab", "reproduce", broken});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err.substr(0, broken.size() + 6), broken + ":1:1: ");
  EXPECT_NE(ran.err.find(":2:24: `tactus_experiment` must be an integer <= 2, got 3"),
            std::string::npos);
}

TEST(Reproduce, KilledAtAnyMomentAndResumedFindsTheSame) {
  const TemporaryFolder folder;
  const std::string whole = folder.file("whole"), broken = folder.file("broken");
  EXPECT_LE(run_tactus(kSmall + Words{"-o", whole}).exit_code, 1);
  const bool full = std::getenv("TACTUS_FULL") != nullptr;
  std::mt19937 random(7);
  std::uniform_int_distribution<int> moment(1, 400);
  int killed = 0;
  for (int attempt = 0; attempt < (full ? 200 : 20); ++attempt) {
    const pid_t child = start(Words{TACTUS_BINARY} + kSmall + Words{"--resume", "-o", broken});
    std::this_thread::sleep_for(std::chrono::milliseconds(moment(random)));
    ::kill(child, SIGKILL);
    if (wait_for(child) == -SIGKILL) ++killed;
    // What is there can be read, unless it was killed before it began.
    const Ran read = run_tactus({"lab", "results", broken, "--raw"});
    EXPECT_TRUE(read.exit_code == 0 || read.err.find("no ") != std::string::npos) << read.err;
  }
  EXPECT_GT(killed, 0);
  EXPECT_LE(run_tactus(kSmall + Words{"--resume", "-o", broken}).exit_code, 1);
  EXPECT_EQ(raw(whole), raw(broken));
}

/// Until a run has begun to write its store.
void wait_for_store(const std::string& folder) {
  for (int attempt = 0; attempt < 1000 && slurp(folder + "/results.db").empty(); ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Takes a few seconds: long enough to be interrupted.
const Words kLong = {"lab", "reproduce", "gcaps-fig8b", "-j", "1", "--no-figures", "--resume"};

TEST(Reproduce, AskedToStopSaysHowToGoOn) {
  const TemporaryFolder folder;
  const std::string errors = folder.file("errors");
  for (int signal : {SIGINT, SIGTERM}) {
    // A store of its own: that it is there says that this run has begun.
    const std::string out = folder.file("out-" + std::to_string(signal));
    const pid_t child =
        start(Words{TACTUS_BINARY} + kLong + Words{"-o", out}, RLIM_INFINITY, errors);
    wait_for_store(out);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(child, signal);
    EXPECT_EQ(wait_for(child), 3);
    const std::string said = slurp(errors);
    EXPECT_NE(said.find("sets left; this continues:"), std::string::npos) << said;
    EXPECT_NE(said.find("reproduce gcaps-fig8b -j 1 --no-figures --resume -o " + out),
              std::string::npos)
        << said;
  }
}

TEST(Reproduce, AFullDiskIsAnErrorAndLeavesAStoreThatGoesOn) {
  const TemporaryFolder folder;
  const std::string whole = folder.file("whole"), full = folder.file("full");
  const Words words = {"lab", "reproduce", "gcaps-fig8b", "--sets", "100", "--no-figures", "-o"};
  EXPECT_EQ(wait_for(start(Words{TACTUS_BINARY} + words + Words{full}, 60'000)), 2);
  EXPECT_EQ(run_tactus(words + Words{full, "--resume"}).exit_code, 0);
  EXPECT_EQ(run_tactus(words + Words{whole}).exit_code, 0);
  EXPECT_EQ(raw(whole), raw(full));
}

TEST(Reproduce, ASecondRunInTheSameFolderIsRefused) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const pid_t first = start(Words{TACTUS_BINARY} + kLong + Words{"-o", out});
  wait_for_store(out);
  const Ran second = run_tactus(kLong + Words{"-o", out});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_EQ(second.err, "tactus: another run is writing " + out + "/results.db\n");
  ::kill(first, SIGKILL);
  wait_for(first);
}

/// How `mpirun` is called here, or nothing where there is none or we were built without MPI.
Words mpirun(int ranks) {
  if (std::system("mpirun --version > /dev/null 2>&1") != 0) return {};
  const std::string binary = TACTUS_BINARY;
  const std::string library = binary.substr(0, binary.rfind('/')) + "/libtactus_mpi.so";
  if (::access(library.c_str(), R_OK) != 0) return {};
  // What Open MPI itself leaks is not ours to find, when the leak sanitizer is there.
  return {"mpirun", "--allow-run-as-root", "--oversubscribe", "-x", "LSAN_OPTIONS=detect_leaks=0",
          "-n",     std::to_string(ranks)};
}

TEST(Reproduce, FindsTheSameOnAnyNumberOfRanks) {
  if (mpirun(1).empty()) GTEST_SKIP() << "no mpirun, or built without MPI";
  const TemporaryFolder folder;
  EXPECT_LE(run_tactus(kSmall + Words{"-o", folder.file("alone")}).exit_code, 1);
  for (int ranks : {1, 2, 4}) {
    const std::string out = folder.file(std::to_string(ranks));
    const int code =
        wait_for(start(mpirun(ranks) + Words{TACTUS_BINARY} + kSmall + Words{"-o", out}));
    EXPECT_TRUE(code == 0 || code == 1) << code;
    EXPECT_EQ(raw(folder.file("alone")), raw(out)) << ranks;
  }
}

TEST(Reproduce, ARankThatDiesEndsTheRunAndResumingCompletesIt) {
  if (mpirun(1).empty()) GTEST_SKIP() << "no mpirun, or built without MPI";
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const Words words = {"lab", "reproduce",    "gcaps-fig8b", "--sets",
                       "200", "--no-figures", "--resume"};
  // The last rank kills itself once the store is there; a shell stands between so that it can.
  const std::string script =
      folder.file("rank.sh",
                  "#!/bin/sh\n"
                  "[ \"$OMPI_COMM_WORLD_RANK\" = 2 ] && { until [ -s " +
                      out + "/results.db ]; do sleep 0.05; done; kill -9 $$; } &\nexec \"$@\"\n");
  const pid_t run =
      start(mpirun(3) + Words{"sh", script, TACTUS_BINARY} + words + Words{"-o", out});
  EXPECT_NE(wait_for(run), 0);
  EXPECT_EQ(run_tactus(words + Words{"-o", out}).exit_code, 0);
  EXPECT_EQ(run_tactus(words + Words{"-o", folder.file("whole")}).exit_code, 0);
  EXPECT_EQ(raw(out), raw(folder.file("whole")));
}

}  // namespace
}  // namespace tactus::cli
