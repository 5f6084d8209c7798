#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace tactus::cli {

/// What a run of the real program left behind.
struct Ran {
  int exit_code = -1;
  std::string out, err;
};

/// Runs the built `tactus` with these arguments and this standard input, as a user would; not
/// through a shell. `meanwhile` is told its process id once it has been started.
Ran run_tactus(const std::vector<std::string>& arguments, const std::string& input = {},
               const std::function<void(pid_t)>& meanwhile = {});

/// The same of another program that has the verbs of `tactus`.
Ran run_program(const char* program, const std::vector<std::string>& arguments,
                const std::string& input = {}, const std::function<void(pid_t)>& meanwhile = {});

/// A file of the source tree.
std::string source_path(const std::string& relative);
std::string slurp(const std::string& path);

/// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Path of a file in it; written when `text` is given.
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string file(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace tactus::cli
