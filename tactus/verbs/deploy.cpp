#include "tactus/verbs/deploy.hpp"

#include <algorithm>
#include <filesystem>

#include "tactus/deploy/cover.hpp"
#include "tactus/deploy/quoting.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/deployment.hpp"

namespace tactus::verbs {
namespace {

deploy::Restart restart_of(const std::string& text) {
  return text == "no"       ? deploy::Restart::kNo
         : text == "always" ? deploy::Restart::kAlways
                            : deploy::Restart::kOnFailure;
}

/// Everything of the deployment but README.md.
Result<std::vector<deploy::File>> files_of(const DeployQuestion& question,
                                           const deploy::Launch& launch) {
  if (question.format == "script") return std::vector{deploy::script_of(launch)};
  if (question.format != "ros2") return deploy::units_of(launch, restart_of(question.restart));
  auto file = deploy::ros2_launch_of(launch);
  if (!file) return file.error();
  return std::vector{std::move(*file)};
}

/// What does nothing to this deployment.
void tell_idle(const DeployQuestion& question, const Companion& companion, const System& system,
               const deploy::Launch& launch) {
  const auto tell = [&](std::initializer_list<std::string_view> options, std::string_view why) {
    tell_without_effect(companion, *question.fields, options, why);
  };
  if (question.format != "systemd") tell({"restart"}, "every task is started once");
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

/// Asks the judge of this start, and notes in the launch what was waived and what is to be settled.
Answer<bool> judge(const DeployQuestion& question, const Verdict& plan, const deploy::Wish& wish,
                   Deployed& made) {
  const System& system = made.edited.system;
  deploy::Launch& launch = made.launch;
  decide::Start start = deploy::start_of(system, launch, wish);
  start.machine = deploy::not_seen(deploy::demand_of(launch, wish));
  made.conditions = decide::judge(system, plan, start);
  auto waived = question.start.waived(made.conditions);
  if (!waived) return waived.none();
  launch.waived = std::move(*waived);
  launch.unsettled =
      report::those(made.conditions, decide::Holds::kNotKnown, decide::Whose::kMachine);
  made.broken = report::those(made.conditions, decide::Holds::kNo);
  std::erase_if(made.broken, [&](const decide::Condition& condition) {
    return std::any_of(launch.waived.begin(), launch.waived.end(),
                       [&](const decide::Condition& each) { return each.id == condition.id; });
  });
  if (made.broken.empty() && launch.arbiter && !launch.waived.empty()) {
    launch.arbiter->words.insert(launch.arbiter->words.end(),
                                 {"--waived", report::ids_of(launch.waived, ",")});
  }
  return true;
}

}  // namespace

std::string Deployed::json() const {
  return report::deployment_json(launch, folder, files, conditions);
}

Answer<Deployed> answer(const DeployQuestion& question, const Companion& companion) {
  if (question.output.empty()) return NoAnswer::bad_input("`output` must name the folder to write");
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  const System& system = edited->system;
  auto wish = question.start.wish();
  if (!wish) return wish.none();
  const auto subject = plan_in(question.plan, system);
  if (!subject) return subject.none();
  const bool here = question.programs.empty();
  wish->tactus = here ? host::companion("tactus") : question.programs + "/tactus";
  wish->tactusd = here ? host::companion("tactusd") : question.programs + "/tactusd";
  if (!question.socket.empty()) wish->socket = question.socket;
  if (!question.group.empty()) wish->group = question.group;

  const std::string folder = std::filesystem::absolute(question.output).lexically_normal();
  const std::string part = deploy::file_part(system.name);
  const std::string system_name = part + ".system.json", plan_name = part + ".plan.json";
  auto launch = launch_of(question.about.name(), system, *subject, *wish,
                          {.system = folder + "/" + system_name, .plan = folder + "/" + plan_name});
  if (!launch) return launch.none();
  Deployed made{std::move(*edited), std::move(*launch), {}};
  const auto judged = judge(question, subject->verdict, *wish, made);
  if (!judged) return judged.none();
  if (!made.broken.empty()) return made;

  tell_idle(question, companion, made.edited.system, made.launch);
  auto files = files_of(question, made.launch);
  if (!files) return NoAnswer::bad_input(files.error().message);
  files->push_back(
      {system_name, write_system(made.edited.system), false, "the system that was deployed"});
  files->push_back({plan_name, question.plan.text, false, "its plan"});
  std::vector<std::string> check = {wish->tactus, "doctor", system_name, "--plan", plan_name};
  for (const std::string& word : question.start.words()) check.push_back(word);
  files->push_back(deploy::readme_of(
      made.launch, *files,
      question.format == "systemd" ? std::optional(restart_of(question.restart)) : std::nullopt,
      deploy::shell_command(check)));
  if (const auto problem = deploy::write_folder(question.output, *files, question.replace)) {
    return NoAnswer::bad_input(problem->message);
  }
  made.folder = folder;
  made.files = std::move(*files);
  return made;
}

void describe(DeployQuestion& question, Fields& is) {
  describe(question.about, is);
  is("plan", question.plan, "The plan, as `tactus plan -o` writes it").shows("PLAN").required();
  is("output", question.output, "The folder to write").letter('o').shows("DIR").required();
  is("format", question.format,
     "systemd: a unit for the arbiter and for each task; script: one shell script; ros2: a launch "
     "file")
      .one_of({"systemd", "script", "ros2"});
  describe(question.start, is);
  is("restart", question.restart, "When systemd starts a task again")
      .one_of({"no", "on-failure", "always"});
  is("socket", question.socket, "Where the arbiter listens (default: /run/tactus/tactus.sock)")
      .shows("PATH");
  is("group", question.group,
     "Members of it may connect, if tasks have users of their own (default: video)")
      .shows("GROUP");
  is("programs", question.programs,
     "Where tactus and tactusd are on the machine that runs it (default: as here)")
      .shows("DIR");
  is("replace", question.replace, "Replace an earlier deployment in DIR");
}

}  // namespace tactus::verbs
