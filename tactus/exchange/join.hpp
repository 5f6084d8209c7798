#pragma once

#include "tactus/base/result.hpp"
#include "tactus/exchange/recording.hpp"

namespace tactus::exchange {

/// Puts what another tool recorded of the same run into a recording: its GPU work then belongs to the
/// jobs of the first. Averages of layers divide the GPU work of each job instead, which must have one
/// name. An error says why they cannot be joined.
std::optional<Error> join(Recording& recording, const Recording& other);

}  // namespace tactus::exchange
