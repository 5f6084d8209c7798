#pragma once

#include <CLI/CLI.hpp>

#include "tactus/verbs/answer.hpp"

/// The command line: one file per verb, no logic beyond reading arguments and choosing a report.
namespace tactus::cli {

using verbs::Exit, verbs::kYes, verbs::kNo, verbs::kBadInput, verbs::kUnknown;

/// Each verb adds itself to the app; when chosen it runs from its callback and sets `exit_code`.
void add_check(CLI::App& app, int& exit_code);
void add_methods(CLI::App& app, int& exit_code);
void add_analyze(CLI::App& app, int& exit_code);
void add_slack(CLI::App& app, int& exit_code);
void add_advise(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_task_process(CLI::App& app, int& exit_code);
void add_tiers(CLI::App& app, int& exit_code);
void add_tier_process(CLI::App& app, int& exit_code);
void add_exec(CLI::App& app, int& exit_code);
void add_top(CLI::App& app, int& exit_code);
void add_deploy(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_generate(CLI::App& app, int& exit_code);
void add_reproduce(CLI::App& app, int& exit_code);
void add_results(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
void add_gpu(CLI::App& app, int& exit_code);
void add_measure(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
/// For the installation.
void add_man_pages(CLI::App& app, int& exit_code);

}  // namespace tactus::cli
