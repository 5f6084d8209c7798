#include "tactus/methods/described.hpp"
#include "tactus/methods/gang/gang_methods.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/locks/lock_bounds.hpp"
#include "tactus/methods/gang/locks/lock_estimate.hpp"
#include "tactus/methods/gang/options.hpp"
#include "tactus/methods/gang/widths.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/methods/views.hpp"

/// gang.rm-he and gang.wc-he: the accelerators behind locks, the rest by He et al. Here: how the
/// accelerators are cut into partitions, the best number of which is searched for.
namespace tactus::gang {
namespace {

enum class Baseline { kRmHe, kWcHe };

/// The accelerators cut into at most k partitions each, and the tasks behind the locks.
struct Cut {
  Partitions partitions;
  LockView view;
};

/// The bounds for one cut, with its locks.
struct Judged {
  Partitions partitions;
  Locks locks;
  LockedBounds bounds;
};

class Locking {
 public:
  Locking(const LockModel& model, const Options& options, Baseline baseline)
      : system_(*model.system), model_(model), options_(options), baseline_(baseline) {
    const std::string_view text = options.get("requests");
    if (!text.empty()) waiting_.requests = decimal("requests", text);
    const std::string_view lock = options.get("lock", "either");
    if (lock == "smlp") {
      waiting_.protocol = Protocol::kSmlp;
      waiting_.published = options.variant != kSafe;
      if (!options.get("k").empty()) {
        throw BadOption("--lock smlp has no partitions: leave --k out");
      }
    }
    if (lock == "fifo") waiting_.protocol = Protocol::kFifo;
    if (lock == "donation") waiting_.protocol = Protocol::kDonation;
    if (waiting_.requests && !options.get("lock").empty()) {
      throw BadOption("--requests says how long a request waits, and so does --lock: give one");
    }
  }

  Verdict run() {
    const bool divides = waiting_.protocol != Protocol::kSmlp;
    const std::size_t wanted = divides ? count_option(options_, "k", 0) : 1;
    std::int64_t best_cut = wanted == 0 ? 1 : static_cast<std::int64_t>(wanted);
    Judged best = judge(cut(best_cut));
    if (wanted == 0) {
      const bool alone = model_.tasks->size() == 1;
      const std::int64_t most = most_partitions(model_);
      for (std::int64_t k = 2; k <= most; ++k) {
        throw_if_stopped(options_.stop);
        if (!alone && best.bounds.feasible) break;
        const Cut& next_cut = cut(k);
        if (hopeless(next_cut, best.bounds)) continue;
        Judged next = judge(next_cut);
        const bool better = alone ? next.bounds.bound < best.bounds.bound : next.bounds.feasible;
        if (better) {
          best = std::move(next);
          best_cut = k;
        }
      }
    }
    if (options_.terms && !best.bounds.feasible) best = judge(cut(best_cut), /*explained=*/true);
    Verdict verdict;
    verdict.status = best.bounds.feasible ? Status::kSchedulable : Status::kUnschedulable;
    verdict.reason = best.bounds.reason;
    verdict.notes = notes_on(system_, *model_.tasks);
    verdict.tasks = std::move(best.bounds.tasks);
    for (TaskVerdict& task : verdict.tasks) task.details.push_back(lock_table(best.locks));
    Widths widths(system_.tasks.size());
    for (const GangTask& task : *model_.tasks) {
      widths[task.task] = widths_of(task, entries_within(task, best.partitions));
    }
    note_widths(verdict, system_, widths);
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

  /// Only moldable gangs make the view depend on k; else it is made once.
  const Cut& cut(std::int64_t k) {
    cut_.partitions =
        waiting_.protocol == Protocol::kSmlp ? fewest_units(model_) : partitions_of(model_, k);
    if (cut_.view.dags.empty() || model_.moldable) {
      cut_.view = make_lock_view(model_, cut_.partitions);
      orders_.clear();
      if (baseline_ == Baseline::kRmHe) {
        for (const LockDag& dag : cut_.view.dags) orders_.emplace_back(dag.graph);
      }
    }
    return cut_;
  }

  /// Is this division surely no better than the best? Every bound is at least the length of its
  /// DAG; several DAGs moreover never fit when their volumes need more than all CPUs.
  bool hopeless(const Cut& cut, const LockedBounds& best) const {
    const LockEstimate least = estimate(system_, cut.view, cut.partitions, waiting_);
    const auto& dags = cut.view.dags;
    if (dags.size() == 1) return surely_above(least.length[0], best.bound.get_d());
    double load = 0;
    for (std::size_t i = 0; i < dags.size(); ++i) {
      if (surely_above(least.length[i], static_cast<double>(dags[i].deadline.ns()))) return true;
      load += least.volume[i] / static_cast<double>(dags[i].period.ns());
    }
    return surely_above(load, static_cast<double>(cut.view.cpus));
  }

  Judged judge(const Cut& cut, bool explained = false) const {
    throw_if_stopped(options_.stop);
    Judged judged{cut.partitions, make_locks(system_, cut.view, cut.partitions, waiting_), {}};
    LockedDags locked{system_, cut.view, judged.locks, {}, options_.stop, explained};
    for (const LockDag& dag : cut.view.dags) {
      locked.dags.push_back(inflate(system_, dag, judged.locks));
      judged.bounds.tasks.push_back({dag.task, std::nullopt, dag.deadline, false, {}});
    }
    if (locked.dags.size() == 1) {
      const std::int64_t cpus = cut.view.cpus;
      const HeBound bound = baseline_ == Baseline::kRmHe
                                ? prioritised_bound(locked.dags[0], orders_[0], cpus, options_.stop)
                                : PathList(locked.dags[0], cpus, options_.stop).bound(cpus);
      judged.bounds.bound = bound.total;
      judged.bounds.feasible = set_bound(judged.bounds.tasks[0], locked, 0, bound, bound.total, {},
                                         locked.task(0).jitter);
    } else if (baseline_ == Baseline::kRmHe) {
      rate_monotonic(locked, orders_, judged.bounds);
    } else {
      federated_cpus(locked, judged.bounds);
    }
    return judged;
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
                            lock.resizes ? "none" : std::to_string(lock.partitions),
                            std::to_string(lock.units), std::to_string(lock.accesses),
                            shown(lock.longest_access), shown(lock.blocking)});
    }
    return table;
  }

  const System& system_;
  const LockModel& model_;
  const Options& options_;
  Baseline baseline_;
  Waiting waiting_;
  Cut cut_;                           ///< the last one
  std::vector<Reachability> orders_;  ///< of its DAGs, for gang.rm-he
};

template <Baseline kBaseline>
Verdict analyze_locking(const System& system, const Options& options) {
  const auto tasks = view_of<TasksOrRefusal>(system, options, [&] { return make_tasks(system); });
  if (const auto* refusal = std::get_if<Refusal>(tasks.get())) {
    return Verdict::not_applicable(*refusal);
  }
  const auto model = make_lock_model(system, std::get<std::vector<GangTask>>(*tasks));
  if (!model) return Verdict::not_applicable(model.error());
  return Locking(std::get<LockModel>(model), options, kBaseline).run();
}

constexpr std::string_view kAssumes =
    "one cpu element with sequential nodes; gangs elsewhere; D <= T; the lock's bound is "
    "partly assumed (docs/use/methods/gang.md)";

constexpr OptionSpec kOptions[] = {
    {"k", "N", "partitions of every accelerator (the best)"},
    {"lock", "either|fifo|donation|smlp",
     "a FIFO queue, priority donation (OMLP, R2DGLP), the smaller of both, or the SMLP"},
    {"requests", "X", "blocking of a request as X longest accesses, instead of the lock's bound"},
};

constexpr std::string_view kNoLock =
    "its bounds take the smaller of the waits under two lock protocols (FIFO, and one like the "
    "OMLP), and no lock that has both is described";

template <Baseline kBaseline>
constexpr Method locking(std::string_view id, std::string_view title, std::string_view needs,
                         Look look) {
  Method method = described(id, title, kPaperTitle, kAssumes);
  method.needs = needs;
  method.variants = kVariants;
  method.analyze = analyze_locking<kBaseline>;
  if (kBaseline == Baseline::kWcHe) {  // the other one has the jitter in its equations
    method.analyze = analyze_on_time<analyze_locking<kBaseline>, Instead::kSporadic>;
  }
  method.options = kOptions;
  method.behaviour.why_none = kNoLock;
  method.look = look;
  return method;
}

}  // namespace

const Method kRmHe = locking<Baseline::kRmHe>(
    "gang.rm-he", "accelerators behind locks; prioritised list scheduling, rate-monotonic",
    "a k-exclusion lock around every kernel; global rate-monotonic scheduling",
    {.part = Part::kFirstRival});
const Method kWcHe = locking<Baseline::kWcHe>(
    "gang.wc-he", "accelerators behind locks; work-conserving scheduling, federated CPUs",
    "a k-exclusion lock around every kernel; CPUs of their own for heavy graphs",
    {.part = Part::kSecondRival, .second = true});  // nearly covers the one above

}  // namespace tactus::gang
