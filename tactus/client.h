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
 */
#ifndef TACTUS_CLIENT_H
#define TACTUS_CLIENT_H

#include <limits.h>

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

enum tactus_result {
  TACTUS_RUNNING = 0,      /* this process has the GPU (best effort: shared) */
  TACTUS_PENDING = 1,      /* launches queue up and run when it is this process's turn */
  TACTUS_UNARBITRATED = 2, /* there is no arbiter: no process is held off */
  TACTUS_SHARED = 3,       /* this process may run, but another that was told to leave the GPU has
                              not confirmed it in time, and may still be there */
  TACTUS_NESTED = -1,      /* this thread is inside a segment already */
  TACTUS_NOT_BEGUN = -2,   /* this thread is not inside a segment */
  TACTUS_FORBIDDEN = -3    /* the arbiter does not allow this user that priority */
};

enum tactus_waiting { TACTUS_SUSPEND = 0, TACTUS_BUSY = 1 };

/* Begins a segment. Returns when the GPU work of all others that must leave is off. With a tier
 * that cannot hold launches back (gate, yield) it also waits for this process's turn. */
TACTUS_API int tactus_segment_begin(int priority);

/* Ends it. Does not wait. The GPU work of the segment must have completed. */
TACTUS_API int tactus_segment_end(void);

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

/* How begin and checkpoint wait in this process; TACTUS_SUSPEND at the start. */
TACTUS_API void tactus_set_waiting(enum tactus_waiting waiting);

/* The name of the tier in use ("gate", "channel", ...), or "none" while not connected. */
TACTUS_API const char* tactus_tier(void);

/* One line for a person. */
TACTUS_API const char* tactus_result_text(int result);

#ifdef __cplusplus
} /* extern "C" */

namespace tactus {

/// A segment as a scope:  { tactus::GpuSegment segment(70); launch(); synchronize(); }
class GpuSegment {
 public:
  explicit GpuSegment(int priority) : result_(tactus_segment_begin(priority)) {}
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
