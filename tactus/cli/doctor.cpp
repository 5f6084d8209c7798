#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/cli/deploy_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/deploy/checkup.hpp"
#include "tactus/deploy/cover.hpp"
#include "tactus/deploy/running.hpp"
#include "tactus/report/checkup.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file, plan, root = "/", socket;
  std::optional<int> gpu_clock;
  WhatIf what_if;
  DeployOptions options;
  bool json = false, running = false;
  const Parser* verb = nullptr;
};

/// What the judge is asked about: a plan, what it counts on, and how it is started.
struct Asked {
  deploy::Demand demand;
  std::optional<System> system;
  Verdict plan;
  decide::Start start;
};

/// Of the processes that are there now.
decide::Start running_now(const Arguments& arguments, const System& system,
                          const deploy::Wish& wish) {
  const std::string socket = arguments.socket.empty() ? wish.socket : arguments.socket;
  return deploy::running_start(system, deploy::running_tasks(system.name),
                               deploy::running_arbiter(socket), wish.by != deploy::By::kProcess);
}

/// What the plan counts on, if one is given; an exit code after a complaint.
std::variant<Asked, Exit> asked_of(const Arguments& arguments) {
  if (arguments.file.empty() != arguments.plan.empty()) {
    complain("tactus: doctor needs FILE and --plan, or neither");
    return kBadInput;
  }
  if (arguments.file.empty() && arguments.running) {
    complain("tactus: --running needs FILE and --plan");
    return kBadInput;
  }
  if (!arguments.socket.empty() && !arguments.running) {
    complain("tactus: --socket says where the arbiter of --running listens; name that, too");
    return kBadInput;
  }
  if (arguments.file.empty()) {
    tell_without_effect(*arguments.verb,
                        {"--tier", "--cpus", "--backend", "--no-realtime", "--set", "--add"},
                        "without FILE and --plan nothing is to be started");
    return Asked{};
  }
  const auto edited = arguments.what_if.read(arguments.file);
  auto wish = arguments.options.wish();
  if (!edited || !wish) return kBadInput;
  wish->without_commands = true;
  const auto subject = plan_of_file(arguments.plan, edited->system);
  if (const Exit* exit = std::get_if<Exit>(&subject)) return *exit;
  const auto made = launch_or_exit(arguments.file, edited->system, std::get<Subject>(subject),
                                   *wish, {arguments.file, arguments.plan});
  if (const Exit* exit = std::get_if<Exit>(&made)) return *exit;
  const auto& launch = std::get<deploy::Launch>(made);
  const bool plays = launch.way == decide::Way::kPartitions || launch.way == decide::Way::kTables;
  if (arguments.running && plays) {
    complain("tactus: one program plays this plan; it says itself what it sees (tactus run)");
    return kBadInput;
  }
  return Asked{deploy::demand_of(launch, *wish), edited->system, std::get<Subject>(subject).verdict,
               arguments.running ? running_now(arguments, edited->system, *wish)
                                 : deploy::start_of(edited->system, launch, *wish)};
}

int run(const Arguments& arguments) {
  auto answer = asked_of(arguments);
  if (const Exit* exit = std::get_if<Exit>(&answer)) return *exit;
  auto& asked = std::get<Asked>(answer);
  asked.demand.gpu_clock_mhz = arguments.gpu_clock;
  const auto checks = deploy::checkup(deploy::look_at_machine(arguments.root), asked.demand);
  report::Checkup checkup{asked.demand, checks};
  if (asked.system) {
    asked.start.machine = deploy::granted(checks);
    checkup.conditions = decide::judge(*asked.system, asked.plan, asked.start);
    auto waived = arguments.options.waived(checkup.conditions);
    if (!waived) return kBadInput;
    checkup.waived = std::move(*waived);
  }
  const std::string text = arguments.json
                               ? report::checkup_json(checkup)
                               : report::checkup_text(checkup, report::Style::of(STDOUT_FILENO));
  if (!emit(text)) return kBadInput;
  switch (decide::conclusion(checkup.conditions)) {
    case decide::Holds::kYes:
      return kYes;
    case decide::Holds::kNo:
      return kNo;
    case decide::Holds::kNotKnown:
      return kUnknown;
  }
  return kUnknown;
}

}  // namespace

void add_doctor(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("doctor", "Is this machine fit to keep what a plan promises?");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  verb->add_option("FILE", arguments->file, "System file; without one, everything is shown");
  verb->add_option("--plan", arguments->plan, "What this plan counts on decides the exit code")
      ->type_name("PLAN");
  arguments->options.add_to(*verb);
  arguments->what_if.add_to(*verb);
  verb->add_option("--gpu-clock", arguments->gpu_clock,
                   "The GPU clock, in MHz, at which times were measured (default: the highest)")
      ->check(whole_number(1));
  verb->add_option("--root", arguments->root,
                   "Look at a copy of another machine's /proc and /sys in this folder; the answer "
                   "of nvidia-smi is in nvidia-smi.csv there")
      ->type_name("DIR");
  verb->add_flag(
      "--running", arguments->running,
      "Judge the processes of the deployment that run here now, not how they are planned");
  verb->add_option("--socket", arguments->socket,
                   "With --running: where the arbiter listens (default: /run/tactus/tactus.sock)")
      ->type_name("PATH");
  verb->add_flag("--json", arguments->json, "For programs");
  verb->footer(
      "Exit code 0: everything that the plan counts on is fine (without a plan: always); 1: "
      "something\n"
      "is not, also where it was accepted; 2: bad input; 3: something cannot be known here.\n"
      "Examples:\n"
      "  tactus doctor\n"
      "  tactus doctor robot.system.json --plan robot.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
