#pragma once

#include <cstdint>
#include <vector>

#include "tactus/runtime/cuda/resources.hpp"
#include "tactus/runtime/driver/sm_partition.hpp"

namespace tactus::runtime::cuda {

using driver::SmPartition;

/// Of the partition; 0 is the lowest priority, -5 the highest of an H200.
Stream make_stream(const SmPartition& partition, int priority);

/// The hardware ids of the SMs on which blocks of a stream run, sorted; as many as its partition has.
std::vector<std::int32_t> observe_sms(const Stream& stream, std::int64_t sms);

}  // namespace tactus::runtime::cuda
