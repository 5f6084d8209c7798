#pragma once

#include <string>

#include "tactus/model/system.hpp"

namespace tactus {

/// The canonical text of a system: fixed order of keys, defaults omitted, edges sorted, times exact
/// in the system's unit. Reading it back gives an equal system.
std::string write_system(const System& system);

/// The same on one line, for files of many systems.
std::string write_system_line(const System& system);

/// Identifies a system by its canonical text: a plan names it, and every reader of the plan refuses
/// another system. 64-bit FNV-1a, in hex; it guards against mix-ups, not against forgery.
std::string fingerprint(const System& system);

/// The JSON Schema (draft 2020-12) of the system file, from the tables the reader uses.
std::string system_schema();

}  // namespace tactus
