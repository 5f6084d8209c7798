#include "tactus/runtime/measure/measure_batches.hpp"

#include <gtest/gtest.h>

#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/runtime/backend.hpp"

namespace tactus::runtime {
namespace {

System read(const std::string& text) {
  ReadResult result = read_system(text);
  EXPECT_TRUE(result.system) << (result.diagnostics.empty() ? "" : result.diagnostics[0].message);
  return result.system.value_or(System());
}

/// Example 2.1 of the pbs specification with a third kernel: a must come after b to fit.
System three() {
  return read(R"({"tactus": 1, "platform": {"elements": [{"name": "gpu", "kind": "gpu", "units": 2,
      "sm": {"threads": 256}}]}, "tasks": [
      {"name": "a", "period": 10, "nodes": [
        {"name": "k", "on": "gpu", "wcet": 2, "blocks": 4, "threads": 64}]},
      {"name": "b", "period": 10, "nodes": [
        {"name": "k", "on": "gpu", "wcet": 3, "blocks": 1, "threads": 192}]},
      {"name": "c", "period": 10, "nodes": [
        {"name": "k", "on": "gpu", "wcet": 1, "blocks": 2, "threads": 256}]}]})");
}

TEST(EligibleOrders, AreThoseWhoseBlocksFitTogether) {
  const auto orders = eligible_orders(three(), 3);
  ASSERT_TRUE(orders) << orders.error().message;
  // c fills the GPU; of a and b only one order fits.
  EXPECT_EQ(*orders, (std::vector<std::vector<TaskIndex>>{{1, 0}}));
}

TEST(EligibleOrders, WithoutBlockDataAreAllOrdersUpToTheSize) {
  System system = three();
  system.platform.elements[0].sm.reset();
  for (Task& task : system.tasks) {
    task.nodes[0].blocks.reset();
    task.nodes[0].threads.reset();
  }
  EXPECT_EQ(eligible_orders(system, 2)->size(), 6U);
  EXPECT_EQ(eligible_orders(system, 3)->size(), 12U);
}

TEST(EligibleOrders, RefuseWhatPbsCannotTake) {
  System system = three();
  system.tasks[0].period.reset();
  EXPECT_FALSE(eligible_orders(system, 2));
}

TEST(EligibleOrders, RefuseMoreThanCanBeMeasured) {
  System system = three();
  system.platform.elements[0].sm.reset();
  for (int i = 0; i < 9; ++i) {
    system.tasks.push_back(system.tasks[0]);
    system.tasks.back().name += std::to_string(i);
  }
  for (Task& task : system.tasks) {
    task.nodes[0].blocks.reset();
    task.nodes[0].threads.reset();
  }
  const auto orders = eligible_orders(system, 6);
  ASSERT_FALSE(orders);
  EXPECT_NE(orders.error().message.find("--max-size"), std::string::npos);
}

TEST(BatchesFrom, GiveASetItsWorstOrderAndBetterOrdersTheirOwn) {
  const auto of = [](std::vector<TaskIndex> order, std::int64_t us) {
    return MeasuredOrder{std::move(order), {}, Time::from_us(us)};
  };
  const auto batches =
      batches_from({of({0, 1}, 50), of({1, 0}, 70), of({0, 2}, 40), of({2, 0}, 40)});
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[0].tasks, (std::vector<TaskIndex>{0, 1}));
  EXPECT_EQ(batches[0].completion, Time::from_us(70));
  EXPECT_FALSE(batches[0].ordered);
  EXPECT_EQ(batches[1].tasks, (std::vector<TaskIndex>{0, 1}));
  EXPECT_EQ(batches[1].completion, Time::from_us(50));
  EXPECT_TRUE(batches[1].ordered);
  EXPECT_EQ(batches[2].completion, Time::from_us(40));
  EXPECT_FALSE(batches[2].ordered);
}

TEST(MeasureBatches, OnTheEmulatorWritesAFileThatCanBeReadAgain) {
  const System system = three();
  const auto device = open_backend("emulator", system, {});
  ASSERT_TRUE(device) << device.error().message;
  MeasureBatchesOptions options;
  options.repeats = 3;
  options.margin = 10;
  const auto measured = measure_batches(system, **device, options);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->singles.size(), 3U);
  for (const MeasuredOrder& order : measured->orders) {
    EXPECT_EQ(order.samples.size(), 3U);
    EXPECT_GE(order.completion, mul_div_up(order.samples.back(), 110, 100));
  }
  const System back = read(write_system(measured->system));
  EXPECT_EQ(back, measured->system);
  ASSERT_EQ(back.batches.size(), 1U);
  EXPECT_EQ(back.interference->model, InterferenceModel::kTable);
}

TEST(MeasureBatches, StopsWhenAskedTo) {
  const System system = three();
  const auto device = open_backend("emulator", system, {});
  ASSERT_TRUE(device);
  std::stop_source stop;
  stop.request_stop();
  MeasureBatchesOptions options;
  options.stop = stop.get_token();
  EXPECT_FALSE(measure_batches(system, **device, options));
}

}  // namespace
}  // namespace tactus::runtime
