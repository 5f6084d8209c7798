#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

/// MAKE it happen: what an executor asks from a machine, and what the machine answers. Two backends
/// implement it: the emulator (virtual time, everywhere) and CUDA (tactus/runtime/cuda).
///
/// An executor is ONE thread with an event loop: it submits operations, waits until the next one
/// completes or until a point in time, and goes on. Nothing calls back, and only `wait` takes time,
/// so the same executor runs in virtual and in real time.
///
///     device.partition(...); device.prepare(...);           // slow things first
///     device.start();                                       // now() is 0 from here
///     device.launch(kernel, op_of_job_0);
///     while (!done) for (const Completion& c : *device.wait(next_release)) ...
namespace tactus::runtime {

/// What a machine is, and what it can do.
struct Capabilities {
  std::string name;           ///< "NVIDIA H200", "emulator"
  bool virtual_time = false;  ///< `wait` does not take real time
  std::int64_t sms = 0;
  std::int64_t partition_step = 1;   ///< SMs of a partition are a multiple of this ...
  std::int64_t partition_least = 1;  ///< ... and at least this many
  std::int64_t divisible = 0;        ///< SMs that partitions can have together; 0: all
  int priorities = 1;                ///< of launches: 0 .. priorities-1, larger is more urgent
  std::int64_t copy_engines = 1;
  std::int64_t cores = 1;  ///< that CPU work can be pinned to
  Time timer_step;         ///< of the timestamps of blocks
  Time operation_cost;     ///< to submit an operation and notice its end, for most of them
  std::vector<std::string> features;  ///< features in use, one line each, for the report
};

using PartitionId = std::uint32_t;
/// The whole GPU; always there.
inline constexpr PartitionId kWholeGpu = 0;

/// SMs reserved for some launches.
struct Partition {
  PartitionId id = kWholeGpu;
  std::int64_t asked = 0;
  std::int64_t got = 0;  ///< at least `asked`, rounded up to what the machine can do
};

/// The executor's number of an operation; returned in its `Completion`. Unique among those in
/// flight.
using OpId = std::uint64_t;

/// Which part of an SM one block claims, so that no more blocks share an SM than the plan says. A
/// GPU ensures this by the block's shared memory. A `part` of 0 claims nothing: the blocks go where
/// the hardware finds room for their threads.
struct SmShare {
  std::int64_t part = 1, whole = 1;
};

/// SMs [first, first + count) of the kernel's partition (by rank among those seen, not by hardware
/// id), `seats` persistent blocks on each: they stay on these SMs, and draw the kernel's work piece
/// by piece. Then `Kernel::blocks` is count * seats, and `Kernel::share` one seat.
struct Pinning {
  std::int64_t first = 0, count = 1, seats = 1;
};

/// One launch: a node of a task, or a segment of it.
struct Kernel {
  TaskIndex task = 0;
  NodeIndex node = 0;

  std::int64_t blocks = 1;   ///< of the grid: the width, where a block fills an SM
  SmShare share;             ///< of an SM, that one block claims
  std::int64_t threads = 0;  ///< of a block; 0: as suits the machine

  /// The work: `load` is its time on ONE SM, block after block. It is the piece [from, from + load)
  /// of the node's `whole` work: all of it, unless the node is cut into segments. A synthetic
  /// kernel does `load / blocks` in each block; a user's kernel does the logical blocks of that
  /// piece
  /// (`piece_of`).
  Time load, from, whole;

  /// The plan's interval for the time of one block. The emulator draws from it; on a GPU it is
  /// measured.
  Time least, longest;

  PartitionId partition = kWholeGpu;
  int priority = 0;
  std::optional<Pinning> pinning;
};

/// The logical blocks [first, first + count) of a grid of `total` that a kernel has to do. The
/// pieces of all segments of a node are disjoint and cover the grid.
struct BlockRange {
  std::int64_t first = 0, count = 0;
};
inline BlockRange piece_of(const Kernel& kernel, std::int64_t total) {
  if (kernel.whole <= Time()) return {0, total};
  const auto place = [&](Time at) {
    const auto product = static_cast<__int128>(at.ns()) * total;
    return static_cast<std::int64_t>(product / kernel.whole.ns());
  };
  const std::int64_t first = place(kernel.from);
  return {first, place(kernel.from + kernel.load) - first};
}

/// A node that runs a graph of the user as a whole (`UserGraph`, api.hpp). Nobody can cut it into
/// blocks, so it has all SMs of its partition.
struct Replay {
  TaskIndex task = 0;
  NodeIndex node = 0;
  PartitionId partition = kWholeGpu;
  int priority = 0;
  Time least, longest;  ///< as of a kernel, for the whole graph
};

/// What runs on the CPU for a node: the node itself, or what is done before and after it.
enum class Phase : std::uint8_t { kNode, kBefore, kAfter };

/// A node on a CPU: runs on one core, preempted by more urgent work there.
struct CpuWork {
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::int64_t core = 0;      ///< 0 .. cores-1
  std::int64_t priority = 0;  ///< larger is more urgent; equal ones in the order of submission
  Time load;                  ///< CPU time that synthetic work takes
  Time least, longest;        ///< as of a kernel
  Phase phase = Phase::kNode;
};

enum class Direction { kToDevice, kToHost };

/// A node on a copy engine. An engine does one copy after the other, in the order of submission;
/// the executor decides which goes first.
struct Copy {
  TaskIndex task = 0;
  NodeIndex node = 0;
  std::int64_t engine = 0;  ///< 0 .. copy_engines-1; a machine with fewer takes it modulo
  Direction direction = Direction::kToDevice;
  Time load;            ///< as many bytes as take this long, by the machine's copy model
  Time least, longest;  ///< as of a kernel
};

/// A node of a prepared graph: a kernel, or (without one) a barrier, which takes no time.
struct GraphNode {
  std::optional<Kernel> kernel;
  std::vector<std::uint32_t> after;  ///< nodes that must be complete before; all before this one
};

using GraphId = std::uint32_t;

/// What keeps the order of a prepared graph.
enum class Chaining {
  kGraph,    ///< the machine has it as a whole, and one call launches it
  kStreams,  ///< every kernel is launched by itself: streams, and events between them
};

/// What was seen of one block that had work to do. Times are on the clock of `now()`; on a GPU they
/// come from the device's own timer.
struct BlockSeen {
  std::int32_t sm = 0;  ///< hardware id of the SM it ran on
  Time start, end;
};

/// What was seen of one kernel.
struct KernelSeen {
  Time start, end;  ///< of its first block, of its last
  std::vector<BlockSeen> blocks;
  std::int64_t pieces = 0;       ///< of work it had to do: blocks, or what persistent blocks draw
  std::int64_t pieces_done = 0;  ///< and was done; another number means a lost (or doubled) piece
  /// Of a graph of the user, whose blocks nobody sees: the SMs of the partition that all its kernels
  /// are in.
  std::int64_t partition_width = 0;
};

/// On how many different SMs a kernel ran, or could run where its blocks are not seen.
std::int64_t width_of(const KernelSeen& seen);

/// An operation that has ended.
struct Completion {
  OpId op = 0;
  Time submitted;   ///< when the machine had taken it
  Time start, end;  ///< of the operation itself; of a graph, of its first and last kernel
  /// A launch or a replay: one. A graph: one for each of its nodes, barriers empty. Else none.
  std::vector<KernelSeen> kernels;
  bool failed = false;  ///< ran, but not as asked (a lost block, a time limit); `problem` says why
  std::string problem;
};

/// A machine. All calls come from one thread. An `Error` is one clear line, and then the run
/// has ended: only the destructor is called, which releases everything, also operations in
/// flight.
class Device {
 public:
  virtual ~Device() = default;

  virtual const Capabilities& capabilities() const = 0;

  /// Before `start`, at most once: divides the SMs of the GPU, one partition per entry, at least as
  /// many SMs as asked, disjoint; in the order asked. An `Error` when they do not fit after
  /// rounding up.
  virtual Result<std::vector<Partition>> partition(std::span<const std::int64_t> sms) = 0;

  /// Before `start`: makes a graph ready, to be run any number of times, one run at a time.
  virtual Result<GraphId> prepare(std::span<const GraphNode> nodes, Chaining chaining) = 0;

  /// Whether a graph of the user is bound to this node, which runs as a `Replay` then.
  virtual bool runs_graph(TaskIndex task, NodeIndex node) const = 0;
  /// Which callbacks of the user are bound to this node.
  virtual bool has_callback(TaskIndex task, NodeIndex node, Phase phase) const = 0;

  /// Before `start`: brings a graph of the user into its partition, to be run any number of times,
  /// one run at a time. Says how ("342 kernels moved"); an `Error` says why it cannot be there.
  virtual Result<std::string> prepare(const Replay& replay) = 0;

  /// Prepares everything for which the first operation must not wait (streams, threads, warm
  /// clocks), and sets `now()` to 0.
  virtual std::optional<Error> start() = 0;

  /// Time since `start`, on one clock with all times of this interface.
  virtual Time now() const = 0;

  /// Start something and return at once. Operations are independent of each other: what must come
  /// after something is submitted after its completion. Kernels of one partition and priority are
  /// dispatched in the order of submission, those of a higher priority first, at block boundaries.
  virtual std::optional<Error> launch(const Kernel& kernel, OpId op) = 0;
  virtual std::optional<Error> launch(GraphId graph, OpId op) = 0;
  /// @pre it was prepared for this partition.
  virtual std::optional<Error> launch(const Replay& replay, OpId op) = 0;
  virtual std::optional<Error> run(const CpuWork& work, OpId op) = 0;
  virtual std::optional<Error> copy(const Copy& copy, OpId op) = 0;

  /// Waits until an operation completes, or until `until` (at once when that has passed).
  /// Everything that has completed, in the order of completion; empty when nothing has. In virtual
  /// time, operations that complete at `until` are seen by the wait that ends there. With nothing
  /// in flight and no `until` there is nothing to wait for: empty, at once.
  virtual Result<std::vector<Completion>> wait(std::optional<Time> until) = 0;
};

}  // namespace tactus::runtime
