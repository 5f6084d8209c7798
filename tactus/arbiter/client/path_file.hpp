#pragma once

#include <cstddef>

#include "tactus/arbiter/client/path_page.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::client {

/// A page as a file in a folder that belongs to this user alone, named for its task. (No C++ library.)
class PathFile {
 public:
  PathFile() = default;
  ~PathFile();
  PathFile(const PathFile&) = delete;
  PathFile& operator=(const PathFile&) = delete;

  /// Can the page of this task have a name? Else `open` refuses it.
  static bool can_be_named(const char* task);
  /// Makes both where they are not there. False: `problem` has the reason, in one line.
  bool open(const char* folder, const char* task, char* problem, std::size_t size);
  PathPage* page() const { return static_cast<PathPage*>(memory_.at()); }

  /// This process writes the page as long as it lives. False: another one does.
  bool become_writer();
  /// Does anybody write it now?
  bool has_writer() const;

 private:
  int file_ = -1;
  host::SharedMemory memory_;
};

}  // namespace tactus::arbiter::client
