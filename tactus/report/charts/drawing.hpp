#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/result.hpp"

/// A picture made of few kinds of shapes, so that every format draws the same picture. Lengths are
/// points of 1/72 inch; y grows downwards. A colour is "#0072B2"; no colour is nothing drawn.
namespace tactus::report {

struct Box {
  double x, y, width, height;
  std::string_view fill = {}, edge = {};
};

struct Line {
  double x1, y1, x2, y2;
  double width = 0.5;
  bool dashed = false;
  std::string_view colour = "#000000";
};

struct Polygon {
  std::vector<std::pair<double, double>> corners;
  std::string_view fill = {}, edge = {};
};

enum class Anchor { kStart, kMiddle, kEnd };

/// One line of text, by its baseline.
struct Text {
  double x, y;
  std::string text;
  Anchor anchor = Anchor::kStart;
  double size = 7;
  std::string_view colour = "#000000";
};

using Shape = std::variant<Box, Line, Polygon, Text>;

struct Drawing {
  double width = 0, height = 0;
  std::string title;          ///< for those who cannot see it
  std::vector<Shape> shapes;  ///< in the order in which they are drawn
};

enum class DrawingFormat { kSvg, kPdf, kPng, kTikz };

/// The format that the name of a file asks for: .svg, .pdf, .png, .tikz or .tex.
std::optional<DrawingFormat> format_of_file(std::string_view path);

std::string svg_of(const Drawing& drawing);
/// A tikzpicture, to be read with \input by a document that loads the package tikz.
std::string tikz_of(const Drawing& drawing);
/// The script by which gnuplot draws it into a PDF or a PNG.
std::string gnuplot_script_of(const Drawing& drawing, DrawingFormat format,
                              std::string_view output);

/// Draws it and puts it in its place as a whole. The same drawing gives the same bytes. PDF and PNG
/// are drawn by gnuplot.
std::optional<Error> write_drawing(const Drawing& drawing, DrawingFormat format,
                                   const std::string& path);

}  // namespace tactus::report
