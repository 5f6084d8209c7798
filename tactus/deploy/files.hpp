#pragma once

#include <string>
#include <vector>

#include "tactus/deploy/launch.hpp"

/// What a deployment consists of on the disk.
namespace tactus::deploy {

struct File {
  std::string name;  ///< in the folder
  std::string text;
  bool program = false;  ///< may be executed
  std::string why;       ///< one line for the list of files
};

enum class Restart { kNo, kOnFailure, kAlways };
std::string_view to_string(Restart restart);

/// Units for systemd: a target that stands for all, the arbiter, and one service for each program.
/// An error names the task and what no unit can hold.
Result<std::vector<File>> units_of(const Launch& launch, Restart restart);

/// One script for a POSIX shell with the tools of util-linux, which starts everything, and ends it
/// when it is told to end.
File script_of(const Launch& launch);

/// A launch file of ROS 2. An error names tasks that would be one process.
Result<File> ros2_launch_of(const Launch& launch);

/// README.md: what was written, why, and how to start it. @param files all others
/// @param restart of the units; none: it is a script or a launch file
File readme_of(const Launch& launch, const std::vector<File>& files,
               const std::optional<Restart>& restart, std::string_view check_command);

/// Makes a folder with these files: all of them, or, after an error, none.
/// @param replace a folder of an earlier deployment is replaced as a whole; else one that is not
///        empty is refused
std::optional<Error> write_folder(const std::string& path, const std::vector<File>& files,
                                  bool replace);

}  // namespace tactus::deploy
