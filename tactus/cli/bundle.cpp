#include "tactus/cli/bundle.hpp"

#include <fmt/core.h>

#include "tactus/base/file.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/scratch_folder.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/runs.hpp"
#include "tactus/experiment/work/bundle.hpp"
#include "tactus/report/charts/gnuplot.hpp"
#include "tactus/report/experiments.hpp"
#include "tactus/tactus.h"

namespace tactus::cli {
namespace {

using namespace experiment;

/// The tables and, if they can be drawn, the figures.
Result<std::vector<ArchiveMember>> for_people(const std::string& store) {
  const auto all = read_results(store);
  if (!all) return all.error();
  std::vector<ArchiveMember> members = {{"points.csv", report::points_csv(*all)},
                                        {"weighted.csv", report::weighted_csv(*all)}};
  const ScratchFolder scratch;
  if (scratch.path().empty()) return Error{"cannot make a folder for temporary files"};
  std::vector<report::ChartFormat> formats = {report::ChartFormat::kTikz};
  if (const auto why = report::why_no_charts()) {
    complain("tactus: " + *why);
  } else {
    formats.push_back(report::ChartFormat::kSvg);
    formats.push_back(report::ChartFormat::kPdf);
  }
  if (auto failed = report::draw_charts(*all, formats, scratch.path())) return std::move(*failed);
  for (const Results& results : *all) {
    for (const report::ChartFormat format : formats) {
      const std::string name =
          fmt::format("{}.{}", results.experiment.name,
                      report::kChartFormatNames[static_cast<std::size_t>(format)]);
      Result<std::string> bytes = read_text_file(scratch.path() + "/" + name);
      if (!bytes) return bytes.error();
      members.push_back({"figures/" + name, std::move(*bytes)});
    }
  }
  return members;
}

/// What was found, and the exit code.
int conclude(const std::string& path, const StoreDifference& difference) {
  std::string text;
  for (const std::string& line : difference.first) text += line + '\n';
  if (difference.differing > 0) {
    text += fmt::format("{}: {} verdicts differ ({} were compared)\n", path, difference.differing,
                        difference.compared);
  } else {
    text += fmt::format("{}: all {} verdicts came out again\n", path, difference.compared);
  }
  if (!emit(text)) return kBadInput;
  return difference.differing > 0 ? kNo : kYes;
}

}  // namespace

int write_bundle(const std::string& store, const std::string& path) {
  if (!is_bundle(path)) return fail("the name of a bundle ends in .tar.gz");
  auto more = for_people(store);
  if (!more) return fail(more.error().message);
  const auto members = bundle_of(store, tactus_version(), std::move(*more));
  if (!members) return fail(members.error().message);
  const std::string archive = exchange::tar_gz(*members);
  if (const auto failed = write_text_file(path, archive)) return fail(failed->message);
  return emit(fmt::format("{}: {} files, {} bytes\n", path, members->size(), archive.size()))
             ? kYes
             : kBadInput;
}

bool is_bundle(std::string_view name) {
  return name.ends_with(".tar.gz") || name.ends_with(".tgz");
}

int reproduce_bundle(const std::string& path, const std::string& folder, const RunContext& context,
                     const std::stop_token& stop,
                     const std::function<void(std::string_view)>& progress) {
  const auto members = exchange::read_tar_gz(path);
  if (!members) return fail(members.error().message);
  if (const auto problems = tampered(*members); !problems.empty()) {
    for (const std::string& problem : problems) {
      complain(fmt::format("{}: {} after the bundle was made", path, problem));
    }
    return kNo;
  }
  const ScratchFolder scratch;
  if (scratch.path().empty()) return fail("cannot make a folder for temporary files");
  const std::string before = scratch.path() + "/before",
                    now = folder.empty() ? scratch.path() + "/now" : folder;
  if (!make_folder(before) || !make_folder(now)) return kBadInput;
  if (const auto failed =
          write_text_file(before + "/results.db", *find_member(*members, kBundledStore))) {
    return fail(failed->message);
  }
  const auto history = read_history(before);
  if (!history) return fail(history.error().message);
  if (history->version != context.version) {
    complain(fmt::format("{}: made by tactus {}; this is tactus {}", path,
                         printable_line(history->version), context.version));
  }
  RunRequest request;
  request.folder = now;
  request.context = context;
  request.stop = stop;
  request.progress = progress;
  const auto outcome = run_again(before, request);
  if (!outcome) return fail(outcome.error().message);
  if (outcome->left > 0)
    return fail("stopped before all sets were judged; nothing was compared", kUnknown);
  const auto difference = compare_stores(before, now);
  if (!difference) return fail(difference.error().message);
  return conclude(path, *difference);
}

}  // namespace tactus::cli
