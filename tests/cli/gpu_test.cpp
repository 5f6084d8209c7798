#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/base/file.hpp"
#include "tactus/model/reader.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kDrone = source_path("examples/pbs-drone.system.json");

bool one_line(const std::string& text) {
  return !text.empty() && std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}

/// These tests run with and without a GPU; what must hold in both cases is that nobody is left
/// guessing.
void expect_answer_or_one_line(const Ran& ran) {
  if (ran.exit_code == 0) {
    EXPECT_FALSE(ran.out.empty());
  } else {
    EXPECT_EQ(ran.exit_code, 3) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(one_line(ran.err)) << ran.err;
  }
}

TEST(Gpu, InfoSaysWhatIsThereOrWhyNothingIs) {
  expect_answer_or_one_line(run_tactus({"gpu", "info"}));
  expect_answer_or_one_line(run_tactus({"gpu", "info", "--json"}));
}

TEST(Gpu, TheHelperOfACalibrationEndsWithItsParent) {
  EXPECT_NE(run_tactus({"gpu", "calibrate", "--helper", "--device", "999"}).exit_code, 0);
}

TEST(Gpu, NeedsAVerbOfItsOwn) {
  EXPECT_EQ(run_tactus({"gpu"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"gpu", "fly"}).exit_code, 2);
}

TEST(Gpu, CalibrateTakesOnlyNumbersThatMakeSense) {
  EXPECT_EQ(run_tactus({"gpu", "calibrate", "--runs", "0"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"gpu", "calibrate", "--device", "-1"}).exit_code, 2);
}

TEST(Gpu, MeasuresBatchesOnTheEmulatorIntoAFileForPbs) {
  const TemporaryFolder folder;
  const std::string out = folder.file("measured.system.json");
  const Ran ran = run_tactus({"gpu", "measure-batches", kDrone, "-o", out, "--backend", "emulator",
                              "--max-size", "2", "--runs", "2", "--quantile", "0.5"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("submitted in this order"), std::string::npos) << ran.out;
  const auto text = read_text_file(out);
  ASSERT_TRUE(text);
  const ReadResult read = read_system(*text);
  ASSERT_TRUE(read.system);
  EXPECT_FALSE(read.system->batches.empty());
  const Ran planned = run_tactus({"analyze", out, "--method", "pbs.graph"});
  EXPECT_TRUE(planned.exit_code == 0 || planned.exit_code == 1) << planned.err;
}

TEST(Gpu, MeasureBatchesRefusesBadInputBeforeAnythingRuns) {
  const TemporaryFolder folder;
  const std::string out = folder.file("never.json");
  EXPECT_EQ(run_tactus({"gpu", "measure-batches", kDrone}).exit_code, 2);
  EXPECT_EQ(
      run_tactus({"gpu", "measure-batches", kDrone, "-o", out, "--quantile", "1.5"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"gpu", "measure-batches", kDrone, "-o", out, "--max-size", "1"}).exit_code,
            2);
  EXPECT_EQ(run_tactus({"gpu", "measure-batches", kDrone, "-o", out, "--kernel", "spin"}).exit_code,
            2);
  EXPECT_EQ(
      run_tactus({"gpu", "measure-batches", kDrone, "-o", out, "--backend", "abacus"}).exit_code,
      2);
  EXPECT_EQ(run_tactus({"gpu", "measure-batches", "no-such-file", "-o", out}).exit_code, 2);
  const Ran other =
      run_tactus({"gpu", "measure-batches", source_path("examples/dag-example.system.json"), "-o",
                  out, "--backend", "emulator"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(one_line(other.err)) << other.err;
  EXPECT_FALSE(read_text_file(out));
}

}  // namespace
}  // namespace tactus::cli
