#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tactus/base/result.hpp"

/// Files and folders that no other user can replace. In a folder that others may write to (the
/// shared temporary one) the first user of a name decides what it means.
namespace tactus::arbiter {

/// Makes the folder with mode 0700 (0750 for a group), or makes sure that the one that is there
/// belongs to this user, cannot be written by others, and is reached through no folder or link that
/// another user could change.
std::optional<Error> private_folder(const std::string& folder,
                                    std::optional<gid_t> group = std::nullopt);

/// As open(2), but where others may write the folder: follows no link, and takes no file that is
/// not this user's. @return a descriptor
Result<int> open_without_traps(const std::string& path, int flags, mode_t mode);

}  // namespace tactus::arbiter
