#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tactus/cli/man_page.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/verbs.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::cli {
namespace {

/// A page shows the options of all methods, so each says whose it is.
void name_methods(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_group() != kMethodOptionsGroup) continue;
    std::vector<std::string_view> ids;
    for (const Method* method : registry()) {
      for (const OptionSpec& own : method->options) {
        if (option->check_lname(std::string(own.name))) ids.push_back(method->id);
      }
    }
    option->description(fmt::format("{} ({})", option->get_description(), fmt::join(ids, ", ")));
  }
}

bool write_all(CLI::App& app, const std::string& folder) {
  name_methods(app);
  bool written = write_man_page(app, "1", folder);
  for (CLI::App* verb : app.get_subcommands({})) {
    written = written && (verb->get_group().empty() || write_all(*verb, folder));
  }
  return written;
}

struct ManPagesArguments {
  std::string folder;
  Parser* app = nullptr;
};

void describe(ManPagesArguments& arguments, Fields& is) {
  is("dir", arguments.folder, "man1 is made in it").positional("DIR").required();
}

int run(ManPagesArguments& arguments) {
  int unused = 0;
  add_verbs(*arguments.app, unused);  // and not only this one
  return write_all(arguments.app->app(), arguments.folder) ? kYes : kBadInput;
}

}  // namespace

void add_man_pages(Parser& app, int& exit_code) {
  add_verb<ManPagesArguments>(app, exit_code, "man-pages", "Write the man pages into a folder", "",
                              run);
}

}  // namespace tactus::cli
