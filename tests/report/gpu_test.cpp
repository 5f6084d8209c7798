#include "tactus/report/gpu.hpp"

#include <gtest/gtest.h>

#include <variant>

#include "tactus/base/json.hpp"
#include "tests/support/text.hpp"

namespace tactus::report {
namespace {

using support::contains;

using runtime::gpu::Calibration;
using runtime::gpu::KindTimes;
using runtime::gpu::SwitchReport;

runtime::gpu::GpuInfo some_gpu() {
  runtime::gpu::GpuInfo gpu;
  gpu.name = "Some GPU";
  gpu.driver_cuda = 13000;
  gpu.sms = 132;
  gpu.features = {"partitions: steps of 2 SMs", "MPS is on"};
  return gpu;
}

Calibration some_calibration() {
  Calibration calibration;
  calibration.gpu = some_gpu();
  KindTimes kind;
  kind.kind = "compute";
  kind.grid = {{1, {5, 1e6, 1e6, 1e6, 1e6, 1e6, 0}}, {132, {5, 9e3, 9e3, 9e3, 9e3, 9e3, 0}}};
  kind.pinned = kind.grid;
  kind.alpha = 1.91;
  calibration.kinds = {kind};
  calibration.to_device.line = calibration.to_host.line = {4000, 0.02, 0.01};
  return calibration;
}

TEST(GpuInfo, ListsFeaturesByTheirNames) {
  const std::string text = gpu_info_text({some_gpu()}, Style{});
  EXPECT_TRUE(contains(text, "Some GPU")) << text;
  EXPECT_TRUE(contains(text, "partitions          steps of 2 SMs")) << text;
  EXPECT_TRUE(contains(text, "unknown (CUDA 13.0;")) << text;
}

TEST(GpuInfo, IsJsonToo) {
  const auto parsed = json::Document::parse(gpu_info_json({some_gpu(), some_gpu()}));
  const auto* document = std::get_if<json::Document>(&parsed);
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->root().find("gpus")->items().size(), 2U);
}

TEST(CalibrationText, ShowsTimesInMicroseconds) {
  const std::string text = calibration_text(some_calibration(), Style{});
  EXPECT_TRUE(contains(text, "1000.0")) << text;
  EXPECT_TRUE(contains(text, "1.910")) << text;
  EXPECT_TRUE(contains(text, "4.0 us + 20.00 us/MB (50.0 GB/s)")) << text;
}

TEST(CalibrationText, SaysWhyThereAreNoTurnsBetweenProcesses) {
  Calibration calibration = some_calibration();
  calibration.no_switches = "not asked for";
  EXPECT_TRUE(
      contains(calibration_text(calibration, Style{}), "turns between processes: not asked for"));
  calibration.switches = SwitchReport{};
  calibration.switches->formula = {{2, {}, {}, 134e3, 176e3}};
  EXPECT_TRUE(contains(calibration_text(calibration, Style{}),
                       "theta by completion of 2: mean 134.0 us, max 176.0 us"));
}

}  // namespace
}  // namespace tactus::report
