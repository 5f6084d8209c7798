#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "tactus/cli/deploy_options.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/deploy/checkup.hpp"
#include "tactus/deploy/cover.hpp"
#include "tactus/deploy/running.hpp"
#include "tactus/report/checkup.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

struct DoctorArguments {
  verbs::About about;
  Document plan;
  std::string root = "/", socket;
  std::optional<int> gpu_clock;
  DeployOptions options;
  bool json = false, running = false;
  const Fields* fields = nullptr;
};

/// What the judge is asked about: a plan, what it counts on, and how it is started.
struct Asked {
  deploy::Demand demand;
  std::optional<System> system;
  Verdict plan;
  decide::Start start;
};

/// Of the processes that are there now.
decide::Start running_now(const DoctorArguments& arguments, const System& system,
                          const deploy::Wish& wish) {
  const std::string socket = arguments.socket.empty() ? wish.socket : arguments.socket;
  return deploy::running_start(system, deploy::running_tasks(system.name),
                               deploy::running_arbiter(socket), wish.by != deploy::By::kProcess);
}

/// What the plan counts on, if one is given; or why that is not known.
verbs::Answer<Asked> asked_of(const DoctorArguments& arguments) {
  using verbs::NoAnswer;
  const bool file = arguments.about.system.given();
  if (file != arguments.plan.given()) {
    return NoAnswer::bad_input("doctor needs FILE and --plan, or neither");
  }
  if (!file && arguments.running) {
    return NoAnswer::bad_input("--running needs FILE and --plan");
  }
  if (!arguments.socket.empty() && !arguments.running) {
    return NoAnswer::bad_input(
        "--socket says where the arbiter of --running listens; name that, too");
  }
  if (!file) {
    tell_without_effect(told_here(), *arguments.fields,
                        {"tier", "cpus", "backend", "realtime", "set", "add", "costs"},
                        "without FILE and --plan nothing is to be started");
    return Asked{};
  }
  const auto edited = arguments.about.edited(told_here());
  if (!edited) return edited.none();
  auto wish = arguments.options.wish();
  if (!wish) return wish.none();
  wish->without_commands = true;
  const auto subject = verbs::plan_in(arguments.plan, edited->system);
  if (!subject) return subject.none();
  const auto made = launch_of(arguments.about.name(), edited->system, *subject, *wish,
                              {arguments.about.system.path, arguments.plan.path});
  if (!made) return made.none();
  const deploy::Launch& launch = *made;
  const bool plays = launch.way == decide::Way::kPartitions || launch.way == decide::Way::kTables;
  if (arguments.running && plays) {
    return NoAnswer::bad_input(
        "one program plays this plan; it says itself what it sees (tactus run)");
  }
  return Asked{deploy::demand_of(launch, *wish), edited->system, subject->verdict,
               arguments.running ? running_now(arguments, edited->system, *wish)
                                 : deploy::start_of(edited->system, launch, *wish)};
}

int run(DoctorArguments& arguments) {
  auto answer = asked_of(arguments);
  if (!answer) return complain_of(answer.none());
  Asked& asked = *answer;
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

void describe(DoctorArguments& arguments, Fields& is) {
  is("system", arguments.about.system, "System file; without one, everything is shown")
      .positional("FILE");
  is("plan", arguments.plan, "What this plan counts on decides the exit code").shows("PLAN");
  describe(arguments.options, is);
  describe(arguments.about.what_if, is);
  is("gpu_clock", arguments.gpu_clock,
     "The GPU clock, in MHz, at which times were measured (default: the highest)")
      .range(1);
  is("root", arguments.root,
     "Look at a copy of another machine's /proc and /sys in this folder; the answer "
     "of nvidia-smi is in nvidia-smi.csv there")
      .shows("DIR");
  is("running", arguments.running,
     "Judge the processes of the deployment that run here now, not how they are planned");
  is("socket", arguments.socket,
     "With --running: where the arbiter listens (default: /run/tactus/tactus.sock)")
      .shows("PATH");
  is("json", arguments.json, "For programs");
}

}  // namespace

void add_doctor(Parser& app, int& exit_code) {
  add_verb<DoctorArguments>(
      app, exit_code, "doctor", "Is this machine fit to keep what a plan promises?",

      "Exit code 0: everything that the plan counts on is fine (without a plan: always); 1: "
      "something\n"
      "is not, also where it was accepted; 2: bad input; 3: something cannot be known here.\n"
      "Examples:\n"
      "  tactus doctor\n"
      "  tactus doctor robot.system.json --plan robot.plan.json",
      run);
}

}  // namespace tactus::cli
