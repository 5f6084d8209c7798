#include <unistd.h>

#include "tactus/cli/bundle.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/experiments.hpp"
#include "tactus/report/paired.hpp"

namespace tactus::cli {
namespace {

struct ResultsArguments {
  std::string path;
  bool csv = false, json = false, raw = false, times = false, weighted = false;
  std::vector<std::string> compared;
  std::string bundle;
};

/// Two curves on the same sets, in every experiment that has both.
int print_comparison(const ResultsArguments& arguments,
                     const std::vector<experiment::Results>& all) {
  if (arguments.compared.size() != 2)
    return fail("--compare takes two lines, with a comma between: --compare A,B");
  std::vector<experiment::Comparison> found;
  std::string problem = "the store has no experiment";
  for (const experiment::Results& results : all) {
    auto one =
        experiment::compare(arguments.path, results, arguments.compared[0], arguments.compared[1]);
    if (one) {
      found.push_back(std::move(*one));
    } else {
      problem = results.experiment.name + ": " + one.error().message;
    }
  }
  if (found.empty()) return fail(problem);
  std::string text = arguments.json  ? report::paired_json(found)
                     : arguments.csv ? report::paired_csv(found)
                                     : std::string();
  if (text.empty()) {
    const report::Style style = report::Style::of(STDOUT_FILENO);
    for (const experiment::Comparison& one : found) text += report::paired_text(one, style);
  }
  return emit(text) ? kYes : kBadInput;
}

int print_raw(const ResultsArguments& arguments) {
  bool whole = arguments.json || emit(report::raw_csv_header(arguments.times));
  std::string block;
  const auto flush = [&] {
    whole = whole && emit(block);
    block.clear();
    return whole;
  };
  const auto problem = experiment::for_each_verdict(
      arguments.path, arguments.times, [&](const experiment::RawVerdict& verdict) {
        constexpr std::size_t kBlock = std::size_t{1} << 16;
        block += arguments.json ? report::raw_json_line(verdict, arguments.times)
                                : report::raw_csv(verdict, arguments.times);
        return block.size() < kBlock || flush();
      });
  if (problem) return fail(problem->message);
  return flush() ? kYes : kBadInput;
}

int run(ResultsArguments& arguments) {
  if (arguments.raw) return print_raw(arguments);
  if (!arguments.bundle.empty()) return write_bundle(arguments.path, arguments.bundle);
  const auto all = experiment::read_results(arguments.path);
  if (!all) return fail(all.error().message);
  if (!arguments.compared.empty()) return print_comparison(arguments, *all);
  if (arguments.weighted) return emit(report::weighted_csv(*all)) ? kYes : kBadInput;
  if (arguments.json) return emit(report::results_json(*all)) ? kYes : kBadInput;
  if (arguments.csv) return emit(report::points_csv(*all)) ? kYes : kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  for (const experiment::Results& results : *all) {
    if (!emit(report::points_text(results, style))) return kBadInput;
  }
  return kYes;
}

void describe(ResultsArguments& arguments, Fields& is) {
  is("file", arguments.path, "results.db, or the folder it is in").positional("FILE").required();
  is("csv", arguments.csv, "One line per point and curve").excludes({"json"});
  is("json", arguments.json, "Points and claims as JSON");
  is("raw", arguments.raw, "Every verdict on every set: CSV, or one JSON object per line");
  is("times", arguments.times, "With --raw: the time of each analysis too, where it was taken")
      .needs("raw");
  is("compare", arguments.compared,
     "Two lines (line, line:variant or line{case}): what one accepts and the "
     "other does not, with McNemar's test")
      .commas()
      .shows("A,B")
      .excludes({"raw"});
  is("weighted", arguments.weighted,
     "With --csv: weighted schedulability, one line per case and curve")
      .needs("csv")
      .excludes({"raw"})
      .excludes({"compare"});
  is("bundle", arguments.bundle,
     "Write an archive of all that is needed to run it again: experiments, store, "
     "own sets, versions, machine, figures (`tactus lab reproduce F.tar.gz`)")
      .shows("F.tar.gz")
      .excludes({"raw"})
      .excludes({"csv"})
      .excludes({"json"})
      .excludes({"compare"});
}

}  // namespace

void add_results(Parser& app, int& exit_code) {
  add_verb<ResultsArguments>(app, exit_code, "results",
                             "List and export the results of experiments",

                             "Exit code 0: done; 2: there is no such store, or it cannot be read.\n"
                             "Examples:\n"
                             "  tactus lab results results\n"
                             "  tactus lab results results --csv > points.csv\n"
                             "  tactus lab results results --compare gcaps,locks\n"
                             "  tactus lab results results --bundle six-cores.tar.gz\n"
                             "  tactus lab results results --raw --times > verdicts.csv",
                             run);
}

}  // namespace tactus::cli
