#include "tactus/runtime/gpu/calibration.hpp"

#include <gtest/gtest.h>

#include <variant>

#include "tactus/base/json.hpp"
#include "tactus/model/reader.hpp"

namespace tactus::runtime::gpu {
namespace {

SampleStatistics of(double ns) { return {10, ns, 1, ns, ns, ns + 5, ns + 10}; }

Calibration measured() {
  Calibration c;
  c.gpu.name = "Some GPU";
  c.gpu.driver = "580.1";
  c.gpu.driver_cuda = 13000;
  c.gpu.sms = 132;
  c.gpu.threads_per_sm = 2048;
  c.gpu.blocks_per_sm = 32;
  c.gpu.registers_per_sm = 65536;
  c.gpu.shared_per_sm = 233472;
  c.date = "2026-01-02";
  KindTimes kind;
  kind.kind = "compute";
  kind.grid = {{1, of(1000)}, {2, of(500)}};
  kind.pinned = kind.grid;
  kind.shortest = of(2000.2);
  kind.alpha = 1.913;
  c.kinds = {kind};
  c.to_device.line = {4177, 0.018, 0};
  c.to_host.line = {2939, 0.018, 0};
  c.launches.gap_in_graph = of(900);
  c.launches.launch_call = of(4500);
  SwitchReport turns;
  turns.slice = of(2'048'000);
  turns.theta = of(234'000);
  turns.formula = {{2, of(1e7), of(2.1e7), 134'000, 250'000.5}};
  c.switches = turns;
  return c;
}

TEST(PlatformFragment, IsASystemFileWithoutTasks) {
  const ReadResult read = read_system(platform_fragment(measured(), 16));
  ASSERT_TRUE(read.system) << (read.diagnostics.empty() ? "" : read.diagnostics[0].message);
  EXPECT_TRUE(read.diagnostics.empty());
  const auto& elements = read.system->platform.elements;
  ASSERT_EQ(elements.size(), 4U);
  EXPECT_EQ(elements[0].units, 16);
  const Element& gpu = elements[3];
  EXPECT_EQ(gpu.units, 132);
  EXPECT_EQ(gpu.sm->shared_memory, 233472);
  EXPECT_EQ(gpu.time_slice, Time::from_us(2048));
  // Upwards, and the largest of all ways to measure it.
  EXPECT_EQ(gpu.context_switch, Time::from_ns(250'001));
  EXPECT_EQ(gpu.t_min, Time::from_ns(2006 + 905));
}

TEST(PlatformFragment, SaysWhereItsFiguresComeFrom) {
  const ReadResult read = read_system(platform_fragment(measured(), 16));
  ASSERT_TRUE(read.system);
  for (const char* part : {"Some GPU", "580.1", "2026-01-02", "compute 1.913", "of 10"}) {
    EXPECT_NE(read.system->note.find(part), std::string::npos) << part;
  }
}

TEST(PlatformFragment, LeavesOutWhatCouldNotBeMeasured) {
  Calibration c = measured();
  c.switches.reset();
  c.no_switches = "two processes did not take turns";
  const ReadResult read = read_system(platform_fragment(c, 16));
  ASSERT_TRUE(read.system);
  EXPECT_FALSE(read.system->platform.elements[3].time_slice);
  EXPECT_FALSE(read.system->platform.elements[3].context_switch);
  EXPECT_NE(read.system->note.find("did not take turns"), std::string::npos);
}

TEST(CalibrationJson, IsJson) {
  for (const bool turns : {true, false}) {
    Calibration c = measured();
    if (!turns) c.switches.reset();
    const auto parsed = json::Document::parse(calibration_json(c));
    const auto* document = std::get_if<json::Document>(&parsed);
    ASSERT_NE(document, nullptr);
    ASSERT_NE(document->root().find("kinds"), nullptr);
    EXPECT_EQ(document->root().find("switches")->is(json::Kind::kNull), !turns);
  }
}

}  // namespace
}  // namespace tactus::runtime::gpu
