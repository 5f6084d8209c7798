#include "tactus/methods/rtgpu/suspension_test.hpp"

#include <algorithm>
#include <utility>

namespace tactus::rtgpu {
namespace {

constexpr ResourceLabels kAcceleratorLabels = {"own suspensions", "accelerator blocking",
                                               "accelerator interference"};

}  // namespace

SuspensionTest::SuspensionTest(const TaskSet& set, std::string_view variant)
    : set_(set), paper_(variant == kPaper), accelerator_(static_cast<ResourceIndex>(set.cores)) {
  for (std::size_t k = set.real_time; k < set.tasks.size(); ++k) {
    const ChainTask& task = set.tasks[k];
    const std::int64_t sms = std::max<std::int64_t>(1, task.min_sms);
    best_effort_ = std::max(best_effort_, longest_suspension(chain_of(task, sms, sms)));
  }
}

std::optional<Workload> SuspensionTest::workload_on(const ChainTask& task,
                                                    const SuspendingChain& chain,
                                                    ResourceIndex resource) const {
  // A measured kernel may take no time with as many SMs: then it is no competitor there.
  if (std::none_of(chain.pieces.begin(), chain.pieces.end(), [&](const Piece& piece) {
        return piece.on == resource && piece.upper > Time();
      })) {
    return std::nullopt;
  }
  return Workload(chain.pieces, resource, task.period, task.deadline);
}

void SuspensionTest::assume(const CountRange& range) {
  cpu_users_.assign(set_.cores, {});
  accelerator_users_ = {};
  blocking_.assign(set_.real_time, {});
  for (std::size_t k = 0; k < set_.real_time; ++k) {
    const ChainTask& task = set_.tasks[k];
    const auto add = [&](const SuspendingChain& chain, ResourceIndex resource, Users& users) {
      if (auto work = workload_on(task, chain, resource))
        users.add(k, task.index, *std::move(work));
    };
    add(chain_of(task, range.least[k], range.most[k]), static_cast<ResourceIndex>(task.core),
        cpu_users_[task.core]);
    const SuspendingChain shortest = chain_of(task, range.most[k], range.most[k]);
    // Printed: blocked only by less urgent suspensions. This makes it unsound.
    if (!paper_) add(shortest, accelerator_, accelerator_users_);
    blocking_[k] = longest_suspension(shortest);
  }
  Time longest = best_effort_;
  for (std::size_t k = set_.real_time; k-- > 0;) {
    const Time own = std::exchange(blocking_[k], longest);
    longest = std::max(longest, own);
  }
  range_ = range;
}

bool SuspensionTest::may_meet(std::size_t k, std::int64_t sms) const {
  return test_of(k, chain_of(set_.tasks[k], sms, sms), least_blocking(k), set_.tasks[k].deadline)
      .bound(Time(), BusWindow::kPerCopy)
      .has_value();
}

std::vector<Term> SuspensionTest::demand(std::size_t k, std::int64_t sms) const {
  return test_of(k, chain_of(set_.tasks[k], sms, sms), least_blocking(k), set_.tasks[k].deadline)
      .terms(Time(), BusWindow::kPerCopy, std::nullopt);
}

void SuspensionTest::look_closer() {
  by_count_ = TimesByCount::make(set_, [this](std::size_t k, std::int64_t sms) {
    return longest_suspension(chain_of(set_.tasks[k], sms, sms));
  });
}

std::optional<std::size_t> SuspensionTest::overloaded(std::int64_t most_steps) {
  constexpr std::int64_t kMostWorkloads = 100'000;
  const auto tasks = static_cast<std::int64_t>(set_.real_time);
  if (paper_ || !by_count_ || set_.sms > kMostWorkloads / (tasks + 1)) return std::nullopt;
  on_count_.clear();
  for (std::size_t k = 0; k < set_.real_time; ++k) {
    const ChainTask& task = set_.tasks[k];
    std::vector<OnCount>& counts = on_count_.emplace_back();
    for (std::int64_t sms = task.min_sms; sms <= (task.has_kernels() ? set_.sms : 0); ++sms) {
      SuspendingChain chain = chain_of(task, sms, sms);
      auto workload = workload_on(task, chain, accelerator_);
      counts.push_back({std::move(chain), std::move(workload)});
    }
  }
  for (std::size_t k = 0; k < set_.real_time && most_steps > 0; ++k) {
    if (!may_meet_sharing(k, most_steps)) return k;
  }
  return std::nullopt;
}

/// XR of a suspension of task k is at least this, whoever has which SMs; nothing when it is beyond
/// the deadline. In each window another way to share may be the best: whatever way is taken, XR is
/// beyond a window whose least demand is.
std::optional<Time> SuspensionTest::least_wait(std::size_t k, std::size_t piece,
                                               std::int64_t& steps) const {
  // With most SMs it may take no time at all: then there is nothing to wait for.
  if (on_count(k, range_.most[k]).chain.pieces[piece].upper == Time()) return Time();
  const Time deadline = set_.tasks[k].deadline, blocking = least_blocking(k);
  const std::vector<std::int64_t> once(k + 1, 1);
  for (Time window = blocking; window <= deadline;) {
    steps -= static_cast<std::int64_t>(k + 1) * set_.sms;
    if (steps <= 0) return window;
    const auto works = TimesByCount::make(set_, k + 1, [&](std::size_t i, std::int64_t sms) {
      const OnCount& at = on_count(i, sms);
      if (i == k) return at.chain.pieces[piece].upper;
      return at.workload ? at.workload->at(window) : Time();
    });
    if (!works) return window;
    const __int128 least =
        works->least_sum(once, range_.least, range_.most, range_.spare) + blocking.ns();
    if (least <= window.ns()) return window;
    if (least > deadline.ns()) return std::nullopt;
    window = Time::from_ns(static_cast<std::int64_t>(least));
  }
  return std::nullopt;
}

bool SuspensionTest::may_meet_sharing(std::size_t k, std::int64_t& steps) const {
  SuspendingChain on_core;
  Time waits;
  const SuspendingChain& chain = on_count(k, range_.most[k]).chain;
  for (std::size_t i = 0; i < chain.pieces.size(); ++i) {
    if (chain.pieces[i].on != accelerator_) {
      on_core.pieces.push_back(chain.pieces[i]);
      continue;
    }
    const auto wait = least_wait(k, i, steps);
    if (!wait) return false;
    waits += *wait;
  }
  if (waits > set_.tasks[k].deadline) return false;
  return test_of(k, on_core, Time(), set_.tasks[k].deadline)
      .bound(waits, BusWindow::kPerCopy)
      .has_value();
}

bool SuspensionTest::raise(CountRange& range) {
  if (!by_count_) return false;
  bool raised = false;
  assume(range);
  Time bearable = Time::max();  // by the most urgent of the tasks so far
  for (std::size_t k = 0; k < set_.real_time; ++k) {
    if (bearable < Time::max()) {
      const auto fewest = by_count_->fewest(k, bearable);
      const std::int64_t count = fewest.value_or(set_.sms + 1);
      if (count > range.least[k]) {
        range.least[k] = std::min(count, range.most[k] + 1);
        raised = true;
      }
    }
    bearable = std::min(bearable, longest_bearable(k, range.most[k]));
  }
  return raised;
}

std::int64_t SuspensionTest::steps(std::size_t k) const {
  const auto segments = static_cast<std::int64_t>((k + 1) * set_.tasks[k].chain.size());
  return by_count_ ? 2 * segments + range_.spare : segments;
}

std::optional<Time> SuspensionTest::response(std::size_t k, std::int64_t sms, Time limit) const {
  return test_of(k, chain_of(set_.tasks[k], sms, sms), blocking_[k], limit)
      .bound(Time(), BusWindow::kPerCopy);
}

std::vector<TaskReport> SuspensionTest::reports(const Counts& counts, const Options& options) {
  assume({counts, counts, 0});
  std::vector<TaskReport> all;
  for (std::size_t k = 0; k < set_.real_time; ++k) {
    check_stop(options);
    const SuspendingChain chain = chain_of(set_.tasks[k], counts[k], counts[k]);
    const ResponseTest test = test_of(k, chain, blocking_[k], set_.tasks[k].deadline);
    TaskReport& report = all.emplace_back();
    report.bound = test.bound(Time(), BusWindow::kPerCopy);
    report.terms = test.terms(Time(), BusWindow::kPerCopy, report.bound);
    for (std::size_t i = 0; i < chain.pieces.size(); ++i) {
      const bool suspended = chain.pieces[i].on == accelerator_;
      report.segments.push_back({suspended ? "suspension" : "cpu", chain.nodes[i],
                                 test.segment_bound(i), chain.pieces[i].lower});
    }
  }
  return all;
}

/// With `least` SMs, but least times as long as with any count from there to `most`. Absent
/// segments vanish, so that what they separate becomes one suspension.
SuspendingChain SuspensionTest::chain_of(const ChainTask& task, std::int64_t least,
                                         std::int64_t most) const {
  SuspendingChain chain;
  for (const Segment& segment : task.chain) {
    if (segment.absent()) continue;
    const bool cpu = segment.kind == Segment::Kind::kCpu;
    const ResourceIndex on = cpu ? static_cast<ResourceIndex>(task.core) : accelerator_;
    if (cpu || chain.pieces.empty() || chain.pieces.back().on != accelerator_) {
      chain.pieces.push_back({on, {}, {}});
      chain.nodes.push_back({segment.nodes.first, 0});
    }
    Piece& piece = chain.pieces.back();
    const bool kernel = segment.kind == Segment::Kind::kKernel;
    piece.upper += kernel ? segment.kernel.longest(least, Interleaving::kNone) : segment.upper;
    piece.lower +=
        kernel ? segment.kernel.largest_shortest(least, most, Interleaving::kNone) : segment.lower;
    ChainRange& nodes = chain.nodes.back();
    nodes.count = segment.nodes.first + segment.nodes.count - nodes.first;
  }
  return chain;
}

Time SuspensionTest::longest_suspension(const SuspendingChain& chain) const {
  Time longest;
  for (const Piece& piece : chain.pieces) {
    if (piece.on == accelerator_) longest = std::max(longest, piece.upper);
  }
  return longest;
}

/// With the least counts and what is spare: each less urgent task has all of that, or, in a closer
/// look, they share it.
Time SuspensionTest::least_blocking(std::size_t k) const {
  if (!by_count_) return blocking_[k];
  return std::max(best_effort_,
                  by_count_->least_longest(k + 1, range_.least, range_.most, range_.spare));
}

/// The longest blocking with which task k may still meet its deadline, rounded up by less than a
/// thousandth; `Time::max()` where it can bear whatever may block it.
Time SuspensionTest::longest_bearable(std::size_t k, std::int64_t sms) const {
  const SuspendingChain chain = chain_of(set_.tasks[k], sms, sms);
  const auto bears = [&](Time blocking) {
    return test_of(k, chain, blocking, set_.tasks[k].deadline)
        .bound(Time(), BusWindow::kPerCopy)
        .has_value();
  };
  Time low = least_blocking(k), high = set_.tasks[k].deadline;
  if (low >= high || bears(high)) return Time::max();
  while ((high - low).ns() > 1 + high.ns() / 1024) {  // cannot bear `high`
    const Time middle = Time::from_ns(low.ns() + (high.ns() - low.ns()) / 2);
    (bears(middle) ? low : high) = middle;
  }
  return high;
}

ResponseTest SuspensionTest::test_of(std::size_t k, const SuspendingChain& chain, Time blocking,
                                     Time limit) const {
  const std::size_t core = set_.tasks[k].core;
  const auto contention = [&](ResourceIndex resource, const ResourceLabels& labels,
                              const Users& users, bool preemptive, Time wait) {
    const std::size_t above = users.above(k);
    return Contention{resource,
                      &labels,
                      std::span(users.workloads).first(above),
                      std::span(users.tasks).first(above),
                      preemptive,
                      wait};
  };
  ResponseTest test(
      chain.pieces, limit,
      {contention(static_cast<ResourceIndex>(core), kCpuLabels, cpu_users_[core], true, Time()),
       contention(accelerator_, kAcceleratorLabels, accelerator_users_, false, blocking)});
  test.bound_segments();
  return test;
}

}  // namespace tactus::rtgpu
