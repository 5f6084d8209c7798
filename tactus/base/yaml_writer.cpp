#include "tactus/base/json_writer.hpp"
#include "tactus/base/plain_scalar.hpp"
#include "tactus/base/yaml.hpp"

namespace tactus::yaml {
namespace {

using json::Kind;
using json::Value;

std::string scalar(std::string_view text) {
  if (is_safe_without_quotes(text)) return std::string(text);
  json::Writer out(json::Layout::kOneLine);  // a text of JSON is one of YAML
  out.string(text);
  std::string quoted = out.take();
  quoted.pop_back();  // the newline
  return quoted;
}

class Writer {
 public:
  std::string take() { return std::move(out_); }

  /// Behind "key:" or "-": on the same line where that reads well, else below.
  void value(const Value& value, std::size_t indent) {
    switch (value.kind()) {
      case Kind::kNull:
        out_ += " null\n";
        return;
      case Kind::kBool:
        out_ += value.boolean() ? " true\n" : " false\n";
        return;
      case Kind::kNumber:
        (out_ += ' ').append(value.text()) += '\n';
        return;
      case Kind::kString:
        (out_ += ' ').append(scalar(value.text())) += '\n';
        return;
      case Kind::kArray:
        if (is_short(value)) return short_list(value);
        out_ += '\n';
        return list(value, indent);
      case Kind::kObject:
        if (value.members().empty()) {
          out_ += " {}\n";
          return;
        }
        out_ += '\n';
        return object(value, indent, false);
    }
  }

  /// `inside` a list the first key stands behind the dash.
  void object(const Value& value, std::size_t indent, bool inside) {
    bool first = inside;
    for (const json::Member& member : value.members()) {
      if (!first) out_.append(indent, ' ');
      first = false;
      out_.append(scalar(member.key)) += ':';
      const bool below = member.value.is(Kind::kArray);
      this->value(member.value, below ? indent : indent + 2);
    }
  }

 private:
  /// Lists of plain values fit on a line: edges, names, arguments.
  static bool is_short(const Value& value) {
    for (const Value& item : value.items()) {
      if (item.is(Kind::kArray) || item.is(Kind::kObject)) return false;
    }
    return true;
  }
  void short_list(const Value& value) {
    out_ += " [";
    const char* separator = "";
    for (const Value& item : value.items()) {
      out_ += separator;
      separator = ", ";
      switch (item.kind()) {
        case Kind::kString:
          out_ += scalar(item.text());
          break;
        case Kind::kNumber:
          out_ += item.text();
          break;
        case Kind::kBool:
          out_ += item.boolean() ? "true" : "false";
          break;
        default:
          out_ += "null";
      }
    }
    out_ += "]\n";
  }
  void list(const Value& value, std::size_t indent) {
    for (const Value& item : value.items()) {
      out_.append(indent, ' ') += '-';
      if (item.is(Kind::kObject) && !item.members().empty()) {
        out_ += ' ';
        object(item, indent + 2, true);
      } else {
        this->value(item, indent + 2);
      }
    }
  }

  std::string out_;
};

}  // namespace

std::string from_json(const std::string& text) {
  const auto parsed = json::Document::parse(text);
  if (!parsed || !parsed->root().is(Kind::kObject)) return {};
  Writer writer;
  writer.object(parsed->root(), 0, false);
  return writer.take();
}

}  // namespace tactus::yaml
