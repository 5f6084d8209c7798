#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/bundled.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::cli {
namespace {

/// The words that may follow a verb: its options and verbs of its own, taken from the parser
/// itself. Words that help does not show are not offered either.
std::vector<std::string> options_of(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  }
  for (const CLI::App* own : verb.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(own->get_name());
    for (std::string& word : options_of(*own)) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  return words;
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> verbs, cases;
  // Verbs without a group are not for people.
  for (const CLI::App* verb :
       app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    verbs.push_back(verb->get_name());
    cases.push_back(
        fmt::format("    {}) words='{}' ;;", verb->get_name(), fmt::join(options_of(*verb), " ")));
  }
  std::vector<std::string_view> methods, names, experiments;
  for (const Method* method : registry()) methods.push_back(method->id);
  for (const Recipe* recipe : recipes()) names.push_back(recipe->name);
  for (const auto& file : experiment::bundled_files()) experiments.push_back(file.name);
  return fmt::format(R"(_tactus() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  case $previous in
    -m|--method) COMPREPLY=($(compgen -W 'all {0}' -- "$word")); return ;;
    -o|--output|--check|--dot) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{1} --help --version' -- "$word")); return
  fi
  case ${{COMP_WORDS[1]}} in
{2}
  esac
  case ${{COMP_WORDS[1]}} in
    methods) words="$words {0}" ;;
    generate) words="$words {3}" ;;
    reproduce) words="$words {4}" ;;
    completion) words="$words bash zsh" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case ${{COMP_WORDS[1]}} in
    check|analyze|slack|advise|plan|deploy|doctor|simulate|run|reproduce|results|plot) [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _tactus tactus
)",
                     fmt::join(methods, " "), fmt::join(verbs, " "), fmt::join(cases, "\n"),
                     fmt::join(names, " "), fmt::join(experiments, " "));
}

/// zsh understands bash's completion functions after this command.
std::string zsh_script(const CLI::App& app) {
  return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("completion", "A completion script for your shell");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  verb->footer(
      "Examples:\n"
      "  source <(tactus completion bash)\n"
      "  source <(tactus completion zsh)");
  verb->callback([&app, shell, &exit_code] {
    exit_code = emit(*shell == "bash" ? bash_script(app) : zsh_script(app)) ? kYes : kBadInput;
  });
}

}  // namespace tactus::cli
