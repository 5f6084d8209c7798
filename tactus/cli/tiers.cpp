#include <unistd.h>

#include "tactus/arbiter/tiers/tier_block.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/programs.hpp"
#include "tactus/report/tiers.hpp"

namespace tactus::cli {
namespace {

struct TiersArguments {
  arbiter::tiers::SurveyOptions survey;
  std::string need;
  bool json = false;
};

int run(TiersArguments& arguments) {
  arguments.survey.program = host::own_program();
  arguments.survey.preload = host::companion("libtactus_preload.so");
  const auto survey = arbiter::tiers::survey_tiers(arguments.survey);
  if (!survey) return fail(survey.error().message, kUnknown);
  if (!emit(arguments.json ? report::tiers_json(*survey)
                           : report::tiers_text(*survey, report::Style::of(STDOUT_FILENO))))
    return kBadInput;
  for (const arbiter::tiers::TierFound& tier : survey->tiers)
    if (tier.name == arguments.need && !tier.available) return kUnknown;
  return kYes;
}

void describe(TiersArguments& arguments, Fields& is) {
  is("device", arguments.survey.device, "Which GPU").range(0);
  is("runs", arguments.survey.rounds, "How often to stop and restart work")
      .range(1, static_cast<int>(arbiter::tiers::kMostRounds))
      .formerly("rounds");
  is("need", arguments.need, "Exit with 3 unless this tier is available")
      .one_of({"channel", "yield", "gate"});
  is("json", arguments.json, "As JSON, with every measured time");
}

}  // namespace

void add_tiers(Parser& app, int& exit_code) {
  add_verb<TiersArguments>(
      app, exit_code, "tiers", "Try the ways to take work off this machine's GPU",

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
      "  tactus tiers --need channel --runs 200 --json",
      run);
}

namespace {

struct TierProcess {
  int first = 0, second = 0, third = 0;
};

void describe(TierProcess& numbers, Fields& is) {
  constexpr std::int64_t kMost = 2'147'483'647;
  is("first", numbers.first, "").positional("FIRST").required().range(-kMost, kMost);
  is("second", numbers.second, "").positional("SECOND").required().range(-kMost, kMost);
  is("third", numbers.third, "").positional("THIRD").required().range(-kMost, kMost);
}

int run(TierProcess& numbers) {
  return arbiter::tiers::run_tier_process(numbers.first, numbers.second, numbers.third);
}

}  // namespace

void add_tier_process(Parser& app, int& exit_code) {
  add_verb<TierProcess>(app, exit_code, "tier-process", "The trial of `tactus tiers`", "", run);
}

}  // namespace tactus::cli
