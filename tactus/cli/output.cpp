#include "tactus/cli/output.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "tactus/base/file.hpp"
#include "tactus/base/file_place.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/host/terminal.hpp"

namespace tactus::cli {

bool emit(std::string_view raw) {
  const bool ours = host::is_terminal(STDOUT_FILENO) || host::has_colours(STDOUT_FILENO);
  const std::string text =
      printable(raw, ours ? host::terminal_sequences() : std::span<const std::string_view>());
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

void note(std::string_view line) {
  if (!host::terminal_wishes().quiet) complain(line);
}

verbs::Exit fail(const std::string& why, verbs::Exit exit) {
  complain("tactus: " + why);
  return exit;
}

std::string shown_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

void complain_about(const std::string& path, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool warning = diagnostic.severity == Severity::kWarning;
    (warning ? note : complain)(to_string(diagnostic, shown_name(path)));
  }
}

void complain_of(const Error& problem) {
  const bool warning = problem.severity == Severity::kWarning;
  if (warning && host::terminal_wishes().quiet) return;
  if (problem.file.empty()) {
    return complain((warning ? "tactus: warning: " : "tactus: ") + problem.message);
  }
  complain(to_string(problem));
}

verbs::Exit complain_of(const verbs::NoAnswer& none) {
  for (const Error& problem : none.problems) complain_of(problem);
  return none.exit;
}

verbs::Companion told_here() {
  return {.stop = {}, .progress = {}, .tell = [](const Error& problem) { complain_of(problem); }};
}

bool save(const std::string& path, std::string_view text) {
  const std::optional<Error> problem = write_text_file(path, text);
  if (problem) complain("tactus: " + problem->message);
  return !problem;
}

bool make_folder(const std::string& path) {
  std::error_code ignored;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    if (part.empty() || std::filesystem::is_directory(part, ignored)) continue;
    // Each in the folder that the way led to: never behind a link that another user has made.
    const Result<FilePlace> place = find_place(part);
    const bool made = place && (::mkdirat(place->folder.get(), place->name.c_str(), 0777) == 0 ||
                                errno == EEXIST);
    if (made && std::filesystem::is_directory(part, ignored)) continue;
    complain(fmt::format("tactus: cannot make the folder {}: {}", path,
                         place ? std::strerror(made ? ENOTDIR : errno) : place.error().message));
    return false;
  }
  return true;
}

}  // namespace tactus::cli
