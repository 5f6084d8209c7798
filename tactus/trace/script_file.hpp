#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/trace/script.hpp"

/// Scripts as files (docs/use/simulation.md): JSON, one line per job.
namespace tactus::trace {

/// A scenario that follows the script in a text, or everything that is wrong with it.
/// @param name of the text, in complaints  @param system must outlive the scenario
Result<Scenario, std::vector<Error>> read_script(std::string text, const std::string& name,
                                                 const System& system);

/// The text of a run that `scenario.record` has noted. @pre there is one
std::string write_script(const System& system, const Scenario& scenario);

/// Its JSON Schema.
std::string script_schema();

}  // namespace tactus::trace
