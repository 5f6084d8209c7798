#include "tactus/cli/question_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "tactus/base/file.hpp"
#include "tactus/cli/output.hpp"

namespace tactus::cli {
namespace {

std::string names_of(const AskedField& field) {
  if (!field.at.empty()) return std::string(field.at);
  std::string names = option_name(field);
  if (!field.alias.empty()) names = fmt::format("-{},--{},{}", field.alias[0], field.alias, names);
  return field.letter_ == 0 ? names : fmt::format("-{},{}", field.letter_, names);
}

std::string shown_type(const AskedField& field) {
  if (!field.value.empty()) return field.value;
  if (std::holds_alternative<std::function<void(std::int64_t)>>(field.place)) return "N";
  return "TEXT";
}

/// CLI11's check of a value, in our words. What there is to choose from is read from its name.
CLI::Validator check_of(const AskedField& field) {
  const std::string words =
      field.words.empty() ? "" : fmt::format("{{{}}}", fmt::join(field.words, ","));
  return CLI::Validator([&field](std::string& text) { return fault_of(field, text); }, words);
}

Document named(const std::string& path) {
  return {.path = path, .name = shown_name(path), .text = {}, .problem = {}};
}

void read(Document& document) {
  if (document.path.empty()) return;
  Result<std::string> text = read_text_file(document.path);
  if (text) {
    document.text = std::move(*text);
  } else {
    document.problem = text.error();
  }
}

/// Adds the option of one field, by what it takes.
struct Adding {
  CLI::App& app;
  AskedField& field;

  CLI::Option* operator()(bool* place) const {
    return app.add_flag_callback(
        names_of(field), [place, on = !field.is_on()] { *place = on; },
        field.help_off.empty() ? field.help : field.help_off);
  }
  CLI::Option* operator()(const std::function<void(std::int64_t)>& place) const {
    const auto take = [&place, this_field = &field](const std::string& text) {
      std::int64_t number = 0;
      const char* const end = text.data() + text.size();
      const bool digits =
          std::from_chars(text.data(), end, number) == std::from_chars_result{end, std::errc()};
      const std::string fault = digits
                                    ? fault_of(*this_field, number)
                                    : fmt::format("must be a whole number from {} to {}, got {}",
                                                  this_field->least, this_field->most, quote(text));
      if (!fault.empty()) throw CLI::ValidationError(option_name(*this_field), fault);
      place(number);
    };
    return app.add_option_function<std::string>(names_of(field), take, field.help);
  }
  CLI::Option* operator()(const std::function<void(std::string)>& place) const {
    return app
        .add_option_function<std::string>(
            names_of(field), [&place](const std::string& text) { place(text); }, field.help)
        ->check(check_of(field));
  }
  CLI::Option* operator()(std::vector<std::string>* place) const {
    CLI::Option* const option =
        several([place](const std::vector<std::string>& given) { *place = given; });
    if (field.with_commas) option->delimiter(',');
    return option->check(check_of(field));
  }
  CLI::Option* operator()(Assignments* place) const {
    return several([place](const std::vector<std::string>& given) { place->all = given; })
        ->check(CLI::Validator(  // told before a value that stands apart is taken for a file's name
            [](std::string& text) {
              if (text.find('=') != std::string::npos) return std::string();
              return quote(text) + " has no =VALUE, as in camera.detect.wcet=11";
            },
            ""));
  }
  CLI::Option* operator()(Document* place) const {
    return app.add_option_function<std::string>(
        names_of(field), [place](const std::string& path) { *place = named(path); }, field.help);
  }
  CLI::Option* operator()(std::vector<Document>* place) const {
    return several([place](const std::vector<std::string>& paths) {
      for (const std::string& path : paths) place->push_back(named(path));
    });
  }
  /// Each with its own name.
  CLI::Option* operator()(NamedValues* place) const {
    for (const NamedValue& own : field.names) {
      const std::string name(own.name), names = "--" + name;
      CLI::Option* const option =
          own.value.empty()
              ? app.add_flag_callback(
                    names, [place, name] { (*place)[name] = "on"; }, std::string(own.help))
              : app.add_option_function<std::string>(
                       names, [place, name](const std::string& text) { (*place)[name] = text; },
                       std::string(own.help))
                    ->type_name(std::string(own.value));
      option->group(std::string(kMethodOptionsGroup));
    }
    return nullptr;
  }

 private:
  CLI::Option* several(const std::function<void(const std::vector<std::string>&)>& take) const {
    CLI::Option* const option =
        app.add_option_function<std::vector<std::string>>(names_of(field), take, field.help);
    if (field.at.empty()) option->allow_extra_args(false);
    return option;
  }
};

/// What was called something else says so.
void add_old_name(CLI::App& app, const AskedField& field) {
  const std::string old = "--" + std::string(field.old_key);
  const auto refuse = [old, name = option_name(field)] {
    throw CLI::ValidationError(old, "must be written " + name);
  };
  if (field.is_flag()) {
    app.add_flag_callback(old, refuse)->group("");
  } else {
    app.add_option_function<std::string>(old, [refuse](const std::string&) { refuse(); })
        ->group("");
  }
}

void add_option(CLI::App& app, AskedField& field) {
  if (!field.old_key.empty()) add_old_name(app, field);
  CLI::Option* const option = std::visit(Adding{app, field}, field.place);
  if (option == nullptr) return;
  option->required(field.must);
  if (field.heading) option->group(std::string(*field.heading));
  if (field.is_flag()) return;
  option->type_name(shown_type(field));
  // A number that would not be accepted stands for "as it is elsewhere".
  if (!field.usual.empty() && !(field.usual == "0" && field.least > 0)) {
    option->default_str(field.usual);
  }
}

}  // namespace

void add_options(Parser& verb, Fields& fields) {
  CLI::App& app = verb.app();
  for (AskedField& field : fields.all()) {
    if (field.by != AskedField::By::kLibrary) add_option(app, field);
  }
  if (std::any_of(fields.all().begin(), fields.all().end(),
                  [](const AskedField& field) { return field.heading == kSeldom; })) {
    app.set_help_all_flag("--help-all")->group("");  // help tells of it where it names them
  }
  const auto option_of = [&](std::string_view key) {
    const AskedField& field = fields.at(key);
    return app.get_option(field.at.empty() ? option_name(field) : std::string(field.at));
  };
  for (const AskedField& field : fields.all()) {
    if (field.by == AskedField::By::kLibrary) continue;
    for (const std::string_view other : field.not_with) {
      option_of(field.key)->excludes(option_of(other));
    }
    if (!field.only_with.empty()) option_of(field.key)->needs(option_of(field.only_with));
  }
}

Document document_at(const std::string& path) {
  Document document = named(path);
  read(document);
  return document;
}

void take_given(const Parser& verb, Fields& fields) {
  for (AskedField& field : fields.all()) {
    if (field.by == AskedField::By::kLibrary) continue;
    const CLI::Option* const option = verb.app().get_option_no_throw(
        field.at.empty() ? option_name(field) : std::string(field.at));
    field.given = option != nullptr && option->count() > 0;
  }
  for (AskedField& field : fields.all()) {
    if (auto* const* one = std::get_if<Document*>(&field.place)) read(**one);
    if (auto* const* all = std::get_if<std::vector<Document>*>(&field.place)) {
      for (Document& document : **all) read(document);
    }
  }
}

}  // namespace tactus::cli
