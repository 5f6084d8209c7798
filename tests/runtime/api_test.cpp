// Work of one's own that does not fit its system is refused before anything runs.
#include "tactus/runtime/api.hpp"

#include <gtest/gtest.h>

#include "tactus/runtime/backend.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

System camera() {
  return simulate::read(R"({"tactus":1,"platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},{"name":"bus","kind":"copy","units":1},{"name":"gpu","kind":"gpu","units":4}]},
    "tasks":[{"name":"camera","period":50,"nodes":[{"name":"grab","on":"cpu","wcet":2},
      {"name":"upload","on":"bus","wcet":2},{"name":"scale","on":"gpu","load":8}]}]})");
}

/// Stands for a compiled kernel; it is never launched here.
const int kSomething = 0;
UserKernel kernel(std::int64_t blocks = 10, unsigned threads = 256) {
  return {&kSomething, {}, blocks, threads, 0};
}

/// What opening a machine says of it, or empty.
template <typename Work>
std::string refusal(std::string task, std::string node, Work work) {
  Workload bound;
  bound.bind(std::move(task), std::move(node), std::move(work));
  BackendOptions options;
  options.workload = &bound;
  const auto device = open_backend("emulator", camera(), options);
  return device ? "" : device.error().message;
}

TEST(Workload, ThatFitsIsTaken) {
  int to = 0;
  const int from = 1;
  EXPECT_EQ(refusal("camera", "scale", kernel()), "");
  EXPECT_EQ(refusal("camera", "upload", UserCopy{&to, &from, sizeof to}), "");
  EXPECT_EQ(refusal("camera", "grab", std::function<void()>([] {})), "");
}

TEST(Workload, BoundToANameThatIsNotThereIsRefused) {
  EXPECT_EQ(
      refusal("camera", "scael", kernel()),
      "the work bound to `scael` of task `camera` does not fit: it is not a node of the task; "
      "did you mean `scale`?");
  EXPECT_EQ(
      refusal("camra", "scale", kernel()),
      "the work bound to `scale` of task `camra` does not fit: it is of no task of the system; "
      "did you mean `camera`?");
}

TEST(Workload, OnTheWrongKindOfElementIsRefused) {
  EXPECT_EQ(refusal("camera", "grab", kernel()),
            "the work bound to `grab` of task `camera` does not fit: it is a cpu node, not a gpu "
            "node");
  EXPECT_NE(refusal("camera", "scale", UserCopy{}), "");
  EXPECT_NE(refusal("camera", "upload", std::function<void()>([] {})), "");
}

TEST(Workload, ThatNoMachineCanDoIsRefused) {
  EXPECT_NE(refusal("camera", "scale", UserKernel{}), "");
  EXPECT_NE(refusal("camera", "scale", kernel(0)), "");
  EXPECT_NE(refusal("camera", "scale", kernel(std::int64_t{1} << 40)), "");
  EXPECT_NE(refusal("camera", "scale", kernel(1, 0)), "");
  EXPECT_NE(refusal("camera", "scale", kernel(1, 1025)), "");
  EXPECT_NE(refusal("camera", "upload", UserCopy{}), "");
  EXPECT_NE(refusal("camera", "grab", std::function<void()>()), "");
}

TEST(Workload, OfGraphsAndCallbacksIsChecked) {
  int graph = 0;
  EXPECT_EQ(refusal("camera", "scale", UserGraph{.graph = &graph}), "");
  EXPECT_EQ(refusal("camera", "scale", UserGraph{.enqueue = [](void*) {}}), "");
  EXPECT_EQ(refusal("camera", "scale", UserGraph{}),
            "the work bound to `scale` of task `camera` does not fit: it has neither a graph nor a "
            "function");
  EXPECT_EQ(refusal("camera", "grab", UserGraph{.graph = &graph}),
            "the work bound to `grab` of task `camera` does not fit: it is a cpu node, not a gpu "
            "node");
  for (const char* node : {"grab", "upload", "scale"}) {
    EXPECT_EQ(refusal("camera", node, NodeCallbacks{.before = [] {}, .after = {}}), "");
  }
  EXPECT_EQ(refusal("camera", "scale", NodeCallbacks{}),
            "the work bound to `scale` of task `camera` does not fit: it has no callback");
}

TEST(Workload, OfAKernelAndAGraphAtOneNodeIsRefused) {
  int graph = 0;
  Workload both;
  both.bind("camera", "scale", kernel());
  both.bind("camera", "scale", UserGraph{.graph = &graph});
  BackendOptions options;
  options.workload = &both;
  EXPECT_EQ(open_backend("emulator", camera(), options).error().message,
            "`scale` of task `camera` is bound to a kernel and to a graph; it can run one");
}

}  // namespace
}  // namespace tactus::runtime
