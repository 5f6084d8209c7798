#include "tactus/exchange/join.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus::exchange {
namespace {

struct Interval {
  std::int64_t from = INT64_MAX, to = INT64_MIN;

  void add(std::int64_t start, std::int64_t end) {
    from = std::min(from, start);
    to = std::max(to, end);
  }
};

/// A kernel of each job becomes one for each layer, in their order, with its share of the time; the
/// parts take as long as the whole.
std::optional<Error> divide(Recording& recording, const Recording& layers) {
  std::optional<std::uint32_t> name;
  for (const GpuWork& work : recording.work) {
    if (work.kind != GpuKind::kKernel) continue;
    if (name.value_or(work.name) != work.name) {
      return Error{
          "times of layers can only be joined to a recording with one piece of GPU work "
          "per job, such as trtexec --exportTimes"};
    }
    name = work.name;
  }
  std::int64_t whole = 0;
  for (const GpuWork& layer : layers.work) whole += layer.end - layer.start;
  if (whole == 0) return Error{"its layers take no time"};
  if (recording.work.size() > kMostRecords / std::max<std::size_t>(1, layers.work.size())) {
    return Error{fmt::format("{} layers in each of {} jobs are too many; record fewer jobs",
                             layers.work.size(), recording.work.size())};
  }
  std::vector<GpuWork> divided;
  for (const GpuWork& work : recording.work) {
    if (work.kind != GpuKind::kKernel) {
      divided.push_back(work);
      continue;
    }
    std::int64_t before = 0;
    const auto at = [&](std::int64_t share) {
      return work.start + static_cast<std::int64_t>(static_cast<__int128>(work.end - work.start) *
                                                    share / whole);
    };
    for (const GpuWork& layer : layers.work) {
      GpuWork part = work;
      part.name = recording.names.of(layers.names[layer.name]);
      part.start = at(before);
      before += layer.end - layer.start;
      part.end = at(before);
      divided.push_back(part);
    }
  }
  recording.work = std::move(divided);
  recording.notes.push_back(
      fmt::format("the GPU time of each job is divided among {} layers by their average times: a "
                  "single layer can take longer, all together cannot",
                  layers.work.size()));
  return std::nullopt;
}

/// Numbers of calls that the first recording does not have.
std::int64_t first_free_correlation(const Recording& recording) {
  std::int64_t most = -1;
  for (const Call& call : recording.calls) most = std::max(most, call.correlation);
  return most + 1;
}

}  // namespace

std::optional<Error> join(Recording& recording, const Recording& other) {
  if (!other.times_are.empty()) return divide(recording, other);
  for (const Recording* one : {static_cast<const Recording*>(&recording), &other}) {
    if (one->epoch) continue;
    return Error{
        fmt::format("nothing says when {} recording began, so they cannot be joined by time",
                    one == &other ? "this" : "the first")};
  }
  std::int64_t shift = 0;
  if (__builtin_sub_overflow(*other.epoch, *recording.epoch, &shift)) {
    return Error{"the clocks of the two recordings are too far apart"};
  }
  Interval jobs, work;
  for (const Annotation& one : recording.annotations) jobs.add(one.start, one.end);
  for (const GpuWork& one : other.work) work.add(one.start, one.end);
  std::int64_t ignored = 0;
  if (__builtin_add_overflow(work.from, shift, &ignored) ||
      __builtin_add_overflow(work.to, shift, &ignored) || work.from + shift > jobs.to ||
      work.to + shift < jobs.from) {
    return Error{
        "its GPU work and the jobs of the first recording lie at different times: they are "
        "not of the same run"};
  }
  const std::int64_t free = first_free_correlation(recording);
  const auto correlation = [&](std::int64_t number) { return number < 0 ? number : number + free; };
  const auto name = [&](std::uint32_t id) { return recording.names.of(other.names[id]); };
  for (Call call : other.calls) {
    call.name = name(call.name);
    call.start += shift;
    call.end += shift;
    call.correlation = correlation(call.correlation);
    recording.calls.push_back(call);
  }
  for (GpuWork one : other.work) {
    one.name = name(one.name);
    one.start += shift;
    one.end += shift;
    one.correlation = correlation(one.correlation);
    recording.work.push_back(one);
  }
  for (Annotation one : other.annotations) {
    one.name = name(one.name);
    one.start += shift;
    one.end += shift;
    one.job = false;
    recording.annotations.push_back(one);
  }
  for (KnownWait wait : other.waits) {
    wait.correlation = correlation(wait.correlation);
    wait.record_correlation = correlation(wait.record_correlation);
    recording.waits.push_back(wait);
  }
  for (const GpuDevice& device : other.devices) {
    const auto known = std::find_if(recording.devices.begin(), recording.devices.end(),
                                    [&](const GpuDevice& one) { return one.id == device.id; });
    if (known == recording.devices.end()) recording.devices.push_back(device);
  }
  if (recording.date.empty()) recording.date = other.date;
  recording.notes.insert(recording.notes.end(), other.notes.begin(), other.notes.end());
  return std::nullopt;
}

}  // namespace tactus::exchange
