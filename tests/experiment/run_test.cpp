#include "tactus/experiment/work/run_experiment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/experiment/results/claims.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/experiment/store/store.hpp"
#include "tactus/generate/recipe.hpp"
#include "tests/experiment/support.hpp"

namespace tactus::experiment {
namespace {

std::string error_of(const RunRequest& request) {
  const auto outcome = run(request);
  return outcome ? "none" : outcome.error().message;
}

TEST(Run, FindsTheSameWithAnyNumberOfThreads) {
  const Folder alone, several;
  ASSERT_TRUE(run(request_for(alone.path(), small_file())));
  ASSERT_TRUE(run(request_for(several.path(), small_file(), 5)));
  EXPECT_EQ(dump(alone.path()), dump(several.path()));
}

TEST(Run, FindsTheSameWhenItsPointsAndSetsComeOneByOne) {
  const Folder at_once, in_parts;
  ASSERT_TRUE(run(request_for(at_once.path(), small_file())));
  RunRequest request = request_for(in_parts.path(), small_file());
  request.sets = 7;
  request.points = {"0.3"};
  ASSERT_TRUE(run(request));
  request.resume = true;
  request.points.reset();
  request.sets = 30;
  const auto more = run(request);  // only the point that the store has
  ASSERT_TRUE(more);
  EXPECT_EQ(more->judged, 2 * 23);
  request.points = {"all"};
  ASSERT_TRUE(run(request));
  EXPECT_EQ(dump(at_once.path()), dump(in_parts.path()));
}

TEST(Run, HasNothingToDoWhenAllIsDone) {
  const Folder folder;
  RunRequest request = request_for(folder.path(), small_file());
  ASSERT_TRUE(run(request));
  request.resume = true;
  request.wanted.clear();
  const auto again = run(request);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->judged, 0);
  EXPECT_EQ(again->left, 0);
}

TEST(Run, StopsWhenAskedAndKeepsWhatItHas) {
  const Folder folder, whole;
  std::stop_source stop;
  RunRequest request = request_for(folder.path(), small_file(200));
  request.stop = stop.get_token();
  request.progress = [&](std::string_view) { stop.request_stop(); };
  const auto first = run(request);
  ASSERT_TRUE(first);
  request.resume = true;
  request.stop = {};
  request.progress = {};
  const auto second = run(request);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->judged + second->judged, 4 * 200);
  EXPECT_EQ(second->left, 0);
  ASSERT_TRUE(run(request_for(whole.path(), small_file(200))));
  EXPECT_EQ(dump(folder.path()), dump(whole.path()));
}

/// `tactus lab results --raw | less` may stay open for hours.
TEST(Run, GoesOnWhileSomebodyLooksAtItsResults) {
  const Folder folder;
  RunRequest request = request_for(folder.path(), small_file(10));
  ASSERT_TRUE(run(request));
  request.resume = true;
  request.sets = 20;
  std::int64_t seen = 0, judged = 0;
  ASSERT_FALSE(for_each_verdict(folder.path(), false, [&](const RawVerdict&) {
    if (seen++ > 0) return true;
    const auto more = run(request);
    if (more) judged = more->judged;
    return true;
  }));
  EXPECT_EQ(judged, 4 * 10);
  EXPECT_EQ(seen, 3 * 4 * 20) << "what is written meanwhile is seen";
}

TEST(Run, WaitsForAReaderUntilItIsStopped) {
  const Folder folder;
  RunRequest request = request_for(folder.path(), small_file(10));
  ASSERT_TRUE(run(request));
  const Database reader(folder.path() + "/results.db", Database::Mode::kRead);
  Statement rows(reader, "SELECT * FROM sets");
  ASSERT_TRUE(rows.step());  // and no further: the file is held
  std::stop_source stop;
  request.resume = true;
  request.sets = 20;
  request.stop = stop.get_token();
  std::jthread impatient([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop.request_stop();
  });
  EXPECT_EQ(error_of(request), "cannot write " + folder.path() + "/results.db: database is locked");
}

TEST(Run, DrawsTheSetsThatGenerateDraws) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), small_file())));
  const Experiment experiment = wanted(small_file()).experiment;
  const Recipe& recipe = *find_recipe(experiment.recipe);
  const std::vector<Point> points = points_of(experiment);
  std::int64_t compared = 0;
  ASSERT_FALSE(for_each_verdict(folder.path(), false, [&](const RawVerdict& verdict) {
    if (verdict.case_name != "many" || verdict.x != "0.3" || verdict.line != "ours") return true;
    const System set = *generate(recipe, Settings(recipe.parameters, points[3].settings),
                                 static_cast<std::uint64_t>(verdict.seed),
                                 static_cast<std::uint64_t>(verdict.set));
    Options options;
    options.variant = verdict.variant;
    EXPECT_EQ(analyze(*find_method("gcaps.suspend"), set, options).status, verdict.status);
    EXPECT_EQ(utilisation_of(set), verdict.utilisation);
    ++compared;
    return true;
  }));
  EXPECT_EQ(compared, 2 * 30);
}

TEST(Run, RefusesAStoreThatDoesNotFit) {
  const Folder folder;
  const std::string path = folder.path() + "/results.db";
  RunRequest request = request_for(folder.path(), small_file());
  ASSERT_TRUE(run(request));
  EXPECT_EQ(error_of(request),
            path + " is there already; --resume continues it, -o names another folder");
  request.resume = true;
  request.sets = 5;
  EXPECT_EQ(error_of(request), path +
                                   " has 30 sets per point of small to do; a run can be resumed "
                                   "with more sets, not with fewer");
  request.sets.reset();
  request.points = {"0.2"};
  EXPECT_EQ(error_of(request), "small has no point `0.2`; it has 0.1 0.3");
  request.points.reset();
  std::string other = small_file();
  other.replace(other.find("mpcp.busy\" }"), 12, "mpcp.busy\", \"variants\": [\"paper\"] }");
  request.wanted = {wanted(other)};
  EXPECT_EQ(error_of(request), path +
                                   " has another experiment `small`: its line `mpcp.busy` has the "
                                   "variant `safe`, which is gone; start a new run with -o");
  other = small_file();
  other.replace(other.find("\"cpus\": 2"), 9, "\"cpus\": 4");
  request.wanted = {wanted(other)};
  EXPECT_EQ(error_of(request), path +
                                   " has another experiment `small`: its recipe or its points "
                                   "differ; start a new run with -o");
  request.wanted = {wanted(small_file())};
  request.context.version = "next";
  EXPECT_EQ(error_of(request), path +
                                   " was written by tactus test; this is tactus next, whose "
                                   "results may differ: start a new run with -o");
  std::ofstream(path) << "something else, long enough to be looked at";
  EXPECT_EQ(error_of(request), "cannot write " + path + ": file is not a database");
}

TEST(Run, LeavesNothingBehindWhenItIsAskedForAPointThatIsNotThere) {
  const Folder folder;
  RunRequest request = request_for(folder.path(), small_file());
  request.points = {"0.2"};
  EXPECT_EQ(error_of(request), "small has no point `0.2`; it has 0.1 0.3");
  request.points = {"0.1"};
  EXPECT_EQ(error_of(request), "none");
}

TEST(Run, HasNothingToResumeInAnEmptyFolder) {
  const Folder folder;
  RunRequest request = request_for(folder.path(), small_file());
  request.wanted.clear();
  request.resume = true;
  EXPECT_EQ(error_of(request), "there is nothing to resume in " + folder.path() + "/results.db");
}

TEST(Run, DoesASmallPartOfEveryBundledExperiment) {
  for (const BundledFile& file : bundled_files()) {
    SCOPED_TRACE(file.name);
    const Folder folder;
    RunRequest request = request_for(folder.path(), std::string(file.text), 2);
    const auto points = points_of(request.wanted[0].experiment);
    request.sets = 2;
    request.points = {points.front().x, points[points.size() / 2].x};
    ASSERT_TRUE(run(request));
    const auto all = read_results(folder.path());
    ASSERT_TRUE(all);
    const Results& results = all->front();
    bool some_value = false;
    for (const Cell& cell : results.cells) {
      if (cell.sets == 0) continue;
      EXPECT_EQ(cell.sets, request.wanted[0].experiment.system ? 1 : 2);
      EXPECT_EQ(cell.not_applicable, 0);
      some_value |= cell.values > 0;
    }
    EXPECT_TRUE(some_value);
    EXPECT_EQ(judge_claims(results).size(), results.experiment.claims.size());
  }
}

TEST(Results, RefuseAStoreWithAStatusThatIsNone) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), small_file(1))));
  const std::string path = folder.path() + "/results.db";
  Database(path, Database::Mode::kWrite).run("UPDATE sets SET statuses = '0:1'");
  const auto all = read_results(folder.path());
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message, "cannot read " + path + ": there is an unknown status");
  const auto raw = for_each_verdict(folder.path(), false, [](const RawVerdict&) { return true; });
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->message, all.error().message);
}

TEST(Results, CountEveryVerdict) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), small_file())));
  const auto all = read_results(folder.path());
  ASSERT_TRUE(all);
  const Results& results = all->front();
  std::int64_t accepted[3] = {}, lost = 0;
  std::map<std::string, Status> first;
  ASSERT_FALSE(for_each_verdict(folder.path(), true, [&](const RawVerdict& verdict) {
    const bool ours = verdict.line == "ours";
    const std::size_t curve = !ours ? 2 : verdict.variant == "paper" ? 1 : 0;
    accepted[curve] += verdict.status == Status::kSchedulable ? 1 : 0;
    EXPECT_TRUE(verdict.ns || verdict.set > 0) << "times are taken of the first set of a point";
    const std::string set =
        std::string(verdict.case_name) + std::string(verdict.x) + std::to_string(verdict.set);
    if (curve == 0) first[set] = verdict.status;
    if (curve == 2 && verdict.status == Status::kSchedulable) {
      lost += first[set] != Status::kSchedulable ? 1 : 0;
    }
    return true;
  }));
  std::int64_t counted[3] = {};
  for (const Point& point : results.points) {
    for (std::size_t curve = 0; curve < 3; ++curve) {
      const Cell& cell = results.cell(point.index, curve);
      counted[curve] += cell.accepted;
      EXPECT_DOUBLE_EQ(cell.y, 100.0 * static_cast<double>(cell.accepted) / 30.0);
      EXPECT_LE(cell.low, cell.y + 1e-9);
      EXPECT_GE(cell.high, cell.y - 1e-9);
    }
  }
  for (std::size_t curve = 0; curve < 3; ++curve) EXPECT_EQ(accepted[curve], counted[curve]);

  const std::vector<Judgement> claims = judge_claims(results);
  EXPECT_EQ(claims[1].safe, static_cast<double>(lost));
  EXPECT_EQ(claims[2].outcome, Outcome::kInside);
  EXPECT_EQ(claims[3].outcome, Outcome::kOutside);
  EXPECT_EQ(claims[3].judged_by, "paper");
  EXPECT_EQ(report::unexplained_claims(results), claims[0].outcome == Outcome::kOutside ? 1 : 0);
}

/// A claim may name its lines' variants, or the one that it is judged by: then that number is shown
/// among the safe ones, or as published.
TEST(Results, JudgeAClaimByTheVariantThatItNames) {
  const Folder folder;
  ASSERT_TRUE(run(request_for(folder.path(), R"json({
  "tactus_experiment": 1, "name": "variants", "title": "Variants",
  "recipe": "gcaps-table3", "settings": { "cpus": 2 },
  "sweep": { "label": "U", "set": ["util-min", "util-max"], "values": [0.3, 0.5] }, "sets": 60,
  "lines": [ { "name": "gcaps", "method": "gcaps.suspend", "variants": ["safe", "safe-inherit", "paper"] },
             { "name": "rr", "method": "tsg-rr.suspend", "variants": ["safe", "paper", "released"] } ],
  "claims": [ { "text": "a", "paper": "> 0", "ours": "mean(rr)", "variant": "released" },
              { "text": "b", "paper": "> 0", "ours": "mean(gcaps)", "variant": "safe-inherit" },
              { "text": "c", "paper": "> 0", "ours": "mean(gcaps:paper - rr:released)" },
              { "text": "d", "paper": "> 0", "ours": "mean(gcaps:safe)" } ]
})json")));
  const Results results = read_results(folder.path())->front();
  const auto mean = [&](std::size_t curve) {
    return (results.cell(0, curve).y + results.cell(1, curve).y) / 2;
  };
  const std::vector<Judgement> claims = judge_claims(results);
  EXPECT_EQ(claims[0].paper, mean(5));
  EXPECT_EQ(claims[0].safe, mean(3));
  EXPECT_EQ(claims[1].safe, mean(1));
  EXPECT_EQ(claims[1].paper, mean(2));
  EXPECT_NE(mean(1), mean(0));
  EXPECT_EQ(claims[2].safe, std::nullopt);
  EXPECT_DOUBLE_EQ(claims[2].paper.value_or(-1), mean(2) - mean(5));
  EXPECT_EQ(claims[3].judged_by, "safe");
  EXPECT_EQ(claims[3].safe, mean(0));
}

/// The numbers below were found by this program; they change only when a recipe, a seed or a
/// verdict does, and each of those would change every published result.
TEST(Results, HaveTheGoldenCounts) {
  const auto accepted = [](std::string_view name, const char* x, std::int64_t sets) {
    const Folder folder;
    RunRequest request;
    for (const BundledFile& file : bundled_files()) {
      if (file.name == name) request = request_for(folder.path(), std::string(file.text));
    }
    request.sets = sets;
    request.points = {x};
    EXPECT_TRUE(run(request));
    const auto all = read_results(folder.path());
    std::vector<std::int64_t> counts;
    for (const Point& point : all->front().points) {
      if (point.x != x || point.case_index != 0) continue;
      for (const Curve& curve : all->front().curves) {
        counts.push_back(all->front().cell(point.index, curve.index).accepted);
      }
    }
    return counts;
  };
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(accepted("gcaps-fig8b", "0.2", 100),
            (Counts{14, 93, 12, 94, 50, 51, 51, 23, 23, 26, 67, 19, 58, 19, 34, 34, 27, 34}));
  EXPECT_EQ(accepted("pbs-fig4a", "1.0", 20), (Counts{17, 9, 12}));
  EXPECT_EQ(accepted("rtgpu-fig9", "0.8", 20), (Counts{14, 20, 5, 20, 14, 20}));
  EXPECT_EQ(accepted("gang-fig10", "0.3", 10), (Counts{7, 1, 4}));
}

TEST(Store, ThatHoldsNothingIsNoReasonNotToBegin) {
  const Folder folder;
  // What a run leaves that found no room for its first experiment.
  { ASSERT_TRUE(Store::open(folder.path(), "test", false)); }
  EXPECT_TRUE(Store::open(folder.path(), "test", false));
  const Folder other;
  std::ofstream(other.path() + "/results.db").close();
  EXPECT_TRUE(Store::open(other.path(), "test", false));
  const Folder foreign;
  std::ofstream(foreign.path() + "/results.db") << "what somebody else keeps here";
  EXPECT_FALSE(Store::open(foreign.path(), "test", false));
}

}  // namespace
}  // namespace tactus::experiment
