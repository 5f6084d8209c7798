#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tactus/cli/deploy_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/deploy/cover.hpp"
#include "tactus/deploy/files.hpp"
#include "tactus/deploy/quoting.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/deployment.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

struct DeployArguments {
  verbs::About about;
  Document plan;
  std::string output, format = "systemd", restart = "on-failure";
  std::string socket, group, programs;
  DeployOptions options;
  bool replace = false, json = false;
  const Fields* fields = nullptr;
};

deploy::Restart restart_of(const std::string& text) {
  return text == "no"       ? deploy::Restart::kNo
         : text == "always" ? deploy::Restart::kAlways
                            : deploy::Restart::kOnFailure;
}

/// Everything of the deployment but README.md; nothing after a complaint.
std::optional<std::vector<deploy::File>> files_of(const DeployArguments& arguments,
                                                  const deploy::Launch& launch) {
  if (arguments.format == "script") return std::vector{deploy::script_of(launch)};
  if (arguments.format == "ros2") {
    auto file = deploy::ros2_launch_of(launch);
    if (file) return std::vector{std::move(*file)};
    complain("tactus: " + file.error().message);
    return std::nullopt;
  }
  auto units = deploy::units_of(launch, restart_of(arguments.restart));
  if (units) return std::move(*units);
  complain("tactus: " + units.error().message);
  return std::nullopt;
}

/// What does nothing to this deployment.
void tell_idle(const DeployArguments& arguments, const System& system,
               const deploy::Launch& launch) {
  const auto tell = [&](std::initializer_list<std::string_view> options, std::string_view why) {
    tell_without_effect(told_here(), *arguments.fields, options, why);
  };
  if (arguments.format != "systemd") tell({"restart"}, "every task is started once");
  if (launch.arbiter) {
    tell({"backend"}, "each task is a program of its own");
    const bool users = std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
      return task.command.has_value() && task.command->user.has_value();
    });
    if (!users) tell({"group"}, "no task has a user of its own");
  } else {
    tell({"tier", "socket", "group"}, "this plan needs no arbiter");
  }
}

/// Asks the judge of this start, and notes in the launch what was waived and what is to be settled;
/// an exit code where the start does not cover the proof.
std::optional<Exit> refused(const DeployArguments& arguments, const System& system,
                            const Verdict& plan, const deploy::Wish& wish, deploy::Launch& launch,
                            std::vector<decide::Condition>& conditions) {
  decide::Start start = deploy::start_of(system, launch, wish);
  start.machine = deploy::not_seen(deploy::demand_of(launch, wish));
  conditions = decide::judge(system, plan, start);
  auto waived = arguments.options.waived(conditions);
  if (!waived) return kBadInput;
  launch.waived = std::move(*waived);
  launch.unsettled = report::those(conditions, decide::Holds::kNotKnown, decide::Whose::kMachine);
  std::vector<decide::Condition> broken = report::those(conditions, decide::Holds::kNo);
  std::erase_if(broken, [&](const decide::Condition& condition) {
    return std::any_of(launch.waived.begin(), launch.waived.end(),
                       [&](const decide::Condition& each) { return each.id == condition.id; });
  });
  if (broken.empty()) {
    if (launch.arbiter && !launch.waived.empty())
      launch.arbiter->words.insert(launch.arbiter->words.end(),
                                   {"--waived", report::ids_of(launch.waived, ",")});
    return std::nullopt;
  }
  std::string ids;
  for (const decide::Condition& condition : broken) ids += " --accept " + condition.id;
  complain(
      fmt::format("tactus: nothing is written: what would be started does not cover the proof\n{}"
                  "{} writes it all the same; then nothing is proved",
                  report::conditions_text(broken, report::Style{}), ids.substr(1)));
  if (arguments.json && !emit(report::deployment_json(launch, std::nullopt, {}, conditions)))
    return kBadInput;
  return kNo;
}

int run(DeployArguments& arguments) {
  const auto edited = arguments.about.edited(told_here());
  if (!edited) return complain_of(edited.none());
  const System& system = edited->system;
  auto wish = arguments.options.wish();
  if (!wish) return complain_of(wish.none());
  const auto subject = verbs::plan_in(arguments.plan, system);
  if (!subject) return complain_of(subject.none());
  wish->tactus = arguments.programs.empty() ? host::own_program() : arguments.programs + "/tactus";
  wish->tactusd =
      arguments.programs.empty() ? host::companion("tactusd") : arguments.programs + "/tactusd";
  if (!arguments.socket.empty()) wish->socket = arguments.socket;
  if (!arguments.group.empty()) wish->group = arguments.group;

  const std::string folder = std::filesystem::absolute(arguments.output).lexically_normal();
  const std::string part = deploy::file_part(system.name);
  const std::string system_name = part + ".system.json", plan_name = part + ".plan.json";
  auto launch = launch_of(arguments.about.name(), system, *subject, *wish,
                          {.system = folder + "/" + system_name, .plan = folder + "/" + plan_name});
  if (!launch) return complain_of(launch.none());
  deploy::Launch& made = *launch;
  std::vector<decide::Condition> conditions;
  if (const auto exit = refused(arguments, system, subject->verdict, *wish, made, conditions))
    return *exit;

  tell_idle(arguments, system, made);
  auto files = files_of(arguments, made);
  if (!files) return kBadInput;
  files->push_back({system_name, write_system(system), false, "the system that was deployed"});
  files->push_back({plan_name, arguments.plan.text, false, "its plan"});
  std::vector<std::string> check = {wish->tactus, "doctor", system_name, "--plan", plan_name};
  for (const std::string& word : arguments.options.words()) check.push_back(word);
  files->push_back(deploy::readme_of(
      made, *files,
      arguments.format == "systemd" ? std::optional(restart_of(arguments.restart)) : std::nullopt,
      deploy::shell_command(check)));
  if (const auto problem = deploy::write_folder(arguments.output, *files, arguments.replace)) {
    complain("tactus: " + problem->message);
    return kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  return emit(arguments.json ? report::deployment_json(made, folder, *files, conditions)
                             : changes_text(*edited, style) +
                                   report::deployment_text(made, arguments.output, *files, style))
             ? kYes
             : kBadInput;
}

void describe(DeployArguments& arguments, Fields& is) {
  describe(arguments.about, is);
  is("plan", arguments.plan, "The plan, as `tactus plan -o` writes it").shows("PLAN").required();
  is("output", arguments.output, "The folder to write").letter('o').shows("DIR").required();
  is("format", arguments.format,
     "systemd: a unit for the arbiter and for each task; script: one shell script; ros2: a launch "
     "file")
      .one_of({"systemd", "script", "ros2"});
  describe(arguments.options, is);
  is("restart", arguments.restart, "When systemd starts a task again")
      .one_of({"no", "on-failure", "always"});
  is("socket", arguments.socket, "Where the arbiter listens (default: /run/tactus/tactus.sock)")
      .shows("PATH");
  is("group", arguments.group,
     "Members of it may connect, if tasks have users of their own (default: video)")
      .shows("GROUP");
  is("programs", arguments.programs,
     "Where tactus and tactusd are on the machine that runs it (default: as here)")
      .shows("DIR");
  is("replace", arguments.replace, "Replace an earlier deployment in DIR");
  is("json", arguments.json, "Print what was written as JSON");
}

}  // namespace

void add_deploy(Parser& app, int& exit_code) {
  add_verb<DeployArguments>(
      app, exit_code, "deploy",
      "Write the files that start a plan: units, a script, or a launch file",

      "Every task needs a `command` in the file. Exit code 0: written; 1: what would be started "
      "does\n"
      "not cover the proof; 2: bad input. After 1 and 2 nothing is written.\n"
      "Examples:\n"
      "  tactus deploy robot.system.json --plan robot.plan.json -o robot-units\n"
      "  tactus deploy robot.system.json --plan robot.plan.json -o robot --format script\n"
      "Then:  tactus doctor robot.system.json --plan robot.plan.json",
      run);
}

}  // namespace tactus::cli
