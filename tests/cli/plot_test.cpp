#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

bool has_gnuplot() { return std::system("gnuplot --version > /dev/null 2>&1") == 0; }

/// No program can be found while one of these lives.
class EmptyPath {
 public:
  EmptyPath() : before_(getenv("PATH")) { setenv("PATH", "/nonexistent", 1); }
  ~EmptyPath() { setenv("PATH", before_.c_str(), 1); }
  EmptyPath(const EmptyPath&) = delete;
  EmptyPath& operator=(const EmptyPath&) = delete;

 private:
  std::string before_;
};

TEST(Plot, DrawsWhatWasRecordedAndWritesAPageAboutIt) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot here";
  const TemporaryFolder folder;
  const std::string run = folder.file("run"), docs = folder.file("docs");
  ASSERT_EQ(run_tactus({"lab", "reproduce", "gcaps-table5", "-o", run, "--no-figures"}).exit_code,
            0);
  EXPECT_FALSE(std::filesystem::exists(run + "/gcaps-table5.svg"));

  const Ran ran = run_tactus({"lab", "plot", run, "--format", "svg,png", "-o", docs + "/images",
                              "--report", docs + "/page.md"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "1 figure in " + docs + "/images\n");
  EXPECT_TRUE(contains(slurp(docs + "/images/gcaps-table5.svg"), "<svg"));
  EXPECT_TRUE(std::filesystem::exists(docs + "/images/gcaps-table5.png"));
  EXPECT_FALSE(std::filesystem::exists(docs + "/images/gcaps-table5.pdf"));
  const std::string page = slurp(docs + "/page.md");
  EXPECT_TRUE(contains(page, "](images/gcaps-table5.svg)")) << page;
  EXPECT_TRUE(contains(page, "`tactus lab reproduce gcaps-table5 -o ")) << page;
  EXPECT_TRUE(contains(page,
                       "| 5 | WCRT of dxtc under gcaps.suspend | Table 5 | 79 ± 0.05 ms | 79 ms | "
                       "109 ms | inside |"))
      << page;
  EXPECT_TRUE(contains(page, "- Claims 13, 15: Table 5 was computed with D\\_h")) << page;

  // The same results, the same bytes.
  const std::string before = slurp(docs + "/images/gcaps-table5.svg");
  EXPECT_EQ(run_tactus({"lab", "plot", run + "/results.db", "-o", docs}).exit_code, 0);
  EXPECT_EQ(slurp(docs + "/gcaps-table5.svg"), before);
  EXPECT_TRUE(std::filesystem::exists(docs + "/gcaps-table5.pdf"));
}

TEST(Plot, RefusesWhatItCannotDraw) {
  const TemporaryFolder folder;
  const Ran nothing = run_tactus({"lab", "plot", folder.file("nothing")});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(std::count(nothing.err.begin(), nothing.err.end(), '\n'), 1) << nothing.err;
  EXPECT_EQ(run_tactus({"lab", "plot", folder.file("no.db", "not a store")}).exit_code, 2);
  EXPECT_EQ(run_tactus({"lab", "plot", folder.file("x"), "--format", "gif"}).exit_code, 2);

  const std::string run = folder.file("run");
  ASSERT_EQ(run_tactus({"lab", "reproduce", "gcaps-table5", "-o", run, "--no-figures"}).exit_code,
            0);
  const Ran unknown = run_tactus({"lab", "plot", run, "gcaps-table4"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err,
            "tactus: the results have no experiment `gcaps-table4`; did you mean "
            "`gcaps-table5`?\n");
}

TEST(Plot, DrawsMeasuredFiguresFromTheirNumbers) {
  if (!has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryFolder folder;
  const std::string numbers = folder.file("figures.json", R"({"tactus_recorded": 1, "figures": [
    {"name": "a", "title": "t", "y": "ms", "points": ["p", "q"],
     "lines": [{"label": "paper", "values": [1, 2]}, {"label": "here", "values": [2, 3]}]},
    {"name": "b", "title": "t", "y": "ms", "points": ["p"],
     "lines": [{"label": "here", "values": [2]}]}]})");
  const std::string out = folder.file("out");
  const Ran drawn = run_tactus({"lab", "plot", numbers, "a", "--format", "svg", "-o", out});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_TRUE(contains(slurp(out + "/a.svg"), "paper"));
  EXPECT_FALSE(std::filesystem::exists(out + "/b.svg"));
  const Ran unknown = run_tactus({"lab", "plot", numbers, "c", "-o", out});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "the file has no figure `c`")) << unknown.err;
  const Ran page =
      run_tactus({"lab", "plot", numbers, "--report", folder.file("page.md"), "-o", out});
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("page.md")));
}

TEST(Plot, DrawsWhatARunObservedBesideWhatWasProved) {
  const TemporaryFolder folder;
  const Ran simulated = run_tactus({"simulate", source_path("examples/robot.system.json"),
                                    "--policy", "gcaps.suspend", "--json"});
  const std::string run = folder.file("run.json", simulated.out), out = folder.file("out");
  const Ran ran = run_tactus({"lab", "plot", run, "--format", "dat", "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "1 figure in " + out + "\n");
  const std::string data = slurp(out + "/robot-gcaps.suspend.dat");
  for (const char* part : {"longest", "bound", "deadline", "41.1"}) {
    EXPECT_TRUE(contains(data, part)) << part << "\n" << data;
  }
  const Ran broken = run_tactus(
      {"lab", "plot", folder.file("no.json", R"({"kind": "observed", "tasks": []})"), "-o", out});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_EQ(broken.err, folder.file("no.json") + ":1:1: no task of this run has a job\n");
}

TEST(Plot, SaysInOneLineThatGnuplotIsMissing) {
  const TemporaryFolder folder;
  const std::string run = folder.file("run");
  const EmptyPath nothing;
  // The run is as good without figures.
  const Ran ran = run_tactus({"lab", "reproduce", "gcaps-table5", "-o", run});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.err, "tactus: no figures were drawn: there is no gnuplot here"))
      << ran.err;
  const Ran plot = run_tactus({"lab", "plot", run});
  EXPECT_EQ(plot.exit_code, 3);
  EXPECT_EQ(std::count(plot.err.begin(), plot.err.end(), '\n'), 1) << plot.err;
}

/// Every kind in every format that needs no other program.
TEST(Plot, DrawsEveryKindForPgfplotsAndAsData) {
  const TemporaryFolder folder;
  const std::string run = folder.file("run"), out = folder.file("out");
  ASSERT_LE(
      run_tactus({"lab", "reproduce", "gcaps-fig8b", "--sets", "5", "-o", run, "--no-figures"})
          .exit_code,
      1);
  for (const std::string kind : {"curves", "weighted", "histogram", "box", "scatter"}) {
    std::vector<std::string> words = {"lab", "plot", run,        "--kind",  kind,
                                      "-o",  out,    "--format", "tikz,dat"};
    if (kind == "scatter") words.insert(words.end(), {"--lines", "gcaps.busy,gcaps.suspend"});
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 0) << kind << ran.err;
    const std::string name = out + "/gcaps-fig8b" + (kind == "curves" ? "" : "-" + kind);
    EXPECT_TRUE(contains(slurp(name + ".tikz"), "\\begin{axis}")) << kind;
    EXPECT_TRUE(contains(slurp(name + ".dat"), "# curve: ")) << kind;
  }
  EXPECT_EQ(run_tactus({"lab", "plot", run, "--kind", "scatter"}).err,
            "tactus: --kind scatter needs two lines: --lines A,B\n");
  const std::string style = folder.file("style.json", "{\n  \"tactus_style\": 1, \"size\": 3\n}");
  const Ran wrong = run_tactus({"lab", "plot", run, "--style", style});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.err, style + ":2:22: unknown key `size`\n");
}

}  // namespace
}  // namespace tactus::cli
