#pragma once

#include <string>

#include "tactus/observe/task.hpp"
#include "tactus/report/text/terminal.hpp"

/// What was seen of a program, as a task, for people and for programs.
namespace tactus::report {

std::string watched_text(const observe::SeenTask& seen, const observe::TaskOptions& options,
                         const Style& style);
std::string watched_json(const observe::SeenTask& seen, const observe::TaskOptions& options);

}  // namespace tactus::report
