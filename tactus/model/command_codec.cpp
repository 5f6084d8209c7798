#include "tactus/model/command_codec.hpp"

namespace tactus::codec {
namespace {

constexpr std::string_view kArguments = "a program and its arguments as an array of texts";

/// What is wrong with an argument; empty if nothing is.
std::string_view wrong_argument(std::string_view text, bool program) {
  if (program && text.empty()) return "the program must not be empty";
  return text.find('\0') != std::string_view::npos ? "no argument may hold a NUL" : "";
}

/// The names that every shell and every init system takes.
bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || name.size() > kMaxNameBytes || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool name_fits(std::string_view name, ReadContext& context, Place place) {
  if (is_variable_name(name)) return true;
  context.error(place, fmt::format("{} is no name of an environment variable; it has letters, "
                                   "digits and _, and begins with no digit",
                                   quote(name)));
  return false;
}

bool value_fits(std::string_view name, std::string_view value, ReadContext& context, Place place) {
  if (value.find('\0') == std::string_view::npos) return true;
  context.error(place, fmt::format("the variable {} holds a NUL", quote(name)));
  return false;
}

}  // namespace

bool Arguments::read(const json::Value& value, std::string_view key, ReadContext& context,
                     std::vector<std::string>& out) {
  if (!value.is(json::Kind::kArray)) return mismatch(value, key, context, kArguments);
  if (value.items().empty()) {
    context.error(value, fmt::format("`{}` needs at least the program", key));
    return false;
  }
  bool good = true;
  for (const json::Value& item : value.items()) {
    if (!item.is(json::Kind::kString)) {
      good = mismatch(item, key, context, kArguments);
      continue;
    }
    const std::string_view wrong = wrong_argument(item.text(), out.empty());
    if (!wrong.empty()) {
      context.error(item, fmt::format("`{}`: {}", key, wrong));
      good = false;
    }
    out.emplace_back(item.text());
  }
  return good;
}

bool Arguments::check(const std::vector<std::string>& arguments, std::string_view key,
                      ReadContext& context, Position at) {
  if (arguments.empty()) {
    context.error(at, fmt::format("`{}` needs at least the program", key));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view wrong = wrong_argument(arguments[i], i == 0);
    if (!wrong.empty()) {
      context.error(at, fmt::format("`{}`: {}", key, wrong));
      good = false;
    }
    good = Text::check(arguments[i], key, context, at) && good;
  }
  return good;
}

void Arguments::write(json::Writer& out, const System&, const std::vector<std::string>& arguments) {
  out.begin_array();
  for (const std::string& argument : arguments) out.string(argument);
  out.end_array();
}

void Arguments::describe(json::Writer& out) {
  out.key("type").string("array");
  out.key("minItems").integer(1);
  out.key("items").begin_object().key("type").string("string").end_object();
}

bool Variables::read(const json::Value& value, std::string_view key, ReadContext& context,
                     std::vector<Variable>& out) {
  if (!value.is(json::Kind::kObject)) {
    return mismatch(value, key, context, "an object of texts");
  }
  bool good = true;
  NameIndex names(value.members().size());
  for (const json::Member& member : value.members()) {
    if (!names.insert(member.key, 0)) {
      context.error(member, "key " + quote(member.key) + " is given twice");
      good = false;
      continue;
    }
    Variable& variable = out.emplace_back();
    variable.name = member.key;
    good = name_fits(variable.name, context, member) && good;
    if (!Text::read(member.value, member.key, context, variable.value)) {
      good = false;
    } else {
      good = value_fits(variable.name, variable.value, context, member.value) && good;
    }
  }
  return good;
}

bool Variables::check(const std::vector<Variable>& variables, std::string_view,
                      ReadContext& context, Position at) {
  bool good = true;
  NameIndex names(variables.size());
  for (const Variable& variable : variables) {
    if (!names.insert(variable.name, 0)) {
      context.error(at, "key " + quote(variable.name) + " is given twice");
      good = false;
      continue;
    }
    good = name_fits(variable.name, context, at) && good;
    good = value_fits(variable.name, variable.value, context, at) && good;
    good = Text::check(variable.value, variable.name, context, at) && good;
  }
  return good;
}

void Variables::write(json::Writer& out, const System&, const std::vector<Variable>& variables) {
  out.begin_object();
  for (const Variable& variable : variables) out.key(variable.name).string(variable.value);
  out.end_object();
}

void Variables::describe(json::Writer& out) {
  out.key("type").string("object");
  out.key("propertyNames").begin_object();
  out.key("pattern").string("^[A-Za-z_][A-Za-z0-9_]*$").end_object();
  out.key("additionalProperties").begin_object().key("type").string("string").end_object();
}

}  // namespace tactus::codec
