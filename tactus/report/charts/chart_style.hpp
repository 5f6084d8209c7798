#pragma once

#include <span>
#include <string_view>

namespace tactus::report {

/// How a curve looks. Colours are those of Okabe and Ito, which people with any colour vision can
/// distinguish; markers and dashes show the same without colours.
struct CurveStyle {
  std::string_view colour;  ///< "#0072B2"
  int marker = 7;           ///< of gnuplot: odd ones from 5 on are filled
  int dash = 1;             ///< 1 is solid; 2 to 5 are patterns
};

/// The look of a method, the same in every chart: what a paper proposes is blue, what it is
/// compared with has the other colours. A method that does not state its part gets an unused look
/// by its place among the lines.
CurveStyle style_of_method(std::string_view method, std::size_t place);

/// The colours of things that have no look of their own, in the order of their use. Pages use them
/// too.
std::span<const std::string_view> palette();

/// The look of the n-th of several cases drawn in one panel.
CurveStyle style_of_case(std::size_t n);

/// The look of the k-th member of the n-th group of lines: groups differ in colour and marker,
/// members in dashes and in whether the marker is filled.
CurveStyle style_of_group(std::size_t n, std::size_t k);

/// The n-th curve with the look of the same method: open and filled markers in turn, other dashes.
CurveStyle nth_like(CurveStyle style, std::size_t n);

}  // namespace tactus::report
