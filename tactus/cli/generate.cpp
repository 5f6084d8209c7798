#include "tactus/verbs/generate.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "tactus/base/file.hpp"
#include "tactus/cli/budget.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

struct GenerateArguments {
  verbs::GenerateQuestion question;
  StopAfter stop_after{"generate"};
  std::string folder;
  bool list = false;
  const Fields* fields = nullptr;
};

void describe(GenerateArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("list", arguments.list, "The recipes and their parameters").excludes({"recipe"});
  is("output", arguments.folder,
     "Folder, one file per system; default: standard output, a single system as a file, several as "
     "one line each")
      .letter('o')
      .shows("DIR");
  describe(arguments.stop_after, is);
}

int run(GenerateArguments& arguments) {
  const auto& [recipe, set, seed, count, unused] = arguments.question;
  const std::string& folder = arguments.folder;
  keep(arguments.stop_after);
  if (arguments.list) {
    tell_without_effect_but(told_here(), *arguments.fields, {"list"}, "--list only lists");
    return emit(report::recipes_text(report::Style::of(STDOUT_FILENO))) ? kYes : kBadInput;
  }
  if (recipe.empty())
    return fail("generate needs a RECIPE; `tactus lab generate --list` shows them");
  const auto generator = verbs::generator_of(recipe, set);
  if (!generator) return complain_of(generator.none());
  if (!folder.empty() && !make_folder(folder)) return kBadInput;
  const LongWork work;
  for (std::uint64_t index = 0; index < count; ++index) {
    if (work.stop_token().stop_requested())
      return fail(fmt::format("stopped after {} of {} systems", index, count), kUnknown);
    const System system = generator->system(seed, index);
    if (folder.empty()) {
      if (!emit(count == 1 ? write_system(system) : write_system_line(system))) return kBadInput;
      continue;
    }
    const std::string path = fmt::format("{}/{}.system.json", folder, system.name);
    if (const auto failed = write_text_file(path, write_system(system), Durable::kWithTheRest))
      return fail(failed->message);
  }
  if (folder.empty()) return kYes;
  if (const auto failed = sync_folder(folder)) return fail(failed->message);
  return kYes;
}

}  // namespace

void add_generate(Parser& app, int& exit_code) {
  add_verb<GenerateArguments>(
      app, exit_code, "generate", "Random systems from a recipe",
      "Exit code 0: all systems are there; 2: bad input; 3: stopped before the end (Ctrl-C too).\n"
      "Examples:\n"
      "  tactus lab generate --list\n"
      "  tactus lab generate gcaps-table3 --set cpus=6 --seed 7 --count 1000 -o sets",
      run);
}

}  // namespace tactus::cli
