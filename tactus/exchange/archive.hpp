#pragma once

#include <string>
#include <vector>

#include "tactus/base/result.hpp"

/// Archives that `tar` makes and reads (ustar, packed by gzip), in memory.
namespace tactus::exchange {

struct ArchiveMember {
  std::string name, bytes;
};

/// The same members give the same bytes: no dates, no owners. @pre names of at most 100 bytes
std::string tar_gz(const std::vector<ArchiveMember>& members);

/// The members of an archive. Only plain files with names that stay below the folder are taken; for
/// anything else, and for anything damaged, an error.
Result<std::vector<ArchiveMember>> read_tar_gz(const std::string& path);

}  // namespace tactus::exchange
