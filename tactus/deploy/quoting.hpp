#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"

/// Texts of a system file inside shell scripts and systemd units, so that each arrives as it is.
namespace tactus::deploy {

/// One word for a POSIX shell, in quotes only where it needs them.
std::string shell_word(std::string_view text);
/// Words with blanks between.
std::string shell_command(const std::vector<std::string>& words);

/// The value of `ExecStart=`. systemd would replace `%x` and `$NAME` in it; here it replaces
/// nothing. An error, for a person, names the word that no unit can hold: one with a line break or
/// another control character, or a program that is neither an absolute path nor a plain name.
Result<std::string> unit_command(const std::vector<std::string>& words);

/// The value of `Environment=` for one variable.
Result<std::string> unit_variable(std::string_view name, std::string_view value);

/// The value of a key that takes the rest of the line (`WorkingDirectory=`, `User=`).
Result<std::string> unit_line(std::string_view text);

/// A text for people (`Description=`), whatever it holds.
std::string unit_remark(std::string_view text);

/// A system's or a task's name as a part of the name of a unit; no two names have the same part, and
/// the parts of a system and a task can be told apart (`unit_stem`).
std::string unit_part(std::string_view text);

/// The name of a unit without its ending: two deployments never have the same one.
std::string unit_stem(std::string_view system, std::string_view task);

/// A part of a file's name: letters, digits and `_.-`; every other byte becomes `_`.
std::string file_part(std::string_view text);

}  // namespace tactus::deploy
