#include "tactus/runtime/cuda/bench.hpp"

#include <algorithm>
#include <memory>

#include "tactus/host/clock.hpp"

namespace tactus::runtime::cuda {
namespace {

constexpr std::uint64_t kLimit = 2'000'000'000;

std::int64_t count_sms(int device) {
  check(cudaSetDevice(device), "be used");
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "count its SMs");
  return sms;
}

}  // namespace

Bench::Bench(int device)
    : sms_(count_sms(device)),
      stream_(make_stream()),
      arena_(kArenaBytes / sizeof(float4)),
      pinned_(1),
      records_(1) {}

void Bench::warm_up(std::int64_t ns) {
  const std::int64_t end = host::now_ns() + ns;
  while (host::now_ns() < end) {
    const auto blocks = static_cast<unsigned>(sms_);
    run(KernelKind::kCompute, blocks, blocks * 2000);
  }
}

std::vector<BlockRecord> Bench::run(KernelKind kind, const LaunchShape& shape, unsigned blocks,
                                    std::uint32_t items) {
  BlockView view;
  view.count = items;
  view.records = clear_records(blocks);
  view.limit_ns = kLimit;
  launch_kernel(kernel_of(kind), blocks, shape.threads, shape.shared, stream_.get(), view, arena());
  return finish(blocks);
}

std::vector<BlockRecord> Bench::run_pinned(KernelKind kind, const std::vector<std::int32_t>& on,
                                           std::uint32_t seats, std::uint32_t items) {
  const LaunchShape shape = shape_of(SmShare{1, seats}, kernel_of(kind));
  BlockView view;
  view.count = items;
  const auto blocks = static_cast<unsigned>(sms_) * seats;
  view.records = clear_records(blocks);
  view.limit_ns = kLimit;
  view.pinned = pinned_.data();
  view.seats = seats;
  for (const std::int32_t sm : on) {
    view.allowed[static_cast<std::size_t>(sm) / 32] |= 1U << (static_cast<unsigned>(sm) % 32);
  }
  launch_kernel(kernel_of(kind), blocks, shape.threads, shape.shared, stream_.get(), view, arena());
  return finish(blocks);
}

std::vector<gpu::Hole> Bench::find_holes(std::int64_t run_ns, std::int64_t least_ns) {
  const DeviceArray<GapLog> log(1);
  auto copy = std::make_unique<GapLog>();
  copy->run_ns = static_cast<unsigned long long>(run_ns);
  copy->least_ns = static_cast<unsigned long long>(least_ns);
  check(cudaMemcpy(log.data(), copy.get(), sizeof(GapLog), cudaMemcpyDefault), "copy");
  const LaunchShape shape = shape_of(SmShare{}, gap_kernel());
  launch_kernel(gap_kernel(), static_cast<unsigned>(sms_), shape.threads, shape.shared,
                stream_.get(), log.data());
  check(cudaStreamSynchronize(stream_.get()), "finish a measurement");
  check(cudaMemcpy(copy.get(), log.data(), sizeof(GapLog), cudaMemcpyDefault), "copy");
  std::vector<gpu::Hole> holes;
  for (unsigned i = 0; i < copy->count; ++i) {
    holes.emplace_back(static_cast<std::int64_t>(copy->begin[i]),
                       static_cast<std::int64_t>(copy->end[i]));
  }
  return holes;
}

const std::vector<std::int32_t>& Bench::all_sms() {
  if (all_sms_.empty()) all_sms_ = observe_sms(make_stream(), sms_);
  return all_sms_;
}

BlockRecord* Bench::clear_records(unsigned blocks) {
  if (records_.items().size() < blocks) records_ = HostArray<BlockRecord>(blocks);
  std::fill_n(records_.data(), blocks, BlockRecord());
  return records_.on_device();
}

std::vector<BlockRecord> Bench::finish(unsigned blocks) {
  check(cudaStreamSynchronize(stream_.get()), "finish a measurement");
  std::vector<BlockRecord> done;
  for (const BlockRecord& record : records_.items().first(blocks)) {
    if (record.written()) done.push_back(record);
  }
  return done;
}

double span_ns(const std::vector<BlockRecord>& records) {
  std::uint64_t start = UINT64_MAX, end = 0;
  for (const BlockRecord& record : records) {
    start = std::min(start, record.start);
    end = std::max(end, record.end);
  }
  return end > start ? static_cast<double>(end - start) : 0;
}

std::int64_t items_done(const std::vector<BlockRecord>& records) {
  std::int64_t done = 0;
  for (const BlockRecord& record : records) done += record.done();
  return done;
}

}  // namespace tactus::runtime::cuda
