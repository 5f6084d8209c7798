#include "tactus/base/json.hpp"

#include <fmt/core.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>

#include "tactus/base/document_builder.hpp"
#include "tactus/base/utf8.hpp"

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

namespace {

/// Receives RapidJSON's events.
class Events {
 public:
  Events(DocumentBuilder& builder, const rapidjson::MemoryStream& stream)
      : builder_(builder), stream_(stream), text_(builder.text()) {}

  // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's
  bool Null() {
    builder_.add(Kind::kNull, {}, at() - 4);
    return true;
  }
  bool Bool(bool value) {
    builder_.add(value, at() - (value ? 4 : 5));
    return true;
  }
  bool RawNumber(const char*, rapidjson::SizeType length, bool) {
    const std::uint32_t start = at() - length;
    builder_.add(Kind::kNumber, std::string_view(text_).substr(start, length), start);
    return true;
  }
  bool String(const char* decoded, rapidjson::SizeType length, bool) {
    const std::uint32_t start = string_start();
    builder_.add(Kind::kString, keep(decoded, length, start), start);
    return !builder_.refusal();
  }
  bool Key(const char* decoded, rapidjson::SizeType length, bool) {
    const std::uint32_t start = string_start();
    builder_.add_key(keep(decoded, length, start), start);
    return !builder_.refusal();
  }
  // RapidJSON tells before it takes the bracket.
  bool StartObject() { return builder_.open(at()); }
  bool StartArray() { return builder_.open(at()); }
  bool EndObject(rapidjson::SizeType) {
    builder_.close_object();
    return true;
  }
  bool EndArray(rapidjson::SizeType) {
    builder_.close_array();
    return true;
  }
  // Never called: numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  // NOLINTEND(readability-identifier-naming)

 private:
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
      builder_.refuse(start, kHalfPair);
    }
    return builder_.keep_copy({decoded, length});
  }

  DocumentBuilder& builder_;
  const rapidjson::MemoryStream& stream_;
  const std::string& text_;
};

}  // namespace

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

Result<Document> Document::parse(std::string text) {
  Document document(std::move(text));
  const std::string& all = *document.text_;
  const auto fail = [&](std::size_t offset, std::string message) {
    return Error{std::move(message), {}, document.position(static_cast<std::uint32_t>(offset))};
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
  DocumentBuilder builder(document);
  Events events(builder, stream);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, events);
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
