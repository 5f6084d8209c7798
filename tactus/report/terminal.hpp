#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tactus::report {

/// How to draw for the one who reads: colours and box drawing on a terminal, plain ASCII else.
struct Style {
  bool colour = false;
  bool unicode = false;
  int width = 100;  ///< columns

  /// For a stream: a terminal gets everything, unless NO_COLOR or TERM=dumb says otherwise.
  static Style of(int file_descriptor);
};

/// Is a stream a terminal that a person looks at? Not under mpirun and its like, which give each
/// process a terminal of its own and write what comes out of it into a log.
bool is_terminal(int file_descriptor);

/// All sequences by which we steer a terminal ourselves.
std::span<const std::string_view> terminal_sequences();

enum class Ink { kPlain, kBold, kDim, kGreen, kRed, kYellow };

/// `text` in a colour, where the style has colours.
std::string inked(std::string_view text, Ink ink, const Style& style);

/// Columns that `text` takes on a terminal (wide and combining characters counted as shown).
int display_width(std::string_view text);

}  // namespace tactus::report
