#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/base/file_place.hpp"
#include "tactus/base/unfinished.hpp"
#include "tactus/deploy/files.hpp"

namespace tactus::deploy {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "README.md";

/// A folder beside the one that is wanted; gone with this object, unless it has taken its place.
class Beside {
 public:
  explicit Beside(const std::string& path) : path_(path + ".new-XXXXXX") {
    good_ = mkdtemp(path_.data()) != nullptr;
    if (good_) unfinished::note(AT_FDCWD, path_.c_str());
  }
  ~Beside() {
    unfinished::forget(path_.c_str());
    std::error_code ignored;
    if (good_) fs::remove_all(path_, ignored);
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  bool good() const { return good_; }
  const std::string& path() const { return path_; }
  void keep() { good_ = false; }

 private:
  std::string path_;
  bool good_ = false;
};

std::optional<Error> refused(const std::string& path, std::string_view why) {
  return Error{fmt::format("cannot write {}: {}", path, why)};
}

/// A folder that an earlier deployment wrote, and nothing else.
bool is_deployment(const std::string& path) {
  const auto text = read_text_file(path + "/" + kMark);
  return text && text->find("\nWritten by `tactus deploy`") != std::string::npos;
}

bool is_empty(const std::string& path) {
  std::error_code problem;
  const bool empty = fs::is_empty(path, problem);
  return !problem && empty;
}

}  // namespace

std::optional<Error> write_folder(const std::string& path, const std::vector<File>& files,
                                  bool replace) {
  std::string wanted = path;
  while (wanted.size() > 1 && wanted.back() == '/') wanted.pop_back();
  // Before anything is made: behind another user's link it would be made in the wrong folder.
  if (const auto place = find_place(wanted); !place) return refused(path, place.error().message);
  struct stat info {};
  const bool there = lstat(wanted.c_str(), &info) == 0;
  if (there && !S_ISDIR(info.st_mode)) return refused(path, "it is no folder");
  const bool exchanged = there && !is_empty(wanted);
  if (exchanged && !replace)
    return refused(path, "it is not empty (--replace replaces an earlier deployment)");
  if (exchanged && !is_deployment(wanted))
    return refused(path, "it holds something that tactus deploy did not write");
  Beside beside(wanted);
  if (!beside.good()) return refused(path, std::strerror(errno));
  for (const File& file : files) {
    const std::string name = beside.path() + "/" + file.name;
    if (auto problem = write_text_file(name, file.text, Durable::kWithTheRest)) return problem;
    if (chmod(name.c_str(), file.program ? 0755 : 0644) != 0)
      return refused(path, std::strerror(errno));
  }
  if (chmod(beside.path().c_str(), 0755) != 0) return refused(path, std::strerror(errno));
  if (auto problem = sync_folder(beside.path())) return problem;
  // In one step: whoever looks finds the old deployment or the new one, never half of it.
  const int done = exchanged ? renameat2(AT_FDCWD, beside.path().c_str(), AT_FDCWD, wanted.c_str(),
                                         RENAME_EXCHANGE)
                             : rename(beside.path().c_str(), wanted.c_str());
  if (done != 0) return refused(path, std::strerror(errno));
  if (!exchanged) beside.keep();
  return std::nullopt;
}

}  // namespace tactus::deploy
