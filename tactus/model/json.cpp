#include "tactus/model/json.hpp"

#include <fmt/core.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tactus/model/utf8.hpp"

namespace tactus::json {
namespace {

constexpr const char* kHalfPair = "an escape in this text is half of a surrogate pair";

}  // namespace

std::span<const Member> Value::members() const {
  return {static_cast<const Member*>(data_), size_};
}

const Value* Value::find(std::string_view key) const {
  if (kind_ != Kind::kObject) return nullptr;
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

/// Receives RapidJSON's events. Finished values wait on a stack until the array or object around
/// them ends, then move into the document's arena side by side.
class DocumentBuilder {
 public:
  struct Refusal {
    std::uint32_t offset;
    std::string message;
  };

  DocumentBuilder(Document& document, const rapidjson::MemoryStream& stream)
      : document_(document), stream_(stream), text_(*document.text_) {}

  // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's
  bool Null() { return push(Kind::kNull, nullptr, 0, at() - 4); }
  bool Bool(bool value) {
    return push(Kind::kBool, nullptr, value ? 1 : 0, at() - (value ? 4 : 5));
  }
  bool RawNumber(const char*, rapidjson::SizeType length, bool) {
    const std::uint32_t start = at() - length;
    return push(Kind::kNumber, text_.data() + start, length, start);
  }
  bool String(const char* decoded, rapidjson::SizeType length, bool) {
    const std::uint32_t start = string_start();
    const std::string_view view = keep(decoded, length, start);
    return push(Kind::kString, view.data(), length, start) && !refusal_;
  }
  bool Key(const char* decoded, rapidjson::SizeType length, bool) {
    const std::uint32_t start = string_start();
    keys_.push_back({keep(decoded, length, start), start});
    return !refusal_;
  }
  bool StartObject() { return open(); }
  bool StartArray() { return open(); }
  bool EndObject(rapidjson::SizeType count) {
    Member* members = allocate<Member>(count);
    const std::size_t first_value = values_.size() - count, first_key = keys_.size() - count;
    for (std::size_t i = 0; i < count; ++i) {
      members[i] = {keys_[first_key + i].text, keys_[first_key + i].offset,
                    values_[first_value + i]};
    }
    values_.resize(first_value);
    keys_.resize(first_key);
    return close(Kind::kObject, members, count);
  }
  bool EndArray(rapidjson::SizeType count) {
    Value* items = allocate<Value>(count);
    std::copy(values_.end() - count, values_.end(), items);
    values_.resize(values_.size() - count);
    return close(Kind::kArray, items, count);
  }
  // Never called: numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  // NOLINTEND(readability-identifier-naming)

  void finish() { document_.root_ = values_.front(); }
  /// Why the builder stopped the parser, if it did.
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  struct PendingKey {
    std::string_view text;
    std::uint32_t offset;
  };

  std::uint32_t at() const { return static_cast<std::uint32_t>(stream_.Tell()); }

  /// The opening quote of the string that ends here. Quotes inside a string are escaped, so they
  /// follow an odd number of backslashes; the opening one follows none.
  std::uint32_t string_start() const {
    std::uint32_t quote = at() - 1;
    for (;;) {
      --quote;
      if (text_[quote] != '"') continue;
      std::uint32_t backslashes = 0;
      while (backslashes < quote && text_[quote - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) return quote;
    }
  }

  /// The decoded string: the text itself where nothing was escaped, else a copy in the arena.
  std::string_view keep(const char* decoded, std::uint32_t length, std::uint32_t start) {
    const std::uint32_t raw_length = at() - start - 2;
    if (raw_length == length) return std::string_view(text_).substr(start + 1, length);
    // RapidJSON refuses the first half of a surrogate pair alone, but not the second.
    if (find_invalid_utf8({decoded, length}) != std::string_view::npos) {
      refuse(start, kHalfPair);
    }
    char* copy = allocate<char>(length);
    std::memcpy(copy, decoded, length);
    return {copy, length};
  }

  template <typename T>
  T* allocate(std::size_t count) {
    return static_cast<T*>(document_.arena_->allocate(count * sizeof(T), alignof(T)));
  }

  bool refuse(std::uint32_t offset, std::string message) {
    refusal_ = {offset, std::move(message)};
    return false;
  }
  bool push(Kind kind, const void* data, std::uint32_t size, std::uint32_t offset) {
    Value value;
    value.kind_ = kind;
    value.data_ = data;
    value.size_ = size;
    value.offset_ = offset;
    values_.push_back(value);
    return true;
  }
  bool open() {
    // RapidJSON tells before it takes the bracket.
    opened_.push_back(at());
    if (opened_.size() <= kMaxDepth) return true;
    return refuse(at(), fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  bool close(Kind kind, const void* data, std::uint32_t size) {
    const std::uint32_t offset = opened_.back();
    opened_.pop_back();
    return push(kind, data, size, offset);
  }

  Document& document_;
  const rapidjson::MemoryStream& stream_;
  const std::string& text_;
  std::vector<Value> values_;
  std::vector<PendingKey> keys_;
  std::vector<std::uint32_t> opened_;
  std::optional<Refusal> refusal_;
};

namespace {

std::string syntax_message(rapidjson::ParseErrorCode code, std::string_view rest) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
      return "the file is empty; expected a JSON object";
    case rapidjson::kParseErrorNumberTooBig:
      return "number out of range";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "unexpected text after the end of the JSON object";
    case rapidjson::kParseErrorValueInvalid:
      if (rest.empty()) return "the file ends in the middle of a value";
      if (rest.starts_with("NaN") || rest.starts_with("Inf") || rest.starts_with("-Inf")) {
        return "NaN and Infinity are not numbers here";
      }
      return rest.starts_with(']') ? "expected a value before ']'" : "not a JSON value";
    case rapidjson::kParseErrorObjectMissName:
      return rest.starts_with('}') ? "trailing comma before '}'" : "expected a key in quotes";
    case rapidjson::kParseErrorObjectMissColon:
      return "expected ':' after the key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "expected ',' or '}'";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "expected ',' or ']'";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "the file ends in the middle of a text";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return static_cast<unsigned char>(rest.front()) < 0x20
                 ? "line breaks and control characters in a text must be escaped"
                 : "unknown escape in a text";
    case rapidjson::kParseErrorUnspecificSyntaxError:
      return rest.empty() ? "the file ends in the middle of a comment"
                          : "a comment begins with // or /*";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "expected four hexadecimal digits after \\u";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return kHalfPair;
    case rapidjson::kParseErrorNumberMissFraction:
      return "expected a digit after the decimal point";
    case rapidjson::kParseErrorNumberMissExponent:
      return "expected a digit in the exponent";
    default:
      return "not valid JSON";
  }
}

}  // namespace

Document::Document(std::string text)
    : text_(std::make_unique<const std::string>(std::move(text))),
      arena_(std::make_unique<std::pmr::monotonic_buffer_resource>(64 * 1024)) {}

std::variant<Document, Diagnostic> Document::parse(std::string text) {
  Document document(std::move(text));
  const std::string& all = *document.text_;
  const auto fail = [&](std::size_t offset, std::string message) {
    return Diagnostic{Severity::kError, document.position(static_cast<std::uint32_t>(offset)),
                      std::move(message)};
  };
  // RapidJSON takes NUL for the end of the text and would not look behind it.
  if (const std::size_t nul = all.find('\0'); nul != std::string::npos) {
    return fail(nul, "the file contains a NUL byte");
  }
  if (const std::size_t bad = find_invalid_utf8(all); bad != std::string::npos) {
    return fail(bad, "the file is not valid UTF-8");
  }
  if (all.starts_with("\xEF\xBB\xBF")) return fail(0, "remove the byte-order mark before the '{'");

  constexpr unsigned kFlags = rapidjson::kParseCommentsFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream stream(all.data(), all.size());
  DocumentBuilder builder(document, stream);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (builder.refusal()) return fail(builder.refusal()->offset, builder.refusal()->message);
  if (result.IsError()) {
    const std::size_t offset = std::min(result.Offset(), all.size());
    return fail(offset, syntax_message(result.Code(), std::string_view(all).substr(offset)));
  }
  builder.finish();
  return document;
}

Position Document::position(std::uint32_t offset) const {
  if (offset < cursor_.offset) cursor_ = {};
  // Not byte by byte: counting looks at many of them at once.
  std::string_view rest = std::string_view(*text_).substr(cursor_.offset, offset - cursor_.offset);
  if (const auto lines = std::count(rest.begin(), rest.end(), '\n'); lines > 0) {
    cursor_.line += static_cast<std::uint32_t>(lines);
    cursor_.column = 1;
    rest.remove_prefix(rest.rfind('\n') + 1);
  }
  // Continuation bytes belong to the code point before.
  cursor_.column += static_cast<std::uint32_t>(
      std::count_if(rest.begin(), rest.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  cursor_.offset = offset;
  return {cursor_.line, cursor_.column};
}

}  // namespace tactus::json
