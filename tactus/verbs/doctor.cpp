#include "tactus/verbs/doctor.hpp"

#include "tactus/deploy/cover.hpp"
#include "tactus/deploy/running.hpp"
#include "tactus/report/checkup.hpp"

namespace tactus::verbs {
namespace {

/// What the judge is asked about: a plan, what it counts on, and how it is started.
struct Asked {
  deploy::Demand demand;
  std::optional<System> system;
  Verdict plan;
  decide::Start start;
};

/// Of the processes that are there now.
decide::Start running_now(const DoctorQuestion& question, const System& system,
                          const deploy::Wish& wish) {
  const std::string socket = question.socket.empty() ? wish.socket : question.socket;
  return deploy::running_start(system, deploy::running_tasks(system.name),
                               deploy::running_arbiter(socket), wish.by != deploy::By::kProcess);
}

/// What the plan counts on, if one is given; or why that is not known.
Answer<Asked> asked_of(const DoctorQuestion& question, const Companion& companion) {
  const bool file = question.about.system.given();
  if (file != question.plan.given()) {
    return NoAnswer::bad_input("doctor needs FILE and --plan, or neither");
  }
  if (!file && question.running) {
    return NoAnswer::bad_input("--running needs FILE and --plan");
  }
  if (!question.socket.empty() && !question.running) {
    return NoAnswer::bad_input(
        "--socket says where the arbiter of --running listens; name that, too");
  }
  if (!file) {
    tell_without_effect(companion, *question.fields,
                        {"tier", "cpus", "backend", "realtime", "set", "add", "costs"},
                        "without FILE and --plan nothing is to be started");
    return Asked{};
  }
  const auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  auto wish = question.start.wish();
  if (!wish) return wish.none();
  wish->without_commands = true;
  const auto subject = plan_in(question.plan, edited->system);
  if (!subject) return subject.none();
  const auto made = launch_of(question.about.name(), edited->system, *subject, *wish,
                              {question.about.system.path, question.plan.path});
  if (!made) return made.none();
  const deploy::Launch& launch = *made;
  const bool plays = launch.way == decide::Way::kPartitions || launch.way == decide::Way::kTables;
  if (question.running && plays) {
    return NoAnswer::bad_input(
        "one program plays this plan; it says itself what it sees (tactus run)");
  }
  return Asked{deploy::demand_of(launch, *wish), edited->system, subject->verdict,
               question.running ? running_now(question, edited->system, *wish)
                                : deploy::start_of(edited->system, launch, *wish)};
}

}  // namespace

Exit Examined::exit() const {
  const decide::Holds all = decide::conclusion(conditions);
  return all == decide::Holds::kYes ? kYes : all == decide::Holds::kNo ? kNo : kUnknown;
}

std::string Examined::json() const {
  return report::checkup_json({demand, checks, conditions, waived});
}

Answer<Examined> answer(const DoctorQuestion& question, const Companion& companion) {
  auto asked = asked_of(question, companion);
  if (!asked) return asked.none();
  Examined examined{asked->demand};
  examined.demand.gpu_clock_mhz = question.gpu_clock;
  examined.checks = deploy::checkup(deploy::look_at_machine(question.root), examined.demand);
  if (!asked->system) return examined;
  asked->start.machine = deploy::granted(examined.checks);
  examined.conditions = decide::judge(*asked->system, asked->plan, asked->start);
  auto waived = question.start.waived(examined.conditions);
  if (!waived) return waived.none();
  examined.waived = std::move(*waived);
  return examined;
}

void describe(DoctorQuestion& question, Fields& is) {
  is("system", question.about.system, "System file; without one, everything is shown")
      .positional("FILE");
  is("plan", question.plan, "What this plan counts on decides the exit code").shows("PLAN");
  describe(question.start, is);
  describe(question.about.what_if, is);
  is("gpu_clock", question.gpu_clock,
     "The GPU clock, in MHz, at which times were measured (default: the highest)")
      .range(1);
  is("root", question.root,
     "Look at a copy of another machine's /proc and /sys in this folder; the answer "
     "of nvidia-smi is in nvidia-smi.csv there")
      .shows("DIR");
  is("running", question.running,
     "Judge the processes of the deployment that run here now, not how they are planned");
  is("socket", question.socket,
     "With --running: where the arbiter listens (default: /run/tactus/tactus.sock)")
      .shows("PATH");
}

}  // namespace tactus::verbs
