#include "tactus/cli/complete.hpp"

#include <CLI/CLI.hpp>

#include <span>

#include "tactus/cli/candidates.hpp"
#include "tactus/cli/mistakes.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/verbs.hpp"

namespace tactus::cli {

int complete(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty()) words.emplace_back();
  if (words.size() > 1 && words.front() == "help") words.erase(words.begin());
  CLI::App app("", "tactus");
  app.set_version_flag("--version", "");
  int unused = 0;
  Parser parser(app);
  add_verbs(parser, unused, words.size() > 1 ? words.front() : std::string());
  const std::span<const std::string> all = words;
  const CLI::App& verb = chosen_verb(app, all.first(words.size() - 1));
  std::size_t names = 0;
  for (const CLI::App* up = &verb; up->get_parent() != nullptr; up = up->get_parent()) ++names;
  Candidates found = candidates_for(verb, all.subspan(names));
  const bool begins = verb.get_parent() == nullptr && words.size() == 1;
  if (begins && std::string_view("help").starts_with(words.back()))
    found.words.emplace_back("help");
  std::string text = found.files ? ":files\n" : "";
  for (const std::string& word : found.words) text += word + '\n';
  return emit(text) ? kYes : kBadInput;
}

}  // namespace tactus::cli
