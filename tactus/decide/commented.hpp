#pragma once

#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::decide {

/// What is said beside the parts of a file that a person goes on editing.
struct Comments {
  std::vector<std::string> head;      ///< lines
  std::vector<std::string> elements;  ///< one for each; empty: nothing
  std::vector<std::string> tasks;
};

/// The text of a system file with comments: an element, a task and a node a line.
std::string commented(const System& system, const Comments& comments);

}  // namespace tactus::decide
