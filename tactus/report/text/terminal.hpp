#pragma once

#include <string>
#include <string_view>

namespace tactus::report {

/// How to draw for the reader: colours and box drawing on a terminal, otherwise plain ASCII.
struct Style {
  bool colour = false;
  bool unicode = false;
  int width = 100;  ///< columns of a drawing
  int fold = 80;    ///< columns in which text and tables must fit

  /// For a stream: a terminal gets everything that it can show and that is wished for.
  static Style of(int file_descriptor);
};

enum class Ink { kPlain, kBold, kDim, kGreen, kRed, kYellow };

/// `text` in a colour, where the style has colours.
std::string inked(std::string_view text, Ink ink, const Style& style);

/// Columns that `text` takes on a terminal (wide and combining characters counted as shown).
int display_width(std::string_view text);

}  // namespace tactus::report
