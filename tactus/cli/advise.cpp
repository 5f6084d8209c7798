#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/advice.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/plan.hpp"
#include "tactus/verbs/advise.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file, methods, target = "any", goal = "factor", output, plan;
  std::vector<std::string> vary;
  WhatIf what_if;
  std::uint64_t seed = 1;
  std::int64_t time_limit = 60;
  int threads = 1;
  bool json = false;
};

bool save(const std::string& path, std::string_view text) {
  const std::optional<Error> problem = write_text_file(path, text);
  if (problem) complain("tactus: " + problem->message);
  return !problem;
}

/// Writes the best option and its plan, where that was asked for and there is one.
bool save_best(const Arguments& arguments, const decide::Advice& advice) {
  if (arguments.output.empty() && arguments.plan.empty()) return true;
  if (!advice.found()) {
    complain("tactus: nothing is written: no way to run the system is proved");
    return true;
  }
  const decide::Option& best = advice.options.front();
  if (!arguments.output.empty() && !save(arguments.output, write_system(best.system))) return false;
  if (arguments.plan.empty()) return true;
  if (!best.verdict.plan) {
    complain(fmt::format("tactus: {} makes no plan", best.method->id));
    return false;
  }
  return save(arguments.plan, report::plan_json(best.system, best.verdict));
}

int run(const Arguments& arguments) {
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System& system = edited->system;
  verbs::AdviseRequest request;
  request.methods = arguments.methods;
  request.target = arguments.target;
  request.goal = arguments.goal;
  request.vary = arguments.vary;
  request.seed = arguments.seed;
  request.threads = arguments.threads;
  request.time_limit = std::chrono::seconds(arguments.time_limit);
  const auto answer = [&] {
    LongWork work;
    request.stop = work.stop_token();
    request.progress = work.progress();
    return verbs::advise(system, shown_name(arguments.file), request);
  }();
  if (!answer) return complain_of(answer.none());
  const auto& [advice, way_out] = *answer;
  if (!save_best(arguments, advice)) return kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json
          ? report::advice_json(system, advice, way_out, edited->changes)
          : changes_text(*edited, style) + report::advice_text(system, advice, way_out, style);
  if (!emit(text)) return kBadInput;
  return answer->exit();
}

}  // namespace

void add_advise(Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("advise", "Search for the way to run a system that leaves most room");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  verb->add_option("--vary", arguments->vary,
                   "Also search, though the file gives it: cores, priorities, gpu-priorities, "
                   "offsets, shares, method, sms")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of(verbs::kVaried));
  verb->add_option("--for", arguments->target,
                   "What you are ready to run: tactusd, partitions, tables, any")
      ->capture_default_str()
      ->check(one_of(verbs::kTargets));
  verb->add_option("--goal", arguments->goal,
                   "factor: all times may grow most; sms: fewest SMs are needed")
      ->capture_default_str()
      ->check(one_of(verbs::kGoals));
  verb->add_option("-m,--method", arguments->methods,
                   "Only these methods, by id or wildcard, comma-separated");
  arguments->what_if.add_to(*verb);
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-j,--threads", arguments->threads, "Threads; the result does not depend on it")
      ->capture_default_str()
      ->check(between(1, 1024));
  verb->add_option("--stop-after", arguments->time_limit,
                   "Stop after so many seconds, and show the best so far; 0: no limit")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-o,--output", arguments->output,
                   "Write the system with the best choice, and what to deploy (*.system.json)")
      ->type_name("FILE");
  verb->add_option("--plan-out", arguments->plan, "Write the plan that goes with it (*.plan.json)")
      ->type_name("FILE");
  verb->add_flag("--json", arguments->json, "As JSON (docs/use/deciding.md)");
  verb->footer(
      "Exit code 0: a way to run it is proved; 1: none is, and this is what would have to change;\n"
      "2: bad input; 3: no method applies, or stopped before one was found.\n"
      "Examples:\n"
      "  tactus advise robot.system.json\n"
      "  tactus advise robot.system.json --vary cores,priorities --for tactusd -o "
      "best.system.json\n"
      "  tactus advise robot.system.json --goal sms --plan-out best.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
