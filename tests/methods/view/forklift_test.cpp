#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tests/support/read.hpp"

/// A file as a newcomer writes it: every kernel with the one time that everybody measures, that on
/// the whole GPU. What each method says of it, and why that is right.
namespace tactus {
namespace {

System forklift() { return support::read_file("examples/forklift.system.json"); }

Verdict say(std::string_view method) { return analyze(*find_method(method), forklift()); }

/// The task with this name in a verdict.
const TaskVerdict& of(const Verdict& verdict, const System& system, std::string_view name) {
  for (const TaskVerdict& task : verdict.tasks) {
    if (system.tasks[task.task].name == name) return task;
  }
  throw std::runtime_error("no such task");
}

TEST(Forklift, IsProvedWhereTheGpuIsTakenAwayFromTheLogger) {
  const System system = forklift();
  for (const char* method :
       {"gcaps.suspend", "gcaps.busy", "gcaps.suspend.prio", "gcaps.busy.prio"}) {
    const Verdict verdict = say(method);
    EXPECT_EQ(verdict.status, Status::kSchedulable) << method << verdict.reason;
    // Its own 2 + 0.4 + 9 + 1.5, and one update before and one after it while another update is
    // under way: 4 times 0.25. Nobody more urgent uses the GPU, or its core.
    EXPECT_EQ(of(verdict, system, "camera").bound, Time::from_us(13'900)) << method;
  }
}

/// The logger may be on the GPU for 40, and the camera's deadline is 33.3. What cannot take the GPU
/// away must wait for it, at once or slice by slice.
TEST(Forklift, IsNotProvedWhereTheLoggerKeepsTheGpu) {
  const System system = forklift();
  for (const char* method : {"tsg-rr.suspend", "tsg-rr.busy", "mpcp.suspend", "mpcp.busy",
                             "fmlp.suspend", "fmlp.busy"}) {
    const Verdict verdict = say(method);
    EXPECT_EQ(verdict.status, Status::kUnschedulable) << method;
    EXPECT_FALSE(of(verdict, system, "camera").bound) << method;
  }
}

/// On 1 of 16 SMs a detector that takes 9 with all of them does not take 9. How long it takes is
/// not in the file, so nothing is proved, and every kernel is named.
TEST(Forklift, IsNotJudgedWhereTheSmsAreDivided) {
  for (const char* method : {"rtgpu", "rtgpu.greedy", "self-suspension", "stgm"}) {
    const Verdict verdict = say(method);
    EXPECT_EQ(verdict.status, Status::kNotApplicable) << method;
    EXPECT_EQ(verdict.reason,
              "task `camera`: node `detect` says its time on the whole GPU only; this method "
              "divides the SMs and must know its time on fewer: give `times`, `load` or "
              "`parallelism`");
    EXPECT_EQ(verdict.obstacles.size(), 5U)
        << method;  // detect, cluster, stereo, rollout, compress
  }
}

TEST(Forklift, IsNoSetOfKernelsOnly) {
  for (const char* method : {"pbs.graph", "pbs.edf-serial", "pbs.edf-parallel"}) {
    const Verdict verdict = say(method);
    EXPECT_EQ(verdict.status, Status::kNotApplicable) << method;
    EXPECT_EQ(verdict.reason,
              "task `camera`: node `pre` is not on the gpu; pbs takes one kernel, or a chain of "
              "kernels");
    EXPECT_EQ(verdict.obstacles.size(), 7U) << method;  // the nodes on cpu and copy
  }
  for (const char* method : {"dag.balanced", "dag.greedy", "dag.graham"}) {
    EXPECT_EQ(say(method).status, Status::kNotApplicable) << method;
  }
}

/// With curves it is judged: 4 SMs are too few for the camera, 8 do.
TEST(Forklift, IsJudgedOnceItsKernelsHaveCurves) {
  System system = forklift();
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (system.platform.elements[node.on].kind != ElementKind::kGpu) continue;
      const Time whole = *node.wcet;
      node.times = {{2, 8 * whole, {}, {}}, {4, 4 * whole, {}, {}}, {8, 2 * whole, {}, {}}};
    }
  }
  const Verdict verdict = analyze(*find_method("rtgpu"), system);
  // camera: 9 on all, 18 on 8 SMs; planner: 22 on all, 88 on 4; depth 14: 56 on 4; lidar 7: 56 on 2.
  // 8 + 4 + 4 + 2 SMs are more than 16.
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_NE(verdict.reason.find("18 SMs would be enough"), std::string::npos) << verdict.reason;
}

}  // namespace
}  // namespace tactus
