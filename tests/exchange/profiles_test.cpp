#include <fmt/core.h>

#include "tests/exchange/importing.hpp"

// Profiles of TensorRT and ONNX Runtime, and any Chrome trace. The files in tests/data/profiles were
// written by hand after what the tools write (samples/common/sampleReporting.cpp of TensorRT, the
// pages on profiling of ONNX Runtime, the description of the trace event format).
namespace tactus::exchange {
namespace {

Time us(double time) { return Time::from_ns(static_cast<std::int64_t>(time * 1000 + 0.5)); }

std::string profile(const std::string& name) {
  return support::source_path("tests/data/profiles/" + name);
}

ImportOptions exact(Fold fold = Fold::kNone) {
  ImportOptions options;
  options.name = "net";
  options.fold = fold;
  options.margin = 0;
  return options;
}

Imported of_file(const std::string& name, const ImportOptions& options) {
  return good(import_file(profile(name), "", options));
}

const Node* node_named(const Task& task, const std::string& name) {
  for (const Node& node : task.nodes) {
    if (node.name == name) return &node;
  }
  ADD_FAILURE() << "no node " << name << "; there is " << task.nodes[0].name;
  return &task.nodes[0];
}

TEST(Tensorrt, AnInferenceIsAJobWithItsCopiesAndItsLongestTimes) {
  const Imported found = of_file("trtexec-times.json", exact(Fold::kTask));
  EXPECT_EQ(found.format, "tensorrt");
  ASSERT_EQ(found.system.tasks.size(), 1U);
  const Task& task = found.system.tasks[0];
  EXPECT_EQ(found.seen[0].jobs, 3U);
  const Node* compute = node_named(task, "compute");
  EXPECT_EQ(compute->wcet, us(1404.91));
  EXPECT_EQ(compute->measured->runs, 3);
  EXPECT_EQ(node_named(task, "memcpy HtoD")->wcet, Time::from_ns(42'188)) << "rounded up";
  EXPECT_TRUE(notes_have(found, "rhythm of the profiled loop")) << "they follow without a pause";
}

TEST(Tensorrt, ALayersShareDividesTheTimeOfEachInference) {
  ImportOptions options = exact();
  options.join = {profile("trtexec-profile.json")};
  const Imported found = of_file("trtexec-times.json", options);
  const Task& task = found.system.tasks[0];
  Time sum;
  for (const Node& node : task.nodes) {
    if (found.system.platform.elements[node.on].kind == ElementKind::kGpu) sum += *node.wcet;
  }
  EXPECT_EQ(sum, us(1404.91)) << "all layers together take as long as was seen";
  EXPECT_GT(*node_named(task, "Conv_3 + Add_4 + Relu_5")->wcet, us(700)) << "the average is less";
  EXPECT_TRUE(notes_have(found, "divided among 4 layers"));
}

TEST(Tensorrt, AveragesAreNotSaidToBeMeasuredLongest) {
  const Imported found = of_file("trtexec-profile.json", exact());
  const Node* conv = node_named(found.system.tasks[0], "Conv_0 + Relu_1");
  EXPECT_EQ(conv->wcet, us(400));
  EXPECT_FALSE(conv->measured.has_value());
  EXPECT_TRUE(notes_have(found, "averages of 756 inferences"));
}

TEST(Tensorrt, ReadsTheNamesOfEarlierVersionsAndSaysWhereAFileIsWrong) {
  const Imported old = good(import_text(
      R"([{"startInMs": 1, "endInMs": 2, "startComputeMs": 2, "endComputeMs": 5,
           "startOutMs": 5, "endOutMs": 6, "inMs": 1, "computeMs": 3, "outMs": 1}])",
      "", exact(Fold::kTask)));
  EXPECT_EQ(node_named(old.system.tasks[0], "compute")->wcet, us(3000));
  EXPECT_TRUE(notes_have(old, "does not say how long inferences take to enqueue"));
  EXPECT_EQ(bad(import_text("[\n{\"startComputeMs\": 1, \"computeMs\": -3}]", "", exact())),
            "source:2:36: `computeMs` must be a time >= 0, got `-3`\n");
  EXPECT_EQ(bad(import_text("[{\"startComputeMs\": 1}]", "", exact())),
            "source:1:2: an inference has `startComputeMs` and `computeMs`\n");
  EXPECT_EQ(bad(import_text("[{\"count\": 0}, {\"name\": \"a\", \"averageMs\": 1}]", "", exact())),
            "source:1:12: `count` must be a whole number > 0\n");
}

TEST(Tensorrt, SaysThatInferencesOverlap) {
  const Imported found = good(import_text(
      R"([{"startComputeMs": 1, "computeMs": 3}, {"startComputeMs": 2, "computeMs": 3}])", "",
      exact()));
  EXPECT_TRUE(notes_have(found, "in 1 inferences the GPU still worked for the one before"));
}

TEST(Onnx, NodesOnTheCpuAreNodesAndKernelsFollowTheirLaunches) {
  const Imported found = of_file("onnxruntime.json", exact());
  EXPECT_EQ(found.format, "onnx");
  const Task& task = found.system.tasks.at(0);
  EXPECT_EQ(task.name, "model_run");
  EXPECT_EQ(found.seen[0].jobs, 2U);
  const auto kind = [&](const Node* node) { return found.system.platform.elements[node->on].kind; };
  const Node* resize = node_named(task, "pre/Resize");
  EXPECT_EQ(resize->wcet, us(45));
  EXPECT_EQ(kind(resize), ElementKind::kCpu);
  const Node* conv = node_named(task, "conv2d_grouped_direct_kernel");
  EXPECT_EQ(conv->wcet, us(310));
  EXPECT_EQ(kind(conv), ElementKind::kGpu);
  EXPECT_EQ(conv->blocks, 64);
  const Sums sums = sums_of(found.system, task);
  EXPECT_EQ(sums.gpu, us(310 + 52).ns());
}

TEST(Onnx, WithoutGpuWorkARunBoundsIt) {
  const Imported found = good(import_text(
      R"([{"cat":"Node","ph":"X","name":"a_kernel_time","ts":20,"dur":5,
           "args":{"provider":"CPUExecutionProvider"}},
          {"cat":"Node","ph":"X","name":"b_kernel_time","ts":30,"dur":5,
           "args":{"provider":"CUDAExecutionProvider"}},
          {"cat":"Session","ph":"X","name":"model_run","ts":10,"dur":90,"args":{}}])",
      "", exact()));
  EXPECT_EQ(node_named(found.system.tasks[0], "model on GPU")->wcet, us(70));
  EXPECT_TRUE(notes_have(found, "never too short"));
}

TEST(Onnx, SaysWhatIsMissing) {
  EXPECT_EQ(bad(import_text(R"([{"cat":"Session","ph":"X","name":"session_initialization",
                                 "ts":1,"dur":2}])",
                            "", exact())),
            "source: this profile of ONNX Runtime has no `model_run`: was the model run, and the "
            "profile ended (end_profiling)?\n");
  EXPECT_EQ(bad(import_text(R"([{"cat":"Session","ph":"X","name":"model_run","ts":1,"dur":-2}])",
                            "", exact())),
            "source: event 1 (`model_run`): its `ts` and `dur` are no times\n");
}

TEST(Chrome, OutermostSlicesAreJobsThoseInsideNodesAndArrowsSayWhoLaunched) {
  ImportOptions options = exact();
  options.tracks = "*/main*";
  options.gpu_tracks = "*/GPU*";
  const Imported found = of_file("chrome.json", options);
  EXPECT_EQ(found.format, "chrome");
  ASSERT_EQ(found.system.tasks.size(), 1U);
  const Task& task = found.system.tasks[0];
  EXPECT_EQ(task.name, "frame");
  EXPECT_EQ(task.period, us(10'000));
  EXPECT_EQ(node_named(task, "decode")->wcet, us(250));
  EXPECT_EQ(node_named(task, "launch")->wcet, us(30));
  EXPECT_EQ(node_named(task, "infer")->wcet, us(400));
  EXPECT_TRUE(notes_have(found, "1 pieces of GPU work have no arrow"));
  EXPECT_TRUE(notes_have(found, "1 events of other kinds"));
}

TEST(Chrome, WithoutGpuTracksAllOutermostSlicesAreWorkOfTheCpu) {
  const Imported found = of_file("chrome.json", exact(Fold::kTask));
  ASSERT_EQ(found.system.tasks.size(), 2U);
  EXPECT_EQ(found.system.platform.elements.size(), 1U);
  EXPECT_EQ(found.system.tasks[0].nodes.size(), 1U);
  EXPECT_EQ(*found.system.tasks[0].nodes[0].wcet, us(720));
}

TEST(Chrome, LosesNoTimeInAnyFold) {
  ImportOptions options = exact();
  options.tracks = "*/main*";
  options.gpu_tracks = "*/GPU*";
  for (const Fold how : {Fold::kNone, Fold::kStream, Fold::kAnnotation, Fold::kTask}) {
    options.fold = how;
    const Imported found = of_file("chrome.json", options);
    const Sums sums = sums_of(found.system, found.system.tasks[0]);
    EXPECT_EQ(sums.gpu, us(400).ns());
    EXPECT_GE(sums.cpu, us(720).ns()) << "of the longer job";
  }
}

TEST(Chrome, ReadsWhatTactusSimulates) {
  // Its own format says more (`trace`); as a plain trace its slices are there, too.
  const Imported found = good(import_text(
      R"({"displayTimeUnit":"ns","otherData":{},"traceEvents":[
          {"ph":"X","name":"a.run","cat":"run","pid":1,"tid":1,"ts":0,"dur":5},
          {"ph":"X","name":"a.run","cat":"run","pid":1,"tid":1,"ts":50,"dur":7}]})",
      "chrome", exact(Fold::kTask)));
  EXPECT_EQ(*found.system.tasks[0].nodes[0].wcet, us(7));
}

TEST(Chrome, SaysWhatDoesNotMatchAndWhatIsWrong) {
  ImportOptions options = exact();
  options.tracks = "*/render*";
  EXPECT_TRUE(bad(import_file(profile("chrome.json"), "", options))
                  .find("no track matches `*/render*`, or no slice of them `*`; there is the track "
                        "`perception/") != std::string::npos);
  EXPECT_EQ(bad(import_text(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":"soon","dur":1}])", "",
                            exact())),
            "source: event 1 (`a`): its start `ts` is not a time\n");
  EXPECT_EQ(bad(import_text(R"([{"ph":"M","name":"thread_name","pid":1,"tid":1}])", "", exact())),
            "source: there are no slices in it (phases X, or B and E), so it shows no work\n");
}

TEST(Join, SaysWhyTwoRecordingsAreNotOfOneRun) {
  ImportOptions options = exact();
  options.join = {profile("chrome.json")};
  EXPECT_EQ(
      bad(import_file(profile("onnxruntime.json"), "", options)),
      "source: " + profile("chrome.json") +
          ": nothing says when the first recording began, so they cannot be joined by time\n");
  options.join = {profile("none.json")};
  EXPECT_TRUE(bad(import_file(profile("onnxruntime.json"), "", options)).find("No such file") !=
              std::string::npos);
  options.join = {profile("trtexec-profile.json")};
  EXPECT_TRUE(bad(import_file(profile("onnxruntime.json"), "", options))
                  .find("one piece of GPU work per job") != std::string::npos);
}

}  // namespace
}  // namespace tactus::exchange
