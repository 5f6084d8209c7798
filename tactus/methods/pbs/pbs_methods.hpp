#pragma once

#include "tactus/methods/method.hpp"

/// Batch schedules for GPU kernels that interfere (Feddal, Zahaf, Lipari, RTNS 2024): the exact
/// synthesis of a schedule table, and two baselines. docs/use/methods/pbs.md.
namespace tactus::pbs {

extern const Method kGraph, kEdfSerial, kEdfParallel;

}  // namespace tactus::pbs
