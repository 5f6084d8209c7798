#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

/// tactusd, tactus exec and tactus top together, as a user runs them.
namespace tactus::cli {

/// A program in the background; gone after the test.
class Background {
 public:
  explicit Background(const std::vector<std::string>& command) {
    process_ = fork();
    if (process_ != 0) return;
    const int nowhere = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) dup2(nowhere, descriptor);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  ~Background() { stop(SIGTERM); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  int stop(int signal) {
    if (process_ <= 0) return 0;
    int status = 0;
    kill(process_, signal);
    waitpid(process_, &status, 0);
    process_ = 0;
    return status;
  }
  void tell(int signal) const { kill(process_, signal); }
  std::string pid() const { return std::to_string(process_); }

 private:
  pid_t process_;
};

inline bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 3000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline std::vector<std::string> joined(std::vector<std::string> first,
                                       const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// With times that a busy machine does not exceed.
inline const std::vector<std::string> kPatient = {"--update-timeout", "30000", "--lease", "30000"};

/// A place for an arbiter, and what can be done there.
class ArbiterPlace : public testing::Test {
 protected:
  void serve(const std::vector<std::string>& options) {
    const std::string program =
        std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string();
    daemon_ = std::make_unique<Background>(
        joined(prefix_, joined({program, "--socket", socket_}, options)));
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(socket_); }));
  }

  std::vector<std::string> exec(const std::vector<std::string>& urgency,
                                const std::vector<std::string>& command) const {
    const std::vector<std::string> words = {TACTUS_BINARY, "exec",     "--tier",
                                            "process",     "--socket", socket_};
    return joined(joined(prefix_, joined(words, urgency)), joined({"--"}, command));
  }

  /// The same as arguments of `tactus`, with a command that ends at once.
  std::vector<std::string> exec_words(const std::vector<std::string>& urgency) const {
    const std::vector<std::string> words = exec(urgency, {"/bin/true"});
    return {words.begin() + static_cast<std::ptrdiff_t>(prefix_.size()) + 1, words.end()};
  }

  /// A command that never ends by itself, and how to find it.
  std::vector<std::string> endless() const {
    return {"/bin/sh", "-c", "echo $$ > " + folder_.file("pid") + "; while :; do :; done"};
  }
  std::string pid_of_endless() const {
    EXPECT_TRUE(eventually([&] { return !slurp(folder_.file("pid")).empty(); }));
    std::string pid = slurp(folder_.file("pid"));
    if (!pid.empty()) pid.pop_back();
    return pid;
  }

  /// A member of the first client that `tactus top --json` shows, or nothing.
  std::string first_client(const char* member) const {
    const auto parsed =
        json::Document::parse(run_tactus({"top", "--json", "--socket", socket_}).out);
    if (!std::holds_alternative<json::Document>(parsed)) return {};
    const auto& clients = std::get<json::Document>(parsed).root().find("clients")->items();
    return clients.empty() ? std::string() : std::string(clients.front().find(member)->text());
  }

  TemporaryFolder folder_;
  std::string socket_ = folder_.file("own/tactus.sock");
  std::vector<std::string> prefix_;  ///< of what is started: another environment
  std::unique_ptr<Background> daemon_;
};

class WithArbiter : public ArbiterPlace {
 protected:
  WithArbiter() { serve(kPatient); }
};

/// Is the process in a control group that is frozen?
inline bool frozen(const std::string& pid) {
  std::ifstream groups("/proc/" + pid + "/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      std::ifstream events(root + line.substr(3) + "/cgroup.events");
      for (std::string event; std::getline(events, event);) {
        if (event == "frozen 1") return true;
      }
    }
  }
  return false;
}

/// The letter of /proc: R, S, T, ...; X when there is no such process. Frozen counts as stopped.
inline char state_of(const std::string& pid) {
  if (frozen(pid)) return 'T';
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos ? 'X' : line[name_end + 2];
}

}  // namespace tactus::cli
