#include "tactus/arbiter/client/diary.hpp"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "tactus/arbiter/client/own_descriptor.hpp"
#include "tactus/arbiter/client/task_file.hpp"
#include "tactus/arbiter/path_variables.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client::diary {
namespace {

pthread_once_t g_once = PTHREAD_ONCE_INIT;
std::atomic<DiaryPage*> g_page{nullptr};
constinit thread_local std::int64_t t_cpu_before = 0;

/// Never destroyed: threads may still write while the process exits.
alignas(TaskFile) unsigned char g_room[sizeof(TaskFile)];

void in_child() { g_page = nullptr; }

void open() {
  const char* const folder = getenv(kWatchVariable);
  const char* const task = getenv(kTaskVariable);
  if (folder == nullptr || *folder == 0 || task == nullptr || *task == 0) return;
  auto* const file = new (g_room) TaskFile;
  char problem[256];
  if (!file->open({folder, task, kDiarySuffix}, sizeof(DiaryPage), DiaryPage::kVersion, problem,
                  sizeof problem)) {
    tell_user("is not watched", problem);
    return;
  }
  // Of several processes of a task the first one is watched.
  if (!file->become_writer()) return;
  auto* const page = static_cast<DiaryPage*>(file->at());
  page->pid.store(getpid());
  pthread_atfork(nullptr, nullptr, in_child);
  g_page = page;
}

DiaryPage* page() {
  pthread_once(&g_once, open);
  return g_page.load(std::memory_order_relaxed);
}

/// CPU time of this thread since the last time it was asked for.
std::int64_t cpu_since_last() {
  const std::int64_t now = host::thread_ns();
  const std::int64_t before = t_cpu_before;
  t_cpu_before = now;
  return now - before;
}

}  // namespace

bool is_kept() { return page() != nullptr; }

void released(std::uint32_t number, std::int64_t arrival_ns, std::int64_t due_ns,
              std::int64_t released_ns) {
  DiaryPage* const to = page();
  if (to == nullptr) return;
  cpu_since_last();
  write(*to, {.kind = NoteKind::kReleased,
              .number = number,
              .asked_ns = arrival_ns,
              .due_ns = due_ns,
              .began_ns = released_ns});
}

void ended(std::uint32_t number, std::int64_t arrival_ns, std::int64_t due_ns,
           std::int64_t released_ns) {
  DiaryPage* const to = page();
  if (to == nullptr) return;
  const std::int64_t now = host::now_ns();
  write(*to, {.kind = NoteKind::kJob,
              .number = number,
              .asked_ns = arrival_ns,
              .due_ns = due_ns,
              .began_ns = released_ns,
              .ended_ns = now,
              .cpu_ns = cpu_since_last()});
}

void segment(int outcome, std::int64_t asked_ns, std::int64_t began_ns, std::int64_t ended_ns,
             std::int64_t off_ns) {
  DiaryPage* const to = page();
  if (to == nullptr) return;
  write(*to, {.kind = NoteKind::kSegment,
              .number = static_cast<std::uint32_t>(outcome),
              .asked_ns = asked_ns,
              .due_ns = asked_ns,
              .began_ns = began_ns,
              .ended_ns = ended_ns,
              .off_ns = off_ns,
              .cpu_ns = cpu_since_last()});
}

}  // namespace tactus::arbiter::client::diary
