#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// An element with `sharing` `shared` on which several tasks copy, and copies of real-time tasks there whose
/// times were not measured beside copies.
struct CopiesMeasuredAlone {
  ElementIndex element = 0;
  std::string first;      ///< "camera.up"
  std::size_t count = 0;  ///< of copies
  /// "`camera.up` (and 1 more)"
  std::string text() const;
};
std::vector<CopiesMeasuredAlone> copies_measured_alone(const System& system);

bool copies_on(const Task& task, ElementIndex element);

/// Copies on a `shared` element take as long as they take beside those of others, and no method counts
/// that. So if several tasks copy there, the times must come from there, or no other task may copy meanwhile; if
/// `measured` does not say so, the verdict gets a warning.
void warn_of_shared_copies(const System& system, Verdict& verdict);

}  // namespace tactus
