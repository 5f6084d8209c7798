#include <fmt/core.h>

#include <algorithm>

#include "tactus/exchange/cuda_graph.hpp"
#include "tactus/exchange/graphs.hpp"

namespace tactus::exchange {
namespace {

constexpr int kDeepest = 64;

struct Token {
  enum Kind { kEnd, kWord, kQuoted, kArrow, kLine, kMark } kind = kEnd;
  std::string text;
  Position at;
};

/// Words, texts in quotes, arrows and marks of the DOT language; comments are skipped.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    skip();
    Token token{Token::kEnd, {}, at_};
    if (place_ >= text_.size()) return token;
    const char c = text_[place_];
    if (c == '"') return quoted(token);
    if (c == '<') return html(token);
    if (starts("->")) return fixed(token, Token::kArrow, 2);
    if (starts("--")) return fixed(token, Token::kLine, 2);
    if (is_word(c)) {
      token.kind = Token::kWord;
      while (place_ < text_.size() && is_word(text_[place_]) && !starts("->") && !starts("--")) {
        token.text += text_[place_];
        advance();
      }
      return token;
    }
    return fixed(token, Token::kMark, 1);
  }
  const std::string& problem() const { return problem_; }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || (c & 0x80) != 0;
  }
  bool starts(std::string_view what) const { return text_.substr(place_).starts_with(what); }
  void advance() {
    if (text_[place_] == '\n') {
      ++at_.line;
      at_.column = 1;
    } else if ((text_[place_] & 0xC0) != 0x80) {
      ++at_.column;
    }
    ++place_;
  }
  void skip() {
    while (place_ < text_.size()) {
      const char c = text_[place_];
      const bool hash = c == '#' && at_.column == 1;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        advance();
      } else if (starts("//") || hash) {
        while (place_ < text_.size() && text_[place_] != '\n') advance();
      } else if (starts("/*")) {
        while (place_ < text_.size() && !starts("*/")) advance();
        for (int i = 0; i < 2 && place_ < text_.size(); ++i) advance();
      } else {
        return;
      }
    }
  }
  Token fixed(Token token, Token::Kind kind, int length) {
    token.kind = kind;
    for (int i = 0; i < length; ++i) {
      token.text += text_[place_];
      advance();
    }
    return token;
  }
  Token quoted(Token token) {
    token.kind = Token::kQuoted;
    advance();
    while (place_ < text_.size() && text_[place_] != '"') {
      if (text_[place_] == '\\' && place_ + 1 < text_.size() &&
          (text_[place_ + 1] == '"' || text_[place_ + 1] == '\\')) {
        advance();
      }
      token.text += text_[place_];
      advance();
    }
    if (place_ >= text_.size()) {
      problem_ = "a text in quotes does not end";
      return {Token::kEnd, {}, token.at};
    }
    advance();
    return token;
  }
  /// A label in HTML; nothing of it is used.
  Token html(Token token) {
    token.kind = Token::kQuoted;
    int depth = 0;
    do {
      depth += text_[place_] == '<' ? 1 : text_[place_] == '>' ? -1 : 0;
      token.text += text_[place_];
      advance();
    } while (place_ < text_.size() && depth > 0);
    if (depth > 0) problem_ = "a label in `<` does not end";
    return token;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  Position at_{1, 1};
  std::string problem_;
};

/// Reads `digraph name { ... }`. Each outermost cluster is a graph of its own; what is outside of them
/// is one, too.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { take(); }

  Drawing parse() {
    if (is_word("strict")) take();
    if (is_word("graph")) {
      fail("this graph has no directions (`graph`); a task needs `digraph`");
    } else if (!is_word("digraph")) {
      fail("expected `digraph`");
    }
    take();
    drawing_.graphs.emplace_back();
    drawing_.graphs.front().at = now_.at;
    if (is_name()) {
      drawing_.graphs.front().name = now_.text;
      take();
    }
    if (!expect("{")) return std::move(drawing_);
    statements(0);
    if (!failed_ && now_.kind != Token::kEnd) fail("unexpected text behind the graph");
    if (!lexer_.problem().empty()) fail(lexer_.problem());
    return std::move(drawing_);
  }

 private:
  DrawnGraph& graph() { return drawing_.graphs[graph_]; }
  bool is_word(std::string_view word) const {
    return now_.kind == Token::kWord && now_.text == word;
  }
  bool is_name() const { return now_.kind == Token::kWord || now_.kind == Token::kQuoted; }
  bool is_mark(std::string_view mark) const {
    return now_.kind == Token::kMark && now_.text == mark;
  }
  void take() { now_ = lexer_.next(); }
  void fail(std::string message) {
    if (!lexer_.problem().empty()) message = lexer_.problem();  // it comes first
    if (!failed_) drawing_.problems.push_back({std::move(message), {}, now_.at});
    failed_ = true;
  }
  bool expect(std::string_view mark) {
    if (!is_mark(mark)) {
      fail(lexer_.problem().empty() ? fmt::format("expected `{}`", mark) : lexer_.problem());
      return false;
    }
    take();
    return true;
  }

  void statements(int depth) {
    if (depth > kDeepest) return fail("graphs are nested too deeply");
    while (!failed_ && !is_mark("}")) {
      if (now_.kind == Token::kEnd) {
        return fail(lexer_.problem().empty() ? "the file ends in the middle of a graph"
                                             : lexer_.problem());
      }
      if (is_mark(";") || is_mark(",")) {
        take();
      } else if (is_word("subgraph") || is_mark("{")) {
        subgraph(depth);
      } else {
        statement();
      }
    }
    if (!failed_) take();
  }

  void subgraph(int depth) {
    const Position at = now_.at;
    std::string name;
    if (is_word("subgraph")) {
      take();
      if (is_name()) {
        name = now_.text;
        take();
      }
    }
    if (!expect("{")) return;
    const std::size_t around = graph_;
    if (name.starts_with("cluster") && around == 0) {
      graph_ = drawing_.graphs.size();
      drawing_.graphs.emplace_back();
      graph().name = name;
      graph().at = at;
    }
    statements(depth + 1);
    graph_ = around;
  }

  void statement() {
    if (!is_name()) return fail(fmt::format("unexpected {}", quote(now_.text)));
    const Token first = now_;
    take();
    const bool defaults = first.kind == Token::kWord &&
                          (first.text == "graph" || first.text == "node" || first.text == "edge");
    if (defaults && is_mark("[")) {
      const Attributes all = attributes();
      if (first.text == "graph") set_graph_attributes(all);
      if (first.text == "node") defaults_.insert(all.begin(), all.end());
      return;
    }
    if (is_mark("=")) {
      take();
      if (!is_name()) return fail("expected a value behind `=`");
      set_graph_attributes({{first.text, now_.text}});
      take();
      return;
    }
    port();
    std::vector<Token> chain = {first};
    while (now_.kind == Token::kArrow || now_.kind == Token::kLine) {
      if (now_.kind == Token::kLine) return fail("`--` has no direction; edges of tasks need `->`");
      take();
      if (!is_name()) return fail("expected a node behind `->`");
      chain.push_back(now_);
      take();
      port();
    }
    const Attributes all = is_mark("[") ? attributes() : Attributes();
    for (const Token& one : chain) node(one, chain.size() == 1 ? all : Attributes());
    for (std::size_t i = 1; i < chain.size(); ++i) {
      graph().edges.push_back({chain[i - 1].text, chain[i].text, chain[i].at});
    }
  }

  void set_graph_attributes(const Attributes& all) {
    Attributes& own = graph_ == 0 ? drawing_.attributes : graph().attributes;
    own.insert(all.begin(), all.end());
    if (graph_ == 0) graph().attributes.insert(all.begin(), all.end());
  }

  void port() {
    while (is_mark(":")) {
      take();
      if (is_name()) take();
    }
  }

  void node(const Token& named, const Attributes& all) {
    const auto [entry, fresh] = places_.try_emplace(named.text, graph_, graph().nodes.size());
    if (fresh) graph().nodes.push_back({named.text, defaults_, named.at});
    DrawnNode& node = drawing_.graphs[entry->second.first].nodes[entry->second.second];
    for (const auto& [name, value] : all) node.attributes.insert_or_assign(name, value);
  }

  Attributes attributes() {
    Attributes all;
    while (!failed_ && is_mark("[")) {
      take();
      while (!failed_ && !is_mark("]")) {
        if (is_mark(",") || is_mark(";")) {
          take();
          continue;
        }
        if (!is_name()) {
          fail(lexer_.problem().empty() ? "expected an attribute" : lexer_.problem());
          break;
        }
        const std::string name = now_.text;
        take();
        std::string value = "true";
        if (is_mark("=")) {
          take();
          if (!is_name()) {
            fail("expected a value behind `=`");
            break;
          }
          value = now_.text;
          take();
        }
        all.insert_or_assign(name, value);
      }
      if (!failed_) take();
    }
    return all;
  }

  Lexer lexer_;
  Token now_;
  Drawing drawing_;
  std::size_t graph_ = 0;
  Attributes defaults_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;  ///< of nodes
  bool failed_ = false;
};

}  // namespace

Draft import_dot(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes());
  if (!text) return Draft::bad(text.error().message);
  Drawing drawing = Parser(*text).parse();
  if (!drawing.problems.empty()) return {{}, {}, std::move(drawing.problems), {}};
  if (!is_cuda_graph(drawing)) return system_of(drawing, options);
  std::vector<std::string> notes = read_cuda_graph(drawing);
  Draft draft = system_of(drawing, options);
  draft.notes.insert(draft.notes.begin(), notes.begin(), notes.end());
  return draft;
}

}  // namespace tactus::exchange
