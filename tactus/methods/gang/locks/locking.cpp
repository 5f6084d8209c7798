#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/methods/gang/bound/explain.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/locks/he_bounds.hpp"
#include "tactus/methods/gang/locks/lock_estimate.hpp"
#include "tactus/methods/gang/methods.hpp"
#include "tactus/methods/gang/options.hpp"
#include "tactus/methods/recurrence.hpp"

/// gang.rm-he and gang.wc-he: the accelerator behind a lock, the rest by He et al.
namespace tactus::gang {
namespace {

enum class Baseline { kRmHe, kWcHe };

/// What one choice of k gives.
struct Result {
  Locks locks;
  std::vector<TaskVerdict> tasks;
  bool feasible = true;
  Fraction bound;  ///< of the only DAG
  std::string reason;
};

class Locking {
 public:
  Locking(const System& system, const LockView& view, const Options& options, Baseline baseline)
      : system_(system), view_(view), options_(options), baseline_(baseline) {
    if (baseline == Baseline::kRmHe) {
      for (const LockDag& dag : view.dags) orders_.emplace_back(dag.graph);
    }
    const std::string_view text = options.get("requests");
    if (!text.empty()) requests_ = decimal("requests", text);
  }

  Verdict run() {
    const std::size_t wanted = count_option(options_, "k", 0);
    Result best = with(wanted == 0 ? 1 : static_cast<std::int64_t>(wanted));
    if (wanted == 0) {
      const std::int64_t most = most_partitions(system_, view_);
      for (std::int64_t k = 2; k <= most; ++k) {
        throw_if_stopped(options_.stop);
        if (view_.dags.size() > 1 && best.feasible) break;
        if (hopeless(k, best)) continue;
        Result next = with(k);
        const bool better = view_.dags.size() > 1 ? next.feasible : next.bound < best.bound;
        if (better) best = std::move(next);
      }
    }
    Verdict verdict;
    verdict.status = best.feasible ? Status::kSchedulable : Status::kUnschedulable;
    verdict.reason = best.reason;
    for (TaskVerdict& task : best.tasks) task.details.push_back(lock_table(best.locks));
    verdict.tasks = std::move(best.tasks);
    return verdict;
  }

 private:
  static Fraction decimal(std::string_view name, std::string_view text) {
    const auto scaled = plain_decimal(text, Factor::kScale);
    if (!scaled) throw BadOption(name, "a number of at least 0", text);
    Fraction value(static_cast<long>(*scaled), 1'000'000'000L);
    value.canonicalize();
    return value;
  }

  /// Can `k` partitions not be better than what there is? Every bound is at least the length of its
  /// DAG; several DAGs moreover never fit when their volumes need more than all CPUs.
  bool hopeless(std::int64_t k, const Result& best) const {
    const LockEstimate least = estimate(system_, view_, k, requests_);
    if (view_.dags.size() == 1) return surely_above(least.length[0], best.bound.get_d());
    double load = 0;
    for (std::size_t i = 0; i < view_.dags.size(); ++i) {
      const LockDag& dag = view_.dags[i];
      if (surely_above(least.length[i], static_cast<double>(dag.deadline.ns()))) return true;
      load += least.volume[i] / static_cast<double>(dag.period.ns());
    }
    return surely_above(load, static_cast<double>(view_.cpus));
  }

  Result with(std::int64_t k) {
    throw_if_stopped(options_.stop);
    Result result;
    result.locks = make_locks(system_, view_, k, requests_);
    std::vector<InflatedDag> dags;
    for (const LockDag& dag : view_.dags) {
      dags.push_back(inflate(system_, dag, result.locks));
      result.tasks.push_back({dag.task, std::nullopt, dag.deadline, false, {}});
    }
    if (dags.size() == 1) {
      const HeBound bound = baseline_ == Baseline::kRmHe
                                ? prioritised_bound(dags[0], orders_[0], view_.cpus, options_.stop)
                                : PathList(dags[0], view_.cpus, options_.stop).bound(view_.cpus);
      result.bound = bound.total;
      result.feasible = set_bound(result.tasks[0], dags[0], result.locks, bound, bound.total, {});
    } else if (baseline_ == Baseline::kRmHe) {
      rate_monotonic(dags, result);
    } else {
      federated(dags, result);
    }
    return result;
  }

  /// Fills in a bound `total`, of which `bound` is the DAG's own part and `others` the rest. True
  /// when it meets the deadline.
  bool set_bound(TaskVerdict& task, const InflatedDag& dag, const Locks& locks,
                 const HeBound& bound, const Fraction& total, std::vector<ExactTerm> others) {
    Fraction own, rest = bound.total;
    std::map<ElementIndex, Fraction> blocking;
    for (NodeIndex v : bound.path) {
      const auto& access = dag.source->nodes[v].access;
      const Fraction whole = dag.to_time(dag.wcet[v]);
      rest -= whole;
      own += whole;
      if (!access) continue;
      blocking[access->element] += locks.at(access->element).blocking;
      own -= locks.at(access->element).blocking;
    }
    std::vector<ExactTerm> terms{{{.label = "length"}, own}};
    for (const auto& [element, amount] : blocking) {
      terms.push_back({{.label = "lock blocking", .on = element}, amount});
    }
    terms.push_back({{.label = "interference"}, rest});
    std::move(others.begin(), others.end(), std::back_inserter(terms));
    task.terms = rounded(std::move(terms));
    task.bound = round_up(total);
    task.schedulable = total <= to_fraction(dag.source->deadline);
    return task.schedulable;
  }

  /// Global rate-monotonic: Melani et al., ECRTS 2015, for what higher priorities carry in.
  void rate_monotonic(const std::vector<InflatedDag>& dags, Result& result) {
    std::vector<std::size_t> order(dags.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return view_.dags[a].period < view_.dags[b].period;
    });
    const Fraction m(static_cast<long>(view_.cpus));
    std::vector<Fraction> response(dags.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const std::size_t k = order[rank];
      const HeBound own = prioritised_bound(dags[k], orders_[k], view_.cpus, options_.stop);
      const Fraction deadline = to_fraction(view_.dags[k].deadline);
      const auto carried_in = [&](std::size_t i, const Fraction& window) -> Fraction {
        const Fraction volume = dags[i].to_time(dags[i].volume);
        const Fraction period = to_fraction(view_.dags[i].period);
        const Fraction y = window + response[i] - volume / m;
        if (y <= 0) return 0;
        const Fraction jobs = y / period;
        const mpz_class whole = jobs.get_num() / jobs.get_den();
        return whole * volume + std::min<Fraction>(volume, m * (y - whole * period));
      };
      Fraction r = own.total;
      for (int step = 0; r <= deadline; ++step) {
        throw_if_stopped(options_.stop);
        if (step == kMaxSteps) throw LimitReached("no fixed point of the response time");
        Fraction next = own.total;
        for (std::size_t h = 0; h < rank; ++h) next += carried_in(order[h], r) / m;
        if (next == r) break;
        r = next;
      }
      if (r > deadline) {
        result.feasible = false;
        result.reason = fmt::format("task {} exceeds its deadline {}",
                                    quote(system_.tasks[view_.dags[k].task].name),
                                    format_time(view_.dags[k].deadline, system_.time_unit));
        result.tasks[k].note = "exceeds its deadline";
        for (std::size_t below = rank + 1; below < order.size(); ++below) {
          result.tasks[order[below]].note = "not reached: its bound would need one that failed";
        }
        return;
      }
      response[k] = r;
      std::vector<ExactTerm> others;
      for (std::size_t h = 0; h < rank; ++h) {
        others.push_back({{.label = "preemption", .by = view_.dags[order[h]].task},
                          carried_in(order[h], r) / m});
      }
      set_bound(result.tasks[k], dags[k], result.locks, own, r, std::move(others));
    }
  }

  /// Heavy DAGs get CPUs of their own; light ones are sequential tasks on shared CPUs (EDF).
  void federated(const std::vector<InflatedDag>& dags, Result& result) {
    std::int64_t used = 0;
    std::vector<std::size_t> light;
    std::vector<Fraction> density(dags.size());
    for (std::size_t k = 0; k < dags.size(); ++k) {
      throw_if_stopped(options_.stop);
      const Fraction deadline = to_fraction(view_.dags[k].deadline);
      density[k] = dags[k].to_time(dags[k].volume) / deadline;
      if (density[k] <= 1) {
        light.push_back(k);
        continue;
      }
      const PathList paths(dags[k], view_.cpus, options_.stop);
      const std::int64_t cpus = fewest_cpus(paths, deadline);
      if (cpus > view_.cpus) {
        result.feasible = false;
        result.reason =
            fmt::format("task {} misses its deadline {} even with all {} CPUs",
                        quote(system_.tasks[view_.dags[k].task].name),
                        format_time(view_.dags[k].deadline, system_.time_unit), view_.cpus);
        result.tasks[k].note = "misses its deadline even with all CPUs";
        continue;
      }
      const HeBound bound = paths.bound(cpus);
      set_bound(result.tasks[k], dags[k], result.locks, bound, bound.total, {});
      result.tasks[k].details.push_back(
          {"CPUs", {"kind", "CPUs"}, {{"own", std::to_string(cpus)}}});
      used += cpus;
    }
    std::stable_sort(light.begin(), light.end(),
                     [&](std::size_t a, std::size_t b) { return density[a] > density[b]; });
    std::vector<Fraction> shared;
    for (std::size_t k : light) {
      throw_if_stopped(options_.stop);
      auto cpu = std::find_if(shared.begin(), shared.end(),
                              [&](const Fraction& load) { return load + density[k] <= 1; });
      if (cpu == shared.end()) cpu = shared.insert(shared.end(), Fraction(0));
      *cpu += density[k];
      result.tasks[k].details.push_back(
          {"CPUs", {"kind", "CPU"}, {{"shared", std::to_string(cpu - shared.begin() + 1)}}});
    }
    used += static_cast<std::int64_t>(shared.size());
    if (used > view_.cpus && result.feasible) {
      result.feasible = false;
      result.reason = fmt::format("the tasks need {} CPUs ({} of them shared), there are {}", used,
                                  shared.size(), view_.cpus);
    }
    for (std::size_t k : light) {
      TaskVerdict& task = result.tasks[k];
      task.schedulable = result.feasible;
      task.note = result.feasible ? "in time on a shared CPU (EDF), which gives no smaller bound"
                                  : "on a shared CPU (EDF), which holds only if every task fits";
    }
  }

  /// The fewest with a bound within the deadline, or more than there are. More never hurt.
  std::int64_t fewest_cpus(const PathList& paths, const Fraction& deadline) const {
    std::int64_t low = 1, high = view_.cpus + 1;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (paths.bound(middle).total <= deadline) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  PlanTable lock_table(const Locks& locks) const {
    PlanTable table{
        "Locks",
        {"element", "partitions (k)", "units each", "accesses", "longest access", "blocking (b)"},
        {}};
    const auto shown = [&](const Fraction& time) {
      return format_time(round_up(time), system_.time_unit);
    };
    for (const auto& [element, lock] : locks) {
      table.rows.push_back({system_.platform.elements[element].name,
                            std::to_string(lock.partitions), std::to_string(lock.units),
                            std::to_string(lock.accesses), shown(lock.longest_access),
                            shown(lock.blocking)});
    }
    return table;
  }

  const System& system_;
  const LockView& view_;
  const Options& options_;
  Baseline baseline_;
  std::vector<Reachability> orders_;  ///< of gang.rm-he
  std::optional<Fraction> requests_;
};

template <Baseline kBaseline>
Verdict analyze_locking(const System& system, const Options& options) {
  const auto dags = make_dags(system);
  if (const auto* refusal = std::get_if<Refusal>(&dags)) return Verdict::not_applicable(*refusal);
  const auto view = make_lock_view(system, std::get<std::vector<GangDag>>(dags));
  if (const auto* refusal = std::get_if<Refusal>(&view)) return Verdict::not_applicable(*refusal);
  return Locking(system, std::get<LockView>(view), options, kBaseline).run();
}

constexpr std::string_view kAssumes =
    "one cpu element with sequential nodes; rigid gangs elsewhere; D <= T; the lock's bound is "
    "partly assumed (docs/use/methods/gang.md)";

constexpr OptionSpec kOptions[] = {
    {"k", "N", "partitions of every accelerator (the best)"},
    {"requests", "X", "blocking of a request as X longest accesses, instead of the lock's bound"},
};

constexpr std::string_view kNoLock =
    "its bounds take the smaller of the waits under two lock protocols (FIFO, and one like the "
    "OMLP), and no lock that has both is described";

}  // namespace

const Method kRmHe = {
    .id = "gang.rm-he",
    .title = "accelerators behind locks; prioritised list scheduling, rate-monotonic",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = "a k-exclusion lock around every kernel; global rate-monotonic scheduling",
    .variants = kVariants,
    .analyze = analyze_locking<Baseline::kRmHe>,
    .options = kOptions,
    .behaviour = {.why_none = kNoLock},
    .look = {.part = Part::kFirstRival},
};
const Method kWcHe = {
    .id = "gang.wc-he",
    .title = "accelerators behind locks; work-conserving scheduling, federated CPUs",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = "a k-exclusion lock around every kernel; CPUs of their own for heavy graphs",
    .variants = kVariants,
    .analyze = analyze_locking<Baseline::kWcHe>,
    .options = kOptions,
    .behaviour = {.why_none = kNoLock},
    .look = {.part = Part::kSecondRival, .second = true},  // nearly covers the one above
};

}  // namespace tactus::gang
