#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/experiment/describe/experiment.hpp"

/// The systems of an experiment over files. What `"by"` says about a file becomes a point (or a
/// case): the name of its folder, or a value in the file, such as `platform.elements[0].units`.
namespace tactus::experiment {

struct OwnSet {
  std::string place;  ///< "own/a.json" or, of a file with several systems, "own/b.jsonl:7"
  std::string hash;   ///< SHA-256 of its text
  System system;
};

struct OwnSets {
  std::vector<std::string> cases;  ///< one without a name where nothing makes cases
  std::vector<std::string> xs;     ///< in order; one "all" where nothing makes points
  /// [case * xs + x]; empty where no file says both.
  std::vector<std::vector<OwnSet>> groups;
  std::string folder;  ///< that the places begin at; absolute
};

/// What `"by"` may be beside paths of values.
inline constexpr std::string_view kByFolder = "folder";

/// What is wrong with a path such as `platform.elements[0].units`; nothing if it is one.
std::optional<std::string> wrong_path(std::string_view path);

struct FoundSets {
  std::shared_ptr<const OwnSets> sets;
  std::vector<std::string> wrong_patterns;  ///< of the experiment's file
  std::vector<Error> complaints;            ///< about the files, each with its place
};

/// Reads and checks every file: JSON or YAML, one system or one per line, plain or gzip. The order
/// of the sets is that of the names of the files, and of the lines in them.
FoundSets find_sets(const Experiment& experiment, const std::string& folder);

/// The first system that is not the same, in words, and how many more there are; nothing if all
/// are.
std::optional<std::string> difference(const OwnSets& before, const OwnSets& now);

}  // namespace tactus::experiment
