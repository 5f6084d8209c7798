#pragma once

#include "tactus/exchange/bytes.hpp"

/// Traces in the Common Trace Format, such as LTTng writes: a folder with a file `metadata` in it, or
/// below it.
namespace tactus::exchange {

bool is_ctf(const std::string& path);

/// The events as lines of text, one by one. The program babeltrace2 reads the trace: the format has
/// a language of its own to describe itself, its library loads its readers as plugins at run time (so
/// a static program could not carry them), and a trace that makes a reader crash must not end us.
/// What it prints is also what a person can look at, pipe, and import from elsewhere.
Result<std::unique_ptr<Bytes>> bytes_of_ctf(const std::string& path);

}  // namespace tactus::exchange
