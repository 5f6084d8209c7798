#include "tactus/cli/mistakes.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/cli/help_text.hpp"

namespace tactus::cli {
namespace {

/// The verb of that name, the hidden ones included, or null.
const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::string no_such_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) names.push_back(verb->get_name());
  std::string meant = suggestion(word, names);
  for (const CLI::App* verb : verbs_of(app)) {
    if (const CLI::App* own = find_verb(*verb, word)) {
      meant = fmt::format("; did you mean `{}`?", full_name(*own));
    }
  }
  const bool file = app.get_parent() == nullptr && ::access(word.c_str(), R_OK) == 0;
  return fmt::format("there is no verb {}{} (see {} --help)", quote(word),
                     !meant.empty() ? meant
                     : file         ? fmt::format("; did you mean `tactus analyze {}`?", word)
                                    : "",
                     full_name(app));
}

std::string unknown_argument(const CLI::App& verb, const std::vector<std::string>& extras) {
  for (const std::string& word : extras) {
    if (!is_option(word) || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
    }
    return fmt::format("there is no option {}{}", quote(name), suggestion(name, names));
  }
  return fmt::format("{} is one argument too many", quote(extras.front()));
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(at, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// "--tier: chanel not in {channel,yield,gate}" and "--threads: Value 0 not in range 1 to 1024", as
/// CLI11 says it, in our words; other texts as they are.
std::string in_our_words(const std::string& told) {
  constexpr std::string_view kNotIn = " not in {", kNotInRange = " not in range ";
  const std::size_t colon = told.find(": ");
  if (colon == std::string::npos) return told;
  const std::string name = told.substr(0, colon), rest = told.substr(colon + 2);
  if (const std::size_t at = rest.rfind(kNotIn); at != std::string::npos && rest.back() == '}') {
    const std::string word = rest.substr(0, at);
    const std::size_t from = at + kNotIn.size();
    const auto choices = split(std::string_view(rest).substr(from, rest.size() - from - 1), ',');
    return fmt::format("{} must be one of {}, got {}{}", name, fmt::join(choices, ", "),
                       quote(word), suggestion(word, choices));
  }
  if (rest.starts_with("must ")) return fmt::format("{} {}", name, rest);
  constexpr std::string_view kValue = "Value ";
  if (const std::size_t at = rest.rfind(kNotInRange);
      at != std::string::npos && rest.starts_with(kValue)) {
    return fmt::format("{} must be a number from {}, got {}", name,
                       rest.substr(at + kNotInRange.size()),
                       quote(rest.substr(kValue.size(), at - kValue.size())));
  }
  return told;
}

}  // namespace

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

const CLI::App& chosen_verb(const CLI::App& app, std::span<const std::string> words) {
  if (words.empty()) return app;
  const CLI::App* verb = find_verb(app, words.front());
  return verb == nullptr ? app : chosen_verb(*verb, words.subspan(1));
}

std::string unknown_verb(const CLI::App& app, std::span<const std::string> words) {
  if (words.empty() || is_option(words.front()) || verbs_of(app).empty()) return {};
  const CLI::App* verb = find_verb(app, words.front());
  return verb == nullptr ? no_such_verb(app, words.front()) : unknown_verb(*verb, words.subspan(1));
}

std::string usage_problem(const CLI::App& app, const CLI::ParseError& error,
                          std::span<const std::string> words) {
  const CLI::App& verb = chosen_verb(app, words);
  const auto* extras_error = dynamic_cast<const CLI::ExtrasError*>(&error);
  const auto* required = dynamic_cast<const CLI::RequiredError*>(&error);
  std::string problem = in_our_words(error.what());
  if (extras_error != nullptr || required != nullptr) {
    const auto extras = app.remaining(true);
    if (!extras.empty()) {
      problem = unknown_argument(verb, extras);
    } else if (!verbs_of(verb).empty()) {
      problem = "say what to do";
    }
  }
  return fmt::format("{}: {} (see {} --help)", app.get_name(), problem, full_name(verb));
}

}  // namespace tactus::cli
