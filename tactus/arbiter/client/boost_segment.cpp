#include "tactus/arbiter/client/boost_segment.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/arbiter/client/channel_tier.hpp"
#include "tactus/arbiter/client/diary.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/client/stream_gate.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::client::boost {
namespace {

/// A waiting thread looks at the marks itself this often, in case that nobody wakes it up.
constexpr std::int64_t kTurnLookNs = 20'000'000;
/// The same without an arbiter.
constexpr std::int64_t kLookAloneNs = 50'000;

/// Of a segment that is marked.
constexpr int kMostStreams = 16;

/// The segment of the process.
struct Batch {
  void* streams[kMostStreams];
  int stream_count;  ///< 0: a host segment
  Urgency urgency;
  int threshold;
  std::uint32_t number;  ///< 0: there is no arbiter, and no gate
  bool submitted, given_away;
  StartSeen seen;
  ClientPage* page;
  std::int64_t off_ns;  ///< until it began, in all
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;  ///< of the two below
pthread_cond_t g_free = PTHREAD_COND_INITIALIZER;
bool g_taken = false;
std::uint32_t g_turns = 0;  ///< how often it was taken; never 0 while it is
Batch g_batch;              ///< of the thread that has taken it
StreamGate g_streams;
const char* g_problem = "";
pthread_once_t g_once = PTHREAD_ONCE_INIT, g_watched_once = PTHREAD_ONCE_INIT;
pthread_key_t g_inside;  ///< of a thread: not null while it is inside
ChannelFunctions g_channel;
constinit thread_local bool t_busy = false;  ///< this thread is in a function of this file
constinit thread_local Batch t_paused{};     ///< the segment of this thread that is to go on

class Busy {
 public:
  Busy() : before_(t_busy) { t_busy = true; }
  ~Busy() { t_busy = before_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool before_;
};

Connection& connection() { return process_connection(); }

void nap() { host::nap_ns(kLookAloneNs); }

void take() {
  pthread_mutex_lock(&g_lock);
  while (g_taken) pthread_cond_wait(&g_free, &g_lock);
  g_taken = true;
  if (++g_turns == 0) ++g_turns;
  pthread_mutex_unlock(&g_lock);
}

void give_back() {
  pthread_mutex_lock(&g_lock);
  g_taken = false;
  pthread_cond_signal(&g_free);
  pthread_mutex_unlock(&g_lock);
}

void open_own_gate() {
  if (g_batch.number != 0) connection().force_gate();
}

/// A thread that exits inside a segment has left it: what it has launched runs.
void thread_exits(void* inside) {
  if (inside == nullptr) return;
  open_own_gate();
  if (g_batch.number != 0) g_batch.page->marks[0].store(g_batch.number);
  give_back();
}

/// A process that exits inside a segment must not wait for its own gate.
void process_exits() {
  if (g_taken) open_own_gate();
}

void start() {
  pthread_key_create(&g_inside, thread_exits);
  atexit(process_exits);
}

/// Without an arbiter: words for another thread, whose gate is open.
struct {
  std::atomic<std::uint32_t> gate{0}, mark{0};
} g_alone;

/// With the gate shut, if there is an arbiter. @pre g_batch says what
Outcome begin_taken() {
  g_batch.number = 0;
  g_batch.submitted = g_batch.given_away = false;
  look_for_boost_arbiter();
  const std::uint32_t number = connection().begin_batch();
  if (number == 0) {
    g_problem = connection().connected() ? "this process is under an arbiter for gcaps already"
                                         : connection().problem();
    return Outcome::kUnarbitrated;
  }
  g_batch.page = &connection().words();
  bool shut = g_batch.stream_count == 0 || g_streams.know(g_batch.page, kPageSize);
  if (shut && g_batch.stream_count > 0) connection().keep_page();
  for (int i = 0; shut && i < g_batch.stream_count; ++i)
    shut = g_streams.wait(g_batch.streams[i], &g_batch.page->gate, number);
  g_batch.seen = StartSeen::kAtTheGate;
  if (shut && g_batch.stream_count > 0) {
    const bool told = g_streams.write_by_kernel(g_batch.streams[0], &g_batch.page->started, number);
    g_batch.seen = told ? StartSeen::kByAWord : StartSeen::kNever;
  }
  if (!shut) {
    g_problem = g_streams.problem();
    connection().give_up_batch();
    return Outcome::kInvalid;
  }
  g_batch.number = number;
  g_batch.off_ns = connection().off_until(host::now_ns());
  g_problem = "";
  return Outcome::kRunning;
}

/// The preloaded library, if there is one, splits segments around calls that wait for the GPU.
void have_waits_watched() {
  struct Waits {  // tactus_waits of preload.h
    int (*gate_is_shut)();
    void (*pause)();
    void (*go_on)();
  };
  static const Waits waits = {[] { return gate_is_shut() ? 1 : 0; }, [] { boost::pause(); },
                              [] { boost::go_on(); }};
  using Watch = void (*)(const Waits*);
  if (const auto watch = reinterpret_cast<Watch>(dlsym(RTLD_DEFAULT, "tactus_watch_waits")))
    watch(&waits);
}

Outcome begin(void* const* streams, int count, Urgency urgency, int threshold) {
  pthread_once(&g_once, start);
  pthread_once(&g_watched_once, have_waits_watched);
  const Busy busy;
  if (inside() || inside_gcaps_segment()) return Outcome::kNested;
  if (!urgency.best_effort && threshold == TACTUS_OWN_PRIORITY) threshold = urgency.priority;
  if (!urgency.best_effort && threshold < urgency.priority) {
    g_problem = "the threshold is below the priority";
    return Outcome::kInvalid;
  }
  take();
  for (int i = 0; i < count; ++i) g_batch.streams[i] = streams[i];
  g_batch.stream_count = count;
  g_batch.urgency = urgency;
  g_batch.threshold = threshold;
  const Outcome outcome = begin_taken();
  if (static_cast<int>(outcome) < 0) {
    give_back();
    return outcome;
  }
  pthread_setspecific(g_inside, &g_lock);
  return outcome;
}

std::uint32_t mark_count() {
  return g_batch.stream_count == 0 ? 1 : static_cast<std::uint32_t>(g_batch.stream_count);
}

bool complete() { return is_complete(*g_batch.page, g_batch.number, mark_count()); }

bool forbidden() {
  return g_batch.page->answered.load() == g_batch.number &&
         g_batch.page->answer.load() == Answer::kForbidden;
}

void hand_over() {
  g_batch.submitted = true;
  connection().submit_batch(g_batch.urgency, g_batch.threshold, mark_count(), g_batch.seen);
}

/// Waits until `there`, for which somebody wakes those who sleep on `word`.
template <typename There>
void wait_until(const There& there, std::atomic<std::uint32_t>& word) {
  const bool spins = waiting_of_process() == Waiting::kBusy;
  bool let_in = false;
  for (std::uint32_t looks = 1;; ++looks) {
    const std::uint32_t before = word.load();
    if (there()) return;
    if (!let_in && looks % 1024 != 0 && spins) {
      host::relax();
      continue;
    }
    if (!let_in && forbidden()) {
      connection().force_gate();
      let_in = true;
    }
    if (spins) continue;
    if (connection().connected() && !let_in) {
      host::futex_wait(word, before, host::now_ns() + kTurnLookNs);
    } else {
      nap();
    }
  }
}

Outcome outcome() {
  if (forbidden()) return Outcome::kForbidden;
  if (connection().forced() || g_batch.page->shared.load() != 0) return Outcome::kShared;
  return connection().connected() ? Outcome::kRunning : Outcome::kUnarbitrated;
}

/// For the diary: it had the GPU from when its gate was opened; a gate that it opened itself is none.
void note_end(Outcome outcome) {
  if (!diary::is_kept()) return;
  const std::int64_t asked = connection().submitted_ns(), opened = g_batch.page->opened_ns.load();
  const std::int64_t now = host::now_ns();
  diary::segment(static_cast<int>(outcome) | kGatedSegment, asked, opened < asked ? asked : opened,
                 now, connection().off_until(now) - g_batch.off_ns);
}

/// The end of a batch with a gate.
Outcome end_gated() {
  if (g_batch.stream_count == 0 && !g_batch.given_away) {
    if (!g_batch.submitted) submit();
    g_batch.page->marks[0].store(g_batch.number);
  } else {
    bool marked = true;
    for (int i = 0; marked && i < g_batch.stream_count; ++i)
      marked = g_streams.write(g_batch.streams[i], &g_batch.page->marks[i], g_batch.number);
    if (!marked) {  // the GPU does not take it: the work is seen through without it
      connection().force_gate();
      for (int i = 0; i < g_batch.stream_count; ++i) {
        g_streams.synchronize(g_batch.streams[i]);
        g_batch.page->marks[i].store(g_batch.number);
      }
    }
    hand_over();
    wait_until(complete, g_batch.page->completed);
  }
  connection().finish_batch();
  const Outcome ended = outcome();
  note_end(ended);
  return ended;
}

}  // namespace

Tier usual_tier() {
  Tier hold;
  hold.name = "hold";
  const char* const wanted = getenv(kTierVariable);
  if (wanted == nullptr || strcmp(wanted, "channel") != 0) return hold;
  g_channel = find_channel_functions();
  if (g_channel.stop != nullptr && g_channel.resume != nullptr) return channel_tier(g_channel);
  tell_user("uses the tier hold: the tier channel needs libtactus_preload.so in the process");
  return hold;
}

Outcome begin_streams(void* const* streams, int count, Urgency urgency, int threshold) {
  if (streams == nullptr || count < 1 || count > kMostStreams) {
    g_problem = "a segment has 1 to 16 streams";
    return Outcome::kInvalid;
  }
  return begin(streams, count, urgency, threshold);
}

Outcome begin_host(Urgency urgency, int threshold) { return begin(nullptr, 0, urgency, threshold); }

Outcome submit() {
  if (!inside()) return Outcome::kNotBegun;
  const Busy busy;
  if (g_batch.stream_count > 0 || g_batch.submitted || g_batch.given_away) return Outcome::kInvalid;
  if (g_batch.number == 0) return Outcome::kUnarbitrated;
  hand_over();
  wait_until([] { return reached(g_batch.page->gate.load(), g_batch.number); }, g_batch.page->gate);
  return outcome();
}

Outcome words(tactus_words& words) {
  if (!inside()) return Outcome::kNotBegun;
  if (g_batch.stream_count > 0 || g_batch.submitted) return Outcome::kInvalid;
  const bool alone = g_batch.number == 0;
  if (alone && !g_batch.given_away) g_alone.gate.fetch_add(1);
  g_batch.given_away = true;
  std::atomic<std::uint32_t>& gate = alone ? g_alone.gate : g_batch.page->gate;
  std::atomic<std::uint32_t>& mark = alone ? g_alone.mark : g_batch.page->marks[0];
  words = {reinterpret_cast<std::uint32_t*>(&gate), reinterpret_cast<std::uint32_t*>(&mark),
           alone ? g_alone.gate.load() : g_batch.number};
  return alone ? Outcome::kUnarbitrated : Outcome::kRunning;
}

Outcome end() {
  if (!inside()) return Outcome::kNotBegun;
  const Busy busy;
  Outcome result = Outcome::kUnarbitrated;
  if (g_batch.number != 0) {
    result = end_gated();
  } else {
    while (g_batch.given_away && g_alone.mark.load() != g_alone.gate.load()) nap();
    for (int i = 0; i < g_batch.stream_count; ++i) g_streams.synchronize(g_batch.streams[i]);
  }
  pthread_setspecific(g_inside, nullptr);
  give_back();
  return result;
}

Outcome pause() {
  if (!inside()) return Outcome::kNotBegun;
  if (g_batch.submitted || g_batch.given_away) return Outcome::kInvalid;
  t_paused = g_batch;
  return end();
}

Outcome go_on() {
  return begin(t_paused.streams, t_paused.stream_count, t_paused.urgency, t_paused.threshold);
}

Outcome split() {
  const Outcome ended = pause();
  if (static_cast<int>(ended) < 0 && ended != Outcome::kForbidden) return ended;
  const Outcome begun = go_on();
  return static_cast<int>(begun) < 0 ? begun : ended;
}

bool inside() {
  pthread_once(&g_once, start);
  return pthread_getspecific(g_inside) != nullptr;
}

bool gate_is_shut() {
  return !t_busy && inside() && g_batch.number != 0 && g_batch.stream_count > 0 &&
         !reached(g_batch.page->gate.load(), g_batch.number);
}

std::uint32_t in_flight() {
  pthread_mutex_lock(&g_lock);
  const std::uint32_t turn = g_taken ? g_turns : 0;
  pthread_mutex_unlock(&g_lock);
  return turn;
}

const char* problem() { return g_problem; }

void cut_short() {
  if (g_batch.page != nullptr) g_batch.page->cut_short.store(g_batch.number);
}

bool is_cut_short() {
  return g_batch.page != nullptr && g_batch.page->cut_short.load() == g_batch.number;
}

void not_cut_short() {
  if (g_batch.page != nullptr) g_batch.page->cut_short.store(0);
}

bool go_on_cut_short(bool (*launch)(void*), void* work) {
  for (std::uint32_t i = 0; i < mark_count(); ++i) g_batch.page->marks[i].store(g_batch.number - 1);
  bool good = launch(work);
  for (int i = 0; good && i < g_batch.stream_count; ++i)
    good = g_streams.write(g_batch.streams[i], &g_batch.page->marks[i], g_batch.number);
  not_cut_short();
  return good;
}

void after_fork_in_child() {
  pthread_mutex_init(&g_lock, nullptr);
  pthread_cond_init(&g_free, nullptr);
  g_taken = false;
  g_streams = {};
  pthread_once(&g_once, start);
  pthread_setspecific(g_inside, nullptr);
}

}  // namespace tactus::arbiter::client::boost
