#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "tactus/exchange/graphs.hpp"
#include "tactus/exchange/numbers.hpp"

namespace tactus::exchange {
namespace {

constexpr std::size_t kMostText = std::size_t{256} << 20;

/// A tag of XML, or the text between two tags.
struct Piece {
  enum Kind { kEnd, kOpen, kClose, kText } kind = kEnd;
  std::string name;  ///< without its namespace
  Attributes attributes;
  bool empty = false;  ///< `<edge/>` closes itself
  std::string text;
  Position at;
};

/// As much of XML as GraphML needs: no external parts, no entities but the five, so that nothing is
/// fetched and nothing grows.
class Xml {
 public:
  explicit Xml(std::string_view text) : text_(text) {}
  const std::string& problem() const { return problem_; }
  Position at() const { return at_; }

  Piece next() {
    while (starts("<!--") || starts("<?")) skip(starts("<?") ? "?>" : "-->");
    Piece piece;
    piece.at = at_;
    if (!problem_.empty() || place_ >= text_.size()) return piece;
    if (text_[place_] != '<') {
      piece.kind = Piece::kText;
      while (place_ < text_.size() && text_[place_] != '<') piece.text += character();
      return piece;
    }
    if (starts("<![CDATA[")) return cdata();
    if (starts("<!DOCTYPE") || starts("<!ENTITY")) {
      problem_ = "a document type is refused: it could define entities";
      return piece;
    }
    return tag(piece);
  }

 private:
  bool starts(std::string_view what) const {
    return place_ < text_.size() && text_.substr(place_).starts_with(what);
  }
  void advance(std::size_t count = 1) {
    for (; count > 0 && place_ < text_.size(); --count, ++place_) {
      if (text_[place_] == '\n') {
        ++at_.line;
        at_.column = 1;
      } else if ((text_[place_] & 0xC0) != 0x80) {
        ++at_.column;
      }
    }
  }
  void skip(std::string_view end) {
    while (place_ < text_.size() && !starts(end)) advance();
    advance(end.size());
  }
  Piece cdata() {
    Piece piece;
    piece.kind = Piece::kText;
    piece.at = at_;
    advance(std::string_view("<![CDATA[").size());
    while (place_ < text_.size() && !starts("]]>")) {
      piece.text += text_[place_];
      advance();
    }
    advance(3);
    return piece;
  }

  /// One character, or what an entity stands for.
  std::string character() {
    if (text_[place_] != '&') {
      std::string one(1, text_[place_]);
      advance();
      return one;
    }
    constexpr std::pair<std::string_view, char> kEntities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (const auto& [name, meaning] : kEntities) {
      if (!starts(name)) continue;
      advance(name.size());
      return std::string(1, meaning);
    }
    problem_ = "an entity that is not one of &lt; &gt; &amp; &quot; &apos;";
    place_ = text_.size();
    return {};
  }

  void blanks() {
    while (place_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[place_]) != std::string_view::npos) {
      advance();
    }
  }
  std::string word() {
    std::string name;
    while (place_ < text_.size() &&
           std::string_view(" \t\r\n=/>\"'<").find(text_[place_]) == std::string_view::npos) {
      name += text_[place_];
      advance();
    }
    const std::size_t colon = name.find(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
  }

  Piece tag(Piece piece) {
    advance();
    piece.kind = Piece::kOpen;
    if (starts("/")) {
      advance();
      piece.kind = Piece::kClose;
    }
    piece.name = word();
    for (;;) {
      blanks();
      if (place_ >= text_.size()) {
        problem_ = "the file ends in the middle of a tag";
        return piece;
      }
      if (starts(">")) break;
      if (starts("/>")) {
        piece.empty = true;
        advance();
        break;
      }
      const std::string name = word();
      blanks();
      const bool quoted = starts("=");
      advance();
      blanks();
      if (name.empty() || !quoted || (!starts("\"") && !starts("'"))) {
        problem_ = "expected an attribute with its value in quotes";
        return piece;
      }
      const char quote_mark = text_[place_];
      advance();
      std::string value;
      while (place_ < text_.size() && text_[place_] != quote_mark) value += character();
      advance();
      piece.attributes.insert_or_assign(name, value);
    }
    advance();
    return piece;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  Position at_{1, 1};
  std::string problem_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : xml_(text) {}

  Drawing read() {
    for (Piece piece = xml_.next(); piece.kind != Piece::kEnd && !failed_; piece = xml_.next()) {
      if (piece.kind == Piece::kText && !data_key_.empty()) data_ += piece.text;
      if (piece.kind == Piece::kOpen) open(piece);
      if (piece.kind == Piece::kClose || (piece.kind == Piece::kOpen && piece.empty)) close(piece);
    }
    if (!xml_.problem().empty()) {
      fail(xml_.at(), xml_.problem());
    } else if (!open_.empty()) {
      fail(xml_.at(), fmt::format("the file ends inside of <{}>", open_.back()));
    } else if (!seen_) {
      fail({1, 1}, "there is no <graphml> in it");
    }
    return std::move(drawing_);
  }

 private:
  void fail(Position at, std::string message) {
    if (!failed_) drawing_.problems.push_back({Severity::kError, at, std::move(message)});
    failed_ = true;
  }
  static std::string of(const Piece& piece, std::string_view name) {
    const auto found = piece.attributes.find(name);
    return found == piece.attributes.end() ? std::string() : found->second;
  }

  void open(const Piece& piece) {
    constexpr std::size_t kDeepest = 64;
    open_.push_back(piece.name);
    if (open_.size() > kDeepest) return fail(piece.at, "nested too deeply");
    if (piece.name == "graphml") seen_ = true;
    if (piece.name == "key") keys_[of(piece, "id")] = of(piece, "attr.name");
    if (piece.name == "data") {
      data_key_ = of(piece, "key");
      data_.clear();
    }
    if (piece.name == "graph") {
      if (of(piece, "edgedefault") == "undirected") {
        return fail(piece.at,
                    "this graph has no directions; a task needs edgedefault=\"directed\"");
      }
      graphs_.push_back({drawing_.graphs.size(), in_node_, in_edge_});
      in_node_ = in_edge_ = false;
      drawing_.graphs.push_back({of(piece, "id"), {}, {}, {}, piece.at});
    }
    if (piece.name == "node" && !graphs_.empty()) {
      graph().nodes.push_back({of(piece, "id"), {}, piece.at});
      in_node_ = true;
    }
    if (piece.name == "edge" && !graphs_.empty()) {
      graph().edges.push_back({of(piece, "source"), of(piece, "target"), piece.at});
      in_edge_ = true;
    }
  }

  void close(const Piece& piece) {
    if (open_.empty() || open_.back() != piece.name) {
      return fail(piece.at, fmt::format("</{}> ends what did not begin", piece.name));
    }
    open_.pop_back();
    if (piece.name == "data") take_data();
    if (piece.name == "graph" && !graphs_.empty()) {
      in_node_ = graphs_.back().in_node;
      in_edge_ = graphs_.back().in_edge;
      graphs_.pop_back();
    }
    if (piece.name == "node") in_node_ = false;
    if (piece.name == "edge") in_edge_ = false;
  }

  void take_data() {
    const auto key = keys_.find(data_key_);
    const std::string name = key == keys_.end() || key->second.empty() ? data_key_ : key->second;
    data_key_.clear();
    if (in_edge_) return;
    const std::size_t first = data_.find_first_not_of(" \t\r\n");
    const std::string value =
        first == std::string::npos
            ? ""
            : data_.substr(first, data_.find_last_not_of(" \t\r\n") - first + 1);
    if (graphs_.empty()) {
      drawing_.attributes[name] = value;
    } else if (in_node_) {
      graph().nodes.back().attributes[name] = value;
    } else {
      graph().attributes[name] = value;
    }
  }
  DrawnGraph& graph() { return drawing_.graphs[graphs_.back().index]; }

  Xml xml_;
  Drawing drawing_;
  std::vector<std::string> open_;
  /// A graph that is open, and what it is drawn inside of: a node may hold a graph of its own.
  struct OpenGraph {
    std::size_t index;
    bool in_node, in_edge;
  };
  std::vector<OpenGraph> graphs_;
  Attributes keys_;
  std::string data_key_, data_;
  bool in_node_ = false, in_edge_ = false, failed_ = false, seen_ = false;
};

}  // namespace

Draft import_graphml(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes(), kMostText);
  if (!text) return Draft::bad(text.error().message);
  Drawing drawing = Reader(*text).read();
  if (!drawing.problems.empty()) return {{}, {}, std::move(drawing.problems), {}};
  return system_of(drawing, options);
}

}  // namespace tactus::exchange
