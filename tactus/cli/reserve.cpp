#include "tactus/verbs/reserve.hpp"

#include <unistd.h>

#include "tactus/arbiter/client/ask.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/reserve.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

struct ReserveArguments {
  verbs::ReserveQuestion question;
  bool dry = false, list = false, dump = false, json = false;
  std::string start, socket;
  const Fields* fields = nullptr;
};

void describe(ReserveArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  for (AskedField& field : is.all()) {
    if (field.key == "system") field.must = false;  // the arbiter is asked for what there is
  }
  is("dry", arguments.dry, "Reserve nothing: say what the answers would be");
  is("list", arguments.list, "Who has a reservation now").excludes({"dry", "system"});
  is("dump", arguments.dump, "The same as a system file, which every verb takes")
      .excludes({"dry", "list", "system"});
  is("start", arguments.start, "The start-up of this one is over (tactus exec --until-started)")
      .shows("NAME")
      .excludes({"dry", "list", "dump", "system"});
  is("socket", arguments.socket, "Where the arbiter listens").shows("PATH").excludes({"dry"});
  is("json", arguments.json, "As JSON (docs/use/reservations.md)");
}

/// What the arbiter says about those that are there.
int ask(const ReserveArguments& arguments) {
  tell_without_effect(
      told_here(), *arguments.fields,
      {"trust", "enforce", "notice", "all_places", "instead", "set", "add", "costs"},
      "it is the arbiter that is asked");
  if (!arguments.list)
    tell_without_effect(told_here(), *arguments.fields, {"json"},
                        "it is the arbiter that is asked, and what it says has one form");
  json::Writer out(json::Layout::kOneLine);
  out.begin_object().key("ask").string(arguments.list ? "list" : arguments.dump ? "dump" : "start");
  if (!arguments.start.empty()) out.key("name").string(arguments.start);
  out.end_object();
  const std::string request = out.take();
  const auto answer =
      arbiter::client::ask_arbiter(arguments.socket.empty() ? nullptr : arguments.socket.c_str(),
                                   request.data(), request.size());
  if (answer.problem != nullptr) {
    complain(std::string("tactus: ") + answer.problem);
    return kUnknown;
  }
  if (!answer.says("done")) {
    complain(std::string("tactus: ") + answer.text);
    return kBadInput;
  }
  std::string text = arguments.json || arguments.dump ? answer.json : answer.text;
  if (!text.ends_with('\n')) text += '\n';
  return emit(text) ? kYes : kBadInput;
}

int run(ReserveArguments& arguments) {
  if (arguments.list || arguments.dump || !arguments.start.empty()) return ask(arguments);
  if (!arguments.dry || !arguments.question.about.system.given()) {
    complain(
        "tactus: reserve needs FILE --dry, --list, --dump or --start NAME; programs reserve by "
        "tactus exec --period");
    return kBadInput;
  }
  const auto found = [&] {
    LongWork work;
    return answer(arguments.question, work.companion());
  }();
  if (!found) return complain_of(found.none());
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json
                               ? found->json()
                               : changes_text(found->edited, style) +
                                     reserve_text(found->edited.system, found->run, style);
  return emit(text) ? found->exit() : kBadInput;
}

}  // namespace

void add_reserve(Parser& app, int& exit_code) {
  add_verb<ReserveArguments>(
      app, exit_code, "reserve", "Would tasks be admitted that ask one after the other?",
      "The tasks of the file ask in its order. Each is admitted if gcaps.boost proves, with those\n"
      "before it, every deadline, whatever they are doing at that moment.\n"
      "Exit code 0: all would be admitted; 1: some are refused; 2: bad input; 3: some are not\n"
      "covered, or interrupted; no arbiter. --list, --dump and --start ask the arbiter\n"
      "(tactusd --protocol boost --admit FILE).\n"
      "Examples:\n"
      "  tactus reserve robot.system.json --dry\n"
      "  tactus reserve robot.system.json --dry --add detector.system.json --set detector.core=3\n"
      "  tactus reserve --list",
      run);
}

}  // namespace tactus::cli
