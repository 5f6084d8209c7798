/* The C interface of Tactus (libtactus.so), for programs in any language.
 *
 *     #include <tactus/tactus.h>
 *
 *     tactus_answer* answer = tactus_analyze(system_json, "{\"method\": \"gcaps.*\"}", NULL);
 *     if (tactus_answer_document(answer)) puts(tactus_answer_document(answer));
 *     else fputs(tactus_answer_problems(answer), stderr);
 *     tactus_answer_free(answer);
 *
 * Documents are JSON texts in UTF-8, ended by a zero byte: systems and plans as in their files, the
 * others as `tactus VERB --json` prints them (docs/use/cli.md, docs/use/deciding.md).
 * docs/inside/c-interface.md describes every request. examples/analyze.c is a whole program.
 *
 * Answers. Every question has an answer, never NULL: how it turned out, a document where there is
 * one, and all problems, each with its place. The caller frees it; the texts in it live as long.
 *
 * Requests are JSON objects whose keys are the long options of the verb ("method", "set", "seed",
 * ...); NULL asks with the defaults. An unknown key is a problem, as is a value without sense.
 *
 * Long calls take a `tactus_call`: it tells of progress, and can cancel. A cancelled call returns
 * soon, and its answer holds what was found until then. NULL: neither.
 *
 * Threads. Every function may be called from any thread at any time, with these limits: one
 * `tactus_call` accompanies one call at a time, an object must not be freed while another thread
 * uses it, and a session is used by one thread at a time, except for `tactus_session_stop`. No
 * function may be called from a signal handler. After fork without exec, the child may use the
 * library if no other thread was inside it then.
 *
 * Nothing is thrown across this interface, nothing is printed, no signal is touched, and no setting
 * of the process is changed. NULL, and a handle that was freed or is of another kind, are problems
 * of the answer, not crashes (as long as the address has not been used again). Functions and values
 * may be added; within one major version none changes or goes away.
 */
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include <stddef.h>
#include <stdint.h>

#define TACTUS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, for example "0.2.0"; static text. */
TACTUS_API const char* tactus_version(void);

/* ---- Answers ---- */

typedef struct tactus_answer tactus_answer;

/* How an answer turned out; the exit codes of the program `tactus`. */
enum tactus_status {
  TACTUS_YES = 0,       /* schedulable, valid, done */
  TACTUS_NO = 1,        /* not schedulable, a condition does not hold, a bound was exceeded */
  TACTUS_BAD_INPUT = 2, /* a document, a request or a handle that is not in order */
  TACTUS_UNKNOWN = 3    /* undecided, not applicable, cancelled, out of memory */
};

/* What is not an answer counts as TACTUS_BAD_INPUT. */
TACTUS_API int tactus_answer_status(const tactus_answer* answer);

/* The document, or NULL where there is none. */
TACTUS_API const char* tactus_answer_document(const tactus_answer* answer);

/* Its length in bytes, without the zero. */
TACTUS_API size_t tactus_answer_document_size(const tactus_answer* answer);

/* All problems, also warnings beside a document:
 *   { "tactus": 1, "problems": [ { "severity": "error"|"warning", "message": text,
 *     "document": text, "line": n, "column": n, "pointer": "/tasks/0/period" } ] }
 * `document` names the one that is meant ("<system>", "<plan>", "<request>", or the name that the
 * request gave it), `pointer` is a JSON Pointer (RFC 6901); both and the place only where known. */
TACTUS_API const char* tactus_answer_problems(const tactus_answer* answer);

/* NULL is allowed. */
TACTUS_API void tactus_answer_free(tactus_answer* answer);

/* ---- Long calls ---- */

typedef struct tactus_call tactus_call;

/* NULL when there is no memory. */
TACTUS_API tactus_call* tactus_call_new(void);

/* A line of text from time to time, from a thread of the library, never two at once. It must not
 * use the same call, but for `tactus_call_cancel`. `progress` NULL: no longer. */
TACTUS_API void tactus_call_on_progress(tactus_call* call,
                                        void (*progress)(const char* text, void* data), void* data);

/* Asks what it accompanies to end soon, and everything that it accompanies from now on. */
TACTUS_API void tactus_call_cancel(tactus_call* call);

TACTUS_API int tactus_call_is_cancelled(const tactus_call* call);

/* NULL is allowed. */
TACTUS_API void tactus_call_free(tactus_call* call);

/* ---- Questions ---- */

/* Is the system valid? What is wrong with it? */
TACTUS_API tactus_answer* tactus_check(const char* system, const char* request);

/* The canonical form of the system, with the changes ("set", "add") of the request. */
TACTUS_API tactus_answer* tactus_canonical(const char* system, const char* request);

/* Which methods prove every deadline, and with which bounds? */
TACTUS_API tactus_answer* tactus_analyze(const char* system, const char* request,
                                         tactus_call* call);

/* How far may times, periods, deadlines and costs go? */
TACTUS_API tactus_answer* tactus_slack(const char* system, const char* request, tactus_call* call);

/* Which way to run it leaves most room? With the systems and plans of the options that are proved,
 * where the request has "systems": true. */
TACTUS_API tactus_answer* tactus_advise(const char* system, const char* request, tactus_call* call);

/* Would the tasks of the system be admitted, if they asked one after the other? Reserves nothing. */
TACTUS_API tactus_answer* tactus_reserve_dry(const char* system, const char* request,
                                             tactus_call* call);

/* The plan that a method makes. */
TACTUS_API tactus_answer* tactus_plan(const char* system, const char* request, tactus_call* call);

/* Does a plan hold? */
TACTUS_API tactus_answer* tactus_check_plan(const char* system, const char* plan,
                                            const char* request);

/* Writes the files that start a plan ("plan") into a folder ("output"). TACTUS_NO: what would be
 * started does not cover the proof, and nothing is written. */
TACTUS_API tactus_answer* tactus_deploy(const char* system, const char* request);

/* Is this machine fit to keep what a plan ("plan") of the system promises? `system` may be NULL. */
TACTUS_API tactus_answer* tactus_doctor(const char* system, const char* request);

/* A run under the policy behind a method, or of a plan ("plan": a document). */
TACTUS_API tactus_answer* tactus_simulate(const char* system, const char* request,
                                          tactus_call* call);

/* A search for runs that exceed a bound, over random systems. */
TACTUS_API tactus_answer* tactus_validate(const char* request, tactus_call* call);

/* One random system: "recipe", "seed", "index" among those of the seed, "set". */
TACTUS_API tactus_answer* tactus_generate(const char* request);

/* A first system from tasks in words ("task": ["camera 30 Hz, 8 ms GPU, deadline 33"]). */
TACTUS_API tactus_answer* tactus_init(const char* request);

/* A system from a profile or another tool's file, and what was assumed. `source` is its text; NULL:
 * the request has "file". The system is in the document, under "system". */
TACTUS_API tactus_answer* tactus_import(const char* source, const char* request);

/* The system as other tools read it ("to": "yaml", "sag", "dot", "graphml"), under "text". */
TACTUS_API tactus_answer* tactus_export(const char* system, const char* request);

/* What there is: methods ("method": ids or wildcards), recipes with their parameters. */
TACTUS_API tactus_answer* tactus_methods(const char* request);
TACTUS_API tactus_answer* tactus_recipes(void);

/* What was measured of known GPUs ("costs" of a request names a profile). */
TACTUS_API tactus_answer* tactus_profiles(void);

/* Any of these documents for people, as HTML without scripts: a part of a page, or with
 * "page": true a whole one. A system (or NULL) lets a plan be shown with its own tables. */
TACTUS_API tactus_answer* tactus_html(const char* document, const char* system,
                                      const char* request);

/* ---- A method of the caller's own ---- */

typedef struct tactus_reply tactus_reply;

/* Adds a method: "id", and optionally "title" and "policy" (the method, or the name of the policy,
 * whose behaviour at run time it shares; then it can be simulated and validated). Every question
 * that names methods knows it from then on. It cannot be taken back.
 *
 * `answer` gets a question and gives its answer to the reply, both JSON texts
 * (docs/use/own-methods.md). It is called by the thread that asks, or by threads of the library,
 * perhaps by several at a time. It must return, and nothing may be thrown out of it. */
TACTUS_API tactus_answer* tactus_add_method(const char* request,
                                            void (*answer)(const char* question,
                                                           tactus_reply* reply, void* data),
                                            void* data);

/* The answer; the text is copied. Only while `answer` runs. */
TACTUS_API void tactus_reply_set(tactus_reply* reply, const char* answer);

/* ---- Sessions: a plan runs the caller's own work ---- */

typedef struct tactus_session tactus_session;

/* Opens a session on a system with a plan: "plan" (a document), or "method" (its plan is made now).
 * Without both it can only measure: then the nodes of the system need no times, and the document is {}.
 * "backend": "emulator" (in virtual time; nothing of the caller's is called), "cuda",
 * "driver" (a GPU through its driver alone, which runs only what is bound), or "cpu" (no GPU is needed:
 * functions bound to nodes of a GPU are called on threads, with a null stream, for each job). The session is put into *session, NULL where there is none; the answer's document is the plan. */
TACTUS_API tactus_answer* tactus_session_open(const char* system, const char* request,
                                              tactus_call* call, tactus_session** session);

/* What a node does, by the names of its task and of itself; a node without it does synthetic work.
 * Before the run. What is bound must live until the session is closed, and functions must return. */

/* A function for a node on a CPU; it runs on a thread of the library. */
TACTUS_API tactus_answer* tactus_session_bind_cpu(tactus_session* session, const char* task,
                                                  const char* node, void (*function)(void* data),
                                                  void* data);

/* A CUDA graph (a cudaGraph_t, which is a CUgraph) for a node on a GPU, run as a whole. It is
 * cloned; the original stays as it is. A function that enqueues may be bound beside it, for kernels
 * that cannot be moved into a partition. */
TACTUS_API tactus_answer* tactus_session_bind_graph(tactus_session* session, const char* task,
                                                    const char* node, void* graph);

/* A function that enqueues all the work of a node on a GPU on the given cudaStream_t, which is being
 * captured: it is called before a run (a measurement: once for each width), on the thread that runs
 * it, and must not wait. */
TACTUS_API tactus_answer* tactus_session_bind_stream(tactus_session* session, const char* task,
                                                     const char* node,
                                                     void (*enqueue)(void* stream, void* data),
                                                     void* data);

/* Functions on the CPU for each job of any node, right before and right after it: its input and its
 * output. One of them may be NULL. Their time is part of the node's time. */
TACTUS_API tactus_answer* tactus_session_bind_callbacks(tactus_session* session, const char* task,
                                                        const char* node,
                                                        void (*before)(void* data),
                                                        void (*after)(void* data), void* data);

/* A copy between pinned host memory and device memory, for a node on a copy engine. */
TACTUS_API tactus_answer* tactus_session_bind_copy(tactus_session* session, const char* task,
                                                   const char* node, void* to, const void* from,
                                                   size_t bytes);

/* Measures what is bound, on each width of "units" (SMs), alone and beside what disturbs it on the
 * rest of the GPU. The document has what was seen, and in "file" the system with `times`, `wcet` and
 * `measured`: open a session on that to run it. Measured, not proved. `tactus_session_stop` ends it as
 * well as the call. */
TACTUS_API tactus_answer* tactus_session_measure(tactus_session* session, const char* request,
                                                 tactus_call* call);

/* A task is released when an input is there, and not by its period, which is then the least time
 * between two of its jobs: one that arrives earlier waits. At most `most` wait or run. Before the run;
 * not for plans that are tables (pbs.*), nor for tasks with `after`. */
TACTUS_API tactus_answer* tactus_session_on_arrival(tactus_session* session, const char* task,
                                                    uint32_t most);

/* An input of such a task is there, since `at_ns` (CLOCK_MONOTONIC; 0: now; on the emulator: after the
 * start of the run). Returns the number of the job, from 1 in every run; 0: refused, because as many
 * wait as may; -1: no such session or task. From any thread, also before the run. */
TACTUS_API int64_t tactus_session_arrive(tactus_session* session, const char* task, int64_t at_ns);

/* A job that took longer than the bound of one of its nodes, or than its deadline (then node is NULL).
 * It may still run. */
typedef struct tactus_overrun {
  const char* task;
  const char* node;
  uint32_t job; /* from 0 */
  int64_t limit_ns, took_ns;
} tactus_overrun;

/* What follows from an overrun. */
enum { TACTUS_OVERRUN_LOG = 0, TACTUS_OVERRUN_SKIP_NEXT = 1, TACTUS_OVERRUN_STOP = 2 };

/* Decides for each overrun, instead of "on-overrun" of the request; NULL: that decides again. Called by
 * the thread that runs the plan, which waits for it meanwhile. Before the run. */
TACTUS_API tactus_answer* tactus_session_on_overrun(
    tactus_session* session, int (*decide)(const tactus_overrun* overrun, void* data), void* data);

/* A job of a run. Its task is the index in the system. Times are of the run, whose start is 0; a job
 * that was skipped has none. */
typedef struct tactus_session_job {
  uint32_t task, job; /* job: from 0 */
  uint32_t state;     /* TACTUS_SESSION_JOB_... */
  uint32_t lost;      /* jobs of this run that nobody took in time, until this one */
  int64_t release_ns, end_ns;
  int64_t origin_ns; /* when the run's time was 0 on CLOCK_MONOTONIC; not in virtual time */
} tactus_session_job;

enum {
  TACTUS_SESSION_JOB_DONE = 0,
  TACTUS_SESSION_JOB_LATE = 1,      /* its deadline is missed */
  TACTUS_SESSION_JOB_SKIPPED = 2,   /* was not released, after an overrun */
  TACTUS_SESSION_JOB_CUT_SHORT = 3, /* had not ended when the run did */
};

/* Takes jobs that have ended since the last call: up to `room`; waits for the first one for at most
 * `wait_ms`. Returns how many; -1: nothing more comes, because nothing runs. From one other thread. */
TACTUS_API int64_t tactus_session_jobs(tactus_session* session, tactus_session_job* jobs,
                                       size_t room, int wait_ms);

/* Runs the plan until its jobs are done ("jobs", "duration"), or until it is stopped (for days, with
 * "until_stopped": true). The document compares what was seen with what was proved. A session may run several times. */
TACTUS_API tactus_answer* tactus_session_run(tactus_session* session, const char* request);

/* Ends the run soon, with a report on what it did, or the measurement. From any thread; does not
 * wait. */
TACTUS_API void tactus_session_stop(tactus_session* session);

/* The report of the run that goes on, as it was a moment ago (its notes say which jobs run), or of the
 * last one. From any thread. */
TACTUS_API tactus_answer* tactus_session_report(const tactus_session* session);

/* The same, or what the run that goes on has seen until a moment ago, as OpenMetrics text
 * (docs/use/watch.md). From any thread. */
TACTUS_API tactus_answer* tactus_session_metrics(const tactus_session* session);

/* NULL is allowed. What runs is stopped, and freed at its end: functions that are bound may close
 * their session. */
TACTUS_API void tactus_session_close(tactus_session* session);

#ifdef __cplusplus
}
#endif

#endif
