#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/methods/method.hpp"

/// How the SMs are divided between tasks. A method that divides them does so anew when times grow;
/// what is deployed does not. So a division is judged by how far all times may grow while it stays.
namespace tactus::decide {

/// Does the method take a division as given (`--allocation`)? The others leave nothing open.
bool takes_shares(const Method& method);

struct Division {
  std::string shares;       ///< "camera=7,lidar=1", as `--allocation` takes it
  std::int64_t factor = 0;  ///< in thousandths, verified with it
};

/// The division with which all times may grow most, of those that the method chooses at the file's
/// times and at longer ones, up to `furthest` thousandths of them. Nothing where it takes none.
std::optional<Division> best_division(const Method& method, const System& system,
                                      const Options& options, std::int64_t furthest);

/// The same options, with the division as given.
Options with_shares(Options options, const std::string& shares);

}  // namespace tactus::decide
