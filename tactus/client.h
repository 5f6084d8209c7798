/* GPU segments with priorities, for programs that say where their GPU work begins and ends.
 *
 *     #include <tactus/client.h>
 *
 *     tactus_segment_begin(70);            // priority; larger = more urgent
 *     ... launch kernels, wait for them ...
 *     tactus_segment_end();
 *
 * Link with -ltactus_client and start `tactusd`. Between begin and end the process is active: the
 * active process with the highest priority has the GPU to itself, the GPU work of all others is
 * held off; best-effort processes share the GPU when no other is active (docs/use/arbiter.md).
 *
 * - Without an arbiter, or when it dies, everything works and nothing is held off: the functions
 *   return TACTUS_UNARBITRATED. A later begin finds an arbiter that was started in the meantime.
 * - Segments do not nest: a second begin of the same thread is TACTUS_NESTED, and an end without a
 *   begin is TACTUS_NOT_BEGUN; neither changes anything.
 * - Threads of a process share one GPU context, so the process is the client: it is active from the
 *   first thread's begin to the last thread's end, at the highest priority of the threads inside.
 *   The priority does not fall when the most urgent thread leaves first. A thread that exits inside
 *   a segment has left it.
 * - After fork, the child is outside of every segment and connects by itself at its first begin.
 *   The parent's segment goes on.
 * - A process that is killed or execs inside a segment has left it.
 * - The arbiter does not wait for a process that does not leave in time (tactusd --update-timeout):
 *   the next process then gets TACTUS_SHARED instead of TACTUS_RUNNING. No bound covers that.
 * All functions may be called from any thread; none may be called from a signal handler.
 *
 * Under `tactusd --protocol boost` a segment is a batch of launches that is held back until it is the
 * process's turn; see tactus_segment_begin_stream below. Each of the two kinds of begin works with
 * its own kind of arbiter; at the other kind it says so on standard error and returns
 * TACTUS_UNARBITRATED.
 */
#ifndef TACTUS_CLIENT_H
#define TACTUS_CLIENT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define TACTUS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The priority of work that may use the GPU when no other process wants to. */
#define TACTUS_BEST_EFFORT INT_MIN
/* The caller's SCHED_FIFO or SCHED_RR priority; best effort if it has none (as in the paper). */
#define TACTUS_SCHED_PRIORITY (INT_MIN + 1)
/* The priority in the variable TACTUS_SEGMENT_PRIORITY, which `tactus deploy` sets from the plan (a
 * number, or best-effort); best effort if there is none. */
#define TACTUS_DEPLOYED_PRIORITY (INT_MIN + 2)

/* Preemption thresholds of tactus_segment_begin_stream: any priority that is not below the segment's
 * own, or one of these. */
#define TACTUS_OWN_PRIORITY INT_MIN /* taken off for every segment of a higher priority */
#define TACTUS_PROTECTED INT_MAX    /* never taken off */

enum tactus_result {
  TACTUS_RUNNING = 0,      /* this process has the GPU (best effort: shared) */
  TACTUS_PENDING = 1,      /* launches queue up and run when it is this process's turn */
  TACTUS_UNARBITRATED = 2, /* there is no arbiter: no process is held off */
  TACTUS_SHARED = 3,       /* this process may run, but another that was told to leave the GPU has
                              not confirmed it in time, and may still be there */
  TACTUS_TIMEOUT = 4,      /* tactus_path_wait: no job of the predecessor has ended in time */
  TACTUS_GONE = 5,         /* the same: and its process has ended */
  TACTUS_NESTED = -1,      /* this thread is inside a segment already */
  TACTUS_NOT_BEGUN = -2,   /* this thread is not inside a segment */
  TACTUS_FORBIDDEN = -3,   /* the arbiter does not allow this user that priority */
  TACTUS_INVALID = -4, /* a threshold below the priority, a stream that cannot be held back, or a
                              call that is not for this path */
  TACTUS_DOUBLED =
      -5, /* tactus_path_ended: the end of this job, or of a later one, was told before */
  TACTUS_REFUSED = -6 /* tactus_reserve: the arbiter does not admit it */
};

enum tactus_waiting { TACTUS_SUSPEND = 0, TACTUS_BUSY = 1 };

/* Begins a segment. Returns when the GPU work of all others that must leave is off. With a tier
 * that cannot hold launches back (gate, yield) it also waits for this process's turn. */
TACTUS_API int tactus_segment_begin(int priority);

/* Ends it. Does not wait. The GPU work of the segment must have completed.
 * Of a segment that was begun on a stream or with begin_host: see below. */
TACTUS_API int tactus_segment_end(void);

/* ---- Segments under `tactusd --protocol boost` (docs/use/methods/boost.md) ----
 *
 *     tactus_segment_begin_stream(stream, 70, TACTUS_OWN_PRIORITY);
 *     ... launch kernels and asynchronous copies on `stream`; do not wait for them ...
 *     tactus_segment_end();               // waits until they are complete
 *
 * begin shuts a gate on the stream: nothing that is launched behind it starts. end closes the batch,
 * hands it to the arbiter and waits; the arbiter opens the gate when it is this segment's turn. So the
 * GPU is held only while work is on it, and never while this thread waits for its core.
 *
 * - Threshold: the segment, once started, is taken off only for segments with a priority above it.
 *   Best-effort segments have none. With the tier `hold` every segment is protected, also a
 *   best-effort one.
 * - Do not wait for the GPU between begin and end: the gate is shut. With libtactus_preload.so in the
 *   process, synchronising calls of the driver split the segment by themselves, as
 *   tactus_segment_split does. Without it the gate is opened after TACTUS_GATE_LIMIT milliseconds
 *   (variable of the environment, 1000 if absent), with a line on standard error: work then runs that
 *   no bound covers.
 * - The process is the client, with one segment at a time: begin waits while another thread's segment
 *   lasts. Tasks that compete for the GPU are processes of their own.
 * - begin returns TACTUS_RUNNING (the gate is shut), TACTUS_UNARBITRATED (there is no gate), or an error.
 *   end returns TACTUS_RUNNING, TACTUS_SHARED (another process that had to leave may have been there, or
 *   the gate was opened without the arbiter), TACTUS_UNARBITRATED or TACTUS_FORBIDDEN; the GPU work is
 *   complete in any case. */

/* @param stream a CUstream or cudaStream_t; NULL is the legacy default stream */
TACTUS_API int tactus_segment_begin_stream(void* stream, int priority, int threshold);

/* The same for up to 16 streams: complete when all are. */
TACTUS_API int tactus_segment_begin_streams(void* const* streams, int count, int priority,
                                            int threshold);

/* A segment without a stream. Its work is what this thread does between submit and end:
 *     begin_host, prepare, submit (waits for the turn), work, end
 * or what another thread does that is given the segment's words:
 *     begin_host, tactus_segment_words, prepare, end (submits, and waits for the mark). */
TACTUS_API int tactus_segment_begin_host(int priority, int threshold);
TACTUS_API int tactus_segment_submit(void);

struct tactus_words {
  uint32_t* gate; /* the work may begin when (int32_t)(*gate - value) >= 0; a futex */
  uint32_t* mark; /* to be set to `value` when the work is complete */
  uint32_t value;
};
TACTUS_API int tactus_segment_words(struct tactus_words* words);

/* end, and a begin with the same streams, priority and threshold: where a program has to wait for
 * results inside a segment. Each part is a GPU segment of its own for the analysis. */
TACTUS_API int tactus_segment_split(void);

/* How many gates of this process were opened without the arbiter. */
TACTUS_API unsigned long tactus_gates_forced(void);

/* What the arbiter speaks, and so which kind of begin to use: "gcaps", "boost", or "none" if there is
 * no arbiter. Connects to it, if this process is not connected. */
TACTUS_API const char* tactus_protocol(void);

/* Why there is no arbiter, or why begin_stream returned TACTUS_INVALID: one line, "" if all is well. */
TACTUS_API const char* tactus_problem(void);

/* Between launches, for the tiers gate and yield: waits here while others have the GPU, and returns
 * TACTUS_RUNNING, TACTUS_SHARED or TACTUS_UNARBITRATED. Costs a few nanoseconds when there is nothing to wait
 * for. A launch sequence without checkpoints is taken off only at its end. */
TACTUS_API int tactus_checkpoint(void);

/* Right after a launch, for the tiers gate and yield: until its next checkpoint or end this thread
 * launches nothing more, and `finished(work)` says, without waiting, whether the GPU is done with
 * what it launched (0: not yet). Another thread asks. Then no process that waits for the GPU also
 * waits for this thread to get a core again. Returns what a checkpoint returns; keep `work` until
 * the next checkpoint or end.
 *
 *     static int finished(void* s) { return cudaStreamQuery((cudaStream_t)s) == cudaSuccess; }
 *     kernel<<<grid, block, 0, stream>>>(); tactus_launched(finished, stream);
 */
TACTUS_API int tactus_launched(int (*finished)(void* work), void* work);

/* How begin, checkpoint, submit and end wait in this process; TACTUS_SUSPEND at the start. */
TACTUS_API void tactus_set_waiting(enum tactus_waiting waiting);

/* The name of the tier in use ("gate", "channel", ...), or "none" while not connected. */
TACTUS_API const char* tactus_tier(void);

/* ---- Reservations under `tactusd --protocol boost --admit FILE` (docs/use/reservations.md) ----
 *
 *     char answer[400];
 *     if (tactus_reserve("{\"period\": \"33 ms\", \"gpu\": \"9 ms\", \"declared\": true}", answer,
 *                        sizeof answer) == TACTUS_RUNNING) ...     // it is written what was answered
 *     tactus_job_begins(0);                                        // each job: it arrives now
 *     ... segments, of any priority: the reservation has its own ...
 *     tactus_release();                                            // at the latest when the process ends
 *
 * A process has one reservation; a child after fork has none. GPU work that breaks it is demoted below
 * best effort, and counted. */

/* @param request JSON: the keys are those of docs/use/reservations.md. @param answer one line for a
 * person, cut to `size`; NULL: not wanted. TACTUS_RUNNING: admitted; TACTUS_REFUSED; TACTUS_INVALID: the
 * request is wrong, or this process's work cannot be taken off the GPU (tier `hold`); TACTUS_UNARBITRATED:
 * no arbiter. May take a second. */
TACTUS_API int tactus_reserve(const char* request, char* answer, size_t size);
TACTUS_API int tactus_release(void);
/* A job arrives, or arrived then (CLOCK_MONOTONIC in ns; 0: now); what is submitted from now on belongs to
 * it. For a reservation that says "declared". */
TACTUS_API void tactus_job_begins(int64_t arrived_ns);
/* How many segments of this process were demoted. */
TACTUS_API unsigned long tactus_demotions(void);

/* ---- Tasks that start tasks (docs/use/pipelines.md, At run time) ----
 *
 *     struct tactus_path* path = tactus_path_open(NULL, NULL);  // as `tactus deploy` says
 *     struct tactus_job job;
 *     tactus_path_arrived(path, arrival, &job);        // the first task of a path
 *     tactus_path_wait(path, 1000000000, &job);        // any other: returns when a job may begin
 *     ... do the job ...
 *     tactus_path_ended(path, &job);                   // starts those that are `after` this task
 *
 * The end of a job is a message in memory that the processes share: its number and the microseconds since
 * the arrival of the path's first job. Nobody blocks: neither for a follower, nor for a predecessor that
 * has died. What is not as the file says is counted, and no bound covers it. A path is used by one thread
 * at a time, and not by a child after fork. Times are CLOCK_MONOTONIC in ns. */
struct tactus_path;

struct tactus_job {
  uint32_t number;     /* the same along the whole path; after 2^32 - 1 comes 0 */
  int64_t arrival_ns;  /* of the path's first job */
  int64_t due_ns;      /* that, or when the job that starts this one ended */
  int64_t released_ns; /* when this one could begin */
};

struct tactus_releases {
  uint64_t taken;
  uint64_t late;    /* longer after `due_ns` than the task's jitter */
  uint64_t early;   /* before the nominal arrival: a `bcet` is too long */
  uint64_t lost;    /* messages that were overwritten before they were taken */
  uint64_t doubled; /* messages about a job that was not new */
  int64_t latest_ns;
};

/* @param task NULL: $TACTUS_TASK, and $TACTUS_AFTER for `after`. @param after the task that starts it, or
 * NULL. They meet in the folder $TACTUS_PATHS, which must be this user's alone. NULL: see
 * tactus_path_problem. One process is a task at a time. */
TACTUS_API struct tactus_path* tactus_path_open(const char* task, const char* after);
TACTUS_API void tactus_path_close(struct tactus_path* path);
/* How late a release may be, and the least time from the path's arrival to the nominal one of this task
 * ($TACTUS_JITTER_NS and $TACTUS_LEAST_NS where `task` was NULL). Negative: not known. */
TACTUS_API void tactus_path_expect(struct tactus_path* path, int64_t jitter_ns, int64_t least_ns);

/* When the next job of a periodic task arrives: the first of `offset_ns` and whole periods, counted from
 * the start of this machine, that is later than `after_ns`. So programs that were started at any time keep
 * the offsets of a file to each other. A period of 0: $TACTUS_PERIOD_NS and $TACTUS_OFFSET_NS. -1: there is
 * none. */
TACTUS_API int64_t tactus_next_arrival(int64_t period_ns, int64_t offset_ns, int64_t after_ns);

TACTUS_API int tactus_path_arrived(struct tactus_path* path, int64_t arrival_ns,
                                   struct tactus_job* job);
/* TACTUS_RUNNING; TACTUS_TIMEOUT; TACTUS_GONE, at most 100 ms after its end: a new process of the
 * predecessor may come, so that one may wait again. */
TACTUS_API int tactus_path_wait(struct tactus_path* path, int64_t timeout_ns,
                                struct tactus_job* job);
TACTUS_API int tactus_path_ended(struct tactus_path* path, const struct tactus_job* job);

TACTUS_API void tactus_path_releases(const struct tactus_path* path,
                                     struct tactus_releases* releases);
/* Why there is no path: one line, of this thread's last tactus_path_open. */
TACTUS_API const char* tactus_path_problem(void);

/* One line for a person. */
TACTUS_API const char* tactus_result_text(int result);

#ifdef __cplusplus
} /* extern "C" */

namespace tactus {

/// A segment as a scope:  { tactus::GpuSegment segment(70); launch(); synchronize(); }
class GpuSegment {
 public:
  explicit GpuSegment(int priority) : result_(tactus_segment_begin(priority)) {}
  /// Under `tactusd --protocol boost`; the end of the scope waits for the stream.
  GpuSegment(void* stream, int priority, int threshold)
      : result_(tactus_segment_begin_stream(stream, priority, threshold)) {}
  ~GpuSegment() {
    if (result_ >= 0) tactus_segment_end();
  }
  GpuSegment(const GpuSegment&) = delete;
  GpuSegment& operator=(const GpuSegment&) = delete;
  int result() const { return result_; }

 private:
  int result_;
};

}  // namespace tactus
#endif

/* The macros of the GCAPS paper (its Listing 1), for programs written against them; the driver's
 * file descriptor and the process id are not needed any more. With two arguments the priority is
 * that of the calling thread's real-time scheduling class, with three it is the last one. */
#ifdef TACTUS_GCAPS_MACROS
#define TACTUS_THIRD(a, b, c, ...) c
#define gcapsGpuSegBegin(...) \
  tactus_segment_begin(TACTUS_THIRD(__VA_ARGS__, TACTUS_SCHED_PRIORITY, 0))
#define gcapsGpuSegEnd(...) tactus_segment_end()
#endif

#endif /* TACTUS_CLIENT_H */
