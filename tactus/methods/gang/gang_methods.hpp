#pragma once

#include "tactus/methods/method.hpp"

/// Graphs of gang tasks on heterogeneous platforms (Ahmed, Massey, Anderson): work-conserving and
/// semi-work-conserving scheduling with federated shares, and two locking baselines.
/// docs/use/methods/gang.md.
namespace tactus::gang {

extern const Method kWc, kSwc;
extern const Method kRmHe, kWcHe;

}  // namespace tactus::gang
