#include "tactus/cli/help.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "tactus/model/diagnostic.hpp"

namespace tactus::cli {
namespace {

constexpr std::size_t kNames = 30, kLine = 100;

/// "TEXT:{a,b}" is how CLI11 shows a choice, "UINT:N" a checked number: only the end matters.
std::string value_name(const CLI::Option& option) {
  std::string name = option.get_type_name();
  name.erase(0, name.find(':') + 1);
  if (name.starts_with('{')) {
    name = name.substr(1, name.size() - 2);
    std::replace(name.begin(), name.end(), ',', '|');
  }
  return name.find(" in [") != std::string::npos ? "N" : name;
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = 0;
  while (words >> word) {
    const bool fits = column + 1 + word.size() <= width;
    if (column > 0) out += fits ? ' ' : '\n';
    column = column > 0 && fits ? column + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

/// The verb (`gpu info` is one) that the command line begins with.
const CLI::App* chosen_verb(const CLI::App& app, int argc, char** argv, int from = 1) {
  if (argc <= from) return &app;
  for (const CLI::App* verb : verbs_of(app)) {
    if (verb->get_name() == argv[from]) return chosen_verb(*verb, argc, argv, from + 1);
  }
  return &app;
}

std::string unknown_verb(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) names.push_back(verb->get_name());
  const bool file = ::access(std::string(word).c_str(), R_OK) == 0;
  const std::string meant = suggestion(word, names);
  return fmt::format("there is no verb {}{}", quote(word),
                     !meant.empty() ? meant
                     : file         ? fmt::format("; did you mean `tactus analyze {}`?", word)
                                    : "");
}

std::string unknown_argument(const CLI::App& verb, const std::vector<std::string>& extras) {
  for (const std::string& word : extras) {
    if (!word.starts_with('-') || word == "-") continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return fmt::format("there is no option {}{}", quote(word), suggestion(word, names));
  }
  return fmt::format("{} is one argument too many", quote(extras.front()));
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(kNames);
  label("Subcommands", "Verbs");
  label("SUBCOMMAND", "VERB");
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return {};
  // A positional argument has its name for a value.
  const std::string value = option->get_positional() ? "" : " " + value_name(*option);
  return value + (option->get_expected_max() > 1 ? " ..." : "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (option->get_type_size() != 0 && !option->get_default_str().empty()) {
    text += fmt::format(" (default {})", option->get_default_str());
  }
  return wrapped(text, kLine - kNames);
}

std::string usage_problem(const CLI::App& app, const CLI::ParseError& error, int argc,
                          char** argv) {
  const CLI::App& verb = *chosen_verb(app, argc, argv);
  const bool has_verbs = !verbs_of(verb).empty();
  std::string name = verb.get_name();
  for (const CLI::App* up = verb.get_parent(); up != nullptr; up = up->get_parent()) {
    name = up->get_name() + " " + name;
  }
  std::string problem = error.what();
  // The first word after the verb's own name.
  const int words = 1 + static_cast<int>(std::count(name.begin(), name.end(), ' '));
  if (has_verbs && argc > words && argv[words][0] != '-') {
    problem = unknown_verb(verb, argv[words]);
  } else if (const auto extras = app.remaining(true); !extras.empty()) {
    problem = unknown_argument(verb, extras);
  } else if (has_verbs) {
    problem = "say what to do";
  }
  return fmt::format("tactus: {} (see {} --help)", problem, name);
}

}  // namespace tactus::cli
