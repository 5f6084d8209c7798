#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/model/system.hpp"

/// A second implementation of the ten methods, written from the equations of docs/use/methods/gcaps.md
/// alone and sharing nothing with the product but the reader's `System`: sets are spelled out from
/// their definitions every time they are used, nothing is cached, and speed is of no interest. It
/// expects a system that the methods accept.
namespace tactus::gcaps::naive {

using Ns = std::int64_t;

/// One GPU segment: G^m and G^e, and by how much G is less than their sum.
struct Segment {
  Ns m = 0, e = 0, overlap = 0;
  Ns G() const { return m + e - overlap; }
};

/// A node on the GPU or on a copy element.
struct GpuNode {
  std::size_t segment = 0, element = 0;  ///< of the task, of the system
  bool copy = false;
  Ns time = 0;
};

/// The model, with the letters of docs/use/methods/gcaps.md.
struct Task {
  std::string name;
  Ns C = 0;
  Ns C_first = 0;  ///< up to the first request, or all of C
  std::vector<Segment> segments;
  std::vector<GpuNode> gpu_nodes;  ///< in the order of the chain
  std::vector<Ns> P = {0};         ///< CPU work before each segment, and after the last
  bool last_phase = true;          ///< does it end with a cpu node, or make no request?
  std::optional<Ns> T;
  Ns D = 0;
  Ns J = 0;  ///< of its releases
  std::int64_t pi = 0, pi_g = 0, core = 0;
  bool best_effort = false;
  /// Nothing that takes time comes after its last request for the GPU, and that is for no time.
  bool ends_in_request = false;
  /// ... or for some time, and then the GPU must be given back.
  bool ends_on_gpu = false;

  std::int64_t eta() const { return static_cast<std::int64_t>(segments.size()); }
  Ns Gm() const;
  Ns Ge() const;
  Ns G() const;
  /// max_k G_{x,k}
  Ns longest() const;
};

/// A task that another one starts.
struct After {
  std::string task, before;
  Ns b = 0;    ///< least time of the one before
  Ns own = 0;  ///< jitter of its own
};

using Tasks = std::vector<const Task*>;

/// What a mutant of these analyses can forget: a row of the table of `preemption_delay` in
/// docs/use/methods/gcaps.md or part of one; who comes at the very end of a job's window (F10, F11), or
/// of a wait for a lock (F11); who waits for copies (its own, those of an owner, by way of waiting).
/// Of `safe-inherit`: a row of its table there. Of jitter: its own window, and J_h where nothing else
/// is counted. Of overlap: that a kernel may wait for its launch, and that no launch is shorter.
enum class Row {
  kOwn,
  kLocalSuspend,
  kLocalBusy,
  kRemote,
  kKappa,
  kEndOfWindow,
  kEndOfWait,
  kOwnJitter,
  kOthersJitter,
  kOwnCopies,
  kLocalSuspendCopies,
  kLocalBusyCopies,
  kRemoteCopies,
  kSlicesAfterCopies,
  kLentOnRelease,    ///< the update that has inherited above i when i comes
  kLentOnReturn,     ///< ... or when i comes back from the GPU
  kSecondRequest,    ///< the lower holder that End finds
  kOwnersEnd,        ///< ... of an owner
  kLentAboveOwner,   ///< the update that has inherited above an owner
  kHolderKeptOff,    ///< the first CPU segment of a task that keeps a holder off its core
  kEndOfPhase,       ///< windows: who comes when a phase is about to ask
  kCarriedPhases,    ///< windows: the jitters of phases of a task above
  kCarriedSections,  ///< windows: ... and of its sections
  kPhaseWindows,     ///< windows: all of a phase's window but the phase itself
  kHalfPhaseWindows,
  kWaitWindows,    ///< windows: all of a request's window but the blocking
  kLowerBoosts,    ///< windows: boosts of tasks below
  kLowerSections,  ///< windows: sections of tasks below in the queue
  kSlicesAfterLaunches,
  kLaunchesOfOthers,
};

/// How long a copy waits if each of these others has one copy ahead of it: until fewer than all units
/// are busy with them.
Ns wait_behind(const std::vector<Ns>& others, std::int64_t units);

struct Set {
  std::vector<Task> tasks;  ///< in file order
  std::vector<After> afters;
  Ns L = 0, theta = 0, eps = 0, d = 0;
  std::optional<Row> without = std::nullopt;  ///< a mutant: this is forgotten
  std::vector<std::int64_t> engines;  ///< by element: units of an exclusive copy engine, else 0

  /// d': all best-effort users of the GPU can be about to leave it.
  Ns d_prime() const;

  Tasks real_time() const;
  /// Real-time tasks in decreasing CPU priority.
  Tasks by_priority() const;
  Tasks hpp(const Task& i) const;
  Tasks llp(const Task& i) const;
  Tasks gpu() const;
  /// What a job of i waits before its copies, if one copy of each of `others` may be ahead.
  Ns copy_waits(const Task& i, const Tasks& others) const;
  /// All tasks but i and those.
  Tasks all_but(const Task& i, const Tasks& those) const;
  std::int64_t lambda(const Task& i) const { return static_cast<std::int64_t>(llp(i).size()); }
};

Set make_set(const System& system);

/// The nodes of a chain from its head to its tail.
std::vector<NodeIndex> walk(const tactus::Task& task);

/// "d @ (T, J)": ceil((R + J) / T) * d, J clamped at 0.
struct Demand {
  Ns d = 0, T = 1, J = 0;
};
Ns jobs(Ns R, Ns T, Ns J);
Ns total(const std::vector<Demand>& demands, Ns R);

/// Section 3: the least fixed point of `next` from `start`, unless it exceeds `deadline`.
std::optional<Ns> fixed_point(Ns start, Ns deadline, const std::function<Ns(Ns)>& next);

/// The longest window of i that ends in time: it begins at the release.
Ns limit(const Set& set, const Task& i);
/// J_h, where nothing else says how much earlier than the window a job of h may have arrived.
Ns released(const Set& set, const Task& h);

/// By task name. A real-time task without a bound maps to nothing.
using Bounds = std::map<std::string, std::optional<Ns>>;
using Responses = std::map<std::string, Ns>;

struct Answer {
  bool schedulable = false;
  Bounds bounds;
  std::optional<std::map<std::string, std::int64_t>> gpu_priorities;
};

bool all_found(const Bounds& bounds);

/// Is there a pair of real-time tasks that GPU priorities sort differently than CPU priorities do?
bool orders_differ(const Set& set);

/// Section 3: in decreasing CPU priority; after the first failure nothing has a bound.
Bounds in_priority_order(
    const Set& set,
    const std::function<std::optional<Ns>(const Task&, const Responses&)>& bound_of);

/// Bounds where tasks start tasks: those of `find`, for jitters that agree with them.
/// @param all no bound holds unless all do
Bounds settled(Set set, bool all, const std::function<Bounds(const Set&)>& find);

enum class Variant { kSafe, kSafeArbiter, kSafeInherit, kPaper };

/// Sections 4 and 5.
Answer gcaps(const Set& set, bool busy, bool assign, Variant variant);
/// Section 6.
Bounds tsg_rr(const Set& set, bool busy, std::string_view variant);
/// Section 7.
Bounds mpcp(const Set& set, bool busy, bool safe);
Bounds fmlp(const Set& set, bool busy, bool safe);
std::optional<Ns> mpcp_bound(const Set& set, bool busy, bool safe, const Task& i,
                             const Responses& responses);
std::optional<Ns> fmlp_bound(const Set& set, bool busy, bool safe, const Task& i,
                             const Responses& responses);
/// The smaller of those bounds and those by finer windows.
Bounds by_windows(const Set& set, bool busy, bool fifo);

/// Any of the ten methods by its id; the variant "windows" is `safe` with finer windows.
Answer analyze(const System& system, std::string_view method, std::string_view variant,
               std::optional<Row> without = std::nullopt);

}  // namespace tactus::gcaps::naive
