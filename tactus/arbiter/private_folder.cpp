#include "tactus/arbiter/private_folder.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tactus::arbiter {
namespace {

Error failure(const std::string& what, const std::string& path) {
  return Error{fmt::format("{} {}: {}", what, path, std::strerror(errno))};
}

bool ours_or_roots(const struct stat& found) {
  return found.st_uid == geteuid() || found.st_uid == 0;
}

/// May any user other than this one and root add or remove files in it?
bool others_may_write(const struct stat& folder) {
  const bool own_group = folder.st_uid == geteuid() && folder.st_gid == getegid();
  return !ours_or_roots(folder) || (folder.st_mode & S_IWOTH) != 0 ||
         ((folder.st_mode & S_IWGRP) != 0 && !own_group && folder.st_gid != 0);
}

/// Could another user make this path lead elsewhere? @pre absolute
std::optional<Error> check_way_to(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat found {};
    if (lstat(part.c_str(), &found) != 0) return failure("cannot look at", part);
    if (!ours_or_roots(found)) return Error{part + " belongs to somebody else"};
    // In a sticky folder, a name belongs to the user who made it.
    if (S_ISDIR(found.st_mode) && others_may_write(found) && (found.st_mode & S_ISVTX) == 0)
      return Error{part + " can be written by others, who could replace its contents"};
  }
  return std::nullopt;
}

std::string absolute(const std::string& path) {
  if (!path.empty() && path.front() == '/') return path;
  char* const here = getcwd(nullptr, 0);
  const std::string folder = here != nullptr ? here : "";
  free(here);
  return folder + "/" + path;
}

}  // namespace

std::optional<Error> private_folder(const std::string& folder, std::optional<gid_t> group) {
  const std::string path = absolute(folder);
  if (auto problem = check_way_to(path)) return problem;
  if (char* const real = realpath(path.substr(0, path.rfind('/') + 1).c_str(), nullptr)) {
    const std::string parent = real;
    free(real);
    if (auto problem = check_way_to(parent + "/")) return problem;
  }
  const mode_t mode = group ? 0750 : 0700;
  if (mkdir(path.c_str(), mode) == 0) {
    if (group && chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0)
      return failure("cannot give to the group", folder);
    if (chmod(path.c_str(), mode) != 0) return failure("cannot protect", folder);
    return std::nullopt;
  }
  if (errno != EEXIST) return failure("cannot make", folder);
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return failure("cannot look at", folder);
  if (!S_ISDIR(found.st_mode)) return Error{folder + " is not a folder"};
  if (found.st_uid != geteuid()) return Error{folder + " belongs to somebody else"};
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error{folder + " can be written by others; the arbiter's folder must be its own"};
  if (group && (found.st_mode & S_IXOTH) == 0 &&
      (found.st_gid != *group || (found.st_mode & S_IXGRP) == 0))
    return Error{folder + " cannot be entered by members of the group"};
  return std::nullopt;
}

Result<int> open_without_traps(const std::string& path, int flags, mode_t mode) {
  const std::string full = absolute(path);
  struct stat folder {};
  if (stat(full.substr(0, full.rfind('/') + 1).c_str(), &folder) != 0)
    return Error{std::strerror(errno)};
  const bool shared = others_may_write(folder);
  const int opened = open(full.c_str(), flags | (shared ? O_NOFOLLOW : 0), mode);
  if (opened < 0) {
    if (shared && errno == ELOOP) return Error{"it is a link in a folder that others may write to"};
    if (errno == ENXIO) return Error{"it is a pipe without a reader"};
    return Error{std::strerror(errno)};
  }
  struct stat found {};
  if (!shared || (fstat(opened, &found) == 0 && found.st_uid == geteuid())) return opened;
  close(opened);
  return Error{"it belongs to another user, in a folder that others may write to"};
}

}  // namespace tactus::arbiter
