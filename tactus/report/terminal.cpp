#include "tactus/report/terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <cstdlib>

namespace tactus::report {

namespace {

constexpr std::string_view kEnd = "\033[0m";
constexpr std::string_view kSequences[] = {"\033[1m",  "\033[2m",  "\033[31m",
                                           "\033[32m", "\033[33m",  // by `Ink`, from kBold on
                                           kEnd,       "\033[H",   "\033[2J"};

std::string_view sequence_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      break;
    case Ink::kBold:
      return kSequences[0];
    case Ink::kDim:
      return kSequences[1];
    case Ink::kRed:
      return kSequences[2];
    case Ink::kGreen:
      return kSequences[3];
    case Ink::kYellow:
      return kSequences[4];
  }
  return kEnd;
}

/// Started by mpirun or srun, as one of several?
bool is_a_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MPI_LOCALRANKID"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace

bool is_terminal(int file_descriptor) { return isatty(file_descriptor) != 0 && !is_a_rank(); }

std::span<const std::string_view> terminal_sequences() { return kSequences; }

Style Style::of(int file_descriptor) {
  Style style;
  if (!is_terminal(file_descriptor)) return style;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const char* no_colour = std::getenv("NO_COLOR");
  style.colour = !dumb && (no_colour == nullptr || *no_colour == '\0');
  style.unicode = !dumb;
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    style.width = size.ws_col;
  return style;
}

std::string inked(std::string_view text, Ink ink, const Style& style) {
  if (!style.colour || ink == Ink::kPlain) return std::string(text);
  return fmt::format("{}{}{}", sequence_of(ink), text, kEnd);
}

int display_width(std::string_view text) {
  int width = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(bytes, left, &code_point);
    if (used <= 0) break;  // not UTF-8; the reader does not let that in
    width += utf8proc_charwidth(code_point);
    bytes += used;
    left -= used;
  }
  return width;
}

}  // namespace tactus::report
