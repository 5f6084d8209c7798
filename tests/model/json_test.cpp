#include "tactus/base/json.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/base/random.hpp"

namespace tactus::json {
namespace {

/// Kept alive by the caller: values point into it.
Document parse(std::string text) {
  auto parsed = Document::parse(std::move(text));
  if (const auto* problem = std::get_if<Diagnostic>(&parsed)) {
    ADD_FAILURE() << to_string(*problem, "text");
    return parse("null");
  }
  return std::move(std::get<Document>(parsed));
}

/// "line:col: message", or "accepted".
std::string complaint(std::string text) {
  const auto parsed = Document::parse(std::move(text));
  if (!std::holds_alternative<Diagnostic>(parsed)) return "accepted";
  const auto& problem = std::get<Diagnostic>(parsed);
  return to_string(problem, "");
}

/// Line and column the slow way.
std::string place(std::string_view text, std::size_t offset) {
  int line = 1, column = 1;
  for (char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++column;
    }
  }
  return fmt::format("{}:{}", line, column);
}

std::string place(const Document& document, std::uint32_t offset) {
  const Position at = document.position(offset);
  return fmt::format("{}:{}", at.line, at.column);
}

TEST(Json, KeepsTheTextOfNumbers) {
  const Document document = parse("[1, -0, 1.50, 1E+05, 123456789012345678901234567890]");
  std::vector<std::string_view> numbers;
  for (const Value& value : document.root().items()) numbers.push_back(value.text());
  EXPECT_EQ(numbers, (std::vector<std::string_view>{"1", "-0", "1.50", "1E+05",
                                                    "123456789012345678901234567890"}));
}

TEST(Json, DecodesEscapes) {
  const Document document =
      parse(R"(["a\"b", "\\", "\/\b\f\n\r\t", "\u00e9\u20AC", "\ud83d\ude00"])");
  std::vector<std::string_view> texts;
  for (const Value& value : document.root().items()) texts.push_back(value.text());
  EXPECT_EQ(texts, (std::vector<std::string_view>{"a\"b", "\\", "/\b\f\n\r\t", "é€", "😀"}));
}

TEST(Json, KeepsAnEscapedNulInsideTheText) {
  const Document document = parse(R"(["a\u0000b"])");
  EXPECT_EQ(document.root().items()[0].text(), std::string_view("a\0b", 3));
}

TEST(Json, KeepsEveryMemberOfARepeatedKey) {
  const Document document = parse(R"({"a": 1, "b": 2, "a": 3})");
  ASSERT_EQ(document.root().members().size(), 3U);
  EXPECT_EQ(document.root().members()[2].key, "a");
  EXPECT_EQ(document.root().members()[2].value.text(), "3");
  EXPECT_EQ(document.root().find("a")->text(), "1");
  EXPECT_EQ(document.root().find("c"), nullptr);
  EXPECT_EQ(document.root().members()[0].value.find("a"), nullptr) << "a number has no members";
}

TEST(Json, AcceptsCommentsBetweenAnyTokens) {
  const Document document = parse(
      "// first\n/* \" ** { */{/**/\"a\"/*1*/:/*2*/1/*3*/,//4\n\"b\":[/*5*/2/*6*/]/*7*/}// last");
  EXPECT_EQ(document.root().find("a")->text(), "1");
  EXPECT_EQ(document.root().find("b")->items()[0].text(), "2");
}

TEST(Json, SurvivesTheMoveOfItsDocument) {
  Document first = parse(R"({"name": "short", "b": "esc\n"})");
  const Document second = std::move(first);
  EXPECT_EQ(second.root().find("name")->text(), "short");
  EXPECT_EQ(second.root().find("b")->text(), "esc\n");
}

TEST(Json, CountsColumnsInCodePoints) {
  const std::string text = "{\"é€😀\": 1, /* ü */ \"b\":\r\n\t\"naïve\" }";
  const Document document = parse(text);
  const auto members = document.root().members();
  EXPECT_EQ(place(document, document.root().offset()), "1:1");
  EXPECT_EQ(place(document, members[0].key_offset), "1:2");
  EXPECT_EQ(place(document, members[0].value.offset()), "1:9");
  EXPECT_EQ(place(document, members[1].key_offset), "1:20");
  EXPECT_EQ(place(document, members[1].value.offset()), "2:2");
}

/// A random value in random layout, with what was written where.
class Scribe {
 public:
  struct Token {
    std::uint32_t offset;
    std::string text;
    friend bool operator==(const Token&, const Token&) = default;
  };

  explicit Scribe(std::uint64_t index) : random_(5, index) {
    space();
    value(0);
    space();
  }
  const std::string& text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  void put(const std::string& token, const std::string& meaning) {
    tokens_.push_back({static_cast<std::uint32_t>(text_.size()), meaning});
    text_ += token;
  }
  void space() {
    static const char* const kSpaces[] = {"", "", " ", "\n", "\t", "\r\n", "/*\"é*/", "//[{\n"};
    text_ += kSpaces[random_.integer(0, 7)];
  }
  void string() {
    static const std::pair<const char*, const char*> kPieces[] = {
        {"x", "x"},         {"é", "é"},   {"😀", "😀"},   {R"(\")", "\""}, {R"(\\)", "\\"},
        {R"(\u20ac)", "€"}, {"/*", "/*"}, {"//", "//"}, {" ", " "}};
    std::string written = "\"", meant;
    for (std::int64_t left = random_.integer(0, 4); left > 0; --left) {
      const auto& [raw, decoded] = kPieces[random_.integer(0, 8)];
      written += raw;
      meant += decoded;
    }
    put(fmt::format("{}\"", written), fmt::format("s{}", meant));
  }
  void value(int depth) {
    switch (random_.integer(0, depth < 5 ? 6 : 4)) {
      case 0:
        return put("null", "null");
      case 1:
        return put("true", "true");
      case 2:
        return put("false", "false");
      case 3: {
        const std::string number = std::to_string(random_.integer(-99, 99)) + "e-1";
        return put(number, number);
      }
      case 4:
        return string();
      case 5:
        return list("[", "]", depth, [] {});
      default:
        return list("{", "}", depth, [this] {
          string();
          space();
          text_ += ':';
          space();
        });
    }
  }
  template <typename Before>
  void list(const char* open, const char* close, int depth, Before before) {
    put(open, open);
    const std::int64_t count = random_.integer(0, 4);
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) text_ += ',';
      space();
      before();
      value(depth + 1);
      space();
    }
    if (count == 0) space();
    text_ += close;
  }

  Random random_;
  std::string text_;
  std::vector<Token> tokens_;
};

void walk(const Value& value, std::vector<Scribe::Token>& tokens) {
  switch (value.kind()) {
    case Kind::kNull:
      return tokens.push_back({value.offset(), "null"});
    case Kind::kBool:
      return tokens.push_back({value.offset(), value.boolean() ? "true" : "false"});
    case Kind::kNumber:
      return tokens.push_back({value.offset(), std::string(value.text())});
    case Kind::kString:
      return tokens.push_back({value.offset(), fmt::format("s{}", value.text())});
    case Kind::kArray:
      tokens.push_back({value.offset(), "["});
      for (const Value& item : value.items()) walk(item, tokens);
      return;
    case Kind::kObject:
      tokens.push_back({value.offset(), "{"});
      for (const Member& member : value.members()) {
        tokens.push_back({member.key_offset, fmt::format("s{}", member.key)});
        walk(member.value, tokens);
      }
      return;
  }
}

TEST(Json, KnowsWhereEveryTokenOfARandomTextStands) {
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const Scribe scribe(i);
    const Document document = parse(scribe.text());
    std::vector<Scribe::Token> tokens;
    walk(document.root(), tokens);
    ASSERT_EQ(tokens, scribe.tokens()) << scribe.text();
    // Forwards and backwards: the cursor must not depend on the order of the questions.
    for (const auto& token : tokens) {
      ASSERT_EQ(place(document, token.offset), place(scribe.text(), token.offset));
    }
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
      ASSERT_EQ(place(document, token->offset), place(scribe.text(), token->offset));
    }
  }
}

TEST(Json, SaysWhatIsWrongAndWhere) {
  const struct {
    std::string text, complaint;
  } cases[] = {
      {"", ":1:1: the file is empty; expected a JSON object"},
      {" \n // only words", ":2:15: the file is empty; expected a JSON object"},
      {"{", ":1:2: expected a key in quotes"},
      {"{\"a\"", ":1:5: expected ':' after the key"},
      {"{\"a\":", ":1:6: the file ends in the middle of a value"},
      {"{\"a\": 1", ":1:8: expected ',' or '}'"},
      {"{\"a\": 1 \"b\": 2}", ":1:9: expected ',' or '}'"},
      {"{\"a\": 1,}", ":1:9: trailing comma before '}'"},
      {"{a: 1}", ":1:2: expected a key in quotes"},
      {"{'a': 1}", ":1:2: expected a key in quotes"},
      {"{\"a\" 1}", ":1:6: expected ':' after the key"},
      {"[1 2]", ":1:4: expected ',' or ']'"},
      {"[1,]", ":1:4: expected a value before ']'"},
      {"[\n  xyz]", ":2:3: not a JSON value"},
      {"[NaN]", ":1:2: NaN and Infinity are not numbers here"},
      {"[Infinity]", ":1:2: NaN and Infinity are not numbers here"},
      {"[-Infinity]", ":1:3: NaN and Infinity are not numbers here"},
      {"[+1]", ":1:2: not a JSON value"},
      {"[.5]", ":1:2: not a JSON value"},
      {"[01]", ":1:3: expected ',' or ']'"},
      {"[1.]", ":1:4: expected a digit after the decimal point"},
      {"[1e+]", ":1:5: expected a digit in the exponent"},
      {R"(["\u12x4"])", ":1:3: expected four hexadecimal digits after \\u"},
      {"[1e400]", ":1:2: number out of range"},
      {"[1e999999999999]", ":1:2: number out of range"},
      {"{} {}", ":1:4: unexpected text after the end of the JSON object"},
      {"[\"a", ":1:4: the file ends in the middle of a text"},
      {"[\"a\nb\"]", ":1:4: line breaks and control characters in a text must be escaped"},
      {"[\"\\x\"]", ":1:3: unknown escape in a text"},
      {"[/* never closed", ":1:17: the file ends in the middle of a comment"},
      {"[/ 1]", ":1:3: a comment begins with // or /*"},
      {"\xEF\xBB\xBF{}", ":1:1: remove the byte-order mark before the '{'"},
      {std::string("[1,\0 2]", 7), ":1:4: the file contains a NUL byte"},
      {"[\"\xFF\"]", ":1:3: the file is not valid UTF-8"},
      {"[1] // caf\xE9", ":1:11: the file is not valid UTF-8"},
      {R"(["\ud800"])", ":1:3: an escape in this text is half of a surrogate pair"},
      {R"(["x\udc00"])", ":1:2: an escape in this text is half of a surrogate pair"},
      {R"({"\udc00": 1})", ":1:2: an escape in this text is half of a surrogate pair"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(complaint(text), expected) << text;
}

TEST(Json, StopsAtNestingBombs) {
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(complaint(nested(kMaxDepth, "[", "]")), "accepted");
  EXPECT_EQ(complaint(nested(kMaxDepth + 1, "[", "]")), ":1:65: nested deeper than 64 levels");
  EXPECT_EQ(complaint(nested(10'000'000, "[", "]")), ":1:65: nested deeper than 64 levels");
  EXPECT_EQ(complaint(nested(1'000'000, "\n{\"a\":", "}")), ":66:1: nested deeper than 64 levels");
}

TEST(Json, ReadsAnEndlessString) {
  const std::string blank(100'000'000, ' ');
  const Document document = parse("[\"" + blank + "\"]");
  EXPECT_EQ(document.root().items()[0].text().size(), blank.size());
}

TEST(Json, FindsTheStartOfAStringFullOfQuotes) {
  std::string quotes;
  for (int i = 0; i < 1'000'000; ++i) quotes += R"(\\\")";
  const Document document = parse("[ \"" + quotes + "\"]");
  EXPECT_EQ(document.root().items()[0].offset(), 2U);
  EXPECT_EQ(document.root().items()[0].text().size(), 2'000'000U);
}

TEST(Json, RefusesEveryTruncationOfAText) {
  const std::string text =
      "{\"é\": [1.5e3, -0, true, false, null, \"a\\n\\u20ac\\ud83d\\ude00b\"],\n"
      " // comment é\n \"b\": {/* in */ \"c\": {}}}";
  ASSERT_EQ(complaint(text), "accepted");
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(complaint(text.substr(0, length)), "accepted") << text.substr(0, length);
  }
}

}  // namespace
}  // namespace tactus::json
