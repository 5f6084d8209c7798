/* A task that another one starts, and the one that starts it (docs/use/pipelines.md, At run time).
 *
 *     gcc examples/after.c -I. -Lbuild -ltactus_client -o after
 *     TACTUS_PATHS=/tmp/paths TACTUS_TASK=robot/camera ./after &
 *     TACTUS_PATHS=/tmp/paths TACTUS_TASK=robot/detect TACTUS_AFTER=robot/camera ./after
 *
 * `tactus deploy` sets these variables. Ten jobs, 20 ms apart where the file says nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tactus/client.h"

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void do_the_job(const struct tactus_job* job) {
  printf("job %" PRIu32 ", %" PRId64 " us after the first task's arrival\n", job->number,
         (job->released_ns - job->arrival_ns) / 1000);
}

/* The first task of a path: its jobs come by a timer. */
static void lead(struct tactus_path* path) {
  struct tactus_job job;
  int jobs;
  for (jobs = 0; jobs < 10; ++jobs) {
    int64_t arrival = tactus_next_arrival(0, 0, now_ns());
    struct timespec at;
    if (arrival < 0) arrival = tactus_next_arrival(20000000, 0, now_ns());
    at.tv_sec = (time_t)(arrival / 1000000000);
    at.tv_nsec = (long)(arrival % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
    }
    tactus_path_arrived(path, arrival, &job);
    do_the_job(&job);
    tactus_path_ended(path, &job);
  }
}

/* Any other: they come when jobs of the task before have ended. */
static void follow(struct tactus_path* path) {
  struct tactus_job job;
  int result;
  while ((result = tactus_path_wait(path, 2000000000, &job)) == TACTUS_RUNNING) {
    do_the_job(&job);
    tactus_path_ended(path, &job);
  }
  printf("no more: %s\n", tactus_result_text(result));
}

int main(void) {
  struct tactus_path* path = tactus_path_open(NULL, NULL);
  struct tactus_releases seen;
  const char* after = getenv("TACTUS_AFTER");
  if (path == NULL) {
    fprintf(stderr, "after: %s\n", tactus_path_problem());
    return 2;
  }
  if (after != NULL && *after != 0) {
    follow(path);
  } else {
    lead(path);
  }
  tactus_path_releases(path, &seen);
  printf("%" PRIu64 " jobs; late %" PRIu64 ", early %" PRIu64 ", lost %" PRIu64 ", doubled %" PRIu64
         "\n",
         seen.taken, seen.late, seen.early, seen.lost, seen.doubled);
  tactus_path_close(path);
  return 0;
}
