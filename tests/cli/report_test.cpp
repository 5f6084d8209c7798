#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

/// A program that was built without npm has no page; it says so.
bool has_page() {
  return run_tactus({"report", source_path("examples/forklift.system.json"), "--no-slack"})
             .exit_code != 3;
}

#define NEEDS_PAGE() \
  if (!has_page()) GTEST_SKIP() << "this tactus was built without npm"

TEST(Report, WritesOnePageWithEverythingInIt) {
  NEEDS_PAGE();
  const TemporaryFolder folder;
  const std::string system = source_path("examples/forklift.system.json");
  const std::string page = folder.file("out.html"), trace = folder.file("trace.json");
  const Ran seen = run_tactus({"simulate", system, "--jobs", "5", "--json", "--trace", trace});
  const std::string run = folder.file("run.json", seen.out);
  const Ran ran = run_tactus({"report", system, run, trace, "-o", page});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out + ran.err, "");
  const std::string text = slurp(page);
  EXPECT_TRUE(contains(text, "<title>forklift: Tactus report</title>"));
  EXPECT_TRUE(contains(text, R"("producer":"simulator")"));
  EXPECT_TRUE(contains(text, R"("kinds":[)"));
  EXPECT_FALSE(contains(text, "https://"));
}

/// By the name of the file, as every verb does: in flow style it looks like JSON.
TEST(Report, TakesYaml) {
  NEEDS_PAGE();
  const TemporaryFolder folder;
  const std::string page = folder.file("out.html");
  const std::string flow =
      "{tactus: 1, name: flow, platform: {elements: [{name: cpu, kind: cpu, units: 1}]},\n"
      " tasks: [{name: a, period: 10, priority: 1, core: 1,\n"
      "  nodes: [{name: x, on: cpu, wcet: 1}]}]}\n";
  const Ran ran = run_tactus({"report", folder.file("a.yaml", flow), "-o", page});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(slurp(page), "<title>flow: Tactus report</title>"));
  const Ran wrong =
      run_tactus({"report", folder.file("b.yml", "name: x\nperiods: 1\n"), "-o", page});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "b.yml")) << wrong.err;
}

TEST(Report, LetsNoNameEndTheScript) {
  NEEDS_PAGE();
  const TemporaryFolder folder;
  const std::string file = folder.file("hostile.json", R"({"tactus": 1, "name": "</script><!--&",
    "time_unit": "ms", "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1}]},
    "tasks": [{"name": "a)"
                                                       "\xE2\x80\xA8"
                                                       R"(", "period": 5, "core": 1, "priority": 1,
      "nodes": [{"name": "n", "on": "cpu", "wcet": 1}]}]})");
  const std::string page = folder.file("out.html");
  const Ran ran = run_tactus({"report", file, "-o", page});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string text = slurp(page);
  EXPECT_TRUE(contains(text, R"(\u003c/script\u003e\u003c!--\u0026)"));
  EXPECT_TRUE(contains(text, R"(a\u2028)"));
  EXPECT_TRUE(contains(text, "<title>&lt;/script&gt;&lt;!--&amp;: Tactus report</title>"));
}

TEST(Report, RefusesWhatItCannotRecogniseAndWritesNothing) {
  NEEDS_PAGE();
  const TemporaryFolder folder;
  const std::string page = folder.file("out.html");
  const std::string other = folder.file("other.json", R"({"x": 1})");
  const Ran unknown = run_tactus({"report", other, "-o", page});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "other.json: this is neither a system, a plan")) << unknown.err;
  const std::string broken = folder.file("broken.json", "{\n  \"x\": }");
  const Ran syntax = run_tactus({"report", broken, "-o", page});
  EXPECT_EQ(syntax.exit_code, 2);
  EXPECT_TRUE(contains(syntax.err, "broken.json:2:8: ")) << syntax.err;
  EXPECT_EQ(
      run_tactus({"report", source_path("examples/broken.system.json"), "-o", page}).exit_code, 2);
  EXPECT_EQ(run_tactus({"report", folder.file("absent.json"), "-o", page}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST(Report, SaysWhyAPlanDoesNotHold) {
  NEEDS_PAGE();
  const TemporaryFolder folder;
  const std::string system = source_path("examples/forklift.system.json");
  const std::string plan = folder.file("plan.json"), page = folder.file("out.html");
  ASSERT_EQ(run_tactus({"plan", system, "--method", "gcaps.suspend", "-o", plan}).exit_code, 0);
  ASSERT_EQ(run_tactus({"report", system, plan, "--no-slack", "-o", page}).exit_code, 0);
  EXPECT_FALSE(contains(slurp(page), "\"problem\":"));
  std::string text = slurp(plan);
  const std::string mark = "\"fingerprint\": \"";
  text[text.find(mark) + mark.size()] ^= 1;
  ASSERT_EQ(run_tactus({"report", system, folder.file("plan.json", text), "--no-slack", "-o", page})
                .exit_code,
            0);
  EXPECT_TRUE(contains(slurp(page), "\"problem\":"));
}

}  // namespace
}  // namespace tactus::cli
