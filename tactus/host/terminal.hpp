#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tactus::host {

/// Is a stream a terminal that a person looks at? Not under mpirun and similar programs, which give
/// each process its own terminal and write the output into a log.
bool is_terminal(int file_descriptor);

/// What the person who looks at it has asked for.
struct TerminalWishes {
  std::string colour = "auto";  ///< "always", "never"
  bool quiet = false;           ///< only answers and problems
};
/// Of this process.
TerminalWishes& terminal_wishes();

/// Are colours written to a stream? Unless asked: to a terminal, if neither NO_COLOR nor TERM=dumb
/// says otherwise.
bool has_colours(int file_descriptor);
/// A terminal that can do no more than show letters?
bool is_dumb();

/// All sequences with which we control a terminal ourselves.
inline constexpr std::string_view kBold = "\033[1m", kDim = "\033[2m", kRed = "\033[31m",
                                  kGreen = "\033[32m", kYellow = "\033[33m", kPlain = "\033[0m",
                                  kHome = "\033[H", kClear = "\033[2J";
std::span<const std::string_view> terminal_sequences();

}  // namespace tactus::host
