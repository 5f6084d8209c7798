#include <gtest/gtest.h>

#include <filesystem>

#include "tactus/model/reader.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kResNet = source_path("tests/data/traces/resnet50_fp16_b1.json.gz");

/// Refused with exactly one line, and nothing is written.
void refuse(const std::vector<std::string>& arguments, const std::string& reason) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.system.json");
  std::vector<std::string> all = {"import"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"-o", out});
  const Ran ran = run_tactus(all);
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(contains(ran.err, reason)) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Import, WritesASystemThatIsValidAndSaysWhatItFound) {
  const TemporaryFolder folder;
  const std::string out = folder.file("net.system.json");
  const Ran ran = run_tactus({"import", kResNet, "--period", "33", "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "342")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "--report shows them")) << ran.out;
  EXPECT_EQ(run_tactus({"check", out}).exit_code, 0);
  EXPECT_EQ(run_tactus({"analyze", out, "--method", "mpcp.suspend"}).exit_code, 0);
}

TEST(Import, ReportsWhatItAssumedAndLeftOut) {
  const TemporaryFolder folder;
  const Ran ran = run_tactus({"import", kResNet, "--report", "-o", folder.file("x.system.json")});
  EXPECT_TRUE(contains(ran.out, "Assumed, and left out:")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "9 calls that should put work on the GPU have none")) << ran.out;
}

TEST(Import, WritesToStandardOutputAndReportsBesideIt) {
  const Ran ran = run_tactus({"import", kResNet, "--report"});
  EXPECT_TRUE(read_system(ran.out).system) << ran.out.substr(0, 300);
  EXPECT_TRUE(contains(ran.err, "Assumed, and left out:")) << ran.err;
}

TEST(Import, AsJsonHasTheReportAndTheSystem) {
  const Ran ran = run_tactus({"import", kResNet, "--json"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(contains(ran.out, "\"gpu_work\": 342")) << ran.out.substr(0, 500);
  EXPECT_TRUE(contains(ran.out, "\"longest_gpu_ns\": 902400")) << ran.out.substr(0, 500);
  EXPECT_TRUE(contains(ran.out, "\"system\": {"));
}

TEST(Import, JoinsRecordingsOfOneRun) {
  const std::string data = source_path("tests/data/");
  const Ran ran = run_tactus({"import", data + "profiles/trtexec-times.json", "--join",
                              data + "profiles/trtexec-profile.json", "--join",
                              data + "ros2/arbiter.log", "--fold", "none", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "divided among 4 layers")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "runlist_update 0.96")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\"format\": \"tensorrt\"")) << ran.out;
  refuse({kResNet, "--join", data + "profiles/chrome.json"}, "cannot be joined by time");
  refuse({kResNet, "--join", data + "amalthea/shuttle.amxmi"}, "no recording that can be joined");
  refuse({data + "amalthea/shuttle.amxmi", "--join", kResNet},
         "only a log of the arbiter can be joined");
}

TEST(Import, RefusesHostileFilesWithOneLine) {
  const TemporaryFolder folder;
  const std::string whole = slurp(kResNet);
  refuse({folder.file("cut.json.gz", whole.substr(0, whole.size() / 2))},
         "the gzip file ends too early");
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
  refuse({folder.file("damaged.json.gz", damaged)}, ": ");
  refuse({folder.file("empty.json", "")}, "the file is empty");
  refuse({folder.file("wrong.json", "{\"traceEvents\": [}")}, "not valid JSON at byte 17");
  refuse({folder.file("other.txt", "hello")}, "nothing that can be imported");
  refuse({folder.file("missing.json")}, "No such file");
  refuse({folder.file("")}, "it is a directory");
  refuse({kResNet, "--jobs", "frame*"}, "no annotation matches `frame*`");
  refuse({kResNet, "--period", "soon"}, "--period needs a time > 0");
}

}  // namespace
}  // namespace tactus::cli
