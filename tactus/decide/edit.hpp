#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

/// What if? A system that differs in a few attributes from the one that was read.
///
///     Edited edited{system};
///     if (auto problem = set(edited, "camera.detect.wcet=11")) return tell(*problem);
///     if (auto problems = finish(edited); !problems.empty()) return tell(problems);
///     analyze(method, edited.system);
namespace tactus::decide {

/// One attribute that is not as in the file. The values are JSON texts, as the file would have them;
/// empty where the attribute is not given.
struct Change {
  std::string path;  ///< "camera.detect.wcet"
  std::string before, after;
  bool added = false;  ///< a file was added: `path` is its name, `after` an array of its tasks
};

struct Edited {
  System system;
  std::vector<Change> changes = {};
  std::vector<std::string> notes = {};  ///< what a change means beyond itself
};

/// Sets one attribute: "TASK.ATTRIBUTE=VALUE", "TASK.NODE.ATTRIBUTE=VALUE" or
/// "ELEMENT.ATTRIBUTE=VALUE", with the names, attributes, values and units of the file. A deadline
/// that is as long as the period stays so. Says what is wrong with the words, and changes nothing
/// then; what the new value breaks elsewhere is for `finish`.
std::optional<Error> set(Edited& edited, std::string_view assignment);

/// Adds the tasks (and batches) of another system. Elements of the same name must be the same.
/// `name` is what the other is called in what was changed.
std::optional<Error> add(Edited& edited, const System& other, std::string_view name,
                         std::string_view option = "--add");

/// Holds the changed system to every rule of the reader. Whatever it finds is the fault of the
/// changes, as the system was in order before.
std::vector<Diagnostic> finish(Edited& edited);

/// "camera.detect.wcet: 9 -> 11"; one line.
std::string to_string(const Change& change);

}  // namespace tactus::decide
