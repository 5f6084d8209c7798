#include "tactus/report/charts/workshop.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "tactus/base/file.hpp"
#include "tactus/base/unfinished.hpp"
#include "tactus/host/child.hpp"

namespace tactus::report {

Workshop::Workshop() {
  std::error_code problem;
  std::string path = (std::filesystem::temp_directory_path(problem) / "tactus-chart-XXXXXX");
  if (problem || ::mkdtemp(path.data()) == nullptr) return;
  path_ = std::move(path);
  unfinished::note(AT_FDCWD, path_.c_str());
}

Workshop::~Workshop() {
  if (path_.empty()) return;
  // The folder must be opened to be emptied, which may fail for the moment.
  constexpr int kTries = 3;
  std::error_code problem;
  for (int tried = 0; tried < kTries; ++tried) {
    std::filesystem::remove_all(path_, problem);
    if (!problem) break;
  }
  unfinished::forget(path_.c_str());
}

int run_quietly(const std::vector<std::string>& command, const std::string& messages) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int said = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  auto child = host::Child::start(command, {}, {.in = nothing, .out = nothing, .err = said});
  if (nothing >= 0) close(nothing);
  if (said >= 0) close(said);
  return child ? child->wait() : -1;
}

std::string said_in(const std::string& messages) {
  const Result<std::string> said = read_text_file(messages);
  std::string line = said ? *said : "";
  for (char& c : line) c = c == '\n' ? ' ' : c;
  return line;
}

}  // namespace tactus::report
