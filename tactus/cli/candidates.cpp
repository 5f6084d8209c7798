#include "tactus/cli/candidates.hpp"

#include <algorithm>
#include <set>

#include "tactus/cli/help_text.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/mistakes.hpp"
#include "tactus/decide/knob.hpp"
#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/trace/scenario_words.hpp"

namespace tactus::cli {
namespace {

using Words = std::vector<std::string>;

/// The option that a word such as `--method` or `-m` names, or null.
const CLI::Option* option_named(const CLI::App& verb, const std::string& word) {
  if (word.size() < 2 || word.front() != '-') return nullptr;
  return verb.get_option_no_throw(word.substr(0, word.find('=')));
}

bool takes_value(const CLI::Option& option) { return option.get_type_size() != 0; }

/// A command line as far as it is written, understood without complaints.
struct Written {
  std::vector<std::string> positionals;
  std::string methods;                ///< the value of --method
  const CLI::Option* open = nullptr;  ///< the option whose value comes next
};

Written understand(const CLI::App& verb, std::span<const std::string> words) {
  Written written;
  for (const std::string& word : words) {
    if (written.open != nullptr) {
      if (written.open->check_lname("method")) written.methods = word;
      written.open = nullptr;
      continue;
    }
    const CLI::Option* option = option_named(verb, word);
    if (option == nullptr) {
      if (!word.starts_with('-')) written.positionals.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    if (takes_value(*option) && equals == std::string::npos) written.open = option;
    if (equals != std::string::npos && option->check_lname("method")) {
      written.methods = word.substr(equals + 1);
    }
  }
  return written;
}

std::vector<const Method*> methods_of(const Written& written) {
  const auto chosen = select_methods(written.methods.empty() ? "all" : written.methods);
  return chosen ? *chosen : std::vector<const Method*>(registry().begin(), registry().end());
}

Words method_words() {
  Words words = {"all"};
  for (const Method* method : registry()) words.emplace_back(method->id);
  std::set<std::string> families;
  for (const Method* method : registry()) {
    const std::size_t dot = method->id.find('.');
    if (dot != std::string_view::npos)
      families.insert(std::string(method->id.substr(0, dot)) + ".*");
  }
  words.insert(words.end(), families.begin(), families.end());
  return words;
}

Words variant_words(const Written& written) {
  std::set<std::string> words;
  for (const Method* method : methods_of(written)) {
    words.insert(method->variants.begin(), method->variants.end());
  }
  return {words.begin(), words.end()};
}

/// The system that the command line names, if it can be read.
std::optional<System> system_of(const Written& written) {
  if (written.positionals.empty() || written.positionals.front() == "-") return std::nullopt;
  auto read = load_system(written.positionals.front());
  return read ? std::move(read->system) : std::nullopt;
}

Words task_words(const Written& written, std::string_view ending = "") {
  Words words;
  const auto system = system_of(written);
  if (!system) return words;
  for (const Task& task : system->tasks) words.push_back(task.name + std::string(ending));
  return words;
}

/// `camera.detect.wcet=`, of everything that `tactus slack` turns.
Words value_words(const Written& written) {
  Words words;
  const auto system = system_of(written);
  if (!system) return words;
  for (const decide::Knob& knob : decide::knobs_of(*system)) {
    using What = decide::Knob::What;
    if (knob.what == What::kAllTimes || knob.what == What::kLongerPeriod) continue;
    words.push_back(name_of(knob, *system) + "=");
  }
  return words;
}

/// "a|b|c" of help, split.
Words choices_of(const CLI::Option& option) {
  const std::string names = value_name(option);
  Words words;
  if (names.find('|') == std::string::npos) return words;
  for (std::size_t start = 0; start <= names.size();) {
    const std::size_t end = std::min(names.find('|', start), names.size());
    words.push_back(names.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

/// The words that can still be added to a list: what is written before the last comma stays.
Words behind_commas(const Words& words, const std::string& written) {
  const std::size_t comma = written.rfind(',');
  if (comma == std::string::npos) return words;
  const std::string before = written.substr(0, comma + 1);
  Words longer;
  for (const std::string& word : words) {
    if (("," + before).find("," + word + ",") == std::string::npos) longer.push_back(before + word);
  }
  return longer;
}

bool wants_file(const std::string& value) {
  return value == "FILE" || value == "PLAN" || value == "DIR" || value == "PATH" ||
         value == "RESULTS";
}

/// What the value of an option, or a positional argument, can be.
Candidates values_of(const CLI::Option& option, const Written& written, const std::string& word) {
  const std::string value = option.get_positional() ? option.get_name(true) : value_name(option);
  if (wants_file(value)) return {{}, true};
  if (option.check_lname("method") || value == "ID") {
    Words words = method_words();
    if (option.check_lname("policy")) words.emplace_back("gcaps");
    return {behind_commas(words, word)};
  }
  if (option.check_lname("variant")) return {variant_words(written)};
  if (option.check_lname("scenario")) {
    const auto words = trace::scenario_words();
    return {behind_commas({words.begin(), words.end()}, word)};
  }
  if (value == "TASK") return {task_words(written)};
  if (option.check_lname("allocation")) return {behind_commas(task_words(written, "="), word)};
  if (option.check_lname("sweep") || value == "PATH=VALUE") {
    Words words = value_words(written);
    if (option.check_lname("sweep")) words.emplace_back("all=");
    return {words};
  }
  if (value == "RECIPE") {
    Words words;
    for (const Recipe* recipe : recipes()) words.emplace_back(recipe->name);
    return {words};
  }
  if (value == "NAME") {  // of experiments, which can be files
    Words words;
    for (const auto& file : experiment::bundled_files()) words.emplace_back(file.name);
    return {words, option.get_positional()};
  }
  const Words choices = choices_of(option);
  return {option.get_delimiter() == ',' ? behind_commas(choices, word) : choices};
}

/// Those that help shows: options of methods only where a method that has them is named.
Words option_words(const CLI::App& verb, const Written& written) {
  Words words;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty() || !option->nonpositional()) continue;
    for (const std::string& name : option->get_lnames()) {
      const bool of_methods = option->get_group() == kMethodOptionsGroup;
      const auto chosen = methods_of(written);
      const bool offered =
          !of_methods ||
          (!written.methods.empty() &&
           std::any_of(chosen.begin(), chosen.end(), [&](const Method* method) {
             return std::any_of(method->options.begin(), method->options.end(),
                                [&](const OptionSpec& own) { return own.name == name; });
           }));
      if (offered) words.push_back("--" + name);
    }
  }
  return words;
}

void keep_those_that_begin_with(const std::string& word, Words& words) {
  std::erase_if(words, [&](const std::string& each) { return !each.starts_with(word); });
}

}  // namespace

Candidates candidates_for(const CLI::App& verb, std::span<const std::string> words) {
  const std::string word = words.empty() ? std::string() : words.back();
  const auto before = words.empty() ? words : words.first(words.size() - 1);
  const Written written = understand(verb, before);
  Candidates found;
  std::string kept;  // in front of the value of `--name=value`
  if (written.open != nullptr) {
    found = values_of(*written.open, written, word);
  } else if (const CLI::Option* named = option_named(verb, word);
             named != nullptr && word.find('=') != std::string::npos) {
    kept = word.substr(0, word.find('=') + 1);
    found = values_of(*named, written, word.substr(kept.size()));
    for (std::string& each : found.words) each.insert(0, kept);
  } else if (word.starts_with('-')) {
    found.words = option_words(verb, written);
  } else {
    for (const CLI::App* own : verbs_of(verb)) found.words.push_back(own->get_name());
    std::size_t place = 0;
    for (const CLI::Option* option : verb.get_options()) {
      if (!option->get_positional()) continue;
      const bool last = option->get_expected_max() > 1;
      if (place++ < written.positionals.size() && !last) continue;
      const Candidates values = values_of(*option, written, word);
      found.words.insert(found.words.end(), values.words.begin(), values.words.end());
      found.files = values.files;
      break;
    }
  }
  keep_those_that_begin_with(word, found.words);
  return found;
}

}  // namespace tactus::cli
