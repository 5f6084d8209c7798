#include "tactus/simulate/sm_pool.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/simulate/dispatch.hpp"

namespace tactus::simulate {
namespace {

class SmPool final : public Policy {
 public:
  /// The plan stays alive as long as the policy.
  SmPool(const System& system, std::shared_ptr<const dag::DagPlan> plan)
      : task_(system.tasks[plan->task]), plan_(std::move(plan)), sms_(0, plan_->sms) {
    const dag::Segments segments(task_.graph.size(), plan_->schedule);
    edges_ = dag::natural_edges(task_.graph, segments);
    if (plan_->ordering == dag::Ordering::kPrinted) {
      const auto extra =
          dag::extra_edges(task_.graph, plan_->schedule, segments, dag::Ordering::kPrinted);
      edges_.insert(edges_.end(), extra.begin(), extra.end());
    }
  }

  void expand(const View& view, TaskIndex task, Job& job) override {
    if (task != plan_->task) return;
    launches_.clear();
    const auto& kernels = plan_->schedule.kernels;
    for (std::uint32_t k = 0; k < kernels.size(); ++k) {
      Work block;
      block.node = kernels[k].node;
      block.element = task_.nodes[block.node].on;
      if (kernels[k].is_copy()) {
        const std::uint32_t copy = job.add(copy_of(view, job.number, k, block));
        launches_.push_back({copy, copy});
        continue;
      }
      const Time length = block_length(view.scenario(), job.number, k);
      lengths_.assign(static_cast<std::size_t>(kernels[k].m), length);
      launches_.push_back(add_blocks(view, task, job, block, lengths_));
    }
    for (const auto& [from, to] : edges_) job.precede(launches_[from].end, launches_[to].start);
    if (plan_->ordering == dag::Ordering::kBarriers) add_step_barriers(job);
  }

  void choose(const View&, Choice& choice) override {
    waiting_.walk([&](WorkId id) {
      if (!sms_.has(1)) return WaitingList::Answer::kEnough;
      runs_.push_back({id, sms_.take(1)});
      return WaitingList::Answer::kTaken;
    });
    choice.runs = runs_;
    if (copy_) choice.run(*copy_, 0);
  }

  std::string_view audit(const View& view, const Choice& choice) const override {
    const bool waits = choice.runs.size() < view.ready().size();
    const bool idles = std::ssize(choice.runs) < plan_->sms;
    return waits && idles ? "an SM idles while a block waits" : "";
  }

  void became_ready(const View& view, WorkId id) override {
    if (is_copy(view.work(id))) {
      copy_ = id;
    } else {
      waiting_.add(view, id);
    }
  }
  void finished(const View& view, WorkId id) override {
    const Work& work = view.work(id);
    if (copy_ == id) copy_.reset();
    if (!work.started || is_copy(work)) return;
    sms_.give(work.unit);
    remove(runs_, id);
  }

 private:
  bool is_copy(const Work& work) const { return !task_.nodes[work.node].load; }

  /// Copies come one after another: only one is ready at a time.
  Work copy_of(const View& view, std::uint32_t job, std::uint32_t place, Work copy) const {
    const Node& node = task_.nodes[copy.node];
    copy.preemptible = false;
    copy.remaining =
        view.scenario().length(plan_->task, job, {place, copy.node}, node.bcet, *node.wcet);
    return copy;
  }

  /// Within [load_min / load, 1] of the bound of one wave; all blocks of a kernel take the same.
  Time block_length(const trace::Scenario& scenario, std::uint32_t job, std::uint32_t place) const {
    const dag::Kernel& kernel = plan_->schedule.kernels[place];
    const Node& node = task_.nodes[kernel.node];
    const std::int64_t waves = (kernel.m - 1) / plan_->sms + 1;
    const Time most = Time::from_ns(kernel.c.ns() / waves);
    const Time least = mul_div_up(most, std::min(node.load_min, *node.load).ns(), node.load->ns());
    const trace::Piece what{place, kernel.node, kernel.segment - 1};
    return scenario.length(plan_->task, job, what, least, most);
  }

  /// One work between two steps stands for an edge between any two of their kernels.
  void add_step_barriers(Job& job) const {
    const auto& steps = plan_->schedule.steps;
    for (std::size_t j = 1; j < steps.size(); ++j) {
      const std::uint32_t barrier = add_barrier(job, job.works[launches_[steps[j].begin].start]);
      for (std::uint32_t k = steps[j - 1].begin; k < steps[j - 1].end; ++k) {
        job.precede(launches_[k].end, barrier);
      }
      for (std::uint32_t k = steps[j].begin; k < steps[j].end; ++k) {
        job.precede(barrier, launches_[k].start);
      }
    }
  }

  const Task& task_;
  std::shared_ptr<const dag::DagPlan> plan_;
  std::vector<dag::KernelEdge> edges_;  ///< without the barriers between steps
  std::vector<Launch> launches_;        ///< of the job being expanded
  std::vector<Time> lengths_;
  WaitingList waiting_;
  std::vector<Choice::Run> runs_;
  std::optional<WorkId> copy_;
  UnitPool sms_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_sm_pool(const System& system, const Verdict& verdict) {
  auto plan = std::dynamic_pointer_cast<const dag::DagPlan>(verdict.plan);
  if (!plan) return Error{"there is no plan to run"};
  std::int64_t blocks = 0;
  for (const dag::Kernel& kernel : plan->schedule.kernels) {
    blocks += std::min(kernel.m, kMostBlocks + 1 - blocks);
  }
  if (blocks > kMostBlocks) {
    return Error{
        fmt::format("the plan has more than {} blocks, too many to simulate", kMostBlocks)};
  }
  return std::unique_ptr<Policy>(std::make_unique<SmPool>(system, std::move(plan)));
}

}  // namespace tactus::simulate
