#include "tactus/host/terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace tactus::host {
namespace {

/// Started by mpirun or srun, as one of several?
bool is_a_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MPI_LOCALRANKID"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace

bool is_terminal(int file_descriptor) { return isatty(file_descriptor) != 0 && !is_a_rank(); }

TerminalWishes& terminal_wishes() {
  static TerminalWishes wishes;
  return wishes;
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb";
}

bool has_colours(int file_descriptor) {
  const std::string& wish = terminal_wishes().colour;
  if (wish != "auto") return wish == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(file_descriptor) && !is_dumb() && (no_colour == nullptr || *no_colour == '\0');
}

std::span<const std::string_view> terminal_sequences() {
  static constexpr std::string_view kAll[] = {kBold,   kDim,   kRed,  kGreen,
                                              kYellow, kPlain, kHome, kClear};
  return kAll;
}

}  // namespace tactus::host
