#pragma once

#include "tactus/cli/parser.hpp"
#include "tactus/verbs/answer.hpp"

/// The command line: one file per verb, no logic beyond reading arguments and choosing a report.
namespace tactus::cli {

using verbs::Exit, verbs::kYes, verbs::kNo, verbs::kBadInput, verbs::kUnknown;

/// Each verb adds itself to the app; when chosen it runs from its callback and sets `exit_code`.
void add_init(Parser& app, int& exit_code);
void add_check(Parser& app, int& exit_code);
void add_methods(Parser& app, int& exit_code);
void add_analyze(Parser& app, int& exit_code);
void add_slack(Parser& app, int& exit_code);
void add_advise(Parser& app, int& exit_code);
void add_reserve(Parser& app, int& exit_code);
void add_plan(Parser& app, int& exit_code);
void add_simulate(Parser& app, int& exit_code);
void add_run(Parser& app, int& exit_code);
void add_task_process(Parser& app, int& exit_code);
void add_tiers(Parser& app, int& exit_code);
void add_tier_process(Parser& app, int& exit_code);
void add_exec(Parser& app, int& exit_code);
void add_top(Parser& app, int& exit_code);
void add_watch(Parser& app, int& exit_code);
void add_deploy(Parser& app, int& exit_code);
void add_doctor(Parser& app, int& exit_code);
void add_validate(Parser& app, int& exit_code);
void add_import(Parser& app, int& exit_code);
void add_explain(Parser& app, int& exit_code);
void add_export(Parser& app, int& exit_code);
void add_generate(Parser& app, int& exit_code);
void add_reproduce(Parser& app, int& exit_code);
void add_results(Parser& app, int& exit_code);
void add_plot(Parser& app, int& exit_code);
void add_report(Parser& app, int& exit_code);
void add_serve(Parser& app, int& exit_code);
void add_schema(Parser& app, int& exit_code);
void add_gpu(Parser& app, int& exit_code);
void add_measure(Parser& app, int& exit_code);
void add_completion(Parser& app, int& exit_code);
/// For the installation.
void add_man_pages(Parser& app, int& exit_code);

}  // namespace tactus::cli
