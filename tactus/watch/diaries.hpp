#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tactus/arbiter/client/diary_page.hpp"
#include "tactus/model/system.hpp"

/// What the programs of a system write down of their jobs, read from outside. A program that dies, or
/// writes nonsense, harms nobody here: files are read, not mapped.
namespace tactus::watch {

using Note = arbiter::client::Note;
using NoteKind = arbiter::client::NoteKind;

/// The folders in which the programs of a deployment write (`tactus deploy`): beside the socket.
std::vector<std::string> usual_folders(const std::string& socket, const std::string& system);

class Diaries {
 public:
  /// Of the tasks of this system.
  Diaries(const System& system, std::vector<std::string> folders);
  ~Diaries();
  Diaries(const Diaries&) = delete;
  Diaries& operator=(const Diaries&) = delete;

  /// Calls this with every note since the last time, those of a task in their order. What was there
  /// before the first time is old.
  void read(const std::function<void(TaskIndex, const Note&)>& take);
  /// Looks who is there: now and then.
  void look();

  struct Writer {
    bool known = false;      ///< there is a diary
    bool there = false;      ///< its process runs
    std::int32_t pid = 0;    ///< that process, or the last one
    std::uint64_t lost = 0;  ///< notes that were gone before they were read
  };
  const Writer& writer(TaskIndex task) const { return all_[task].writer; }

 private:
  struct Diary {
    std::string name;  ///< of its file
    int file = -1;
    std::uint64_t inode = 0;
    std::uint64_t next = 0;  ///< the first note that was not read
    Writer writer;
  };
  void find(Diary& diary);
  void read(Diary& diary, const std::function<void(const Note&)>& take);

  std::vector<std::string> folders_;
  std::vector<Diary> all_;
  bool first_ = true;
};

}  // namespace tactus::watch
