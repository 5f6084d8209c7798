#pragma once

#include "tactus/methods/method.hpp"

/// The four methods around RTGPU (TPDS 2023): SMs owned by one task each, with fixed priorities on
/// CPU and bus, and the paper's two baselines. docs/use/methods/rtgpu.md.
namespace tactus::rtgpu {

extern const Method kRtgpu, kRtgpuGreedy;
extern const Method kSelfSuspension, kStgm;

}  // namespace tactus::rtgpu
