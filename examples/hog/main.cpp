// A real pipeline under Tactus: HOG pedestrian features on five scales. Its kernels are measured,
// written into a system file, planned, and run: alone as one graph of malleable kernels, and four
// at once as gangs, on SMs of their own and all on one GPU. Every result is compared with the CPU.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "examples/hog/hog_gpu.hpp"
#include "examples/hog/system.hpp"
#include "tactus/base/file.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/run.hpp"
#include "tactus/runtime/cuda/info.hpp"
#include "tactus/runtime/executors/run_plan.hpp"

namespace {

using namespace tactus;

constexpr int kWidth = 1280, kHeight = 720;
constexpr int kFigureX = 320, kFigureY = 240;

/// Ends the program with one line, exit 3: no GPU, or it failed.
[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "hog: {}\n", why);
  std::exit(3);
}

/// The largest difference of a score between GPU and CPU, relative to the largest score.
double difference(const std::array<std::vector<float>, hog::kScales>& gpu,
                  const std::array<hog::LevelResult, hog::kScales>& cpu) {
  double largest = 0, apart = 0;
  for (std::size_t s = 0; s < hog::kScales; ++s) {
    if (gpu[s].size() != cpu[s].scores.size()) return INFINITY;
    for (std::size_t i = 0; i < gpu[s].size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(cpu[s].scores[i])));
      apart = std::max(apart, std::abs(static_cast<double>(gpu[s][i] - cpu[s].scores[i])));
    }
  }
  return apart / largest;
}

class Demonstration {
 public:
  Demonstration(std::uint32_t jobs, std::string folder) : jobs_(jobs), folder_(std::move(folder)) {
    cpu_ = hog::compute(image_, kWidth, kHeight, weights_);
  }

  void add_pipelines(int count) {
    for (int i = 0; i < count; ++i) {
      pipelines_.push_back(std::make_unique<hog::GpuPipeline>(image_, kWidth, kHeight, weights_));
    }
  }

  /// Times of every node on some numbers of SMs.
  hog::NodeTimes measure() const {
    auto times = hog::measure_nodes(work_of(1));
    if (!times) give_up(times.error().message);
    return *times;
  }

  /// Analyses, runs, compares; true when nothing was missed and everything is right.
  bool run(const System& system, std::string_view method_id, runtime::Strategy strategy,
           std::string_view title) {
    fmt::print("== {}\n", title);
    const std::string file = folder_ + "/" + system.name + ".system.json";
    if (const auto problem = write_text_file(file, write_system(system))) give_up(problem->message);
    const Method* method = find_method(method_id);
    const Verdict verdict = analyze(*method, system, {});
    if (!verdict.plan) give_up(fmt::format("{} makes no plan: {}", method_id, verdict.reason));
    runtime::BackendOptions machine;
    const runtime::Workload work = work_of(system.tasks.size());
    machine.workload = &work;
    const auto device = runtime::open_backend("cuda", system, machine);
    if (!device) give_up(device.error().message);
    runtime::RunOptions options;
    options.jobs = jobs_;
    options.strategy = strategy;
    options.fill = 100;  // the times of real kernels are given
    const auto seen = runtime::run_plan(system, {verdict.method, verdict.plan, verdict.variant},
                                        **device, options);
    if (!seen) give_up(seen.error().message);
    fmt::print("{}", report::run_text(system, *seen, report::Style{}));
    bool right = true;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) right = check_scores(i) && right;
    return right && seen->good();
  }

 private:
  /// The kernels of the first pipelines.
  runtime::Workload work_of(std::size_t pipelines) const {
    runtime::Workload work;
    for (std::size_t i = 0; i < pipelines; ++i) {
      pipelines_[i]->bind(work, hog::task_name(static_cast<int>(i)));
    }
    return work;
  }

  bool check_scores(std::size_t pipeline) {
    const auto scores = pipelines_[pipeline]->take_scores();
    const double apart = difference(scores, cpu_);
    const hog::Best best = hog::best_of(hog::pyramid_of(kWidth, kHeight), scores);
    const bool right = apart < 1e-3 && best.level == 0 && best.x * hog::kCell == kFigureX &&
                       best.y * hog::kCell == kFigureY;
    fmt::print(
        "{}: figure found on scale {} at ({}, {}), score {:.2f}; largest difference to the "
        "CPU {:.1e}: {}\n",
        hog::task_name(static_cast<int>(pipeline)), best.level, best.x * hog::kCell,
        best.y * hog::kCell, best.score, apart, right ? "right" : "WRONG");
    return right;
  }

  std::uint32_t jobs_;
  std::string folder_;
  std::vector<float> image_ = hog::picture(kWidth, kHeight, kFigureX, kFigureY);
  std::vector<float> weights_ = hog::weights();
  std::array<hog::LevelResult, hog::kScales> cpu_;
  std::vector<std::unique_ptr<hog::GpuPipeline>> pipelines_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("HOG pedestrian features under Tactus", "hog");
  std::uint32_t jobs = 100;
  std::string folder = ".";
  app.add_option("--jobs", jobs, "Of every pipeline")->capture_default_str();
  app.add_option("--folder", folder, "Where the measured system files go")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const auto gpu = runtime::cuda::gpu_info(); !gpu) give_up(gpu.error().message);
  try {
    Demonstration demonstration(jobs, folder);
    demonstration.add_pipelines(4);
    const hog::NodeTimes times = demonstration.measure();
    bool good = demonstration.run(hog::dag_system(times), "dag.balanced",
                                  runtime::Strategy::kPlanned, "one pipeline, planned graph");
    const System four = hog::gang_system(times, 4);
    good = demonstration.run(four, "gang.swc", runtime::Strategy::kPlanned,
                             "four pipelines, each on SMs of its own") &&
           good;
    // Without shares there is no bound, so only the results count.
    demonstration.run(four, "gang.swc", runtime::Strategy::kShared, "four pipelines, one GPU");
    return good ? 0 : 1;
  } catch (const std::exception& problem) {
    give_up(problem.what());
  }
}
