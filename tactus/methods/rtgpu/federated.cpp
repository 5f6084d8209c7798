#include "tactus/methods/rtgpu/federated.hpp"

#include <algorithm>

namespace tactus::rtgpu {
namespace {

constexpr ResourceLabels kBusLabels = {"own copies", "copy blocking", "copy interference"};

std::string_view kind_name(Segment::Kind kind) {
  switch (kind) {
    case Segment::Kind::kCpu:
      return "cpu";
    case Segment::Kind::kCopy:
      return "copy";
    case Segment::Kind::kKernel:
      return "gpu";
  }
  return {};
}

}  // namespace

Time kernel_time(const ChainTask& task, std::int64_t sms) {
  Time sum;
  for (const Segment& segment : task.chain) {
    if (segment.kind != Segment::Kind::kKernel || segment.absent()) continue;
    sum += segment.kernel.longest(sms, Interleaving::kSelf);
  }
  return sum;
}

FederatedAnalysis::FederatedAnalysis(const TaskSet& set, const Options& options)
    : set_(set),
      terms_(options.terms),
      plan_(options.plan),
      users_(set.cores + set.buses),
      blocking_(copy_blocking(set)) {
  for (Users& users : users_) users.reserve(set.real_time);  // tests refer to them
}

std::vector<Piece> FederatedAnalysis::pieces_of(const ChainTask& task, std::int64_t sms) const {
  std::vector<Piece> pieces;
  pieces.reserve(task.chain.size());
  for (const Segment& segment : task.chain) {
    if (segment.kind == Segment::Kind::kCpu) {
      pieces.push_back({core(task), segment.upper, segment.lower});
    } else if (segment.kind == Segment::Kind::kCopy) {
      pieces.push_back({bus(segment.bus), segment.upper, segment.lower});
    } else if (segment.absent()) {
      pieces.push_back({});
    } else {
      pieces.push_back({kPrivate, segment.kernel.longest(sms, Interleaving::kSelf),
                        segment.kernel.shortest(sms, Interleaving::kSelf)});
    }
  }
  return pieces;
}

ResponseTest FederatedAnalysis::test_of(std::size_t k) const {
  const ChainTask& task = set_.tasks[k];
  const std::vector<Piece> pieces = pieces_of(task, std::max<std::int64_t>(task.min_sms, 1));
  std::vector<Contention> contentions;
  for (const Piece& piece : pieces) {
    const auto known = [&](const Contention& c) { return c.resource == piece.on; };
    if (piece.on == kPrivate || std::any_of(contentions.begin(), contentions.end(), known)) {
      continue;
    }
    const Users& users = users_[piece.on];
    const bool cpu = piece.on < set_.cores;
    contentions.push_back({piece.on, cpu ? &kCpuLabels : &kBusLabels, users.workloads, users.tasks,
                           cpu, cpu ? Time() : blocking_[piece.on - set_.cores][k]});
  }
  return ResponseTest(pieces, task.deadline, std::move(contentions));
}

TaskReport FederatedAnalysis::report(std::size_t k, const ResponseTest& test, std::int64_t sms,
                                     BusWindow window, std::optional<Time> bound) const {
  const ChainTask& task = set_.tasks[k];
  const Time kernels = kernel_time(task, sms);
  TaskReport report;
  report.bound = report.per_copy = report.whole_job = bound;
  if (terms_) report.terms = test.terms(kernels, window, bound);
  if (!plan_) return report;
  if (window == BusWindow::kPerCopy) {
    report.whole_job = test.bound(kernels, BusWindow::kWholeJob);
  } else if (bound) {
    // `tight` never exceeds the paper's bound, so the iteration for that may start there.
    report.per_copy = test.bound(kernels, BusWindow::kPerCopy, *bound);
  }
  report.segments.reserve(task.chain.size());
  for (std::size_t i = 0; i < task.chain.size(); ++i) {
    const Segment& segment = task.chain[i];
    if (segment.kind == Segment::Kind::kKernel && !segment.absent()) {
      report.segments.push_back({kind_name(segment.kind), segment.nodes,
                                 segment.kernel.longest(sms, Interleaving::kSelf),
                                 segment.kernel.shortest(sms, Interleaving::kSelf)});
    } else {
      report.segments.push_back(
          {kind_name(segment.kind), segment.nodes, test.segment_bound(i), segment.lower});
    }
  }
  return report;
}

TaskReport FederatedAnalysis::report(std::size_t k, std::int64_t sms, BusWindow window) const {
  ResponseTest test = test_of(k);
  test.bound_segments();
  return report(k, test, sms, window, test.bound(kernel_time(set_.tasks[k], sms), window));
}

void FederatedAnalysis::place(std::size_t k, std::int64_t sms) {
  const ChainTask& task = set_.tasks[k];
  const std::vector<Piece> pieces = pieces_of(task, sms);
  for (const Piece& piece : pieces) {
    if (piece.on == kPrivate || piece.upper == Time()) continue;
    Users& users = users_[piece.on];
    if (!users.ranks.empty() && users.ranks.back() == k) continue;  // its first piece added it
    users.add(k, task.index, Workload(pieces, piece.on, task.period, task.deadline));
  }
}

void FederatedAnalysis::take_back_from(std::size_t k) {
  for (Users& users : users_) users.cut(k);
}

std::vector<TaskReport> analyze_allocation(const TaskSet& set, const Counts& counts,
                                           BusWindow window, const Options& options) {
  FederatedAnalysis analysis(set, options);
  std::vector<TaskReport> reports;
  for (std::size_t k = 0; k < set.real_time; ++k) {
    check_stop(options);
    reports.push_back(analysis.report(k, counts[k], window));
    analysis.place(k, counts[k]);
  }
  return reports;
}

}  // namespace tactus::rtgpu
