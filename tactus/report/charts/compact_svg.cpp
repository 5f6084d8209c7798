#include "tactus/report/charts/compact_svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tactus::report {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kAll = 6, kPixels = 1;  ///< decimals

/// A tag, or the text between two.
struct Piece {
  enum Kind { kOpen, kClose, kAlone, kText, kOther } kind = kText;
  std::string name;  ///< of a tag; else the text
  std::vector<std::pair<std::string, std::string>> attributes;

  const std::string* attribute(std::string_view wanted) const {
    for (const auto& [name_of_it, value] : attributes) {
      if (name_of_it == wanted) return &value;
    }
    return nullptr;
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Decimals of all numbers to at most `places`; zeros at their ends go.
std::string shorter_numbers(std::string_view text, std::size_t places) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = is_digit(text[at]) && (at == 0 || !is_digit(text[at - 1]));
    std::size_t end = at;
    while (starts && end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    const std::string_view number = text.substr(at, end - at);
    const std::size_t point = number.find('.');
    double value = 0;
    if (!starts || point == std::string_view::npos ||
        std::from_chars(number.data(), number.data() + number.size(), value).ptr !=
            number.data() + number.size()) {
      const std::size_t length = std::max<std::size_t>(end - at, 1);
      out += text.substr(at, length);
      at += length;
      continue;
    }
    const std::size_t kept = std::min(places, number.size() - point - 1);
    std::string made = fmt::format("{:.{}f}", value, kept);
    if (made.find('.') != std::string::npos) {
      made.erase(made.find_last_not_of('0') + 1);
      if (made.back() == '.') made.pop_back();
    }
    out += made;
    at = end;
  }
  return out;
}

std::string single_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = kBlank.find(c) != std::string_view::npos;
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// "rgb(  0, 114, 178)" as "#0072b2"; nothing if it is no such colour.
std::optional<std::string> hexadecimal(std::string_view colour) {
  if (!colour.starts_with("rgb(") || !colour.ends_with(')')) return std::nullopt;
  colour = colour.substr(4, colour.size() - 5);
  std::string out = "#";
  for (int i = 0; i < 3; ++i) {
    const std::size_t first = colour.find_first_not_of(i == 0 ? " " : ", ");
    colour.remove_prefix(std::min(first, colour.size()));
    unsigned char part = 0;
    const auto [rest, problem] =
        std::from_chars(colour.data(), colour.data() + colour.size(), part);
    if (problem != std::errc()) return std::nullopt;
    colour.remove_prefix(static_cast<std::size_t>(rest - colour.data()));
    out += fmt::format("{:02x}", part);
  }
  return colour.empty() ? std::optional(out) : std::nullopt;
}

/// @param places  decimals of a coordinate
std::string shorter(std::string_view name, std::string_view value, std::size_t places) {
  if (const auto colour = hexadecimal(value)) return *colour;
  if (name == "d" || name == "points") return single_blanks(shorter_numbers(value, places));
  if (name == "transform") {  // where it is, and then how large and how it is turned
    const std::size_t place = value.starts_with("translate(") ? value.find(')') : 0;
    const std::size_t cut = std::min(place, value.size());
    return shorter_numbers(value.substr(0, cut), places) + shorter_numbers(value.substr(cut), kAll);
  }
  constexpr std::array<std::string_view, 4> kNumbers = {"font-size", "stroke-width", "fill-opacity",
                                                        "stroke-opacity"};
  const bool number = std::find(kNumbers.begin(), kNumbers.end(), name) != kNumbers.end();
  return number ? shorter_numbers(value, kAll) : std::string(value);
}

/// What is the default anyway, or a name for style sheets, of which there are none.
bool has_no_effect(std::string_view name, std::string_view value) {
  return name == "class" || (name == "stroke-linecap" && value == "butt") ||
         (name == "stroke-linejoin" && value == "miter");
}

class Reader {
 public:
  explicit Reader(std::string_view svg) : rest_(svg) {}

  std::vector<Piece> all() {
    std::vector<Piece> pieces;
    while (!rest_.empty()) {
      Piece piece = rest_.front() == '<' ? tag() : text();
      // Blanks count inside of `text` only, where a tag of it was opened before.
      const bool blank = piece.name.find_first_not_of(kBlank) == std::string::npos;
      if (piece.kind == Piece::kText && blank && !in_text_) continue;
      if (piece.name == "text") in_text_ = piece.kind == Piece::kOpen;
      // Symbols are drawn in their own measure, and enlarged.
      if (piece.name == "defs") places_ = piece.kind == Piece::kOpen ? kAll : kPixels;
      pieces.push_back(std::move(piece));
    }
    return pieces;
  }

 private:
  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlank), rest_.size()));
  }

  Piece text() { return {Piece::kText, std::string(take(rest_.find('<'))), {}}; }

  Piece tag() {
    if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
      const std::size_t end = rest_.find('>');
      return {Piece::kOther, std::string(take(end == std::string_view::npos ? end : end + 1)), {}};
    }
    Piece piece;
    piece.kind = rest_.starts_with("</") ? Piece::kClose : Piece::kOpen;
    take(piece.kind == Piece::kClose ? 2 : 1);
    piece.name = take(rest_.find_first_of(" \t\r\n/>"));
    for (skip_blanks(); !rest_.empty() && rest_.front() != '>'; skip_blanks()) {
      if (rest_.front() == '/') {
        piece.kind = Piece::kAlone;
        take(1);
        continue;
      }
      const std::string name = single_blanks(take(rest_.find('=')));
      take(1);
      skip_blanks();
      const std::size_t end = rest_.empty() ? 0 : rest_.find(rest_.front(), 1);
      const std::string_view quoted = take(end == std::string_view::npos ? end : end + 1);
      if (quoted.size() < 2) continue;
      const std::string_view value = quoted.substr(1, quoted.size() - 2);
      if (!has_no_effect(name, value)) {
        piece.attributes.emplace_back(name, shorter(name, value, places_));
      }
    }
    take(1);
    return piece;
  }

  std::string_view rest_;
  bool in_text_ = false;
  std::size_t places_ = kPixels;
};

/// The names that something refers to.
std::set<std::string, std::less<>> used_names(const std::vector<Piece>& pieces) {
  std::set<std::string, std::less<>> used;
  for (const Piece& piece : pieces) {
    for (const auto& [name, value] : piece.attributes) {
      if (name == "xlink:href" && value.starts_with('#')) used.insert(value.substr(1));
      if (value.starts_with("url(#")) used.insert(value.substr(5, value.find(')') - 5));
    }
  }
  return used;
}

/// Without elements that have a name which nothing uses, and without the names of plots.
std::vector<Piece> without_unused(const std::vector<Piece>& pieces) {
  const auto used = used_names(pieces);
  std::vector<Piece> kept;
  bool in_definitions = false;
  int skipping = 0;  // how deep inside of something that goes
  for (const Piece& piece : pieces) {
    if (piece.name == "defs") in_definitions = piece.kind == Piece::kOpen;
    const std::string* const id = piece.attribute("id");
    const bool goes = (in_definitions && id != nullptr && !used.contains(*id)) ||
                      (piece.name == "title" && kept.size() > 4);
    if (skipping == 0 && goes && piece.kind == Piece::kAlone) continue;
    if (skipping > 0 || (goes && piece.kind == Piece::kOpen)) {
      if (piece.kind == Piece::kOpen) ++skipping;
      if (piece.kind == Piece::kClose) --skipping;
      continue;
    }
    kept.push_back(piece);
    if (!in_definitions && id != nullptr && !used.contains(*id)) {
      std::erase_if(kept.back().attributes, [](const auto& one) { return one.first == "id"; });
    }
  }
  return kept;
}

/// Without groups that hold nothing; groups that follow each other and are alike become one.
std::vector<Piece> joined_groups(const std::vector<Piece>& pieces) {
  std::vector<Piece> out;
  std::vector<std::size_t> open;                              // where the groups around begin
  std::vector<std::pair<std::size_t, std::size_t>> finished;  // where a group begins and ends
  for (const Piece& piece : pieces) {
    if (piece.name == "g" && piece.kind == Piece::kOpen) {
      const bool follows = !finished.empty() && finished.back().second + 1 == out.size();
      // Together they would be as transparent as each alone only if they did not overlap.
      if (follows && out[finished.back().first].attributes == piece.attributes &&
          piece.attribute("opacity") == nullptr && piece.attribute("filter") == nullptr) {
        open.push_back(finished.back().first);
        finished.pop_back();
        out.pop_back();
        continue;
      }
      open.push_back(out.size());
    } else if (piece.name == "g" && piece.kind == Piece::kClose && !open.empty()) {
      const std::size_t begin = open.back();
      open.pop_back();
      if (begin + 1 == out.size()) {
        out.pop_back();
        continue;
      }
      finished.emplace_back(begin, out.size());
    }
    out.push_back(piece);
  }
  return out;
}

std::string text_of(const Piece& piece) {
  if (piece.kind == Piece::kText || piece.kind == Piece::kOther) return piece.name;
  std::string out = piece.kind == Piece::kClose ? "</" : "<";
  out += piece.name;
  for (const auto& [name, value] : piece.attributes) {
    const char quote = value.find('"') == std::string::npos ? '"' : '\'';
    out += fmt::format(" {}={}{}{}", name, quote, value, quote);
  }
  return out + (piece.kind == Piece::kAlone ? "/>" : ">");
}

}  // namespace

std::string compact_svg(std::string_view svg) {
  constexpr std::size_t kLine = 400;  // a change touches few lines, and there are few
  std::string out;
  std::size_t line = 0;
  bool in_text = false;
  std::vector<Piece> pieces = Reader(svg).all();
  for (std::size_t before = 0; before != pieces.size();) {  // some were used by unused ones only
    before = pieces.size();
    pieces = without_unused(pieces);
  }
  for (const Piece& piece : joined_groups(pieces)) {
    const std::string part = text_of(piece);
    if (!in_text && line > 0 && line + part.size() > kLine) {
      out += '\n';
      line = 0;
    }
    if (piece.name == "text" || piece.name == "title" || piece.name == "desc") {
      in_text = piece.kind == Piece::kOpen;
    }
    out += part;
    line += part.size();
    if (piece.kind == Piece::kOther) {  // what the file is, on a line of its own
      out += '\n';
      line = 0;
    }
  }
  return out + '\n';
}

}  // namespace tactus::report
