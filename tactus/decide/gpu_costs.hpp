#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/decide/edit.hpp"

/// What was measured of known GPUs, for files that do not say what theirs costs.
///
///     Edited edited{system};
///     if (auto problem = fill_in_costs(edited, "h200/channel")) return tell(*problem);
namespace tactus::decide {

/// One attribute of a gpu element.
struct GpuCost {
  std::string_view attribute;
  Time time;
  /// The figures of the record that it is the sum of, as they stand there.
  std::string_view seen, unit;
  std::string_view record;   ///< a file of the source tree
  bool per_program = false;  ///< counts for each program that may have to leave the GPU
};

struct GpuProfile {
  std::string_view name;  ///< GPU and tier: "h200/channel"
  std::string_view gpu, driver, date;
  std::string_view serves;  ///< the methods whose costs these are
  std::span<const GpuCost> costs;
  std::string_view remark;  ///< what is not in them
};

std::span<const GpuProfile> gpu_profiles();

/// Gives the gpu element what the profile has and the file does not give, books that as changes, and
/// notes where it comes from.
std::optional<Error> fill_in_costs(Edited& edited, std::string_view profile);

/// Does a method ask for something that a profile has?
bool is_gpu_cost(std::string_view attribute);

}  // namespace tactus::decide
