#include "tactus/base/question_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tactus/base/json.hpp"
#include "tactus/base/json_copy.hpp"

namespace tactus {
namespace {

using json::Kind;
using json::Value;

/// Reads one value into the place of its field.
class Reader {
 public:
  Reader(const json::Document& document, std::vector<Diagnostic>& problems)
      : document_(document), problems_(problems) {}

  void read(AskedField& field, const Value& value) {
    field_ = &field;
    field.given = true;
    std::visit([&](auto& place) { take(place, value); }, field.place);
  }

 private:
  void complain(const Value& at, std::string_view what) {
    problems_.push_back(
        {fmt::format("`{}` {}", field_->key, what), {}, document_.position(at.offset())});
  }
  void keep(const Value& value, std::string_view text,
            const std::function<void(std::string)>& take) {
    const std::string fault = fault_of(*field_, text);
    if (!fault.empty()) return complain(value, fault);
    take(std::string(text));
  }

  void take(bool* place, const Value& value) {
    if (!value.is(Kind::kBool)) return complain(value, "must be true or false");
    *place = value.boolean();
  }
  void take(const std::function<void(std::int64_t)>& place, const Value& value) {
    std::int64_t number = 0;
    const std::string_view text = value.text();
    const char* const end = text.data() + text.size();
    if (!value.is(Kind::kNumber) ||
        std::from_chars(text.data(), end, number) != std::from_chars_result{end, std::errc()}) {
      return complain(
          value, fmt::format("must be a whole number from {} to {}", field_->least, field_->most));
    }
    if (const std::string fault = fault_of(*field_, number); !fault.empty()) {
      return complain(value, fault);
    }
    place(number);
  }
  void take(const std::function<void(std::string)>& place, const Value& value) {
    const bool number = field_->is_decimal && value.is(Kind::kNumber);
    if (value.is(Kind::kString) || number) return keep(value, value.text(), place);
    if (field_->is_decimal) return complain(value, "must be a decimal number > 0");
    if (!field_->with_commas) return complain(value, "must be a text");
    if (!value.is(Kind::kArray)) return complain(value, "must be a list, or a text");
    std::string all;
    for (const Value& item : value.items()) {
      if (!item.is(Kind::kString) && !item.is(Kind::kNumber)) {
        return complain(item, "must be texts or numbers");
      }
      all += (all.empty() ? "" : ",") + std::string(item.text());
    }
    keep(value, all, place);
  }
  void take(std::vector<std::string>* place, const Value& value) {
    place->clear();
    const auto add = [&](std::string text) { place->push_back(std::move(text)); };
    if (value.is(Kind::kString)) return keep(value, value.text(), add);
    if (!value.is(Kind::kArray)) return complain(value, "must be a list of texts");
    for (const Value& item : value.items()) {
      if (!item.is(Kind::kString)) return complain(item, "must be texts");
      keep(item, item.text(), add);
    }
  }
  void take(Assignments* place, const Value& value) {
    if (!value.is(Kind::kObject)) return take(&place->all, value);
    NamedValues values;
    take(&values, value);
    for (const json::Member& member : value.members()) {
      const auto found = values.find(member.key);
      if (found != values.end()) place->all.push_back(found->first + "=" + found->second);
    }
  }
  void take(NamedValues* place, const Value& value) {
    if (!value.is(Kind::kObject)) return complain(value, "must be an object of names and values");
    for (const auto& [name, at, one] : value.members()) {
      if (one.is(Kind::kString) || one.is(Kind::kNumber)) {
        (*place)[std::string(name)] = one.text();
      } else if (one.is(Kind::kBool)) {
        if (one.boolean()) (*place)[std::string(name)] = "on";
      } else {
        complain(one,
                 fmt::format("has {}, whose value must be a text, a number or true", quote(name)));
      }
    }
  }
  void take(Document* place, const Value& value) {
    place->name = fmt::format("<{}>", field_->key);
    place->text = text_of(value);
  }
  void take(std::vector<Document>* place, const Value& value) {
    if (!value.is(Kind::kArray)) return complain(value, "must be a list of documents");
    for (const Value& item : value.items()) {
      place->push_back(
          {.name = fmt::format("<{} {}>", field_->key, place->size() + 1), .text = text_of(item)});
    }
  }
  std::string text_of(const Value& value) {
    if (value.is(Kind::kString)) return std::string(value.text());
    if (!value.is(Kind::kObject)) {
      complain(value, "must be a document: an object, or its text");
      return {};
    }
    json::Writer out;
    json::copy(out, value);
    return out.take();
  }

  const json::Document& document_;
  std::vector<Diagnostic>& problems_;
  AskedField* field_ = nullptr;
};

std::string unknown_key(const Fields& fields, std::string_view key) {
  std::vector<std::string_view> known;
  for (const AskedField& field : fields.all()) {
    if (field.by == AskedField::By::kCommandLine) continue;
    if (field.old_key == key)
      return fmt::format("unknown key {}; it is `{}`", quote(key), field.key);
    known.push_back(field.key);
  }
  return fmt::format("unknown key {}{}", quote(key), suggestion(key, known));
}

}  // namespace

std::vector<Diagnostic> take_json(Fields& fields, std::string text) {
  std::vector<Diagnostic> problems;
  auto parsed = json::Document::parse(std::move(text));
  if (!parsed) return {parsed.error()};
  const json::Document& document = *parsed;
  const Value& root = document.root();
  if (!root.is(Kind::kObject)) {
    return {{"a request is an object", {}, document.position(root.offset())}};
  }
  Reader reader(document, problems);
  for (const json::Member& member : root.members()) {
    const auto complain = [&](std::string what) {
      problems.push_back({std::move(what), {}, document.position(member.key_offset)});
    };
    const auto field =
        std::find_if(fields.all().begin(), fields.all().end(), [&](const AskedField& one) {
          return one.key == member.key && one.by != AskedField::By::kCommandLine;
        });
    if (field == fields.all().end()) {
      complain(unknown_key(fields, member.key));
    } else if (field->given) {
      complain(fmt::format("the key {} is there twice", quote(member.key)));
    } else if (!member.value.is(Kind::kNull)) {
      reader.read(*field, member.value);
    }
  }
  for (const AskedField& field : fields.all()) {
    const auto both = [&](std::string_view other) {
      const AskedField& against = fields.at(other);
      return against.is_other() && against.by != AskedField::By::kCommandLine;
    };
    if (!field.given || !problems.empty()) continue;
    for (const std::string_view other : field.not_with) {
      if (!field.is_other() || !both(other)) continue;
      problems.push_back({fmt::format("`{}` and `{}` exclude each other", field.key, other)});
    }
    if (!field.only_with.empty() && !both(field.only_with)) {
      problems.push_back({fmt::format("`{}` needs `{}`", field.key, field.only_with)});
    }
  }
  return problems;
}

namespace {

void write_type(json::Writer& out, const AskedField& field) {
  struct Types {
    json::Writer& out;
    const AskedField& field;
    void operator()(const bool*) const { out.key("type").string("boolean"); }
    void operator()(const std::function<void(std::int64_t)>&) const {
      out.key("type").string("integer");
      out.key("minimum").integer(field.least).key("maximum").integer(field.most);
    }
    void operator()(const std::function<void(std::string)>&) const {
      if (field.is_decimal) {
        out.key("type").begin_array().string("number").string("string").end_array();
      } else if (field.with_commas) {
        out.key("type").begin_array().string("string").string("array").end_array();
      } else {
        out.key("type").string("string");
        words(field.words);
      }
    }
    void operator()(const std::vector<std::string>*) const {
      out.key("type").string("array").key("items").begin_object();
      out.key("type").string("string");
      words(field.words);
      out.end_object();
    }
    void operator()(const Assignments*) const {
      out.key("type").begin_array().string("array").string("object").end_array();
    }
    void operator()(const Document*) const {
      out.key("type").begin_array().string("object").string("string").end_array();
    }
    void operator()(const std::vector<Document>*) const {
      out.key("type").string("array").key("items").begin_object();
      out.key("type").begin_array().string("object").string("string").end_array().end_object();
    }
    void operator()(const NamedValues*) const { out.key("type").string("object"); }
    void words(const std::vector<std::string>& all) const {
      if (all.empty()) return;
      out.key("enum").begin_array();
      for (const std::string& word : all) out.string(word);
      out.end_array();
    }
  };
  std::visit(Types{out, field}, field.place);
  if (field.usual.empty()) return;
  out.key("default");
  if (field.is_flag()) {
    out.boolean(true);
  } else if (std::holds_alternative<std::function<void(std::int64_t)>>(field.place)) {
    out.number(field.usual);
  } else {
    out.string(field.usual);
  }
}

}  // namespace

void write_field_schema(json::Writer& out, const AskedField& field) {
  out.begin_object();
  write_type(out, field);
  out.key("description").string(field.help).end_object();
}

void write_question_schema(json::Writer& out, const Fields& fields) {
  out.begin_object().key("type").string("object").key("properties").begin_object();
  for (const AskedField& field : fields.all()) {
    if (field.by == AskedField::By::kCommandLine) continue;
    write_field_schema(out.key(field.key), field);
  }
  out.end_object();
  std::vector<std::string_view> required;
  for (const AskedField& field : fields.all()) {
    if (field.must && field.by != AskedField::By::kCommandLine) required.push_back(field.key);
  }
  if (!required.empty()) {
    out.key("required").begin_array();
    for (const std::string_view key : required) out.string(key);
    out.end_array();
  }
  out.key("additionalProperties").boolean(false).end_object();
}

}  // namespace tactus
