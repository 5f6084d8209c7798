// The C interface: one client for the process, shared by its threads (tactus/client.h).
#include "tactus/client.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <new>

#include "tactus/arbiter/client/boost_segment.hpp"
#include "tactus/arbiter/client/diary.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/urgency_text.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::client {
namespace {

/// How the gate is measured, before any thread is inside.
constexpr std::int32_t kCostSamples = 10;
constexpr std::int64_t kCostPatienceNs = 1'000'000;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t g_once = PTHREAD_ONCE_INIT;
pthread_key_t g_inside;  ///< of a thread: not null while it is inside a segment
int g_threads_inside = 0;
Urgency g_urgency;                                  ///< of the process's segment
bool g_segment_known = false;                       ///< did the arbiter accept the segment?
bool g_was_alone = false;                           ///< for a part of the segment there was none
std::atomic<Waiting> g_waiting{Waiting::kSuspend};  ///< checkpoints read it without the lock
bool g_tier_chosen = false;                         ///< else each protocol has its own
bool g_any_protocol = false;                        ///< the whole process is one segment
std::atomic<bool> g_coming_back{false};             ///< a thread looks for the next arbiter

/// For the diary: the segment of this thread.
struct Times {
  Outcome outcome;
  std::int64_t asked_ns, began_ns, off_ns;
};
constinit thread_local Times t_times{};

/// Never destroyed: threads may still be inside a segment while the process exits.
alignas(Connection) unsigned char g_room[sizeof(Connection)];
Connection& connection() { return *std::launder(reinterpret_cast<Connection*>(g_room)); }

/// @pre g_lock is held, and the gate has been left
void leave_segment() {
  if (--g_threads_inside == 0 && g_segment_known) connection().end();
}

/// A thread that exits inside a segment has left it.
void thread_exits(void* inside) {
  if (inside == nullptr) return;
  connection().gate().leave();
  pthread_mutex_lock(&g_lock);
  leave_segment();
  pthread_mutex_unlock(&g_lock);
}

void before_fork() { pthread_mutex_lock(&g_lock); }
void in_parent() { pthread_mutex_unlock(&g_lock); }
void in_child() {
  connection().abandon_in_child();
  g_threads_inside = 0;
  g_segment_known = false;
  g_coming_back = false;
  pthread_setspecific(g_inside, nullptr);
  pthread_mutex_init(&g_lock, nullptr);
  boost::after_fork_in_child();
}

void come_back_if_inside();

void start() {
  new (g_room) Connection();
  connection().on_loss(come_back_if_inside);
  pthread_key_create(&g_inside, thread_exits);
  pthread_atfork(before_fork, in_parent, in_child);
}

Urgency urgency_of(int priority) {
  if (priority == TACTUS_SCHED_PRIORITY) {
    sched_param parameter{};
    int policy = SCHED_OTHER;
    pthread_getschedparam(pthread_self(), &policy, &parameter);
    if (policy != SCHED_FIFO && policy != SCHED_RR) return {};
    return Urgency::real_time(parameter.sched_priority);
  }
  if (priority == TACTUS_DEPLOYED_PRIORITY) {
    Urgency urgency;
    const char* const text = getenv(kSegmentPriorityVariable);
    if (text != nullptr && !read_urgency(text, urgency))
      tell_user("is best effort: TACTUS_SEGMENT_PRIORITY is not a priority");
    return urgency;
  }
  return priority == TACTUS_BEST_EFFORT ? Urgency{} : Urgency::real_time(priority);
}

/// @pre g_lock is held
void hold_back_by_gate() {
  if (g_tier_chosen) return;
  const Tier gate = connection().gate().tier();
  connection().set_tier(gate, measure_cost(gate, kCostSamples, kCostPatienceNs));
}

/// Not while a batch is under way, whose words are in the page of the last arbiter.
/// @pre g_lock is held
bool may_look_for_arbiter() { return !connection().connected() && boost::in_flight() == 0; }

/// @pre g_lock is held
void look_for_arbiter() {
  if (!may_look_for_arbiter()) return;
  hold_back_by_gate();
  if (!g_any_protocol) connection().set_protocol(Protocol::kGcaps);
  connection().find(nullptr, nullptr);
}

/// The process's segment begins with this thread.
Outcome begin_first(Urgency urgency) {
  look_for_arbiter();
  const Outcome outcome = connection().begin(urgency, g_waiting);
  g_segment_known = outcome != Outcome::kUnarbitrated;
  g_was_alone = false;
  g_urgency = urgency;
  return outcome;
}

/// How often it looks for an arbiter in place of the one that has ended.
constexpr std::int64_t kLookForNextNs = 5'000'000, kLookForLateNs = 100'000'000;
constexpr int kLooksAtFirst = 400;

/// The process is inside a segment, and its arbiter has ended: the next one must know of it before
/// it lets others in.
void be_present(std::uint32_t segment);

void* come_back(void*) {
  pthread_setname_np(pthread_self(), "tactus-return");
  if (const std::uint32_t segment = boost::in_flight()) be_present(segment);
  for (int looks = 0;; ++looks) {
    pthread_mutex_lock(&g_lock);
    const bool inside = g_threads_inside > 0 && !connection().connected();
    if (inside) {
      g_was_alone = true;
      g_segment_known = may_look_for_arbiter() && connection().find(nullptr, nullptr) &&
                        static_cast<int>(connection().begin(g_urgency, g_waiting)) >= 0;
    }
    const bool over = !inside || connection().connected();
    if (over) g_coming_back = false;
    pthread_mutex_unlock(&g_lock);
    if (over) return nullptr;
    host::nap_ns(looks < kLooksAtFirst ? kLookForNextNs : kLookForLateNs);
  }
}

/// Under boost the arbiter that opened the gate has ended, and the next one can take nothing off: it
/// is told that the GPU is not free as long as the segment lasts.
void be_present(std::uint32_t segment) {
  Connection presence;
  presence.set_protocol(Protocol::kBoost);
  for (int looks = 0; boost::in_flight() == segment; ++looks) {
    if (!presence.connected() && presence.find(nullptr, nullptr)) presence.say_present();
    host::nap_ns(looks < kLooksAtFirst || presence.connected() ? kLookForNextNs : kLookForLateNs);
  }
}

/// On the control thread, which `open` waits for: so another one looks.
void come_back_if_inside() {
  if (g_coming_back.exchange(true)) return;
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, come_back, nullptr) == 0) {
    pthread_detach(thread);
  } else {
    g_coming_back = false;
  }
}

/// On the fast path the clock has been read. @param asked_before when it was asked the last time: where
/// that is still so, this thread had nobody to ask
void note_begin(Outcome outcome, std::int64_t asked_before) {
  if (!diary::is_kept()) return;
  const std::int64_t last = connection().asked_ns();
  const bool asked = last != asked_before;
  const std::int64_t began = asked && connection().on_fast_path() ? last : host::now_ns();
  t_times = {outcome, asked ? last : began, began, connection().off_until(began)};
}

void note_end(bool arbitrated, std::int64_t ended_ns) {
  if (ended_ns == 0) return;
  diary::segment(static_cast<int>(arbitrated ? t_times.outcome : Outcome::kUnarbitrated),
                 t_times.asked_ns, t_times.began_ns, ended_ns,
                 connection().off_until(ended_ns) - t_times.off_ns);
}

/// This thread enters the process's segment.
Outcome join(Urgency urgency) {
  if (!g_segment_known || !connection().connected()) return Outcome::kUnarbitrated;
  if (!urgency.above(g_urgency))
    return connection().off() ? Outcome::kPending : connection().turn();
  const Outcome outcome = connection().raise(urgency, g_waiting);
  if (outcome != Outcome::kForbidden) g_urgency = urgency;
  return outcome;
}

}  // namespace

Connection& process_connection() {
  pthread_once(&g_once, start);
  return connection();
}

void choose_tier(const Tier& tier, const TierCost& cost) {
  process_connection();
  pthread_mutex_lock(&g_lock);
  g_tier_chosen = true;
  connection().set_tier(tier, cost);  // with the lock: no other thread may open or close now
  pthread_mutex_unlock(&g_lock);
}

void join_any_arbiter() {
  process_connection();
  pthread_mutex_lock(&g_lock);
  g_any_protocol = true;
  connection().set_protocol(Protocol::kAny);
  pthread_mutex_unlock(&g_lock);
}

bool inside_gcaps_segment() {
  process_connection();
  return pthread_getspecific(g_inside) != nullptr;
}

void look_for_boost_arbiter() {
  process_connection();
  pthread_mutex_lock(&g_lock);
  if (!connection().connected()) {
    if (!g_tier_chosen) connection().set_tier(boost::usual_tier());
    connection().set_protocol(Protocol::kBoost);
    connection().find(nullptr, nullptr);
  }
  pthread_mutex_unlock(&g_lock);
}

bool work_can_leave() {
  const Connection& connection = process_connection();
  pthread_mutex_lock(&g_lock);
  const bool leaves =
      g_tier_chosen ? connection.takes_off() : boost::usual_tier().take_off != nullptr;
  pthread_mutex_unlock(&g_lock);
  return leaves;
}

const char* spoken_protocol() {
  process_connection();
  pthread_mutex_lock(&g_lock);
  if (may_look_for_arbiter()) {
    connection().set_protocol(Protocol::kAny);
    if (connection().find(nullptr, nullptr)) {
      // Now it is known how segments will be held back.
      if (connection().protocol() != Protocol::kBoost) {
        hold_back_by_gate();
      } else if (!g_tier_chosen) {
        connection().set_tier(boost::usual_tier());
      }
    }
  }
  const bool boost = connection().protocol() == Protocol::kBoost;
  const char* const spoken = !connection().connected() ? "none" : boost ? "boost" : "gcaps";
  pthread_mutex_unlock(&g_lock);
  return spoken;
}

Waiting waiting_of_process() { return g_waiting; }

namespace {

/// Who is inside leaves it by `leave_process_segment`, on any thread. @param by_thread the segment is
/// this thread's, which leaves it at the latest when it exits; @param asked_before when the arbiter
/// was asked the last time before
Outcome enter_process_segment(Urgency urgency, bool by_thread, std::int64_t& asked_before) {
  pthread_mutex_lock(&g_lock);
  asked_before = connection().asked_ns();
  const Outcome outcome = g_threads_inside == 0 ? begin_first(urgency) : join(urgency);
  const bool inside = static_cast<int>(outcome) >= 0;
  if (inside) ++g_threads_inside;
  const Waiting waiting = g_waiting;
  pthread_mutex_unlock(&g_lock);
  if (inside && by_thread) pthread_setspecific(g_inside, &g_lock);
  // Without the lock: the wait may be long, and others must be able to end in the meantime.
  return inside ? connection().wait_for_turn(outcome, waiting) : outcome;
}

/// @return whether all of it was under an arbiter
bool leave_process_segment() {
  // Before the lock: who has it may wait until this process has made room.
  connection().gate().leave();
  pthread_mutex_lock(&g_lock);
  const bool arbitrated = g_segment_known && !g_was_alone && connection().connected();
  leave_segment();
  pthread_mutex_unlock(&g_lock);
  return arbitrated;
}

}  // namespace

Outcome begin_for_process(Urgency urgency) {
  process_connection();
  std::int64_t asked_before = 0;
  return enter_process_segment(urgency, false, asked_before);
}

void end_for_process() { leave_process_segment(); }

Outcome begin_segment(Urgency urgency) {
  if (inside_gcaps_segment() || boost::inside()) return Outcome::kNested;
  std::int64_t asked_before = 0;
  const Outcome turn = enter_process_segment(urgency, true, asked_before);
  if (static_cast<int>(turn) >= 0) note_begin(turn, asked_before);
  return turn;
}

Outcome end_segment() {
  process_connection();
  if (pthread_getspecific(g_inside) == nullptr) return Outcome::kNotBegun;
  pthread_setspecific(g_inside, nullptr);
  const std::int64_t ended_ns = diary::is_kept() ? host::now_ns() : 0;
  const bool arbitrated = leave_process_segment();
  note_end(arbitrated, ended_ns);
  return arbitrated ? Outcome::kRunning : Outcome::kUnarbitrated;
}

}  // namespace tactus::arbiter::client

using tactus::arbiter::client::begin_segment;
using tactus::arbiter::client::end_segment;
using tactus::arbiter::client::process_connection;
using tactus::arbiter::client::urgency_of;
namespace boost = tactus::arbiter::client::boost;

extern "C" {

int tactus_segment_begin(int priority) {
  return static_cast<int>(begin_segment(urgency_of(priority)));
}

int tactus_segment_end(void) {
  return static_cast<int>(boost::inside() ? boost::end() : end_segment());
}

int tactus_segment_begin_stream(void* stream, int priority, int threshold) {
  return tactus_segment_begin_streams(&stream, 1, priority, threshold);
}

int tactus_segment_begin_streams(void* const* streams, int count, int priority, int threshold) {
  return static_cast<int>(boost::begin_streams(streams, count, urgency_of(priority), threshold));
}

int tactus_segment_begin_host(int priority, int threshold) {
  return static_cast<int>(boost::begin_host(urgency_of(priority), threshold));
}

int tactus_segment_submit(void) { return static_cast<int>(boost::submit()); }

int tactus_segment_words(struct tactus_words* words) {
  return static_cast<int>(boost::words(*words));
}

int tactus_segment_split(void) { return static_cast<int>(boost::split()); }

const char* tactus_protocol(void) { return tactus::arbiter::client::spoken_protocol(); }

unsigned long tactus_gates_forced(void) { return process_connection().times_forced(); }

const char* tactus_problem(void) {
  const auto& connection = process_connection();
  const char* const own = boost::problem();
  return own[0] != 0 || connection.connected() ? own : connection.problem();
}

int tactus_checkpoint(void) {
  auto& connection = process_connection();
  if (pthread_getspecific(tactus::arbiter::client::g_inside) == nullptr) return TACTUS_NOT_BEGUN;
  connection.gate().pass(tactus::arbiter::client::g_waiting);
  return static_cast<int>(connection.turn());
}

int tactus_launched(int (*finished)(void* work), void* work) {
  auto& connection = process_connection();
  if (pthread_getspecific(tactus::arbiter::client::g_inside) == nullptr) return TACTUS_NOT_BEGUN;
  connection.gate().launched(finished, work);
  return static_cast<int>(connection.turn());
}

void tactus_set_waiting(enum tactus_waiting waiting) {
  using tactus::arbiter::client::Waiting;
  tactus::arbiter::client::g_waiting = waiting == TACTUS_BUSY ? Waiting::kBusy : Waiting::kSuspend;
}

const char* tactus_tier(void) {
  auto& connection = process_connection();
  return connection.connected() ? connection.tier_name() : "none";
}

const char* tactus_result_text(int result) {
  switch (result) {
    case TACTUS_RUNNING:
      return "running";
    case TACTUS_PENDING:
      return "pending: launches wait for their turn";
    case TACTUS_UNARBITRATED:
      return "unarbitrated: no arbiter, no process is held off";
    case TACTUS_SHARED:
      return "shared: another process that must leave the GPU may still be there";
    case TACTUS_NESTED:
      return "this thread is inside a segment already";
    case TACTUS_NOT_BEGUN:
      return "this thread is not inside a segment";
    case TACTUS_FORBIDDEN:
      return "this user may not use that priority";
    case TACTUS_REFUSED:
      return "the arbiter does not admit it";
    case TACTUS_INVALID:
      return "the threshold is below the priority, the stream cannot be held back, or this is not "
             "a call for this path";
    case TACTUS_TIMEOUT:
      return "no job of the predecessor has ended in time";
    case TACTUS_GONE:
      return "the predecessor has ended";
    case TACTUS_DOUBLED:
      return "the end of this job was told before";
    default:
      return "unknown result";
  }
}

}  // extern "C"
