#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "tactus/cli/deploy_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/deploy/files.hpp"
#include "tactus/deploy/quoting.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/model/file.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/deployment.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file, plan, output, format = "systemd", restart = "on-failure";
  std::string socket, group, programs;
  WhatIf what_if;
  DeployOptions options;
  bool replace = false, json = false;
};

deploy::Restart restart_of(const std::string& text) {
  return text == "no"       ? deploy::Restart::kNo
         : text == "always" ? deploy::Restart::kAlways
                            : deploy::Restart::kOnFailure;
}

/// Everything of the deployment but README.md; nothing after a complaint.
std::optional<std::vector<deploy::File>> files_of(const Arguments& arguments,
                                                  const deploy::Launch& launch) {
  if (arguments.format == "script") return std::vector{deploy::script_of(launch)};
  auto units = deploy::units_of(launch, restart_of(arguments.restart));
  if (units) return std::move(*units);
  complain("tactus: " + units.error().message);
  return std::nullopt;
}

int run(const Arguments& arguments) {
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System& system = edited->system;
  std::optional<deploy::Wish> wish = arguments.options.wish();
  if (!wish) return kBadInput;
  const auto subject = plan_of_file(arguments.plan, system);
  if (const Exit* exit = std::get_if<Exit>(&subject)) return *exit;
  wish->tactus = arguments.programs.empty() ? host::own_program() : arguments.programs + "/tactus";
  wish->tactusd =
      arguments.programs.empty() ? host::companion("tactusd") : arguments.programs + "/tactusd";
  if (!arguments.socket.empty()) wish->socket = arguments.socket;
  if (!arguments.group.empty()) wish->group = arguments.group;

  const std::string folder = std::filesystem::absolute(arguments.output).lexically_normal();
  const std::string part = deploy::file_part(system.name);
  const std::string system_name = part + ".system.json", plan_name = part + ".plan.json";
  const auto launch =
      launch_or_exit(arguments.file, system, std::get<Subject>(subject), *wish,
                     {.system = folder + "/" + system_name, .plan = folder + "/" + plan_name});
  if (const Exit* exit = std::get_if<Exit>(&launch)) return *exit;
  const auto& made = std::get<deploy::Launch>(launch);

  auto files = files_of(arguments, made);
  const auto plan_text = read_text_file(arguments.plan);
  if (!plan_text) complain("tactus: " + plan_text.error().message);
  if (!files || !plan_text) return kBadInput;
  files->push_back({system_name, write_system(system), false, "the system that was deployed"});
  files->push_back({plan_name, *plan_text, false, "its plan"});
  std::vector<std::string> check = {wish->tactus, "doctor", system_name, "--plan", plan_name};
  for (const std::string& word : arguments.options.words()) check.push_back(word);
  files->push_back(deploy::readme_of(
      made, *files,
      arguments.format == "script" ? std::nullopt : std::optional(restart_of(arguments.restart)),
      deploy::shell_command(check)));
  if (const auto problem = deploy::write_folder(arguments.output, *files, arguments.replace)) {
    complain("tactus: " + problem->message);
    return kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  return emit(arguments.json ? report::deployment_json(made, folder, *files)
                             : changes_text(*edited, style) +
                                   report::deployment_text(made, arguments.output, *files, style))
             ? kYes
             : kBadInput;
}

}  // namespace

void add_deploy(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("deploy", "Write the files that start a plan: units or a script");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  verb->add_option("--plan", arguments->plan, "The plan, as `tactus plan -o` writes it")
      ->type_name("PLAN")
      ->required();
  verb->add_option("-o,--output", arguments->output, "The folder to write")
      ->type_name("DIR")
      ->required();
  verb->add_option("--format", arguments->format,
                   "systemd: a unit for the arbiter and for each task; script: one shell script")
      ->capture_default_str()
      ->check(one_of({"systemd", "script"}));
  arguments->options.add_to(*verb);
  arguments->what_if.add_to(*verb);
  verb->add_option("--restart", arguments->restart, "When systemd starts a task again")
      ->capture_default_str()
      ->check(one_of({"no", "on-failure", "always"}));
  verb->add_option("--socket", arguments->socket,
                   "Where the arbiter listens (default: /run/tactus/tactus.sock)")
      ->type_name("PATH");
  verb->add_option("--group", arguments->group,
                   "Members of it may connect, if tasks have users of their own (default: video)")
      ->type_name("GROUP");
  verb->add_option("--programs", arguments->programs,
                   "Where tactus and tactusd are on the machine that runs it (default: as here)")
      ->type_name("DIR");
  verb->add_flag("--replace", arguments->replace, "Replace an earlier deployment in DIR");
  verb->add_flag("--json", arguments->json, "Print what was written as JSON");
  verb->footer(
      "Every task needs a `command` in the file. Exit code 0: written; 2: bad input, and nothing\n"
      "is written.\n"
      "Examples:\n"
      "  tactus deploy robot.system.json --plan robot.plan.json -o robot-units\n"
      "  tactus deploy robot.system.json --plan robot.plan.json -o robot --format script\n"
      "Then:  tactus doctor robot.system.json --plan robot.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
