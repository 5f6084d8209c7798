#include "tactus/watch/diaries.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>

#include "tactus/arbiter/client/task_file.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::watch {
namespace {

using arbiter::client::DiaryPage;
using arbiter::client::TaskFile;

/// As many notes as are looked at together.
constexpr std::size_t kTogether = 64;

/// The same bytes as a slot, as they are in the file.
struct Copied {
  std::uint64_t turn;
  Note note;
};
static_assert(sizeof(Copied) == sizeof(DiaryPage::Slot));

/// Can this be what a program wrote down until now? Whoever may write to its file may write anything.
bool believable(const Note& note, std::int64_t now_ns) {
  constexpr std::int64_t kLongest = 86'400'000'000'000;  // a day
  const auto is_time = [&](std::int64_t ns) {
    return ns >= 0 && ns >= now_ns - kLongest && ns <= now_ns + kLongest;
  };
  const bool ended = note.kind != NoteKind::kReleased;
  return note.kind >= NoteKind::kReleased && note.kind <= NoteKind::kNode &&
         (note.kind == NoteKind::kNode || (is_time(note.asked_ns) && is_time(note.due_ns))) &&
         is_time(note.began_ns) && (!ended || is_time(note.ended_ns)) && note.off_ns >= 0 &&
         note.off_ns <= kLongest && note.cpu_ns >= 0 && note.cpu_ns <= kLongest;
}

bool read_at(int file, std::size_t offset, void* to, std::size_t size) {
  return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

}  // namespace

std::vector<std::string> usual_folders(const std::string& socket, const std::string& system) {
  namespace fs = std::filesystem;
  const fs::path place = fs::path(socket).parent_path();
  std::vector<std::string> folders;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(place, problem)) {
    const std::string name = entry.path().filename().string();
    if (name == "watch-" + system || name.starts_with("watch-" + system + "-"))
      folders.push_back(entry.path().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

Diaries::Diaries(const System& system, std::vector<std::string> folders)
    : folders_(std::move(folders)), all_(system.tasks.size()) {
  for (TaskIndex i = 0; i < all_.size(); ++i) {
    const std::string task = fmt::format("{}/{}", system.name, system.tasks[i].name);
    char name[TaskFile::kLongestName];
    if (TaskFile::file_name({"", task.c_str(), arbiter::client::kDiarySuffix}, name))
      all_[i].name = name;
  }
}

Diaries::~Diaries() {
  for (const Diary& diary : all_)
    if (diary.file >= 0) close(diary.file);
}

/// Programs come and go; their files, too.
void Diaries::look() {
  for (Diary& diary : all_) {
    find(diary);
    diary.writer.there = diary.file >= 0 && TaskFile::has_writer(diary.file);
  }
  first_ = false;
}

void Diaries::find(Diary& diary) {
  if (diary.name.empty()) return;
  for (const std::string& folder : folders_) {
    const std::string path = fmt::format("{}/{}", folder, diary.name);
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (diary.file >= 0 && diary.inode == found.st_ino) return;
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    const bool whole = fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
                       found.st_size == static_cast<off_t>(sizeof(DiaryPage));
    if (!whole) {
      close(file);
      continue;
    }
    if (diary.file >= 0) close(diary.file);
    diary.file = file;
    diary.inode = found.st_ino;
    diary.next = 0;
    std::uint64_t claimed = 0;
    if (first_ && read_at(file, offsetof(DiaryPage, claimed), &claimed, sizeof claimed))
      diary.next = claimed;
    diary.writer.known = true;
    return;
  }
}

void Diaries::read(const std::function<void(TaskIndex, const Note&)>& take) {
  for (TaskIndex i = 0; i < all_.size(); ++i)
    if (all_[i].file >= 0) read(all_[i], [&](const Note& note) { take(i, note); });
}

/// Each note is copied only when it was seen to be complete, and counts only if its slot was not
/// claimed again before the copy was made.
void Diaries::read(Diary& diary, const std::function<void(const Note&)>& take) {
  struct Head {
    std::uint32_t version;
    std::int32_t pid;
    std::uint64_t claimed;
  } head{};
  static_assert(sizeof head == offsetof(DiaryPage, slots));
  if (!read_at(diary.file, 0, &head, sizeof head) || head.version != DiaryPage::kVersion) return;
  diary.writer.pid = head.pid;
  if (head.claimed < diary.next) diary.next = head.claimed;  // nonsense
  while (diary.next < head.claimed) {
    if (head.claimed - diary.next > DiaryPage::kNotes) {
      diary.writer.lost += head.claimed - DiaryPage::kNotes - diary.next;
      diary.next = head.claimed - DiaryPage::kNotes;
    }
    const std::size_t at = diary.next % DiaryPage::kNotes;
    const std::size_t count = std::min(
        {kTogether, DiaryPage::kNotes - at, static_cast<std::size_t>(head.claimed - diary.next)});
    const std::size_t offset = offsetof(DiaryPage, slots) + at * sizeof(Copied);
    std::array<Copied, kTogether> before, copied;
    if (!read_at(diary.file, offset, before.data(), count * sizeof(Copied)) ||
        !read_at(diary.file, offset, copied.data(), count * sizeof(Copied)) ||
        !read_at(diary.file, 0, &head, sizeof head)) {
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t turn = diary.next + 1;
      if (head.claimed >= turn + DiaryPage::kNotes) {
        ++diary.writer.lost;
      } else if (before[i].turn == turn) {
        if (believable(copied[i].note, host::now_ns())) {
          take(copied[i].note);
        } else {
          ++diary.writer.lost;
        }
      } else {
        return;  // it is being written
      }
      ++diary.next;
    }
  }
}

}  // namespace tactus::watch
