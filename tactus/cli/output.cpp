#include "tactus/cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tactus/host/terminal.hpp"
#include "tactus/model/printable.hpp"

namespace tactus::cli {

bool emit(std::string_view raw) {
  const bool terminal = host::is_terminal(STDOUT_FILENO);
  const std::string text =
      printable(raw, terminal ? host::terminal_sequences() : std::span<const std::string_view>());
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (whole && std::fflush(stdout) == 0) return true;
  complain(std::string("tactus: cannot write standard output: ") + std::strerror(errno));
  return false;
}

void complain(std::string_view raw) {
  const std::string line = printable(raw);
  // If even this cannot be written, there is no way to report it.
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

std::string shown_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

void complain_about(const std::string& path, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    complain(to_string(diagnostic, shown_name(path)));
  }
}

void complain_of(const verbs::Problem& problem) {
  if (problem.file.empty()) return complain("tactus: " + problem.message);
  complain(to_string(Diagnostic{problem.severity, problem.at, problem.message}, problem.file));
}

verbs::Exit complain_of(const verbs::NoAnswer& none) {
  for (const verbs::Problem& problem : none.problems) complain_of(problem);
  return none.exit;
}

bool make_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) complain("tactus: cannot make the folder " + path + ": " + problem.message());
  return !problem;
}

}  // namespace tactus::cli
