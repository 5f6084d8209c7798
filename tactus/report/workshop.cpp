#include "tactus/report/workshop.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "tactus/host/child.hpp"
#include "tactus/model/file.hpp"

namespace tactus::report {

Workshop::Workshop() {
  std::error_code problem;
  std::string path = (std::filesystem::temp_directory_path(problem) / "tactus-chart-XXXXXX");
  if (!problem && ::mkdtemp(path.data()) != nullptr) path_ = path;
}

Workshop::~Workshop() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
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
