#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

/// What several verbs are given: many systems, and settings of a recipe.
namespace tactus::cli {

/// A file that has been read, whole.
struct FileText {
  std::string path, text;
};

/// Is it JSON lines, a system on each?
bool holds_several(const FileText& file);

/// The only system of a file; nothing after complaints.
std::optional<System> system_or_complaint(FileText file);

/// Calls `take(place, system)` with each system of a file, which may be JSON lines; `place` names it
/// in messages ("own.jsonl:7"). False after complaints: of the file, or when `take` says so.
bool for_each_system(const FileText& file,
                     const std::function<bool(std::string place, System system)>& take);

/// `--set name=value`, as often as given; nothing after a complaint.
std::optional<std::map<std::string, std::string, std::less<>>> settings_of(
    const std::vector<std::string>& given);

}  // namespace tactus::cli
