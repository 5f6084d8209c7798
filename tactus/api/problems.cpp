#include "tactus/api/problems.hpp"

#include <algorithm>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"

namespace tactus::api {
namespace {

/// Looks for the value or key that begins at a place, in the order of the text.
class Search {
 public:
  Search(const json::Document& document, Position at) : document_(document), at_(at) {}

  bool in(const json::Value& value) {
    if (begins(value.offset())) return true;
    if (past_) return false;
    if (value.is(json::Kind::kObject)) {
      for (const json::Member& member : value.members()) {
        const std::size_t length = pointer.size();
        pointer += '/' + escaped(member.key);
        if (begins(member.key_offset) || in(member.value)) return true;
        pointer.resize(length);
        if (past_) return false;
      }
    } else if (value.is(json::Kind::kArray)) {
      const auto items = value.items();
      for (std::size_t i = 0; i < items.size(); ++i) {
        const std::size_t length = pointer.size();
        pointer += '/' + std::to_string(i);
        if (in(items[i])) return true;
        pointer.resize(length);
        if (past_) return false;
      }
    }
    return false;
  }

  std::string pointer;

 private:
  bool begins(std::uint32_t offset) {
    const Position here = document_.position(offset);
    past_ = here.line > at_.line || (here.line == at_.line && here.column > at_.column);
    return here.line == at_.line && here.column == at_.column;
  }
  static std::string escaped(std::string_view key) {
    std::string out;
    for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
  }

  const json::Document& document_;
  Position at_;
  bool past_ = false;
};

/// A text that was given to us, parsed only if a problem has a place in it.
class Parsed {
 public:
  explicit Parsed(const Sources& sources) : sources_(sources) {}

  std::optional<std::string> pointer(const Error& problem) {
    if (!problem.at.known()) return std::nullopt;
    const auto& texts = sources_.texts;
    const auto source = std::find_if(texts.begin(), texts.end(), [&](const Sources::Source& one) {
      return one.name == problem.file;
    });
    if (source == texts.end() || source->text == nullptr) return std::nullopt;
    if (name_ != problem.file) {
      name_ = problem.file;
      document_.reset();
      auto parsed = json::Document::parse(source->text);
      if (parsed) document_ = std::move(*parsed);
    }
    return document_ ? pointer_at(*document_, problem.at) : std::nullopt;
  }

 private:
  const Sources& sources_;
  std::string name_;
  std::optional<json::Document> document_;
};

}  // namespace

std::optional<std::string> pointer_at(const json::Document& document, Position at) {
  Search search(document, at);
  if (!search.in(document.root())) return std::nullopt;
  return std::move(search.pointer);
}

std::string problems_json(const std::vector<Error>& problems, const Sources& sources) {
  Parsed parsed(sources);
  json::Writer out;
  codec::begin_document(out, "problems");
  out.key("problems").begin_array();
  for (const Error& problem : problems) {
    out.begin_object();
    out.key("severity").string(problem.severity == Severity::kError ? "error" : "warning");
    out.key("message").string(problem.message);
    if (!problem.file.empty()) out.key("document").string(problem.file);
    if (problem.at.known()) {
      out.key("line").integer(problem.at.line).key("column").integer(problem.at.column);
    }
    if (const auto pointer = parsed.pointer(problem)) out.key("pointer").string(*pointer);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::api
