#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/folder.hpp"
#include "tests/support/text.hpp"

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

using support::contains;
using support::slurp;
using support::TemporaryFolder;

}  // namespace tactus::cli
