#include "tactus/experiment/describe/codecs.hpp"

#include <unordered_set>

#include "tactus/model/format.hpp"

namespace tactus::experiment {

using codec::mismatch;
using json::Kind;

namespace {

bool is_word(const json::Value& value) {
  return value.is(Kind::kNumber) || (value.is(Kind::kString) && !value.text().empty());
}

/// "> 0" and the like.
bool read_relation(std::string_view text, Expected& out) {
  using Relation = Expected::Relation;
  static constexpr std::pair<std::string_view, Relation> kRelations[] = {
      {"<=", Relation::kAtMost},
      {">=", Relation::kAtLeast},
      {"<", Relation::kLess},
      {">", Relation::kGreater},
  };
  for (const auto& [sign, relation] : kRelations) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    while (text.starts_with(' ')) text.remove_prefix(1);
    const auto value = to_double(text);
    if (!value) return false;
    out.relation = relation;
    out.value = *value;
    return true;
  }
  return false;
}

}  // namespace

bool WordsValue::read(const json::Value& value, std::string_view key, ReadContext& context,
                      Words& out) {
  if (!value.is(Kind::kObject)) return mismatch(value, key, context, "an object");
  for (const json::Member& member : value.members()) {
    std::string word;
    if (member.value.is(Kind::kBool)) {
      word = member.value.boolean() ? "on" : "off";
    } else if (is_word(member.value)) {
      word = member.value.text();
    } else {
      mismatch(member.value, member.key, context, "a number, a word, true or false");
      continue;
    }
    if (!out.emplace(member.key, std::move(word)).second) {
      context.error(member, "key " + quote(member.key) + " is given twice");
    }
  }
  return true;
}

void WordsValue::write(json::Writer& out, const System&, const Words& words) {
  out.begin_object();
  for (const auto& [name, value] : words) out.key(name).string(value);
  out.end_object();
}

void WordsValue::describe(json::Writer& out) {
  out.key("type").string("object");
  out.key("additionalProperties").begin_object().key("type").begin_array();
  out.string("number").string("string").string("boolean");
  out.end_array().end_object();
}

bool WordList::read(const json::Value& value, std::string_view key, ReadContext& context,
                    std::vector<std::string>& out) {
  if (!value.is(Kind::kArray) || value.items().empty()) {
    return mismatch(value, key, context, "an array of numbers or words that is not empty");
  }
  std::unordered_set<std::string_view> seen;
  for (const json::Value& item : value.items()) {
    if (!is_word(item)) {
      mismatch(item, key, context, "an array of numbers or words");
      continue;
    }
    if (!seen.insert(item.text()).second) {
      context.error(item, fmt::format("{} is listed twice in `{}`", quote(item.text()), key));
    }
    out.emplace_back(item.text());
  }
  return true;
}

void WordList::write(json::Writer& out, const System&, const std::vector<std::string>& words) {
  out.begin_array();
  for (const std::string& word : words) out.string(word);
  out.end_array();
}

void WordList::describe(json::Writer& out) {
  out.key("type").string("array");
  out.key("minItems").integer(1);
  out.key("uniqueItems").boolean(true);
  out.key("items").begin_object().key("type").begin_array();
  out.string("number").string("string");
  out.end_array().end_object();
}

bool PatternList::read(const json::Value& value, std::string_view key, ReadContext& context,
                       std::vector<std::string>& out) {
  const auto add = [&](const json::Value& item) {
    const bool good = item.is(Kind::kString) && !item.text().empty() &&
                      item.text().find('\0') == std::string_view::npos;
    if (!good) return mismatch(item, key, context, "a pattern such as \"own/*.json\", or several");
    out.emplace_back(item.text());
    return true;
  };
  if (!value.is(Kind::kArray)) return add(value);
  if (value.items().empty()) return mismatch(value, key, context, "at least one pattern");
  bool good = true;
  for (const json::Value& item : value.items()) good = add(item) && good;
  return good;
}

void PatternList::write(json::Writer& out, const System&,
                        const std::vector<std::string>& patterns) {
  out.begin_array();
  for (const std::string& pattern : patterns) out.string(pattern);
  out.end_array();
}

void PatternList::describe(json::Writer& out) {
  out.key("type").begin_array().string("string").string("array").end_array();
  out.key("minItems").integer(1);
  out.key("items").begin_object().key("type").string("string").end_object();
}

bool Real::read(const json::Value& value, std::string_view key, ReadContext& context, double& out) {
  const auto number = value.is(Kind::kNumber) ? to_double(value.text()) : std::nullopt;
  if (!number || *number < 0) return mismatch(value, key, context, "a number >= 0");
  out = *number;
  return true;
}

void Real::write(json::Writer& out, const System&, double value) {
  out.number(fmt::format("{}", value));
}

bool ExpectedValue::read(const json::Value& value, std::string_view key, ReadContext& context,
                         Expected& out) {
  if (value.is(Kind::kNull)) {
    out = {Expected::Relation::kNothing, 0, "no bound"};
    return true;
  }
  const auto number = value.is(Kind::kNumber) ? to_double(value.text()) : std::nullopt;
  if (number) {
    out.value = *number;
  } else if (!value.is(Kind::kString) || !read_relation(value.text(), out)) {
    return mismatch(value, key, context, "a number, an inequality such as \"> 0\", or null");
  }
  out.text = value.text();
  return true;
}

void ExpectedValue::write(json::Writer& out, const System&, const Expected& expected) {
  if (expected.relation == Expected::Relation::kNothing) {
    out.null();
  } else if (expected.relation == Expected::Relation::kNear) {
    out.number(expected.text);
  } else {
    out.string(expected.text);
  }
}

void ExpectedValue::describe(json::Writer& out) {
  out.key("type").begin_array().string("number").string("string").string("null").end_array();
}

bool InlineSystem::read(const json::Value& value, std::string_view key, ReadContext& context,
                        System& out) {
  ReadContext::Scope scope(context, key);
  return read_object(value, context, out);
}

void InlineSystem::describe(json::Writer& out) { describe_object<System>(out); }

void InlineSystem::write(json::Writer& out, const System&, const System& system) {
  write_object(out, system, system);
}

}  // namespace tactus::experiment
