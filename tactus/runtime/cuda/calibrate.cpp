#include "tactus/runtime/cuda/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "tactus/host/clock.hpp"
#include "tactus/runtime/cuda/bench.hpp"
#include "tactus/runtime/cuda/calibrate_switches.hpp"
#include "tactus/runtime/cuda/completions.hpp"
#include "tactus/runtime/cuda/rate_book.hpp"

namespace tactus::runtime::cuda {
namespace {

constexpr std::uint32_t kItems = 1056;  // a multiple of most widths: no block has one more
constexpr std::int64_t kInterleaved = 16;

std::vector<std::int64_t> widths_up_to(std::int64_t sms) {
  std::vector<std::int64_t> widths;
  for (const std::int64_t width : {1, 2, 4, 8, 16, 33, 66}) {
    if (width < sms) widths.push_back(width);
  }
  widths.push_back(sms);
  return widths;
}

std::vector<std::pair<std::int64_t, double>> medians(
    const std::vector<std::pair<std::int64_t, SampleStatistics>>& times) {
  std::vector<std::pair<std::int64_t, double>> points;
  for (const auto& [width, summary] : times) points.emplace_back(width, summary.p50);
  return points;
}

class Calibrator {
 public:
  explicit Calibrator(const CalibrateOptions& options)
      : options_(options), bench_(options.device) {}

  void run(gpu::Calibration& result) {
    step("warming up");
    bench_.warm_up();
    for (const KernelKind kind : kKinds) {
      step(fmt::format("time against SMs: {}", to_string(kind)));
      result.kinds.push_back(times_of(kind));
    }
    step("copies");
    const CopyTimes up = measure_copies(cudaMemcpyHostToDevice, options_.repeats);
    const CopyTimes down = measure_copies(cudaMemcpyDeviceToHost, options_.repeats);
    result.to_device = {up.points, up.line};
    result.to_host = {down.points, down.line};
    step("launches");
    result.launches = launch_costs();
  }

 private:
  void step(std::string_view what) const {
    if (options_.stop.stop_requested()) throw CudaError("interrupted");
    if (options_.progress) options_.progress(what);
  }

  template <typename Run>
  SampleStatistics repeat(Run run) const {
    std::vector<double> samples;
    for (int i = 0; i < options_.repeats + 2; ++i) {
      const double ns = run();
      if (i >= 2) samples.push_back(ns);  // the first ones load code and fill caches
    }
    return statistics_of(std::move(samples));
  }

  gpu::KindTimes times_of(KernelKind kind) {
    gpu::KindTimes times;
    times.kind = to_string(kind);
    const std::vector<std::int32_t>& all = bench_.all_sms();
    const auto on_first = [&](std::int64_t count, std::uint32_t seats) {
      const std::vector<std::int32_t> on(all.begin(), all.begin() + count);
      return repeat([&] {
        const auto records = bench_.run_pinned(kind, on, seats, kItems);
        if (items_done(records) != kItems ||
            static_cast<std::int64_t>(records.size()) != count * seats) {
          ++times.lost;
        }
        return span_ns(records);
      });
    };
    for (const std::int64_t width : widths_up_to(bench_.sms())) {
      times.grid.emplace_back(
          width,
          repeat([&] { return span_ns(bench_.run(kind, static_cast<unsigned>(width), kItems)); }));
      times.pinned.emplace_back(width, on_first(width, 1));
    }
    times.grid_fit = gpu::fit_scaling(medians(times.grid));
    times.pinned_fit = gpu::fit_scaling(medians(times.pinned));
    const auto sms = static_cast<unsigned>(bench_.sms());
    times.shortest = repeat([&] { return span_ns(bench_.run(kind, sms, sms)); });
    const std::int64_t few = std::min(kInterleaved, bench_.sms());
    times.one_seat = on_first(few, 1);
    times.two_seats = on_first(few, 2);
    if (times.one_seat.p50 > 0) times.alpha = 2 * times.two_seats.p50 / times.one_seat.p50;
    return times;
  }

  /// An almost empty kernel: one thread that writes the time.
  void launch_small(cudaStream_t stream) {
    launch_kernel(timer_kernel(), 1, 1, 0, stream, answer_.on_device());
  }

  gpu::LaunchCosts launch_costs() {
    gpu::LaunchCosts costs;
    gpu::GpuClock clock;
    measure(clock);
    const Stream stream = make_stream();
    const auto timed = [](auto work) {
      const std::int64_t begin = host::now_ns();
      work();
      return static_cast<double>(host::now_ns() - begin);
    };
    costs.launch_and_wait = repeat_often([&] {
      return timed([&] {
        launch_small(stream.get());
        check(cudaStreamSynchronize(stream.get()), "wait");
      });
    });
    costs.after_idle = statistics_of(measure_operations(2'000'000, 10 * options_.repeats));
    costs.launch_call = repeat_often([&] {
      const double ns = timed([&] { launch_small(stream.get()); });
      check(cudaStreamSynchronize(stream.get()), "wait");
      return ns;
    });
    Lane lane(make_stream(), 1);
    const auto since_end = [&] {
      return static_cast<double>(host::now_ns() - clock.to_host(*answer_.data()));
    };
    costs.seen_by_word = repeat_often([&] {
      launch_small(lane.stream());
      lane.finish(lane.mark());
      return since_end();
    });
    costs.seen_by_query = repeat_often([&] {
      launch_small(stream.get());
      cudaError_t status = cudaErrorNotReady;
      while (status == cudaErrorNotReady) status = cudaStreamQuery(stream.get());
      check(status, "wait");
      return since_end();
    });
    constexpr int kChain = 100;
    costs.chain_in_stream = repeat([&] {
      return timed([&] {
               for (int i = 0; i < kChain; ++i) launch_small(stream.get());
               check(cudaStreamSynchronize(stream.get()), "wait");
             }) /
             kChain;
    });
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "record a graph");
    for (int i = 0; i < kChain; ++i) launch_small(stream.get());
    cudaGraph_t made = nullptr;
    check(cudaStreamEndCapture(stream.get(), &made), "record a graph");
    const Graph graph(made);
    cudaGraphExec_t ready = nullptr;
    check(cudaGraphInstantiate(&ready, made, 0), "make a graph ready");
    const GraphExec exec(ready);
    costs.chain_in_graph = repeat([&] {
      return timed([&] {
               check(cudaGraphLaunch(exec.get(), stream.get()), "launch a graph");
               check(cudaStreamSynchronize(stream.get()), "wait");
             }) /
             kChain;
    });
    costs.gap_in_graph = statistics_of(measure_gaps(bench_, options_.repeats));
    return costs;
  }

  template <typename Run>
  SampleStatistics repeat_often(Run run) const {
    std::vector<double> samples;
    for (int i = 0; i < options_.repeats * 10 + 10; ++i) {
      const double ns = run();
      if (i >= 10) samples.push_back(ns);
    }
    return statistics_of(std::move(samples));
  }

  const CalibrateOptions& options_;
  Bench bench_;
  HostArray<std::uint64_t> answer_{1};
};

}  // namespace

Result<gpu::Calibration> calibrate(const CalibrateOptions& options) {
  const auto info = gpu_info(options.device);
  if (!info) return info.error();
  return guarded<gpu::Calibration>([&] {
    gpu::Calibration result;
    result.gpu = *info;
    result.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    {
      Calibrator calibrator(options);
      calibrator.run(result);
    }
    if (!options.switches) {
      result.no_switches = "not asked for";
    } else if (auto report = measure_switches(options)) {
      result.switches = std::move(*report);
    } else {
      result.no_switches = report.error().message;
    }
    return result;
  });
}

}  // namespace tactus::runtime::cuda
