#pragma once

#include "tactus/exchange/bytes.hpp"
#include "tactus/exchange/recording.hpp"

namespace tactus::exchange {

/// Reads what the PyTorch profiler (Kineto) wrote: JSON in the format of chrome://tracing, in
/// microseconds. It is read as a stream; only what matters here is kept.
Result<Recording> read_kineto(Bytes& bytes);

}  // namespace tactus::exchange
