#pragma once

#include <string>

#include "tactus/trace/observed.hpp"

/// The JSON of a run, the same for every producer, and its schema. Both walk the tables of
/// observed_fields.cpp.
namespace tactus::trace {

std::string observed_json(const System& system, const Observed& observed);

/// The JSON Schema that it follows.
std::string observed_schema();

}  // namespace tactus::trace
