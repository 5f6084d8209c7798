#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tactus/methods/rtgpu/lexicographic.hpp"
#include "tactus/methods/rtgpu/response.hpp"
#include "tactus/methods/rtgpu/spare_sms.hpp"

namespace tactus::rtgpu {

/// A task as the multi-segment self-suspension baseline sees it: CPU segments and suspensions by
/// turns.
struct SuspendingChain {
  std::vector<Piece> pieces;
  std::vector<ChainRange> nodes;  ///< that each piece stands for, from first to last
};

/// The response times of the self-suspension baseline: everything between two CPU segments is one
/// suspension X, and all suspensions share one non-preemptive accelerator. `LexicographicSearch` and
/// `AllocationClimb` say what each function is for.
class SuspensionTest {
 public:
  SuspensionTest(const TaskSet& set, std::string_view variant);

  /// A competitor interferes least on the accelerator with the most SMs (short X^), and on the CPU
  /// with the longest Xv of all counts, so that it comes back late (for kernels that are not
  /// measured that is the Xv of the fewest SMs); it blocks least with the most.
  void assume(const CountRange& range);
  bool may_meet(std::size_t k, std::int64_t sms) const;
  std::vector<Term> demand(std::size_t k, std::int64_t sms) const;
  void look_closer();
  /// A task that could not bear a longer blocking than this keeps every less urgent one from having
  /// a longer suspension, and so gives it a least count. @pre `range` was assumed.
  bool raise(CountRange& range);
  /// Its own suspension, the blocking, and every more urgent task get the spare SMs in the way that
  /// is best for each suspension of the task; the waits for the core are as short as for `may_meet`.
  std::optional<std::size_t> overloaded(std::int64_t most_steps);
  /// Each segment meets each more urgent task.
  std::int64_t steps(std::size_t k) const;

  std::optional<Time> response(std::size_t k, std::int64_t sms, Time limit) const;
  std::vector<TaskReport> reports(const Counts& counts, const Options& options);

 private:
  /// A task with some SMs.
  struct OnCount {
    SuspendingChain chain;
    std::optional<Workload> workload;  ///< on the accelerator; nothing where it takes no time there
  };
  const OnCount& on_count(std::size_t k, std::int64_t sms) const {
    return on_count_[k][static_cast<std::size_t>(sms - set_.tasks[k].min_sms)];
  }
  /// The work of a task on a resource; nothing where it takes no time there.
  std::optional<Workload> workload_on(const ChainTask& task, const SuspendingChain& chain,
                                      ResourceIndex resource) const;
  SuspendingChain chain_of(const ChainTask& task, std::int64_t least, std::int64_t most) const;
  Time longest_suspension(const SuspendingChain& chain) const;
  Time least_blocking(std::size_t k) const;
  std::optional<Time> least_wait(std::size_t k, std::size_t piece, std::int64_t& steps) const;
  bool may_meet_sharing(std::size_t k, std::int64_t& steps) const;
  Time longest_bearable(std::size_t k, std::int64_t sms) const;
  ResponseTest test_of(std::size_t k, const SuspendingChain& chain, Time blocking,
                       Time limit) const;

  const TaskSet& set_;
  bool paper_;
  ResourceIndex accelerator_;
  Time best_effort_;  ///< the longest suspension of a best-effort task
  std::vector<Users> cpu_users_;
  Users accelerator_users_;
  std::vector<Time> blocking_;
  CountRange range_;                      ///< assumed
  std::optional<TimesByCount> by_count_;  ///< the longest suspension, by count: for a closer look
  std::vector<std::vector<OnCount>> on_count_;  ///< by task, from its least count on
};

}  // namespace tactus::rtgpu
