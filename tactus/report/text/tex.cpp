#include "tactus/report/text/tex.hpp"

#include <fmt/core.h>

namespace tactus::report {

std::string tex_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '"':
        out += "\\textquotedbl{}";
        break;
      case '{':
      case '}':
      case '$':
      case '&':
      case '#':
      case '%':
      case '_':
        out += '\\';
        out += c;
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
  }
  return out;
}

std::string tex_colour(std::string_view colour) {
  return fmt::format("tactus{}", colour.substr(1));
}

std::string tex_colours(const std::set<std::string_view>& colours) {
  std::string out;
  for (const std::string_view colour : colours) {
    out += fmt::format("\\definecolor{{{}}}{{HTML}}{{{}}}\n", tex_colour(colour), colour.substr(1));
  }
  return out;
}

}  // namespace tactus::report
