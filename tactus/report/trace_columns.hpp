#pragma once

#include <string>

#include "tactus/base/json.hpp"

namespace tactus::report {

/// A Chrome/Perfetto trace as columns, which are a tenth of its size: what a page draws. Rows
/// without slices are left out, and so are arrows and counters.
/// @pre `trace` is an object with an array `traceEvents`
std::string trace_columns_json(const json::Value& trace);

}  // namespace tactus::report
