// The C interface of tasks that start tasks (tactus/client.h).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "tactus/arbiter/client/diary.hpp"
#include "tactus/arbiter/client/path_page.hpp"
#include "tactus/arbiter/client/task_file.hpp"
#include "tactus/arbiter/path_variables.hpp"
#include "tactus/client.h"
#include "tactus/host/clock.hpp"

using namespace tactus::arbiter;
using namespace tactus::arbiter::client;
using tactus::host::now_ns;

namespace {

/// Of times that come from elsewhere.
std::int64_t between(std::int64_t from, std::int64_t to) {
  std::int64_t time = 0;
  return __builtin_sub_overflow(to, from, &time) ? INT64_MAX : time;
}

/// A dead predecessor is noticed after so long.
constexpr std::int64_t kPathLookNs = 100'000'000;

thread_local char g_problem[256];

/// A time in the environment, in ns; -1 where there is none.
std::int64_t time_variable(const char* name) {
  const char* const text = getenv(name);
  if (text == nullptr || *text == 0) return -1;
  char* end = nullptr;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  return errno == 0 && *end == 0 && value >= 0 ? value : -1;
}

}  // namespace

struct tactus_path {
  /// The page of a task that others may follow.
  struct SharedPage {
    TaskFile file;
    PathPage* page = nullptr;

    bool open(const char* folder, const char* task) {
      if (!file.open({folder, task}, sizeof(PathPage), PathPage::kVersion, g_problem,
                     sizeof g_problem))
        return false;
      page = static_cast<PathPage*>(file.at());
      return true;
    }
  };
  SharedPage own, before;
  PathPage alone;  ///< in place of its own where nobody can follow it
  alignas(Follower) unsigned char room[sizeof(Follower)];
  Follower* follower = nullptr;
  bool met = false;  ///< the predecessor was there
  std::int64_t jitter_ns = INT64_MAX, least_ns = 0;

  /// A job that was due then is released now.
  void released(tactus_job& job, std::int64_t due_ns, std::int64_t nominal_ns) {
    PathPage& page = *own.page;
    job.due_ns = due_ns;
    job.released_ns = now_ns();
    const std::int64_t late = between(due_ns, job.released_ns);
    page.taken.fetch_add(1);
    if (late > jitter_ns) page.late.fetch_add(1);
    if (job.released_ns < nominal_ns) page.early.fetch_add(1);
    if (late > page.latest_ns.load()) page.latest_ns.store(late);
    diary::released(job.number, nominal(job), due_ns, job.released_ns);
  }
  /// Of this task's own job.
  std::int64_t nominal(const tactus_job& job) const {
    std::int64_t sum = 0;
    return __builtin_add_overflow(job.arrival_ns, least_ns, &sum) ? INT64_MAX : sum;
  }
};

extern "C" {

tactus_path* tactus_path_open(const char* task, const char* after) {
  const bool deployed = task == nullptr;
  const char* const folder = getenv(kPathsVariable);
  if (deployed) {
    task = getenv(kTaskVariable);
    if (after == nullptr) after = getenv(kAfterVariable);
  }
  if (after != nullptr && *after == 0) after = nullptr;
  // A task on its own needs no folder: its jobs are written down for who watches them.
  const bool alone = (folder == nullptr || *folder == 0) && after == nullptr && diary::is_kept();
  const char* const missing = !alone && (folder == nullptr || *folder == 0) ? kPathsVariable
                              : task == nullptr || *task == 0               ? kTaskVariable
                                                                            : nullptr;
  if (missing != nullptr) {
    snprintf(g_problem, sizeof g_problem, "the variable %s is not set (`tactus deploy` sets it)",
             missing);
    return nullptr;
  }
  void* const room = calloc(1, sizeof(tactus_path));
  if (room == nullptr) {
    snprintf(g_problem, sizeof g_problem, "no memory");
    return nullptr;
  }
  auto* const path = new (room) tactus_path;
  path->own.page = &path->alone;
  bool opened = alone || path->own.open(folder, task);
  if (opened && !alone && !path->own.file.become_writer()) {
    snprintf(g_problem, sizeof g_problem, "%s/%s: another process is this task", folder, task);
    opened = false;
  }
  if (opened && after != nullptr) {
    opened = path->before.open(folder, after);
    if (opened) path->follower = new (path->room) Follower(*path->before.page);
  }
  if (!opened) {
    tactus_path_close(path);
    return nullptr;
  }
  if (deployed)
    tactus_path_expect(path, time_variable(kJitterVariable), time_variable(kLeastVariable));
  g_problem[0] = 0;
  return path;
}

void tactus_path_close(tactus_path* path) {
  if (path == nullptr) return;
  path->~tactus_path();
  free(path);
}

void tactus_path_expect(tactus_path* path, int64_t jitter_ns, int64_t least_ns) {
  path->jitter_ns = jitter_ns < 0 ? INT64_MAX : jitter_ns;
  constexpr std::int64_t kLongest = INT64_MAX / 4;  // sums stay below
  path->least_ns = least_ns < 0 ? 0 : least_ns < kLongest ? least_ns : kLongest;
}

int64_t tactus_next_arrival(int64_t period_ns, int64_t offset_ns, int64_t after_ns) {
  if (period_ns == 0) {
    period_ns = time_variable(kPeriodVariable);
    offset_ns = time_variable(kOffsetVariable);
  }
  if (period_ns <= 0 || offset_ns < 0 || after_ns < 0) return -1;
  std::int64_t since = after_ns % period_ns - offset_ns % period_ns;
  if (since < 0) since += period_ns;
  std::int64_t next = 0;
  return __builtin_add_overflow(after_ns, period_ns - since, &next) ? -1 : next;
}

int tactus_path_arrived(tactus_path* path, int64_t arrival_ns, tactus_job* job) {
  if (path->follower != nullptr) return TACTUS_INVALID;
  const PathPage& page = *path->own.page;
  job->number = page.told.load() == 0 ? 0 : message::number(page.message.load()) + 1;
  job->arrival_ns = arrival_ns;
  path->released(*job, arrival_ns, INT64_MIN);
  return TACTUS_RUNNING;
}

int tactus_path_wait(tactus_path* path, int64_t timeout_ns, tactus_job* job) {
  if (path->follower == nullptr || timeout_ns < 0) return TACTUS_INVALID;
  PathPage &before = *path->before.page, &own = *path->own.page;
  const std::int64_t start = now_ns();
  const std::int64_t until = timeout_ns > INT64_MAX - start ? INT64_MAX : start + timeout_ns;
  for (;;) {
    const std::uint32_t told = before.told.load();
    const bool there =
        path->before.file.has_writer();  // what it told before it ended is seen below
    Taken taken;
    const std::uint64_t doubled = path->follower->doubled();
    const bool got = path->follower->take(before, now_ns(), taken);
    own.doubled.fetch_add(path->follower->doubled() - doubled);
    if (got) {
      path->met = true;
      own.lost.fetch_add(taken.lost);
      job->number = taken.number;
      job->arrival_ns = taken.arrival_ns;
      path->released(*job, taken.ended_ns, taken.arrival_ns + path->least_ns);
      return TACTUS_RUNNING;
    }
    if (path->met && !there) return TACTUS_GONE;
    path->met = path->met || there;
    const std::int64_t now = now_ns();
    if (now >= until) return TACTUS_TIMEOUT;
    const std::int64_t look = now + kPathLookNs;
    tactus::host::futex_wait(before.told, told, look < until ? look : until);
  }
}

int tactus_path_ended(tactus_path* path, const tactus_job* job) {
  const bool new_one = tell(*path->own.page, job->number, job->arrival_ns, now_ns());
  diary::ended(job->number, path->nominal(*job), job->due_ns, job->released_ns);
  return new_one ? TACTUS_RUNNING : TACTUS_DOUBLED;
}

void tactus_path_releases(const tactus_path* path, tactus_releases* releases) {
  const PathPage& page = *path->own.page;
  releases->taken = page.taken.load();
  releases->late = page.late.load();
  releases->early = page.early.load();
  releases->lost = page.lost.load();
  releases->doubled = page.doubled.load();
  if (path->follower != nullptr) releases->doubled += path->before.page->told_twice.load();
  releases->latest_ns = page.latest_ns.load();
}

const char* tactus_path_problem(void) { return g_problem; }

}  // extern "C"
