#include "tactus/simulate/federated.hpp"

#include <algorithm>
#include <optional>

#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/simulate/rank_set.hpp"

namespace tactus::simulate {
namespace {

using rtgpu::ChainTask;
using rtgpu::Interleaving;
using rtgpu::Segment;

/// SMs of a task: `count` from `first` on. No other task uses them.
struct Share {
  std::int64_t first = 0, count = 0;
  bool enough = true;
};

/// How a task's SMs are laid out: real-time tasks by the plan, best effort on what is left.
std::vector<Share> share_out(const rtgpu::TaskSet& set, const rtgpu::AllocationPlan& plan,
                             bool exclusive) {
  std::vector<Share> shares(set.tasks.size());
  std::int64_t next = 0;
  for (std::size_t k = 0; k < set.real_time; ++k) {
    shares[k] = {next, plan.entries[k].sms};
    next += shares[k].count;
  }
  for (std::size_t k = set.real_time; k < set.tasks.size(); ++k) {
    const std::int64_t need = set.tasks[k].min_sms;
    if (exclusive) next = 0;  // the task that holds the accelerator is alone on it
    shares[k] = {next, need, need <= set.sms - next};
    if (shares[k].enough) next += need;
  }
  return shares;
}

/// Tasks are known by their rank here: their place in the priority order, best effort last.
class FederatedPolicy : public Policy {
 public:
  FederatedPolicy(const System& system, rtgpu::TaskSet set, const rtgpu::AllocationPlan& plan,
                  bool exclusive)
      : system_(system),
        set_(std::move(set)),
        mode_(plan.interleaved ? Interleaving::kSelf : Interleaving::kNone),
        shares_(share_out(set_, plan, exclusive)),
        rank_of_(system.tasks.size()),
        current_(set_.tasks.size()),
        present_(set_.tasks.size()),
        begun_(set_.tasks.size()),
        asking_(system.platform.elements.size(), RankSet(set_.tasks.size())),
        element_busy_(system.platform.elements.size()) {
    for (std::size_t rank = 0; rank < set_.tasks.size(); ++rank) {
      rank_of_[set_.tasks[rank].index] = rank;
      const auto known = std::find(cores_.begin(), cores_.end(), core_of(rank));
      core_place_.push_back(static_cast<std::size_t>(known - cores_.begin()));
      if (known == cores_.end()) cores_.push_back(core_of(rank));
    }
    on_core_.assign(cores_.size(), RankSet(set_.tasks.size()));
    const auto& elements = system.platform.elements;
    for (ElementIndex i = 0; i < elements.size(); ++i) {
      if (elements[i].kind == ElementKind::kCpu) cpu_ = i;
    }
  }

  void expand(const View& view, TaskIndex task, Job& job) override {
    const std::size_t rank = rank_of_[task];
    const ChainTask& source = set_.tasks[rank];
    if (!shares_[rank].enough) return;
    std::uint32_t run = 0;  // of copies and kernels without a CPU segment between them
    bool outside = false;   // the CPU
    for (std::uint32_t i = 0; i < source.chain.size(); ++i) {
      const Segment& segment = source.chain[i];
      if (segment.absent()) continue;
      const bool kernel = segment.kind == Segment::Kind::kKernel;
      const std::int64_t sms = shares_[rank].count;
      const Time least = kernel ? segment.kernel.shortest(sms, mode_) : segment.lower;
      const Time most = kernel ? segment.kernel.longest(sms, mode_) : segment.upper;
      if (most == Time()) continue;  // measured so, on as many SMs: never requested
      Work work = work_of(source, segment, shares_[rank]);
      // A kernel and the CPU segment of its launch go by the same node.
      const auto which = std::count_if(job.works.begin(), job.works.end(),
                                       [&](const Work& other) { return other.node == work.node; });
      const trace::Piece piece{i, work.node, static_cast<std::uint32_t>(which)};
      work.remaining = view.scenario().length(task, job.number, piece, least, most);
      if (segment.kind != Segment::Kind::kCpu) {
        if (!outside) ++run;
        work.tag = run;
        work.preemptible = false;
      }
      outside = segment.kind != Segment::Kind::kCpu;
      const std::uint32_t index = job.add(work);
      if (index > 0) job.precede(index - 1, index);
    }
  }

  /// A live job of a chain has one ready work, its current one.
  void became_ready(const View& view, WorkId id) override {
    const std::size_t rank = rank_of_[id.task];
    current_[rank] = id;
    present_.insert(rank);
    if (on_cpu(view, rank)) {
      on_core_[core_place_[rank]].insert(rank);
    } else if (asks_at_once(rank)) {
      ask(view, rank);
    }
  }
  void finished(const View& view, WorkId id) override {
    const std::size_t rank = rank_of_[id.task];
    if (current_[rank] != id) return;  // it took no time, and was never ready
    on_core_[core_place_[rank]].erase(rank);
    begun_.erase(rank);
    asking_[view.work(id).element].erase(rank);
    present_.erase(rank);
    current_[rank].reset();
  }

  void choose(const View& view, Choice& choice) override {
    std::fill(element_busy_.begin(), element_busy_.end(), false);
    for (std::size_t rank = begun_.next(); rank != RankSet::kNone; rank = begun_.next(rank + 1)) {
      go(view, rank, choice);  // what has begun goes on
    }
    candidates_.clear();
    add_candidates(view, candidates_);
    std::sort(candidates_.begin(), candidates_.end());
    for (const std::size_t rank : candidates_) {
      const ElementIndex element = work(view, rank).element;
      if (element_busy_[element] && !side_by_side(element)) continue;
      go(view, rank, choice);
      asking_[element].erase(rank);
      begun_.insert(rank);
    }
    fill_cores(view, choice);
  }

  std::string_view audit(const View& view, const Choice& choice) const override {
    for (const WorkId id : view.ready()) {
      const Work& work = view.work(id);
      const std::size_t rank = rank_of_[id.task];
      const auto serves = [&](const Choice::Run& run) {
        if (run.id == id) return true;
        const Work& other = view.work(run.id);
        if (other.element != work.element) return false;
        if (work.tag != 0) return true;  // a copy behind another
        return core_of(rank_of_[run.id.task]) == core_of(rank) && rank_of_[run.id.task] < rank;
      };
      if (std::any_of(choice.runs.begin(), choice.runs.end(), serves)) continue;
      return work.tag == 0 ? "a core idles, or has a task less urgent than one that is ready"
                           : "a copy engine idles while a copy waits";
    }
    return {};
  }

 protected:
  /// Does this task ask for a copy or a kernel as soon as it comes to it?
  virtual bool asks_at_once(std::size_t /*rank*/) const { return true; }
  /// The tasks that may begin their copy or kernel now, where its element is free: of all that ask
  /// for one copy engine the most urgent, and everybody who asks for SMs of its own or for an engine
  /// that is shared.
  virtual void add_candidates(const View& /*view*/, std::vector<std::size_t>& candidates) {
    for (ElementIndex element = 0; element < asking_.size(); ++element) {
      const RankSet& all = asking_[element];
      for (std::size_t rank = all.next(); rank != RankSet::kNone; rank = all.next(rank + 1)) {
        candidates.push_back(rank);
        if (!side_by_side(element)) break;
      }
    }
  }
  /// The core goes to the most urgent task that has something to run on it.
  virtual void fill_cores(const View& /*view*/, Choice& choice) {
    candidates_.clear();
    for (const RankSet& ready : on_core_) {
      if (!ready.empty()) candidates_.push_back(ready.next());
    }
    std::sort(candidates_.begin(), candidates_.end());
    for (const std::size_t rank : candidates_) choice.run(*current_[rank], core_of(rank));
  }

  void ask(const View& view, std::size_t rank) { asking_[work(view, rank).element].insert(rank); }
  bool asking(const View& view, std::size_t rank) const {
    return current_[rank] && asking_[work(view, rank).element].contains(rank);
  }
  /// The most urgent of all that ask.
  std::size_t first_asking() const {
    std::size_t first = RankSet::kNone;
    for (const RankSet& all : asking_) first = std::min(first, all.next());
    return first;
  }
  bool begun(std::size_t rank) const { return begun_.contains(rank); }
  /// The most urgent of all that have a live job.
  std::size_t first_present() const { return present_.next(); }

  bool live(const View& view, std::size_t rank) const {
    return view.job(set_.tasks[rank].index).live;
  }
  bool on_cpu(const View& view, std::size_t rank) const { return work(view, rank).tag == 0; }
  const Work& work(const View& view, std::size_t rank) const { return view.work(*current_[rank]); }
  const std::optional<WorkId>& current(std::size_t rank) const { return current_[rank]; }
  std::uint32_t core_of(std::size_t rank) const {
    return static_cast<std::uint32_t>(system_.tasks[set_.tasks[rank].index].core.value_or(1) - 1);
  }
  const rtgpu::TaskSet& set() const { return set_; }
  const std::optional<ElementIndex>& cpu() const { return cpu_; }

 private:
  Work work_of(const ChainTask& task, const Segment& segment, const Share& share) const {
    Work work;
    work.node = task.order[segment.nodes.first];
    const Node& node = system_.tasks[task.index].nodes[work.node];
    work.element = segment.kind == Segment::Kind::kCpu ? *cpu_ : node.on;
    if (segment.kind == Segment::Kind::kCopy && side_by_side(work.element)) work.width = 0;
    if (segment.kind == Segment::Kind::kKernel) {
      // Where a unit has lanes, a width is in lanes of one unit: the first SM stands for all.
      const std::int64_t lanes = system_.platform.elements[node.on].lanes;
      const std::int64_t units = segment.kernel.units(share.count);
      work.width = static_cast<std::uint32_t>(lanes > 1 ? lanes : units);
    }
    return work;
  }

  bool is_gpu(ElementIndex element) const {
    return system_.platform.elements[element].kind == ElementKind::kGpu;
  }
  /// Kernels on SMs of their own, copies on a shared engine.
  bool side_by_side(ElementIndex element) const {
    return is_gpu(element) || system_.platform.elements[element].sharing == CopySharing::kShared;
  }

  void go(const View& view, std::size_t rank, Choice& choice) {
    const ElementIndex element = work(view, rank).element;
    element_busy_[element] = true;
    choice.run(*current_[rank],
               is_gpu(element) ? static_cast<std::uint32_t>(shares_[rank].first) : 0);
  }

  const System& system_;
  const rtgpu::TaskSet set_;
  Interleaving mode_;
  std::vector<Share> shares_;         ///< by rank
  std::vector<std::size_t> rank_of_;  ///< by task
  std::optional<ElementIndex> cpu_;
  std::vector<std::optional<WorkId>> current_;  ///< by rank
  // Ranks of the tasks that have a live job; and the same by its current work:
  RankSet present_;
  std::vector<RankSet> on_core_;  ///< a CPU segment, by place of the core in `cores_`
  RankSet begun_;                 ///< a copy or kernel that has begun
  std::vector<RankSet> asking_;   ///< by element: one that has not, and that the task asks for
  std::vector<std::uint32_t> cores_;
  std::vector<std::size_t> core_place_;  ///< by rank
  std::vector<bool> element_busy_;       ///< copy engines
  std::vector<std::size_t> candidates_;  ///< of this decision
};

/// The run-time of `self-suspension`: copies and kernels between two CPU segments are one request.
class AcceleratorPolicy final : public FederatedPolicy {
 public:
  using FederatedPolicy::FederatedPolicy;

  std::string_view audit(const View& view, const Choice& choice) const override {
    int served = 0, asking = 0;
    for (const WorkId id : view.ready()) asking += view.work(id).tag != 0 ? 1 : 0;
    for (const Choice::Run& run : choice.runs) served += view.work(run.id).tag != 0 ? 1 : 0;
    if (served > 1) return "the accelerator has two owners";
    return asking > 0 && served == 0 ? "the accelerator idles while a task asks for it" : "";
  }

 private:
  struct Holder {
    std::size_t rank;
    std::uint32_t job, run;
  };
  bool holds(const View& view, std::size_t rank) const {
    return holder_ && holder_->rank == rank && current(rank) &&
           holder_->run == work(view, rank).tag &&
           holder_->job == view.job(set().tasks[rank].index).number;
  }

  /// Whoever holds the accelerator; where nobody does, the most urgent who asks for it.
  void add_candidates(const View& view, std::vector<std::size_t>& candidates) override {
    const std::size_t first = first_asking();
    if (first == RankSet::kNone) return;
    if (holder_ && !holds(view, holder_->rank)) holder_.reset();
    if (!holder_) {
      holder_ = {first, view.job(set().tasks[first].index).number, work(view, first).tag};
    }
    if (asking(view, holder_->rank)) candidates.push_back(holder_->rank);
  }

  std::optional<Holder> holder_;
};

/// The run-time of `stgm`: the most urgent job owns the core from its release to its end. What it
/// has asked for goes on when it loses the core to a more urgent one.
class BusyWaitingPolicy final : public FederatedPolicy {
 public:
  BusyWaitingPolicy(const System& system, rtgpu::TaskSet tasks, const rtgpu::AllocationPlan& plan)
      : FederatedPolicy(system, std::move(tasks), plan, false) {}

  std::string_view audit(const View& view, const Choice& choice) const override {
    const auto most_urgent = owner(view);
    if (!most_urgent || !cpu()) return {};
    const TaskIndex task = set().tasks[*most_urgent].index;
    for (const Choice::Hold& hold : choice.holds) {
      if (hold.task == task) return {};
    }
    for (const Choice::Run& run : choice.runs) {
      if (run.id.task == task && view.work(run.id).element == *cpu()) return {};
    }
    return "the most urgent job does not have the core";
  }

 private:
  /// For the audit: looks through all.
  std::optional<std::size_t> owner(const View& view) const {
    for (std::size_t rank = 0; rank < set().real_time; ++rank) {
      if (live(view, rank)) return rank;
    }
    return std::nullopt;
  }
  std::optional<std::size_t> owner() const {
    const std::size_t first = first_present();
    if (first >= set().real_time) return std::nullopt;
    return first;
  }

  /// Best-effort tasks do; a real-time one when it owns the core.
  bool asks_at_once(std::size_t rank) const override { return rank >= set().real_time; }
  void add_candidates(const View& view, std::vector<std::size_t>& candidates) override {
    const auto most_urgent = owner();
    if (most_urgent && !on_cpu(view, *most_urgent) && !begun(*most_urgent)) {
      ask(view, *most_urgent);
    }
    FederatedPolicy::add_candidates(view, candidates);
  }

  void fill_cores(const View& view, Choice& choice) override {
    const auto most_urgent = owner();
    if (!most_urgent || !cpu()) return FederatedPolicy::fill_cores(view, choice);
    if (on_cpu(view, *most_urgent)) {
      choice.run(*current(*most_urgent), core_of(*most_urgent));
    } else {
      choice.hold(
          {set().tasks[*most_urgent].index, *cpu(), core_of(*most_urgent), trace::Activity::kSpin});
    }
  }
};

bool needs_cpu(const rtgpu::TaskSet& set) {
  for (const ChainTask& task : set.tasks) {
    for (const Segment& segment : task.chain) {
      if (segment.kind == Segment::Kind::kCpu && !segment.absent()) return true;
    }
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<Policy>> make_federated(const System& system, const Verdict& verdict,
                                               Waiting waiting) {
  using Made = Result<std::unique_ptr<Policy>>;
  const auto* plan = dynamic_cast<const rtgpu::AllocationPlan*>(verdict.plan.get());
  if (plan == nullptr) return Error{"there is no allocation of SMs to simulate"};
  auto made = rtgpu::make_task_set(system);
  if (!made) return Error{made.error().reason};
  auto& set = std::get<rtgpu::TaskSet>(made);
  const auto& elements = system.platform.elements;
  const auto is_cpu = [](const Element& element) { return element.kind == ElementKind::kCpu; };
  if (needs_cpu(set) && std::none_of(elements.begin(), elements.end(), is_cpu)) {
    return Error{"kernels are launched by a cpu, but the file describes none"};
  }
  switch (waiting) {
    case Waiting::kSuspend:
      return Made(std::make_unique<FederatedPolicy>(system, std::move(set), *plan, false));
    case Waiting::kSuspendAsOne:
      return Made(std::make_unique<AcceleratorPolicy>(system, std::move(set), *plan, true));
    case Waiting::kBusy:
      break;
  }
  return Made(std::make_unique<BusyWaitingPolicy>(system, std::move(set), *plan));
}

}  // namespace tactus::simulate
