#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/cli/deploy_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/deploy/checkup.hpp"
#include "tactus/report/checkup.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file, plan, root = "/";
  std::optional<int> gpu_clock;
  WhatIf what_if;
  DeployOptions options;
  bool json = false;
};

/// What the plan counts on, if one is given; an exit code after a complaint.
std::variant<deploy::Demand, Exit> demand_of(const Arguments& arguments) {
  if (arguments.file.empty() != arguments.plan.empty()) {
    complain("tactus: doctor needs FILE and --plan, or neither");
    return kBadInput;
  }
  if (arguments.file.empty()) return deploy::Demand{};
  const auto edited = arguments.what_if.read(arguments.file);
  auto wish = arguments.options.wish();
  if (!edited || !wish) return kBadInput;
  wish->without_commands = true;
  const auto subject = plan_of_file(arguments.plan, edited->system);
  if (const Exit* exit = std::get_if<Exit>(&subject)) return *exit;
  const auto launch = launch_or_exit(arguments.file, edited->system, std::get<Subject>(subject),
                                     *wish, {arguments.file, arguments.plan});
  if (const Exit* exit = std::get_if<Exit>(&launch)) return *exit;
  return deploy::demand_of(std::get<deploy::Launch>(launch), *wish);
}

int run(const Arguments& arguments) {
  auto demanded = demand_of(arguments);
  if (const Exit* exit = std::get_if<Exit>(&demanded)) return *exit;
  auto& demand = std::get<deploy::Demand>(demanded);
  demand.gpu_clock_mhz = arguments.gpu_clock;
  const auto checks = deploy::checkup(deploy::look_at_machine(arguments.root), demand);
  const std::string text =
      arguments.json ? report::checkup_json(demand, checks)
                     : report::checkup_text(demand, checks, report::Style::of(STDOUT_FILENO));
  if (!emit(text)) return kBadInput;
  switch (deploy::conclusion(checks)) {
    case deploy::State::kFine:
      return kYes;
    case deploy::State::kNotFine:
      return kNo;
    case deploy::State::kUnknown:
      return kUnknown;
  }
  return kUnknown;
}

}  // namespace

void add_doctor(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("doctor", "Is this machine fit to keep what a plan promises?");
  auto arguments = std::make_shared<Arguments>();
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
  verb->add_flag("--json", arguments->json, "For programs");
  verb->footer(
      "Exit code 0: everything that the plan counts on is fine (without a plan: always); 1: "
      "something\n"
      "is not; 2: bad input; 3: something cannot be known here.\n"
      "Examples:\n"
      "  tactus doctor\n"
      "  tactus doctor robot.system.json --plan robot.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
