#include "tactus/arbiter/tiers/copy_work.hpp"

#include <cstring>
#include <system_error>

#include "tactus/host/clock.hpp"

namespace tactus::arbiter::tiers {
namespace {

constexpr unsigned kNonBlocking = 1;                 ///< flag of a stream
constexpr std::size_t kSamples = 1024;               ///< words at which a copy under way is seen
constexpr std::int64_t kPatienceNs = 2'000'000'000;  ///< at the end, with a copy that stays off

}  // namespace

std::optional<Error> CopyWork::prepare(std::size_t bytes) {
  const auto api = driver_api();
  if (!api) return api.error();
  api_ = *api;
  words_ = bytes / sizeof(std::uint64_t);
  if (auto problem = work_.use_in_this_thread()) return problem;
  if (const auto code = api_->stream_create(&stream_, kNonBlocking, 0))
    return driver_error(*api_, "cuStreamCreateWithPriority", code);
  for (std::uint64_t** buffer : {&in_, &out_}) {
    if (const auto code = api_->host_allocate(reinterpret_cast<void**>(buffer), bytes, 0))
      return driver_error(*api_, "cuMemHostAlloc", code);
  }
  if (const auto code = api_->memory_allocate(&memory_, bytes))
    return driver_error(*api_, "cuMemAlloc", code);
  return std::nullopt;
}

std::optional<Error> CopyWork::start(std::size_t bytes) {
  if (auto problem = prepare(bytes)) return problem;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return Error{"no thread can be made for copies"};
  }
  return std::nullopt;
}

void CopyWork::run() {
  failed_ = work_.use_in_this_thread().has_value();
  for (std::uint64_t round = 1; !end_ && !failed_; ++round) failed_ = !copy_once(round);
}

/// No call here waits inside the driver, so that being off does not hold this thread.
bool CopyWork::copy_once(std::uint64_t round) {
  const std::size_t bytes = words_ * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < words_; ++i) in_[i] = (round + i) * 0x9e3779b97f4a7c15U | 1;
  std::memset(out_, 0, bytes);
  if (api_->copy_to_device(memory_, in_, bytes, stream_) != 0 ||
      api_->copy_to_host(out_, memory_, bytes, stream_) != 0)
    return false;
  copying_ = true;
  int code = kNotReady;
  std::int64_t give_up = INT64_MAX;
  while ((code = api_->stream_query(stream_)) == kNotReady && host::now_ns() < give_up) {
    if (end_ && give_up == INT64_MAX) give_up = host::now_ns() + kPatienceNs;
    std::this_thread::yield();
  }
  copying_ = false;
  if (code != 0) return false;
  ++rounds_;
  if (std::memcmp(in_, out_, bytes) != 0) ++wrong_;
  return true;
}

std::int64_t CopyWork::progress() const {
  std::int64_t seen = rounds_ * static_cast<std::int64_t>(kSamples + 1);
  if (!copying_) return seen;
  const std::size_t step = words_ / kSamples;
  for (std::size_t i = 0; i < kSamples; ++i)
    seen += __atomic_load_n(&out_[i * step], __ATOMIC_RELAXED) != 0 ? 1 : 0;
  return seen;
}

/// What it has allocated ends with the process: to free it would wait for a copy that stays off.
bool CopyWork::finish() {
  end_ = true;
  if (thread_.joinable()) thread_.join();
  return !failed_ && wrong_ == 0;
}

}  // namespace tactus::arbiter::tiers
