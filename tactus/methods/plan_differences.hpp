#pragma once

#include <string>
#include <vector>

#include "tactus/base/json.hpp"

namespace tactus {

/// How much of a plan a file must state.
enum class Stated {
  kAll,     ///< a member that the file leaves out is a difference
  kInPart,  ///< except at the top, where a plan names its method and its results
};

/// Where a plan as a file states it differs from the same plan as it would be written: figures that
/// follow from others but do not agree with them, parts that are missing or that no plan has. The
/// order of an object's members does not matter, nor how a number is written; a list given as null
/// is not stated. At most 20 are reported.
std::vector<std::string> plan_differences(const json::Value& stated, const json::Value& written,
                                          Stated extent);

}  // namespace tactus
