#include "tactus/runtime/driver/sm_partition.hpp"

#include <utility>

#include "tactus/runtime/gpu/sm_runs.hpp"

namespace tactus::runtime::driver {
namespace {

constexpr int kSms = 1;                 // CU_DEV_RESOURCE_TYPE_SM
constexpr unsigned kDefaultStream = 1;  // CU_GREEN_CTX_DEFAULT_STREAM
constexpr unsigned kOrdersNothing = 1;  // CU_STREAM_NON_BLOCKING

}  // namespace

std::optional<Error> SmPartition::create(SmResource* groups, unsigned count, int device) {
  const GraphApi& api = *driver_.graphs;
  void* description = nullptr;
  if (auto problem =
          driver_.failed(api.describe(&description, groups, count), "put SMs together")) {
    return problem;
  }
  if (auto problem = driver_.failed(api.green_create(&green_, description, device, kDefaultStream),
                                    "make a partition of SMs")) {
    return problem;
  }
  for (unsigned i = 0; i < count; ++i) sms_ += groups[i].sms;
  return driver_.failed(api.context_of(&context_, green_), "enter a partition of SMs");
}

SmPartition::SmPartition(SmPartition&& other) noexcept
    : driver_(other.driver_),
      sms_(other.sms_),
      green_(std::exchange(other.green_, nullptr)),
      context_(std::exchange(other.context_, nullptr)) {}

SmPartition::~SmPartition() {
  if (green_ != nullptr) static_cast<void>(driver_.graphs->green_destroy(green_));
}

Result<Stream> SmPartition::make_stream(int priority) const {
  Stream stream = nullptr;
  const Code code = green_ == nullptr
                        ? driver_.base->stream_create(&stream, kOrdersNothing, priority)
                        : driver_.graphs->green_stream(&stream, green_, kOrdersNothing, priority);
  if (auto problem = driver_.failed(code, "make a stream of a partition")) return *problem;
  return stream;
}

SmGroups look_at_groups(const Driver& driver, int device, Splitting splitting) {
  const GraphApi& api = *driver.graphs;
  const auto flags = static_cast<unsigned>(splitting);
  SmResource all, group, rest;
  unsigned one = 1, count = 0;
  if (api.device_resource(device, &all, kSms) != 0 ||
      api.split_sms(&group, &one, &all, &rest, flags, 1) != 0 || one != 1 ||
      api.split_sms(nullptr, &count, &all, nullptr, flags, 1) != 0) {
    return {};
  }
  return {group.sms, std::int64_t{count} * group.sms};
}

Result<std::vector<SmPartition>> carve(const Driver& driver, int device,
                                       std::span<const std::int64_t> widths, Splitting splitting) {
  const auto flags = static_cast<unsigned>(splitting);
  const GraphApi& api = *driver.graphs;
  SmResource all, rest;
  if (auto problem = driver.failed(api.device_resource(device, &all, kSms), "count its SMs")) {
    return *problem;
  }
  unsigned count = 0;
  if (auto problem = driver.failed(api.split_sms(nullptr, &count, &all, nullptr, flags, 1),
                                   "divide its SMs")) {
    return *problem;
  }
  std::vector<SmResource> groups(count);
  if (auto problem = driver.failed(api.split_sms(groups.data(), &count, &all, &rest, flags, 1),
                                   "divide its SMs")) {
    return *problem;
  }
  const auto step = static_cast<std::int64_t>(groups.empty() ? 1 : groups.front().sms);
  const auto runs = gpu::assign_groups(widths, step, static_cast<std::int64_t>(count));
  if (!runs) return runs.error();
  std::vector<SmPartition> partitions;
  for (const gpu::GroupRun& run : *runs) {
    SmPartition& made = partitions.emplace_back(driver, 0, nullptr);
    if (auto problem = made.create(&groups[static_cast<std::size_t>(run.first)],
                                   static_cast<unsigned>(run.count), device)) {
      return *problem;
    }
  }
  return partitions;
}

}  // namespace tactus::runtime::driver
