#include <unistd.h>

#include <memory>

#include "tactus/arbiter/tiers/tier_block.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/report/tiers.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  arbiter::tiers::SurveyOptions survey;
  std::string need;
  bool json = false;
};

int run(Arguments& arguments) {
  arguments.survey.program = host::own_program();
  arguments.survey.preload = host::companion("libtactus_preload.so");
  const auto survey = arbiter::tiers::survey_tiers(arguments.survey);
  if (!survey) {
    complain("tactus: " + survey.error().message);
    return kUnknown;
  }
  if (!emit(arguments.json ? report::tiers_json(*survey)
                           : report::tiers_text(*survey, report::Style::of(STDOUT_FILENO))))
    return kBadInput;
  for (const arbiter::tiers::TierFound& tier : survey->tiers)
    if (tier.name == arguments.need && !tier.available) return kUnknown;
  return kYes;
}

}  // namespace

void add_tiers(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("tiers", "Try the ways to take work off this machine's GPU");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("--device", arguments->survey.device, "Which GPU")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--runs", arguments->survey.rounds, "How often to stop and restart work")
      ->capture_default_str()
      ->check(between(1, static_cast<int>(arbiter::tiers::kMostRounds)));
  verb->add_option("--need", arguments->need, "Exit with 3 unless this tier is available")
      ->check(one_of({"channel", "yield", "gate"}));
  verb->add_flag("--json", arguments->json, "As JSON, with every measured time");
  verb->footer(
      "Fills the GPU with work whose results are known, stops it and restarts it. A tier counts "
      "as\n"
      "available if the work was seen to stop, to come back and to give the right results.\n"
      "Nothing else should use the GPU for a second or two.\n"
      "The worst times seen are shown as runlist_update, context_switch and preemption_delay, for "
      "the\n"
      "system file.\n"
      "Exit code 0: done; 2: bad usage; 3: the needed tier is not available.\n"
      "Examples:\n"
      "  tactus tiers\n"
      "  tactus tiers --need channel --runs 200 --json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

void add_tier_process(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("tier-process", "The trial of `tactus tiers`");
  verb->group("");  // not for people
  auto numbers = std::make_shared<std::vector<int>>();
  verb->add_option("NUMBERS", *numbers)->required()->expected(3);
  verb->callback([numbers, &exit_code] {
    exit_code = arbiter::tiers::run_tier_process((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  });
}

}  // namespace tactus::cli
