#include "tactus/cli/help.hpp"
#include "tactus/cli/question_options.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "tactus/cli/help_text.hpp"
#include "tactus/cli/own_methods.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::cli {
namespace {

constexpr std::size_t kVerbNames = 14;

/// How wide help is, and how much of that names have; on a narrow terminal what they mean stands
/// below them.
struct Layout {
  std::size_t line = 80, names = 26;
  bool narrow = false;
};
const Layout& layout() {
  static const Layout kLayout = [] {
    const int fold = report::Style::of(STDOUT_FILENO).fold;
    if (fold >= report::kRoomForTables) return Layout();
    return Layout{static_cast<std::size_t>(fold), 4, true};
  }();
  return kLayout;
}

/// Words on lines of at most `width`; later lines begin with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = 0;
  while (words >> word) {
    const bool fits = column + 1 + word.size() <= width;
    if (column > 0) out += fits ? std::string(1, ' ') : '\n' + std::string(indent, ' ');
    column = column > 0 && fits ? column + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

bool has_option(const Method& method, std::string_view name) {
  return std::any_of(method.options.begin(), method.options.end(),
                     [&](const OptionSpec& option) { return option.name == name; });
}

/// The methods that the command line names; none if it names none.
std::vector<const Method*> named_methods(const CLI::App& verb) {
  const CLI::Option* option = verb.get_option_no_throw("--method");
  if (option == nullptr || option->count() == 0) return {};
  auto chosen = select_methods(option->results().front());
  return chosen ? *chosen : std::vector<const Method*>();
}

/// The names of options that few people need.
std::string only_named(const std::vector<const CLI::Option*>& options, const CLI::App& verb) {
  std::string names;
  for (const CLI::Option* option : options) names += " --" + option->get_lnames().front();
  return fmt::format("\n{} (`{} --help-all` tells about them):\n  {}\n", kSeldom, full_name(verb),
                     wrapped(names, layout().line - 2, 2));
}

}  // namespace

std::string short_usage(const CLI::App& app) {
  const HelpFormatter formatter;
  return formatter.make_usage(&app, full_name(app)) +
         formatter.make_subcommands(&app, CLI::AppFormatMode::Normal) +
         fmt::format("\n`tactus help{} VERB` says more of a verb.\n",
                     app.get_parent() == nullptr ? "" : " " + app.get_name());
}

void use_our_help(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

HelpFormatter::HelpFormatter() {
  column_width(layout().names);
  label("SUBCOMMAND", "VERB");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string out =
      make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
  const std::vector<const Method*> named = named_methods(*app);
  std::string more;  // where the options of methods are told
  for (const std::string& group : app->get_groups()) {
    if (group.empty()) continue;
    if (group == kOwnMethodsGroup && app->get_name() != "own-methods") {
      more += "  `tactus help lab own-methods` tells how methods of your own take part\n";
      continue;
    }
    const bool of_methods = group == kMethodOptionsGroup;
    if (of_methods && named.empty()) {
      more +=
          fmt::format("  `{} --help --method ID` tells the options of a method\n", full_name(*app));
      continue;
    }
    const auto options = app->get_options([&](const CLI::Option* option) {
      if (option->get_group() != group || !option->nonpositional()) return false;
      return !of_methods || std::any_of(named.begin(), named.end(), [&](const Method* method) {
        return has_option(*method, option->get_lnames().front());
      });
    });
    if (!options.empty() && group == kSeldom && mode != CLI::AppFormatMode::All) {
      out += only_named(options, *app);
    } else if (!options.empty()) {
      out += make_group(group, false, options);
    } else if (of_methods) {
      out += fmt::format("\n{}:\n  {} no options of {} own\n", group,
                         named.size() == 1 ? fmt::format("{} has", named.front()->id)
                                           : std::string("The named methods have"),
                         named.size() == 1 ? "its" : "their");
    }
  }
  if (!more.empty()) out += "\nMethods:\n" + more;
  return out + make_subcommands(app, mode) + '\n' + make_footer(app);
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped(app->get_description(), layout().line) + '\n';
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return {};
  // A positional argument has its name for a value.
  const std::string value = option->get_positional() ? "" : " " + value_name(*option);
  return value + (option->get_expected_max() > 1 ? " ..." : "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(described(*option), layout().line - layout().names);
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  std::size_t names = kVerbNames;
  for (const CLI::App* other : verb->get_parent()->get_subcommands({})) {
    if (!other->get_group().empty()) names = std::max(names, other->get_name().size() + 2);
  }
  if (layout().narrow) {
    return fmt::format("  {}\n    {}\n", verb->get_name(),
                       wrapped(verb->get_description(), layout().line - 4, 4));
  }
  const std::string text = wrapped(verb->get_description(), layout().line - names - 2, names + 2);
  return fmt::format("  {:<{}}{}\n", verb->get_name(), names, text);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string out;
  for (const std::string& paragraph : footer_paragraphs(*app)) {
    out += (paragraph.starts_with("  ") ? paragraph : wrapped(paragraph, layout().line)) + '\n';
  }
  return out;
}

}  // namespace tactus::cli
