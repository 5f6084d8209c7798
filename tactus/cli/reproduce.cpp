#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <thread>

#include "tactus/cli/budget.hpp"
#include "tactus/cli/bundle.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/progress_line.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/reproduce_check.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/experiment/describe/catalogue.hpp"
#include "tactus/experiment/work/cluster.hpp"
#include "tactus/experiment/work/run_experiment.hpp"
#include "tactus/host/processor.hpp"
#include "tactus/host/terminal.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/report/charts/gnuplot.hpp"
#include "tactus/report/experiments.hpp"
#include "tactus/tactus.h"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

using namespace experiment;

struct ReproduceArguments {
  std::vector<std::string> names;
  std::int64_t sets = 0;  ///< 0: as the file says
  std::vector<std::string> points;
  int threads = 0;  ///< 0: all cores, or one per rank
  bool resume = false, list = false, json = false, figures = true, check = false, all = false;
  std::string show, folder = "results";
  bool folder_given = false;
  StopAfter stop_after{"reproduce"};
  const Fields* fields = nullptr;
};

int show_experiment(const std::string& name) {
  for (const BundledFile& file : bundled_files()) {
    if (file.name == name) return emit(file.text) ? kYes : kBadInput;
  }
  const auto found = find_experiments(name);  // says what is wrong with the name
  if (!found) return complain_of({kBadInput, found.error()});
  return complain_of(verbs::NoAnswer::bad_input("--show takes the name of one bundled experiment"));
}

/// The experiments asked for; none, with `--resume`, means those in the store.
Result<std::vector<Wanted>, std::vector<Error>> find_wanted(const ReproduceArguments& arguments) {
  std::vector<std::string> names = arguments.names;
  if (names.empty() && !arguments.resume) names = {"*"};
  std::vector<Wanted> wanted;
  for (const std::string& name : names) {
    auto found = find_experiments(name);
    if (!found) return found.error();
    for (FoundExperiment& one : *found) {
      const bool again = std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& other) {
        return other.experiment.name == one.experiment.name;
      });
      if (again) {
        return std::vector<Error>{
            {fmt::format("experiment {} is named twice", quote(one.experiment.name))}};
      }
      wanted.push_back({std::move(one.experiment), std::move(one.file)});
    }
  }
  return wanted;
}

enum class Figures { kDrawn, kNone, kFailed };

/// Figures are optional: without gnuplot the run succeeds, too.
Figures draw_figures(const std::vector<Results>& all, const ReproduceArguments& arguments) {
  if (!arguments.figures) return Figures::kNone;
  if (const auto why = report::why_no_charts()) {
    complain("tactus: " + *why);
    return Figures::kNone;
  }
  const auto failed = report::draw_charts(
      all, {report::ChartFormat::kSvg, report::ChartFormat::kPdf}, arguments.folder);
  if (failed) complain("tactus: " + failed->message);
  return failed ? Figures::kFailed : Figures::kDrawn;
}

/// Prints what came out and compares it with the papers.
int conclude(const ReproduceArguments& arguments, const std::vector<Wanted>& wanted) {
  auto all = read_results(arguments.folder);
  if (!all) return fail(all.error().message);
  // Of what the store has, what was asked for.
  std::erase_if(*all, [&](const Results& results) {
    return !wanted.empty() && std::none_of(wanted.begin(), wanted.end(), [&](const Wanted& one) {
      return one.experiment.name == results.experiment.name;
    });
  });
  const Figures figures = draw_figures(*all, arguments);
  if (figures == Figures::kFailed) return kBadInput;
  std::string text;
  int unexplained = 0;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const auto shown = arguments.all ? report::Shown::kAll : report::Shown::kOutside;
  for (const Results& results : *all) {
    unexplained += report::unexplained_claims(results);
    text += report::claims_text(results, style, shown);
    if (figures == Figures::kDrawn) {
      text +=
          fmt::format("  Picture: {}/{}.svg, .pdf\n", arguments.folder, results.experiment.name);
    }
    text += '\n';
  }
  if (arguments.json) text = report::results_json(*all);
  if (!emit(text)) return kBadInput;
  return unexplained > 0 ? kNo : kYes;
}

/// How we were started, as one would type it.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string command;
  for (std::string word; std::getline(file, word, '\0');) {
    if (command.empty()) {
      command = word.substr(word.rfind('/') + 1);  // npos + 1 is 0
      continue;
    }
    const bool plain = word.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789-_.,/=:+@%") == std::string::npos;
    command += plain && !word.empty() ? ' ' + word : " '" + word + "'";
  }
  return command;
}

/// The same command, to be typed again.
std::string resume_command(const ReproduceArguments& arguments, const std::string& command) {
  return arguments.resume ? command : command + " --resume";
}

/// What all experiments took once (bench/results/reproduction-2026-11-20.md): 505,415 sets in
/// 987 s of CPU time. Another machine is faster or slower, so a range of twice either way is told.
constexpr double kCoreSecondsPerSet = 987.0 / 505'415;

/// "15 min to 1 h".
std::string likely_time(std::int64_t sets, int threads) {
  const double seconds = static_cast<double>(sets) * kCoreSecondsPerSet / threads;
  return fmt::format("{} to {}", duration_text(seconds / 2), duration_text(seconds * 2));
}

/// Everything takes long: who asks for it on a terminal by naming nothing is asked.
bool wants_everything(const std::vector<Wanted>& wanted, const ReproduceArguments& arguments,
                      int threads) {
  if (!host::is_terminal(STDIN_FILENO) || !host::is_terminal(STDERR_FILENO)) return true;
  std::int64_t sets = 0;
  for (const Wanted& one : wanted) {
    for (const experiment::Point& point : points_of(one.experiment)) {
      const std::int64_t asked = arguments.sets > 0 ? arguments.sets : one.experiment.sets;
      sets += std::min(asked, most_sets(one.experiment, point));
    }
  }
  complain(
      fmt::format("All {} experiments have {} sets: about {} with {} threads, as a recorded run "
                  "took; a bar will show how long it really is.",
                  wanted.size(), sets, likely_time(sets, threads), threads));
  complain("`tactus lab reproduce --list` names them, `--sets 10` takes few of each. Go on? (y)");
  std::string line;
  return std::getline(std::cin, line) && (line == "y" || line == "yes");
}

int run_first(const ReproduceArguments& arguments, const std::string& command, Ranks* ranks,
              int threads, std::optional<LongWork>& work) {
  const RunContext context = {tactus_version(),
                              command,
                              host::processor_name(),
                              static_cast<int>(std::thread::hardware_concurrency()),
                              threads,
                              ranks != nullptr ? ranks->size() : 1};
  if (std::any_of(arguments.names.begin(), arguments.names.end(), is_bundle)) {
    if (ranks != nullptr) dismiss(*ranks);
    const bool alone = arguments.names.size() == 1 && arguments.sets == 0 &&
                       arguments.points.empty() && !arguments.resume && !arguments.check &&
                       !arguments.json;
    if (!alone) return fail("a bundle is run alone and as it is, with -j and -o only");
    return reproduce_bundle(arguments.names[0],
                            arguments.folder_given ? arguments.folder : std::string(), context,
                            work->stop_token(), work->progress());
  }
  const auto wanted = find_wanted(arguments);
  if (!wanted) complain_of({kBadInput, wanted.error()});
  if (arguments.check && wanted) {
    if (ranks != nullptr) dismiss(*ranks);
    const auto progress = work->progress();
    return check_experiments(*wanted, context, work->stop_token(), progress);
  }
  const bool everything = arguments.names.empty() && !arguments.resume;
  if (wanted && everything && ranks == nullptr &&
      (!wants_everything(*wanted, arguments, threads) || work->stop_token().stop_requested()))
    return fail("nothing is run", kUnknown);
  if (!wanted || !make_folder(arguments.folder)) {
    if (ranks != nullptr) dismiss(*ranks);
    return kBadInput;
  }
  RunRequest request;
  request.folder = arguments.folder;
  request.resume = arguments.resume;
  request.wanted = *wanted;
  if (arguments.sets > 0) request.sets = arguments.sets;
  if (!arguments.points.empty()) request.points = arguments.points;
  request.context = context;
  request.stop = work->stop_token();
  request.progress = work->progress();
  request.ranks = ranks;
  const Result<RunOutcome> outcome = run(request);
  work.reset();  // ends the line of the progress bar
  if (!outcome) return fail(outcome.error().message);
  if (outcome->left > 0)
    return fail(fmt::format("stopped with {} sets left; this continues:\n  {}", outcome->left,
                            resume_command(arguments, command)),
                kUnknown);
  if (!arguments.json) {
    note(fmt::format("{} sets in {:.1f} s; {}/results.db", outcome->judged, outcome->seconds,
                     arguments.folder));
  }
  return conclude(arguments, *wanted);
}

int run(ReproduceArguments& arguments) {
  const std::string command = command_line();
  arguments.folder_given = arguments.fields->given("output");
  keep(arguments.stop_after);
  const std::string only = arguments.list ? "list" : arguments.show.empty() ? "" : "show";
  if (!only.empty()) {
    tell_without_effect_but(told_here(), *arguments.fields, {only},
                            fmt::format("--{} runs nothing", only));
  }
  if (arguments.check)
    tell_without_effect(told_here(), *arguments.fields, {"figures"}, "--check draws none");
  if (arguments.list) {
    const report::Style style = report::Style::of(STDOUT_FILENO);
    return emit(report::bundled_experiments_text(style)) ? kYes : kBadInput;
  }
  if (!arguments.show.empty()) return show_experiment(arguments.show);
  // Before MPI, whose threads would otherwise take the signals.
  std::optional<LongWork> work(std::in_place);
  const auto ranks = find_ranks();
  if (!ranks) return fail(ranks.error().message, kUnknown);
  int threads = arguments.threads;
  if (threads == 0) {
    threads = *ranks ? 1 : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  if (*ranks && (*ranks)->rank() != 0) {
    serve(**ranks, threads, work->stop_token());
    return kYes;
  }
  return run_first(arguments, command, ranks->get(), threads, work);
}

void describe(ReproduceArguments& arguments, Fields& is) {
  is("name", arguments.names,
     "Bundled experiments (wildcards work) or files; default: all. Or a "
     "bundle, F.tar.gz: run again and compared")
      .positional("NAME");
  is("sets", arguments.sets, "Sets per point, instead of what the file says").range(1);
  is("points", arguments.points,
     "Only the points at these values of x; all: every point of a resumed run")
      .commas()
      .shows("X,...");
  is("threads", arguments.threads, "Threads; default: all cores, and one per rank under mpirun")
      .letter('j')
      .range(1, 1024);
  describe(arguments.stop_after, is);
  is("resume", arguments.resume, "Continue the run in the folder; without NAME, everything in it");
  is("output", arguments.folder, "Folder for results.db and the figures").letter('o').shows("DIR");
  is("figures", arguments.figures, "Draw the figures")
      .off("Do not draw; `tactus lab plot` can do it later");
  is("list", arguments.list, "The bundled experiments").excludes({"name", "show"});
  is("show", arguments.show, "Print the file of a bundled experiment, to start your own from")
      .shows("NAME")
      .excludes({"name"});
  is("json", arguments.json, "Points and claims as JSON");
  is("all", arguments.all, "Every claim, not only those that are outside")
      .excludes({"list"})
      .excludes({"show"})
      .excludes({"json"});
  is("check", arguments.check,
     "Run the few sets that each file names for this, and judge its claims; keeps "
     "nothing")
      .excludes({"list"})
      .excludes({"show"})
      .excludes({"sets"})
      .excludes({"points"})
      .excludes({"resume"})
      .excludes({"output"})
      .excludes({"json"})
      .excludes({"all"});
}

}  // namespace

void add_reproduce(Parser& app, int& exit_code) {
  add_verb<ReproduceArguments>(
      app, exit_code, "reproduce", "Run experiments and compare with the papers",

      "Exit code 0: every claim is inside its tolerance, or the file explains why not;\n"
      "1: a claim is outside and unexplained, or a bundle was changed or does not come out\n"
      "again; 2: bad input, or the store cannot be written;\n"
      "3: stopped before the end.\n"
      "Examples:\n"
      "  tactus lab reproduce --list\n"
      "  tactus lab reproduce gcaps-fig8b --sets 100\n"
      "  tactus lab reproduce 'gcaps-*' -j 8 -o gcaps\n"
      "  tactus lab reproduce --resume -o gcaps\n"
      "  tactus lab reproduce --check\n"
      "  tactus lab reproduce six-cores.tar.gz\n"
      "  mpirun -n 64 tactus lab reproduce -o everything",
      run);
}

}  // namespace tactus::cli
