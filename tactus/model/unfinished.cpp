#include "tactus/model/unfinished.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string_view>

namespace tactus::unfinished {
namespace {

struct Slot {
  std::atomic<const char*> name = nullptr;
  std::atomic<int> folder = -1;
  std::atomic<bool> taken = false;
};
constinit std::array<Slot, 16> g_slots;
constexpr int kMostDepth = 4;  ///< of folders that we write

void remove_one(int folder, const char* name, int depth) noexcept {
  if (unlinkat(folder, name, 0) == 0 || depth == 0) return;
  const int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const entries = inside < 0 ? nullptr : fdopendir(inside);
  if (entries == nullptr) return;
  while (const dirent* const entry = readdir(entries)) {
    const std::string_view is(entry->d_name);
    if (is != "." && is != "..") remove_one(inside, entry->d_name, depth - 1);
  }
  closedir(entries);
  unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

void note(int folder, const char* name) noexcept {
  for (Slot& slot : g_slots) {
    if (slot.taken.exchange(true)) continue;
    slot.folder = folder;
    slot.name = name;  // last: from here on it counts
    return;
  }
}

void forget(const char* name) noexcept {
  for (Slot& slot : g_slots) {
    const char* noted = name;
    if (!slot.name.compare_exchange_strong(noted, nullptr)) continue;
    slot.taken = false;
    return;
  }
}

void remove_all() noexcept {
  for (Slot& slot : g_slots) {
    if (const char* const name = slot.name.exchange(nullptr))
      remove_one(slot.folder, name, kMostDepth);
  }
}

}  // namespace tactus::unfinished
