#include "tactus/runtime/cuda/work_of.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus::runtime::cuda {
namespace {

/// A block stops at its time limit, far beyond any intended time: this distinguishes a lost device
/// from a slow one.
constexpr std::int64_t kLeastLimit = 1'000'000'000;

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

}  // namespace

ReadyKernel WorkOf::operator()(const Kernel& kernel, const std::vector<std::int32_t>& sms) {
  const Task& task = system_.tasks.at(kernel.task);
  const Node& node = task.nodes.at(kernel.node);
  const UserKernel* own = workload_ != nullptr ? workload_->kernel(task.name, node.name) : nullptr;
  if (kernel.blocks < 1 || kernel.blocks > INT32_MAX) {
    throw CudaError(fmt::format("node {} of task {} cannot be a grid of {} blocks",
                                quote(node.name), quote(task.name), kernel.blocks));
  }
  ReadyKernel ready;
  ready.grid = static_cast<unsigned>(kernel.blocks);
  ready.view.limit_ns = static_cast<std::uint64_t>(
      std::max(kLeastLimit, std::min(kernel.load.ns(), kLeastLimit) * 20));
  if (own != nullptr) {
    const BlockRange piece = piece_of(kernel, own->blocks);
    ready.function = own->function;
    ready.body = own->body;
    ready.view.first = static_cast<std::uint32_t>(piece.first);
    ready.expected = piece.count;
    const LaunchShape& fits = shape(kernel.share, own->function, own->threads);
    const bool claims = kernel.share.part > 0;
    if (claims && own->shared_memory > fits.shared) {
      throw CudaError(
          fmt::format("node {} of task {} needs {} bytes of shared memory per block, but its share "
                      "of an SM has {}",
                      quote(node.name), quote(task.name), own->shared_memory, fits.shared));
    }
    ready.threads = own->threads;
    ready.shared = claims ? fits.shared : own->shared_memory;
  } else {
    do_synthetic(kernel, ready);
  }
  if (ready.expected > UINT32_MAX) {
    throw CudaError(fmt::format("node {} of task {} is too much work for one kernel",
                                quote(node.name), quote(task.name)));
  }
  ready.view.count = static_cast<std::uint32_t>(ready.expected);
  if (kernel.pinning) pin(kernel, sms, ready);
  return ready;
}

void WorkOf::do_synthetic(const Kernel& kernel, ReadyKernel& ready) {
  ready.function = kernel_of(kind_);
  ready.body = bytes_of(arena_);
  ready.expected = synthetic_items(kernel);
  const LaunchShape& fits = shape(kernel.share, ready.function, kernel.threads);
  ready.threads = fits.threads;
  ready.shared = fits.shared;
}

ReadyKernel WorkOf::synthetic(Time time, std::int64_t blocks) {
  Kernel kernel;
  kernel.blocks = blocks;
  kernel.load = time * blocks;
  ReadyKernel ready;
  ready.grid = static_cast<unsigned>(blocks);
  ready.view.limit_ns = kLeastLimit;
  do_synthetic(kernel, ready);
  ready.view.count = static_cast<std::uint32_t>(ready.expected);
  return ready;
}

void WorkOf::pin(const Kernel& kernel, const std::vector<std::int32_t>& sms,
                 ReadyKernel& ready) const {
  const Pinning& pinning = *kernel.pinning;
  const auto seen = static_cast<std::int64_t>(sms.size());
  if (pinning.first < 0 || pinning.count < 1 || pinning.first + pinning.count > seen) {
    throw CudaError(fmt::format("a kernel is pinned to SMs {} to {} of a partition of {}",
                                pinning.first, pinning.first + pinning.count - 1, seen));
  }
  for (std::int64_t rank = pinning.first; rank < pinning.first + pinning.count; ++rank) {
    const auto sm = static_cast<std::uint32_t>(sms[static_cast<std::size_t>(rank)]);
    if (sm >= kMaxSmIds) throw CudaError(fmt::format("SM id {} is beyond the allow-list", sm));
    ready.view.allowed[sm / 32] |= 1U << (sm % 32);
  }
  ready.view.seats = static_cast<std::uint32_t>(pinning.seats);
  // One block for every seat of the partition: those on other SMs leave at once.
  ready.grid = static_cast<unsigned>(seen * pinning.seats);
}

std::int64_t WorkOf::synthetic_items(const Kernel& kernel) {
  // Pinned blocks draw the work of the whole kernel, given as its time on an SM that it has alone;
  // other blocks each have their part of it, and neighbours as their share foresees.
  const SmShare share = kernel.pinning ? SmShare{} : kernel.share;
  const LaunchShape& fits = shape(share, kernel_of(kind_), kernel.threads);
  const double item = frozen_ ? rates_.known_item_ns(kind_, fits) : rates_.item_ns(kind_, fits);
  const std::int64_t blocks = kernel.pinning ? kernel.pinning->count : kernel.blocks;
  return gpu::items_for(static_cast<double>(kernel.load.ns()), blocks, item, rates_.rates().gap_ns);
}

void WorkOf::expect(const SmShare& share, std::int64_t threads) {
  rates_.item_ns(kind_, shape(share, kernel_of(kind_), threads));
}

const LaunchShape& WorkOf::shape(const SmShare& share, const void* function, std::int64_t threads) {
  const auto key = std::make_tuple(function, share.part, share.whole, threads);
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) return found->second;
  return shapes_.emplace(key, shape_of(share, function, static_cast<unsigned>(threads)))
      .first->second;
}

}  // namespace tactus::runtime::cuda
