#include "tactus/verbs/plan.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/plan.hpp"

namespace tactus::cli {
namespace {

struct PlanArguments {
  verbs::PlanQuestion question;
  std::string output, dot;
  Document check;
  bool json = false;
  const Fields* fields = nullptr;
};

void describe(PlanArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("output", arguments.output, "Write the plan (*.plan.json)").letter('o').shows("FILE");
  is("dot", arguments.dot, "Write the plan as a Graphviz graph").shows("FILE");
  is("json", arguments.json, "Print the plan, or what a check found, as JSON");
  is("check", arguments.check, "Check this plan against FILE with code independent of the planner")
      .shows("PLAN")
      .excludes({"method"});
}

int make(const PlanArguments& arguments) {
  const auto made = long_answer(arguments.question);
  if (!made) return complain_of(made.none());
  const System& system = made->edited.system;
  const auto& [method, verdict] = made->subject;
  const std::string json = made->json();
  const bool to_be_run = verdict.status != Status::kUnschedulable;
  if (!arguments.output.empty() && !to_be_run) {
    complain(fmt::format("tactus: {} is not written: {} does not prove every deadline with it",
                         arguments.output, method->id));
  }
  if (!arguments.output.empty() && to_be_run && !save(arguments.output, json)) return kBadInput;
  if (!arguments.dot.empty()) {
    const std::string dot = verdict.plan->dot(system);
    if (dot.empty()) return fail(fmt::format("a plan of {} has no graph", method->id));
    if (!save(arguments.dot, dot)) return kBadInput;
  }
  // A plan is a file of its own, in which nothing else has a place.
  if (arguments.json && !made->why.empty()) note("tactus: " + made->why);
  if (arguments.json) {
    for (const decide::Change& change : made->edited.changes) {
      note("changed: " + to_string(change));
    }
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json ? json
                                          : changes_text(made->edited, style) +
                                                (made->why.empty() ? "" : made->why + '\n') +
                                                report::plan_text(system, verdict, style);
  return emit(text) ? made->exit() : kBadInput;
}

int check(const PlanArguments& arguments) {
  const verbs::Companion companion = told_here();
  arguments.question.choice.tell_idle(companion, *arguments.fields,
                                      "the plan says how it was made");
  tell_without_effect(companion, *arguments.fields, {"output", "dot"}, "a check writes no plan");
  const auto checked =
      verbs::answer(verbs::CheckPlanQuestion{arguments.question.about, arguments.check}, companion);
  if (!checked) return complain_of(checked.none());
  const std::string text = arguments.json
                               ? checked->json()
                               : changes_text(checked->edited, report::Style::of(STDOUT_FILENO)) +
                                     report::plan_check_text(arguments.check.name, checked->file);
  return emit(text) ? checked->exit() : kBadInput;
}

int run(PlanArguments& arguments) {
  return arguments.check.given() ? check(arguments) : make(arguments);
}

}  // namespace

void add_plan(Parser& app, int& exit_code) {
  add_verb<PlanArguments>(
      app, exit_code, "plan", "Make the plan that achieves the deadlines, or check one",
      "Without --method: the method that the file deploys, else the best that makes plans.\n"
      "Exit code 0: made, and every deadline holds (or: every condition holds); 1: a deadline or "
      "a\n"
      "condition does not; 2: bad input; 3: undecided or not applicable.\n"
      "Examples:\n"
      "  tactus plan robot.system.json --method gcaps.suspend.prio -o robot.plan.json\n"
      "  tactus plan robot.system.json --check robot.plan.json",
      run);
}

}  // namespace tactus::cli
