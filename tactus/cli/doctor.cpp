#include "tactus/verbs/doctor.hpp"

#include <unistd.h>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/checkup.hpp"

namespace tactus::cli {
namespace {

struct DoctorArguments {
  verbs::DoctorQuestion question;
  bool json = false;
};

void describe(DoctorArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  arguments.question.fields = &is;
  is("json", arguments.json, "For programs");
}

int run(DoctorArguments& arguments) {
  const auto found = answer(arguments.question, told_here());
  if (!found) return complain_of(found.none());
  const std::string text =
      arguments.json
          ? found->json()
          : report::checkup_text({found->demand, found->checks, found->conditions, found->waived},
                                 report::Style::of(STDOUT_FILENO));
  return emit(text) ? found->exit() : kBadInput;
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
