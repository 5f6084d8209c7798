#pragma once

#include <string>
#include <utility>

#include "tactus/model/reader.hpp"
#include "tests/fuzz/targets/fuzz.hpp"
#include "tests/support/paths.hpp"

namespace tactus::fuzz {

/// A system of examples/.
inline System example(const char* name) {
  auto read = load_system(support::source_path(std::string("examples/") + name + ".system.json"));
  demand(read && read->system, "the example can be read");
  return std::move(*read->system);
}

}  // namespace tactus::fuzz
