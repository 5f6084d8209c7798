#pragma once

#include "tactus/base/result.hpp"
#include "tactus/exchange/options.hpp"
#include "tactus/exchange/recording.hpp"

namespace tactus::exchange {

/// Reads what `nsys export --type sqlite` wrote. Tables and columns are found by their names, because
/// versions differ in what they have; only the table of kernels must be there. The file is opened for
/// reading only.
Result<Recording> read_nsys(const std::string& path, const Watch& watch = {});

}  // namespace tactus::exchange
