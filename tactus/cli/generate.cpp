#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/budget.hpp"
#include "tactus/cli/given_systems.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/verbs/generate.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string recipe;
  std::vector<std::string> settings;
  std::uint64_t seed = 1, count = 1;
  std::string folder;
  bool list = false;
  const Parser* verb = nullptr;
};

int run(const Arguments& arguments) {
  if (arguments.list) {
    tell_without_effect(*arguments.verb, options_but(*arguments.verb, {"--list"}),
                        "--list only lists");
  }
  if (arguments.list) {
    return emit(report::recipes_text(report::Style::of(STDOUT_FILENO))) ? kYes : kBadInput;
  }
  if (arguments.recipe.empty()) {
    complain("tactus: generate needs a RECIPE; `tactus generate --list` shows them");
    return kBadInput;
  }
  auto given = settings_of(arguments.settings);
  if (!given) return kBadInput;
  const auto generator = verbs::generator_of(arguments.recipe, std::move(*given));
  if (!generator) return complain_of(generator.none());
  if (!arguments.folder.empty() && !make_folder(arguments.folder)) return kBadInput;
  const LongWork work;
  for (std::uint64_t index = 0; index < arguments.count; ++index) {
    if (work.stop_token().stop_requested()) {
      complain(fmt::format("tactus: stopped after {} of {} systems", index, arguments.count));
      return kUnknown;
    }
    const System system = generator->system(arguments.seed, index);
    if (arguments.folder.empty()) {
      const std::string text =
          arguments.count == 1 ? write_system(system) : write_system_line(system);
      if (!emit(text)) return kBadInput;
      continue;
    }
    const std::string path = fmt::format("{}/{}.system.json", arguments.folder, system.name);
    if (const auto failed = write_text_file(path, write_system(system), Durable::kWithTheRest)) {
      complain("tactus: " + failed->message);
      return kBadInput;
    }
  }
  if (arguments.folder.empty()) return kYes;
  if (const auto failed = sync_folder(arguments.folder)) {
    complain("tactus: " + failed->message);
    return kBadInput;
  }
  return kYes;
}

}  // namespace

void add_generate(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("generate", "Random systems from a recipe");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  auto* recipe = verb->add_option("RECIPE", arguments->recipe, "Name of the recipe");
  auto* list = verb->add_flag("--list", arguments->list, "The recipes and their parameters");
  recipe->excludes(list);
  verb->add_option("--set", arguments->settings, "Set a parameter; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--seed", arguments->seed, "Same seed, same systems, on every machine")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--count", arguments->count, "How many systems")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_option("-o,--output", arguments->folder,
                   "Folder, one file per system; default: standard output, a single system as a "
                   "file, several as one line each")
      ->type_name("DIR");
  add_stop_after(*verb);
  verb->footer(
      "Exit code 0: all systems are there; 2: bad input; 3: stopped before the end (Ctrl-C too).\n"
      "Examples:\n"
      "  tactus generate --list\n"
      "  tactus generate gcaps-table3 --set cpus=6 --seed 7 --count 1000 -o sets");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
