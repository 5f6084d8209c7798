#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::client {

/// A page that the process of a task writes and others read: a file in a folder that belongs to this
/// user alone, named for the task. It begins with the version of what is in it, 0 in a new one. (No C++
/// library.)
class TaskFile {
 public:
  struct Place {
    const char* folder;
    const char* task;
    const char* suffix = "";  ///< begins with a dot, of which names of tasks have none
  };
  /// Room for a name of 80 bytes, each as "%XX", and a suffix.
  static constexpr std::size_t kLongestName = 252;

  TaskFile() = default;
  ~TaskFile();
  TaskFile(const TaskFile&) = delete;
  TaskFile& operator=(const TaskFile&) = delete;

  /// What it is called there; false where the task's name is too long (`open` refuses it then).
  static bool file_name(const Place& place, char (&name)[kLongestName]);
  static bool can_be_named(const char* task) {
    char name[kLongestName];
    return file_name({"", task}, name);
  }
  /// Makes both where they are not there. False: `problem` has the reason, in one line.
  bool open(const Place& place, std::size_t bytes, std::uint32_t version, char* problem,
            std::size_t size);
  void* at() const { return memory_.at(); }

  /// This process writes the page as long as it lives. False: another one does.
  bool become_writer();
  /// Does anybody write it now?
  bool has_writer() const { return has_writer(file_); }
  static bool has_writer(int file);

 private:
  int file_ = -1;
  host::SharedMemory memory_;
};

}  // namespace tactus::arbiter::client
