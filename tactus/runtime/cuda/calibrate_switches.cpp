#include "tactus/runtime/cuda/calibrate_switches.hpp"

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "tactus/host/clock.hpp"
#include "tactus/host/helper_process.hpp"
#include "tactus/runtime/cuda/bench.hpp"

namespace tactus::runtime::cuda {
namespace {

constexpr int kPatience = 60'000;  // ms until a helper counts as lost
constexpr std::int64_t kGapRun = 150'000'000, kShortestHole = 50'000;
constexpr int kKernelItems = 8000;  // of each SM: some 20 ms, ten slices
constexpr int kKernels = 12;

std::vector<double> numbers_in(const std::string& line, const std::string& word) {
  std::istringstream text(line);
  std::string first;
  text >> first;
  if (first != word) throw CudaError("a helper process of the calibration failed: " + line);
  std::vector<double> numbers;
  for (double number = 0; text >> number;) numbers.push_back(number);
  return numbers;
}

class Helpers {
 public:
  Helpers(int count, int device) {
    for (int i = 0; i < count; ++i) {
      helpers_.emplace_back(std::vector<std::string>{"gpu", "calibrate", "--helper", "--device",
                                                     std::to_string(device)});
    }
    for (host::HelperProcess& helper : helpers_) numbers_in(answer(helper), "ready");
  }

  /// Sends the same line to all of them at once, and reads the answer of each.
  std::vector<std::vector<double>> all(const std::string& order, const std::string& word) {
    for (const host::HelperProcess& helper : helpers_) {
      if (!helper.say(order)) throw CudaError("a helper process of the calibration is gone");
    }
    std::vector<std::vector<double>> answers;
    for (host::HelperProcess& helper : helpers_) {
      answers.push_back(numbers_in(answer(helper), word));
    }
    return answers;
  }

 private:
  static std::string answer(host::HelperProcess& helper) {
    const auto line = helper.started() ? helper.listen(kPatience) : std::nullopt;
    if (!line) throw CudaError("a helper process of the calibration did not answer");
    return *line;
  }
  std::vector<host::HelperProcess> helpers_;
};

/// Completion times of kernels while `processes` run them at once.
SampleStatistics completions(int processes, int device) {
  Helpers helpers(processes, device);
  std::vector<double> samples;
  for (const auto& times :
       helpers.all(fmt::format("work {} {}", kKernelItems, kKernels), "times")) {
    // At the beginning and at the end not all of them are working.
    for (std::size_t i = 2; i + 2 < times.size(); ++i) samples.push_back(times[i]);
  }
  return statistics_of(std::move(samples));
}

std::vector<gpu::Hole> holes_of(const std::vector<double>& numbers) {
  std::vector<gpu::Hole> holes;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    holes.emplace_back(static_cast<std::int64_t>(numbers[i]),
                       static_cast<std::int64_t>(numbers[i + 1]));
  }
  return holes;
}

}  // namespace

Result<gpu::SwitchReport> measure_switches(const CalibrateOptions& options) {
  return guarded<gpu::SwitchReport>([&] {
    gpu::SwitchReport report;
    if (options.progress) options.progress("turns between processes: timestamps");
    {
      Helpers two(2, options.device);
      const auto answers = two.all(fmt::format("gaps {} {}", kGapRun, kShortestHole), "holes");
      const gpu::SwitchTimes seen = gpu::switch_times(holes_of(answers[0]), holes_of(answers[1]));
      if (seen.slices.empty() || seen.switches.empty()) {
        throw CudaError("two processes did not take turns on the GPU (is MPS on?)");
      }
      report.slice = statistics_of(seen.slices);
      report.theta = statistics_of(seen.switches);
    }
    const SampleStatistics alone = completions(1, options.device);
    for (const int processes : {2, 3}) {
      if (options.stop.stop_requested()) throw CudaError("interrupted");
      if (options.progress) {
        options.progress(fmt::format("turns between processes: {} at once", processes));
      }
      gpu::SwitchReport::Together run;
      run.processes = processes;
      run.alone = alone;
      run.together = completions(processes, options.device);
      run.theta_mean = gpu::switch_cost(run.together.mean, alone.mean, processes, report.slice.p50);
      run.theta_most = gpu::switch_cost(run.together.max, alone.min, processes, report.slice.p50);
      report.formula.push_back(run);
    }
    return report;
  });
}

int serve_calibration(int device) {
  try {
    Bench bench(device);
    const auto blocks = static_cast<unsigned>(bench.sms());
    bench.warm_up(200'000'000);
    std::cout << "ready" << std::endl;
    std::string order;
    while (std::cin >> order) {
      std::int64_t first = 0, second = 0;
      if (!(std::cin >> first >> second)) return 1;
      std::string answer;
      if (order == "work") {
        answer = "times";
        for (std::int64_t i = 0; i < second; ++i) {
          const std::int64_t begin = host::now_ns();
          bench.run(KernelKind::kCompute, blocks, static_cast<std::uint32_t>(first) * blocks);
          answer += fmt::format(" {}", host::now_ns() - begin);
        }
      } else if (order == "gaps") {
        answer = "holes";
        for (const gpu::Hole& hole : bench.find_holes(first, second)) {
          answer += fmt::format(" {} {}", hole.first, hole.second);
        }
      } else {
        return 1;
      }
      std::cout << answer << std::endl;
    }
    return 0;
  } catch (const std::exception& problem) {
    std::cout << "error " << problem.what() << std::endl;
    return 1;
  }
}

}  // namespace tactus::runtime::cuda
