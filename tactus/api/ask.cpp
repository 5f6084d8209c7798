#include "tactus/api/ask.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/verbs/about.hpp"

namespace tactus::api {

void Request::apart(std::string_view key, const char* text) { apart_.emplace_back(key, text); }

std::optional<verbs::NoAnswer> Request::take(Fields& fields) {
  const auto is_apart = [&](const AskedField& field) {
    return std::any_of(apart_.begin(), apart_.end(),
                       [&](const auto& one) { return one.first == field.key; });
  };
  bool about_a_system = false;
  for (AskedField& field : fields.all()) {
    if (!is_apart(field)) continue;
    field.by = AskedField::By::kCommandLine;  // no key of the request
    about_a_system = about_a_system || field.key == "system";
  }
  if (about_a_system) {
    fields("file", file_, "What the system is called in problems").by_library();
  }
  const std::vector<Diagnostic> wrong = take_json(fields, text_);
  for (AskedField& field : fields.all()) {
    if (!is_apart(field)) continue;
    const auto given = std::find_if(apart_.begin(), apart_.end(),
                                    [&](const auto& one) { return one.first == field.key; });
    Document document{
        .name = field.key == "system" && !file_.empty() ? file_ : fmt::format("<{}>", field.key)};
    if (given->second == nullptr) {
      document.problem = Error{fmt::format("there is no {}: it is NULL", field.key)};
    } else {
      document.text = given->second;
      sources_.texts.push_back({document.name, given->second});
    }
    field.given = true;
    if (auto* const* one = std::get_if<Document*>(&field.place)) **one = document;
    if (auto* const* all = std::get_if<std::vector<Document>*>(&field.place)) **all = {document};
  }
  for (const AskedField& field : fields.all()) {  // whose texts live as long as the question
    if (is_apart(field)) continue;
    if (auto* const* one = std::get_if<Document*>(&field.place)) {
      if ((*one)->given()) sources_.texts.push_back({(*one)->name, (*one)->text.c_str()});
    }
    if (auto* const* all = std::get_if<std::vector<Document>*>(&field.place)) {
      for (const Document& document : **all) {
        sources_.texts.push_back({document.name, document.text.c_str()});
      }
    }
  }
  if (wrong.empty()) return std::nullopt;
  return verbs::NoAnswer{verbs::kBadInput, verbs::problems_of(wrong, kName)};
}

}  // namespace tactus::api
