#include "tactus/base/yaml.hpp"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <vector>

#include "tactus/base/document_builder.hpp"
#include "tactus/base/plain_scalar.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::yaml {
namespace {

using json::DocumentBuilder;
using json::Kind;
using json::Value;

/// Stops yaml-cpp; the refusal is in the builder.
struct Refused {};

/// Receives yaml-cpp's events.
class Events final : public YAML::EventHandler {
 public:
  explicit Events(DocumentBuilder& builder) : builder_(builder) {}

  // NOLINTBEGIN(readability-identifier-naming): the names are those of yaml-cpp
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) refuse(mark, "a key must be a text");
    builder_.add(Kind::kNull, {}, at(mark));
    finish_value(anchor, 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) refuse(mark, "an alias inside of what it stands for");
    const auto [value, weight] = known->second;
    if (wants_key()) {
      if (!value.is(Kind::kString)) refuse(mark, "a key must be a text");
      return take_key(value.text(), mark);
    }
    repeated_ += weight;
    if (repeated_ > kMostRepeated) {
      refuse(mark, fmt::format("aliases repeat more than {} values", kMostRepeated));
    }
    builder_.add(value);
    finish_value(0, weight);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool plain = tag == "?";
    if (!plain && tag != "!" && tag != "tag:yaml.org,2002:str") {
      refuse(mark, fmt::format("the tag {} means nothing here", quote(tag)));
    }
    if (find_invalid_utf8(text) != std::string::npos) refuse(mark, "this text is not valid UTF-8");
    const std::string_view kept = builder_.keep_copy(text);
    if (wants_key()) {
      if (anchor != 0) {
        refuse(mark, "a key cannot have an anchor");
      }
      return take_key(kept, mark);
    }
    add_scalar(mark, kept, plain);
    finish_value(anchor, 1);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, false);
  }
  void OnSequenceEnd() override {
    builder_.close_array();
    close();
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, true);
  }
  void OnMapEnd() override {
    builder_.close_object();
    close();
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  struct Open {
    YAML::anchor_t anchor;
    bool map, has_key;
    std::size_t weight;  ///< values in it, with those that aliases repeat
  };

  static std::uint32_t at(const YAML::Mark& mark) {
    return mark.pos < 0 ? 0 : static_cast<std::uint32_t>(mark.pos);
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) {
    builder_.refuse(at(mark), std::move(message));
    throw Refused();
  }

  bool wants_key() const { return !open_.empty() && open_.back().map && !open_.back().has_key; }
  void take_key(std::string_view key, const YAML::Mark& mark) {
    builder_.add_key(key, at(mark));
    open_.back().has_key = true;
  }

  void add_scalar(const YAML::Mark& mark, std::string_view text, bool plain) {
    const PlainScalar meaning = plain ? meaning_of(text) : PlainScalar::kText;
    switch (meaning) {
      case PlainScalar::kText:
        return builder_.add(Kind::kString, text, at(mark));
      case PlainScalar::kNumber:
        return builder_.add(Kind::kNumber, text, at(mark));
      case PlainScalar::kNull:
        return builder_.add(Kind::kNull, {}, at(mark));
      case PlainScalar::kTrue:
      case PlainScalar::kFalse:
        return builder_.add(meaning == PlainScalar::kTrue, at(mark));
      case PlainScalar::kDoubtful:
        refuse(mark,
               fmt::format("{} is a number to some readers of YAML; write it as in JSON (such "
                           "as 0.5), or in quotes if it is a text",
                           quote(text)));
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool map) {
    if (wants_key()) refuse(mark, "a key must be a text");
    if (tag != "?" && tag != "!" && !tag.empty()) {
      refuse(mark, fmt::format("the tag {} means nothing here", quote(tag)));
    }
    if (!builder_.open(at(mark))) throw Refused();
    open_.push_back({anchor, map, false, 1});
  }
  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    finish_value(closed.anchor, closed.weight);
  }

  /// A value is complete: it can be repeated from now on.
  void finish_value(YAML::anchor_t anchor, std::size_t weight) {
    if (anchor != 0) anchors_[anchor] = {builder_.last(), weight};
    if (open_.empty()) return;
    open_.back().weight += weight;
    open_.back().has_key = false;
  }

  struct Anchored {
    Value value;
    std::size_t weight;
  };

  DocumentBuilder& builder_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t repeated_ = 0;
};

}  // namespace

Result<json::Document> parse(std::string text) {
  json::Document document = DocumentBuilder::document_of(std::move(text));
  DocumentBuilder builder(document);
  const std::string& all = builder.text();
  const auto fail = [&](std::size_t offset, std::string message) {
    const std::size_t inside = std::min(offset, all.size());
    return Error{std::move(message), {}, document.position(static_cast<std::uint32_t>(inside))};
  };
  if (all.size() > kMostText) {
    return fail(0, fmt::format("larger than {} MiB, which is too large for YAML; write it as JSON",
                               kMostText >> 20));
  }
  if (const std::size_t nul = all.find('\0'); nul != std::string::npos) {
    return fail(nul, "the file contains a NUL byte");
  }
  if (const std::size_t bad = find_invalid_utf8(all); bad != std::string::npos) {
    return fail(bad, "the file is not valid UTF-8");
  }
  if (all.starts_with("\xEF\xBB\xBF")) return fail(0, "remove the byte-order mark");
  try {
    std::istringstream stream(all);
    YAML::Parser parser(stream);
    Events events(builder);
    if (!parser.HandleNextDocument(events) || !builder.complete()) {
      return fail(0, "the file is empty; expected keys and values");
    }
    builder.finish();
    Events more(builder);
    if (parser.HandleNextDocument(more)) {
      return fail(all.size(), "there is a second document behind `---`; one is expected");
    }
  } catch (const Refused&) {
    return fail(builder.refusal()->offset, builder.refusal()->message);
  } catch (const YAML::Exception& problem) {
    const int offset = problem.mark.is_null() ? 0 : problem.mark.pos;
    return fail(static_cast<std::size_t>(std::max(0, offset)),
                fmt::format("not valid YAML: {}", problem.msg));
  }
  return document;
}

}  // namespace tactus::yaml
