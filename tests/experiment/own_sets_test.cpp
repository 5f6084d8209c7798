#include "tactus/experiment/describe/own_sets.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tactus/experiment/results/results.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/writer.hpp"
#include "tests/experiment/support.hpp"

namespace tactus::experiment {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string file_of(std::string_view files, std::string_view more = {}) {
  return fmt::format(R"({{"tactus_experiment": 2, "name": "own", "title": "Mine", "files": {},
  {}
  "lines": [ {{ "name": "ours", "method": "gcaps.suspend", "variants": ["safe", "paper"] }},
             {{ "method": "mpcp.busy" }} ] }})",
                     files, more);
}

constexpr std::string_view kByCores =
    R"("sweep": { "label": "cores", "by": "platform.elements[0].units" },)";
constexpr std::string_view kByFolder = R"("sweep": { "label": "U", "by": "folder" },)";

/// Some small systems, one per line.
std::string lines(std::uint64_t seed, std::uint64_t count) {
  const Recipe& recipe = *find_recipe("gcaps-small");
  std::string text;
  for (std::uint64_t k = 0; k < count; ++k) {
    text += write_system_line(*generate(recipe, Settings(recipe.parameters, {}), seed, k));
  }
  return text;
}

Results results_of(const Folder& out) {
  auto all = read_results(out.path());
  EXPECT_TRUE(all) << all.error().message;
  return all ? std::move(all->front()) : Results{};
}

std::string error_of(const RunRequest& request) {
  const auto outcome = run(request);
  return outcome ? "none" : outcome.error().message;
}

/// The sets of an experiment with a recipe, written to files, are judged as those of the recipe.
TEST(OwnSets, AreJudgedAsWhatARecipeDraws) {
  const Folder drawn, from_files, files;
  ASSERT_TRUE(run(request_for(drawn.path(), small_file())));
  const Experiment experiment = wanted(small_file()).experiment;
  const Recipe& recipe = *find_recipe(experiment.recipe);
  for (const Point& point : points_of(experiment)) {
    std::string text;
    for (std::uint64_t k = 0; k < 30; ++k) {
      text += write_system_line(
          *generate(recipe, Settings(recipe.parameters, point.settings), point.seed, k));
    }
    write(fs::path(files.path()) / experiment.cases[point.case_index].name / point.x / "all.jsonl",
          text);
  }
  // By folder: 0.1 and 0.3; both cases together.
  const std::string file = file_of(R"("*/*/all.jsonl")", kByFolder);
  ASSERT_TRUE(run(request_for(from_files.path(), file, 2, files.path())));
  const Results ours = results_of(from_files), theirs = results_of(drawn);
  ASSERT_EQ(ours.points.size(), 2u);
  EXPECT_EQ(ours.points[0].x, "0.1");
  EXPECT_EQ(ours.points[1].x, "0.3");
  for (std::size_t x = 0; x < 2; ++x) {
    for (std::size_t curve = 0; curve < 3; ++curve) {
      const Cell& cell = ours.cell(x, curve);
      EXPECT_EQ(cell.sets, 60);
      EXPECT_EQ(cell.accepted, theirs.cell(x, curve).accepted + theirs.cell(x + 2, curve).accepted);
    }
  }
}

TEST(OwnSets, ComeFromFilesLinesAndPackedFilesInTheOrderOfTheirNames) {
  const Folder files, out;
  write(files.path() + "/b.jsonl", lines(3, 4));
  write(files.path() + "/c.json", lines(4, 1));
  write(files.path() + "/a.jsonl", lines(5, 2));
  ASSERT_EQ(std::system(("gzip " + files.path() + "/a.jsonl").c_str()), 0);
  const std::string file = file_of(R"(["*.json", "*.jsonl", "*.gz"])");
  ASSERT_TRUE(run(request_for(out.path(), file, 1, files.path())));
  std::vector<std::string> places;
  ASSERT_FALSE(for_each_verdict(out.path(), false, [&](const RawVerdict& verdict) {
    if (verdict.line == "mpcp.busy") places.emplace_back(verdict.place);
    EXPECT_EQ(verdict.x, "all");
    return true;
  }));
  EXPECT_EQ(places, (std::vector<std::string>{"a.jsonl.gz:1", "a.jsonl.gz:2", "b.jsonl:1",
                                              "b.jsonl:2", "b.jsonl:3", "b.jsonl:4", "c.json"}));
}

TEST(OwnSets, HavePointsAndCasesByWhatTheySay) {
  const Folder files, out;
  write(files.path() + "/low/s.jsonl", lines(1, 40));
  write(files.path() + "/high/s.jsonl", lines(2, 40));
  const std::string file =
      file_of(R"("*/s.jsonl")", std::string(kByCores) + R"("cases_by": "folder",)");
  ASSERT_TRUE(run(request_for(out.path(), file, 1, files.path())));
  const Results results = results_of(out);
  ASSERT_EQ(results.experiment.cases.size(), 2u);
  EXPECT_EQ(results.experiment.cases[0].name, "high");
  std::int64_t sets = 0;
  for (const Point& point : results.points) {
    sets += results.cell(point.index, 0).sets;
    const OwnSets& own = *results.experiment.own;
    for (const OwnSet& set : own.groups[point.group]) {
      EXPECT_EQ(std::to_string(set.system.platform.elements[0].units), point.x);
      EXPECT_TRUE(set.place.starts_with(results.experiment.cases[point.case_index].name));
    }
  }
  EXPECT_EQ(sets, 80);
}

TEST(OwnSets, HavePointsInTheOrderOfNumbersAndOnePerNumber) {
  const Folder files, out;
  for (const char* const folder : {"10", "2", "2.0", "0.5"})
    write(files.path() + "/" + folder + "/s.jsonl", lines(1, 3));
  const std::string file = file_of(R"("*/s.jsonl")", kByFolder);
  ASSERT_TRUE(run(request_for(out.path(), file, 1, files.path())));
  std::string order;
  for (const Point& point : results_of(out).points) order += point.x + " ";
  EXPECT_EQ(order, "0.5 2 10 ");
}

TEST(OwnSets, AreTheSameAtEveryPointOfAnOptionSweep) {
  const Folder files;
  write(files.path() + "/s.jsonl", lines(1, 3));
  const auto read = read_experiment(
      R"({"tactus_experiment": 2, "name": "own", "title": "Mine", "files": "s.jsonl",
          "sweep": { "label": "k", "set": ["--requests"], "values": [1, 2] },
          "lines": [ { "method": "gang.rm-he" } ] })",
      {.folder = files.path()});
  ASSERT_TRUE(read.experiment) << to_string(read.diagnostics.front(), "f");
  const auto points = points_of(*read.experiment);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].group, points[1].group);
  EXPECT_EQ(points[1].options, (Words{{"requests", "2"}}));
  EXPECT_EQ(most_sets(*read.experiment, points[1]), 3);
}

TEST(OwnSets, ContinueWithoutTheFilesAndRefuseOthers) {
  const Folder files, out;
  const fs::path here = fs::path(files.path()) / "here";
  write(here / "s.jsonl", lines(1, 6));
  write(here / "t.json", lines(9, 1));
  const std::string file = file_of(R"(["s.jsonl", "t*.json"])");
  RunRequest request = request_for(out.path(), file, 1, here.string());
  request.sets = 2;
  ASSERT_TRUE(run(request));
  const std::string store = out.path() + "/results.db";
  request.resume = true;
  request.sets.reset();

  write(here / "t.json", lines(10, 1));
  request.wanted = {wanted(file, here.string())};
  const std::string changed =
      store + " was begun with other files: t.json was changed; start a new run with -o";
  EXPECT_EQ(error_of(request), changed);
  RunRequest by_store = request;
  by_store.wanted.clear();
  EXPECT_EQ(error_of(by_store), changed);

  write(here / "t.json", lines(9, 1));
  write(here / "tt.json", lines(11, 1));
  request.wanted = {wanted(file, here.string())};
  EXPECT_EQ(error_of(request),
            store + " was begun with other files: tt.json is new; start a new run with -o");

  // The store has all it needs: 7 sets, of which 2 are done.
  fs::remove_all(here);
  by_store.sets = 7;
  const auto rest = run(by_store);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->judged, 5);
  EXPECT_EQ(results_of(out).cell(0, 0).sets, 7);
}

TEST(OwnSets, ThatAreWrongAreReportedWithTheirPlacesBeforeAnythingRuns) {
  const Folder files;
  std::string text = lines(1, 3);
  text.replace(text.rfind("\"wcet\":"), 7, "\"wcte\":");
  write(files.path() + "/s.jsonl", text);
  write(files.path() + "/t.json", "{\n  \"tactus\": 7\n}\n");
  const auto read = read_experiment(file_of(R"("*.json*")", kByCores), {.folder = files.path()});
  EXPECT_FALSE(read.experiment);
  ASSERT_GE(read.elsewhere.size(), 2u);
  EXPECT_TRUE(to_string(read.elsewhere.front()).starts_with(files.path() + "/s.jsonl:3:"))
      << to_string(read.elsewhere.front());
  EXPECT_NE(read.elsewhere.front().message.find("unknown key `wcte`; did you mean `wcet`?"),
            std::string::npos);
  EXPECT_TRUE(to_string(read.elsewhere.back()).starts_with(files.path() + "/t.json:"));

  write(files.path() + "/s.jsonl", lines(1, 3));
  fs::remove(files.path() + "/t.json");
  const auto none = read_experiment(
      file_of(R"("*.json*")", R"("sweep": { "label": "x", "by": "platform.sms" },)"),
      {.folder = files.path()});
  ASSERT_EQ(none.elsewhere.size(), 3u);
  EXPECT_EQ(to_string(none.elsewhere[1]),
            files.path() +
                "/s.jsonl:2:1: there is no `platform.sms` in it (places "
                "are written as in `platform.elements[0].units`)");
}

TEST(OwnSets, NeedAnExperimentThatMakesSense) {
  const Folder files;
  write(files.path() + "/s.jsonl", lines(1, 1) + lines(2, 1));
  const auto first = [&](std::string_view pattern, std::string_view more) {
    const auto read = read_experiment(file_of(pattern, more), {.folder = files.path()});
    return read.diagnostics.empty() ? "none" : to_string(read.diagnostics.front(), "f");
  };
  EXPECT_EQ(first(R"("s.jsonl")", ""), "none");
  EXPECT_EQ(first(R"("x/*.json")", ""),
            "f:1:67: no file matches `x/*.json` (in " + files.path() + ")");
  EXPECT_EQ(first(R"([])", ""), "f:1:67: `files` must be at least one pattern, got an array");
  EXPECT_EQ(first(R"("s.jsonl")", R"("recipe": "gcaps-small",)"),
            "f:1:1: an experiment has exactly one of `recipe`, `files` and `system`");
  EXPECT_EQ(first(R"("s.jsonl")", R"("sets": 3,)"),
            "f:2:11: `sets` goes with `recipe`, not with `files`");
  EXPECT_EQ(first(R"("s.jsonl")", R"("sweep": {"label": "x", "by": "a..b"},)"),
            "f:2:33: sweep: `a..b` is neither `folder` nor the path of a value, such as "
            "`platform.elements[0].units`");
  EXPECT_EQ(first(R"("s.jsonl")", R"("sweep": {"label": "x", "set": ["cpus"], "values": [1]},)"),
            "f:2:35: sweep: files have no parameter `cpus`; only options of methods, such as "
            "`--effort`, can be set");
  EXPECT_EQ(first(R"("s.jsonl")", R"("cases_by": "folder", "cases": [{"name": "a", "set": {}}],)"),
            "f:2:15: what `cases_by` finds in the files are the cases; leave out `cases`");
}

}  // namespace
}  // namespace tactus::experiment
