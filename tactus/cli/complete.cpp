#include "tactus/cli/complete.hpp"

#include <span>

#include "tactus/cli/candidates.hpp"
#include "tactus/cli/command_line.hpp"
#include "tactus/cli/mistakes.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/verbs.hpp"

namespace tactus::cli {

int complete(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty()) words.emplace_back();
  if (words.size() > 1 && words.front() == "help") words.erase(words.begin());
  CommandLine line("tactus", "", "");
  int unused = 0;
  const std::span<const std::string> all = words;
  add_verbs(line.parser(), unused, all.first(words.size() - 1));
  const CLI::App& verb = chosen_verb(line.app(), all.first(words.size() - 1));
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
