#include "tactus/cli/reproduce_check.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "tactus/cli/output.hpp"
#include "tactus/cli/scratch_folder.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/results/claims.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;
using namespace experiment;

/// How the claims of one experiment came out.
struct Tally {
  int inside = 0, adjusted = 0, explained = 0, open = 0;
  std::vector<std::string> unexpected;
};

Tally tally_of(const Results& results) {
  Tally tally;
  for (const Judgement& judgement : judge_claims(results)) {
    if (judgement.outcome == Outcome::kInside) {
      const bool own = judgement.claim->basis == Basis::kOwn;
      ++(judgement.stands() || own ? tally.inside : tally.adjusted);
    } else if (!judgement.claim->deviation.empty()) {
      ++tally.explained;
    } else if (judgement.claim->open) {
      ++tally.open;
    } else {
      const Ours& ours = is_guaranteed(judgement.judged_by) ? judgement.safe : judgement.paper;
      tally.unexpected.push_back(fmt::format(
          "{}: {}: paper {}, ours {:.4g} {}", results.experiment.name, judgement.claim->text,
          judgement.claim->paper.text, ours.value_or(0), judgement.claim->unit));
    }
  }
  return tally;
}

}  // namespace

int check_experiments(const std::vector<Wanted>& wanted, const RunContext& context,
                      const std::stop_token& stop,
                      const std::function<void(std::string_view)>& progress) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return fail("cannot make a folder for temporary files");
  report::Table table({{"experiment"},
                       {"sets", report::Align::kRight},
                       {"inside", report::Align::kRight},
                       {"adjusted", report::Align::kRight},
                       {"explained", report::Align::kRight},
                       {"open", report::Align::kRight},
                       {"unexpected", report::Align::kRight}});
  std::vector<std::string> unexpected;
  for (const Wanted& one : wanted) {
    const Experiment& experiment = one.experiment;
    if (experiment.claims.empty()) continue;
    if (experiment.check == 0) {
      table.add({experiment.name, "-", "-", "-", "-", "-", "-"});
      continue;
    }
    RunRequest request;
    request.folder = (fs::path(scratch.path()) / experiment.name).string();
    if (!make_folder(request.folder)) return kBadInput;
    request.wanted = {one};
    request.sets = std::min(experiment.check, experiment.sets);
    request.context = context;
    request.stop = stop;
    request.progress = progress;
    const Result<RunOutcome> outcome = run(request);
    if (!outcome) return fail(outcome.error().message);
    if (outcome->left > 0) return kUnknown;
    const auto results = read_results(request.folder);
    if (!results) return fail(results.error().message);
    const Tally tally = tally_of(results->front());
    table.add({experiment.name, std::to_string(experiment.system ? 1 : *request.sets),
               std::to_string(tally.inside), std::to_string(tally.adjusted),
               std::to_string(tally.explained), std::to_string(tally.open),
               std::to_string(tally.unexpected.size())});
    unexpected.insert(unexpected.end(), tally.unexpected.begin(), tally.unexpected.end());
  }
  std::string text = table.render(report::Style::of(STDOUT_FILENO), "");
  for (const std::string& line : unexpected) text += line + '\n';
  if (!emit(text)) return kBadInput;
  return unexpected.empty() ? kYes : kNo;
}

}  // namespace tactus::cli
