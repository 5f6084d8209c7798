#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// A checked system, or everything that is wrong with the file (up to 20 errors at once). Warnings
/// (a time finer than 1 ns was rounded) come with a system.
struct ReadResult {
  std::optional<System> system;
  std::vector<Diagnostic> diagnostics;
};

/// Reads and checks the text of a system file (docs/use/format.md): JSON or YAML, as it looks.
ReadResult read_system(std::string text);

/// The same for a system that a program has built: the same rules and messages, and what a file may
/// leave out is filled in (a deadline, the edges of a chain: `Task::graph` without nodes). If
/// tasks, nodes and elements have positions in the file they came from, diagnostics have them, too.
///
///     System system;
///     system.platform.elements.push_back({.name = "gpu", .kind = ElementKind::kGpu, .units = 8});
///     system.tasks.push_back(...);
///     ReadResult checked = check_system(std::move(system));
///     if (!checked.system) return tell(checked.diagnostics);
///     analyze(method, *checked.system);
ReadResult check_system(System system);

/// The same for a file (*.yaml, *.yml: YAML); "-" is standard input. An error: there is no text.
Result<ReadResult> load_system(const std::string& path);

}  // namespace tactus
