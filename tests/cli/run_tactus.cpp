#include "tests/cli/run_tactus.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include "tests/support/paths.hpp"

namespace tactus::cli {

std::string source_path(const std::string& relative) { return support::source_path(relative); }

Ran run_tactus(const std::vector<std::string>& arguments, const std::string& input,
               const std::function<void(pid_t)>& meanwhile) {
  return run_program(TACTUS_BINARY, arguments, input, meanwhile);
}

Ran run_program(const char* program, const std::vector<std::string>& arguments,
                const std::string& input, const std::function<void(pid_t)>& meanwhile) {
  const TemporaryFolder folder;
  const std::string in = folder.file("in", input), out = folder.file("out"),
                    err = folder.file("err");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(in.c_str(), O_RDONLY), STDIN_FILENO);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>("tactus")};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(program, argv.data());
    ::_exit(127);
  }
  if (meanwhile) meanwhile(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "tactus was killed by signal " << WTERMSIG(status);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
}

}  // namespace tactus::cli
