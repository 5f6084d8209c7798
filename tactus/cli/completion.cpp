#include <map>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"

/// Scripts that ask `tactus complete` (complete.cpp) about every word: so one answer serves every
/// shell, and it knows the file that is named.
namespace tactus::cli {
namespace {

constexpr std::string_view kBash = R"(_tactus() {
  local line=${COMP_LINE:0:COMP_POINT} word=${COMP_WORDS[COMP_CWORD]} words found prefix
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local IFS=$'\n'
  found=($("${words[0]}" complete -- "${words[@]:1}" 2> /dev/null))
  if [[ ${found[0]} == :files ]]; then
    found=("${found[@]:1}" $(compgen -f -- "$word"))
    compopt -o filenames 2> /dev/null
  fi
  # Of a word with `=` or `:` bash replaces only what is behind the last of them.
  prefix=${words[-1]}
  prefix=${prefix%"$word"}
  [[ $word == [=:] ]] && prefix=${words[-1]}
  COMPREPLY=("${found[@]#"$prefix"}")
  [[ ${#found[@]} -eq 1 && ${found[0]} == *[=,.] ]] && compopt -o nospace 2> /dev/null
  return 0
}
complete -F _tactus tactus
)";

constexpr std::string_view kZsh = R"(#compdef tactus
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_tactus() {
  local -a found
  found=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ ${found[1]} == :files ]]; then
    shift found
    _files
  fi
  local one
  for one in $found; do
    [[ -z $one ]] && continue
    if [[ $one == *[=,.] ]]; then compadd -Q -S '' -- "$one"; else compadd -Q -- "$one"; fi
  done
}
compdef _tactus tactus
)";

constexpr std::string_view kFish = R"(function __tactus_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] complete -- $words[2..-1] 2> /dev/null)
  if test (count $found) -gt 0; and test "$found[1]" = :files
    set -e found[1]
    __fish_complete_path (commandline -ct)
  end
  printf '%s\n' $found
end
complete -c tactus -f -a '(__tactus_complete)'
)";

const std::map<std::string, std::string_view> kScripts = {
    {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

struct CompletionArguments {
  std::string shell;
};

void describe(CompletionArguments& arguments, Fields& is) {
  is("shell", arguments.shell, "bash, zsh or fish")
      .positional("SHELL")
      .required()
      .one_of({"bash", "zsh", "fish"});
}

int run(CompletionArguments& arguments) {
  return emit(kScripts.at(arguments.shell)) ? kYes : kBadInput;
}

}  // namespace

void add_completion(Parser& app, int& exit_code) {
  add_verb<CompletionArguments>(app, exit_code, "completion", "A completion script for your shell",
                                "Examples:\n"
                                "  source <(tactus completion bash)\n"
                                "  source <(tactus completion zsh)\n"
                                "  tactus completion fish | source",
                                run);
}

}  // namespace tactus::cli
