#include "tactus/decide/advise.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tactus/decide/difference.hpp"
#include "tactus/decide/knob.hpp"
#include "tactus/decide/shares.hpp"
#include "tactus/decide/shorten.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/model/gpu_element.hpp"

namespace tactus::decide {
namespace {

/// A method in the variant that describes how it is run, and the space it may choose from.
struct Entrant {
  const Method* method = nullptr;
  Deployment deployment;
  std::optional<std::int64_t> spare;  ///< the core of the arbiter
  std::optional<Space> space;
  std::optional<std::vector<Candidate>> listed;  ///< all candidates, where they are few
  std::vector<Best> bests;                       ///< by piece
};

/// A piece of the work that does not depend on the others.
struct Piece {
  std::size_t entrant = 0, index = 0;
  std::size_t first = 0, last = 0;  ///< of the listed candidates
};

class Search {
 public:
  Search(const System& system, const Wish& wish, Advice& advice)
      : system_(system), wish_(wish), advice_(advice) {
    for (const Method* method : wish.methods) enter(*method);
  }

  std::vector<Option> run() {
    cut();
    work();
    std::vector<Option> options;
    for (Entrant& entrant : entrants_) {
      auto option = finished(entrant);
      if (!option) continue;
      // A method can have entered twice, or be what is left of another when its choices are fixed.
      const auto same = std::find_if(options.begin(), options.end(), [&](const Option& each) {
        return each.method == option->method;
      });
      if (same == options.end()) {
        options.push_back(std::move(*option));
      } else if (option->factor > same->factor) {
        *same = std::move(*option);
      }
    }
    return options;
  }

 private:
  Options options_for(const Entrant& entrant) const {
    Options options;
    options.variant = entrant.deployment.variant;
    options.stop = wish_.stop;
    return options;
  }

  void enter(const Method& method) {
    const auto leave_out = [&](std::string why) {
      advice_.left_out.push_back({&method, std::move(why)});
    };
    const Result<Deployment> deployment = deployment_of(method);
    if (!deployment) return leave_out(deployment.error().message);
    const Way way = deployment->way;
    if (!suits(way, wish_.target)) return leave_out("not what --target asks for");
    Entrant entrant{&method, *deployment, {}, {}, {}, {}};
    if (way == Way::kArbiter) {
      entrant.spare = arbiter_core(system_, wish_.open.cores ? CoresOf::kOpen : CoresOf::kFile);
      if (!entrant.spare)
        return leave_out("no core is free of tasks, for tactusd; try --vary cores");
    }
    // What the file gives counts as a candidate, even where it may be given up.
    const bool given = std::any_of(system_.tasks.begin(), system_.tasks.end(),
                                   [](const Task& task) { return task.gpu_priority.has_value(); });
    Open as_given = wish_.open;
    as_given.gpu_priorities = false;
    entrant.space.emplace(system_, wish_.open, entrant.spare);
    const Verdict first =
        analyze(method, entrant.space->system(entrant.space->start()), quick(options_for(entrant)));
    if (first.status == Status::kNotApplicable) return leave_out(first.reason);
    if (given && wish_.open.gpu_priorities) {
      entrants_.push_back(entrant);
      entrants_.back().space.emplace(system_, as_given, entrant.spare);
    }
    entrants_.push_back(std::move(entrant));
  }

  static Options quick(Options options) {
    options.plan = false;
    options.terms = false;
    return options;
  }

  /// Into pieces of equal right: whoever does them, in whatever order, the result is the same.
  void cut() {
    for (std::size_t e = 0; e < entrants_.size(); ++e) {
      Entrant& entrant = entrants_[e];
      entrant.listed = entrant.space->all(wish_.effort.most_listed);
      std::size_t pieces = wish_.effort.restarts;
      if (entrant.listed) {
        constexpr std::size_t kInAPiece = 64;
        pieces = (entrant.listed->size() + kInAPiece - 1) / kInAPiece;
        for (std::size_t k = 0; k < pieces; ++k) {
          pieces_.push_back(
              {e, k, k * kInAPiece, std::min(entrant.listed->size(), (k + 1) * kInAPiece)});
        }
      } else {
        advice_.exhaustive = false;
        for (std::size_t k = 0; k < pieces; ++k) pieces_.push_back({e, k, 0, 0});
      }
      entrant.bests.resize(pieces);
    }
  }

  void do_piece(const Piece& piece) {
    Entrant& entrant = entrants_[piece.entrant];
    Judge judge(*entrant.method, options_for(entrant));
    const Best best =
        entrant.listed
            ? best_of(*entrant.space,
                      std::span(*entrant.listed).subspan(piece.first, piece.last - piece.first),
                      judge, wish_.stop)
            : climb(*entrant.space, judge, wish_.effort, piece.index, wish_.stop);
    const std::lock_guard lock(mutex_);
    entrant.bests[piece.index] = best;
    advice_.analyses += judge.analyses();
    best_ = std::max(best_, best.factor);
    ++done_;
    if (wish_.progress) {
      wish_.progress(fmt::format("{} of {} parts, best factor so far {}", done_, pieces_.size(),
                                 best_ < 0 ? "none" : format_scaled(best_, 3)));
    }
  }

  void work() {
    std::atomic<std::size_t> next = 0;
    const auto take = [&] {
      for (std::size_t k = next++; k < pieces_.size(); k = next++) do_piece(pieces_[k]);
    };
    std::vector<std::jthread> others;
    for (int k = 1; k < wish_.threads; ++k) others.emplace_back(take);
    take();
  }

  std::optional<Option> finished(Entrant& entrant) {
    const auto best =
        std::max_element(entrant.bests.begin(), entrant.bests.end(),
                         [](const Best& a, const Best& b) { return a.factor < b.factor; });
    if (best == entrant.bests.end()) return std::nullopt;
    Option option;
    option.method = entrant.method;
    option.deployment = entrant.deployment;
    option.factor = best->factor;
    option.arbiter_core = entrant.spare;
    const Candidate chosen = best->factor < 0 ? entrant.space->start() : best->candidate;
    option.system = entrant.space->system(entrant.space->renamed(chosen));
    // Chains can be too long at any times, and yet hold with other offsets.
    if (best->factor < 0) shift_offsets(option, options_for(entrant));
    if (option.factor < 0) return std::nullopt;
    write_down(option, entrant);
    return option;
  }

  /// All that was chosen goes into the system: what runs it needs no memory of the search.
  void write_down(Option& option, const Entrant& entrant) {
    Options options = options_for(entrant);
    options.stop = {};
    System& system = option.system;
    fix_gpu_priorities(option, options);
    shorten_chains(option, entrant);
    if (const auto division = best_division(*option.method, system, options, option.factor)) {
      option.shares = division->shares;
      option.factor = division->factor;
      options = with_shares(std::move(options), division->shares);
    }
    if (option.arbiter_core) {
      for (Element& element : system.platform.elements) {
        if (element.kind == ElementKind::kGpu) element.arbiter_core = option.arbiter_core;
      }
    }
    system.deploy =
        Deploy{std::string(option.method->id), std::string(option.deployment.variant), {}};
    option.verdict = analyze(*option.method, system, options);
    leave_cores_alone(option, options);
    const Knob all = {.what = Knob::What::kAllTimes};
    option.exact = is_monotone(all, *option.method, option.verdict);
    options.terms = true;
    option.limit =
        breaks_of(analyze(*option.method, turned(system, all, option.factor + 1), options));
    option.cores = cores_in(option);
    option.sms = sms_in(option);
    option.changes = changes_between(system_, system);
  }

  /// A plan with cores of its own does not look at those of the tasks: they stay as they were.
  void leave_cores_alone(Option& option, const Options& options) const {
    if (dynamic_cast<const gang::SharePlan*>(option.verdict.plan.get()) == nullptr) return;
    System as_before = option.system;
    for (TaskIndex t = 0; t < as_before.tasks.size(); ++t)
      as_before.tasks[t].core = system_.tasks[t].core;
    Verdict verdict = analyze(*option.method, as_before, options);
    if (verdict.status != option.verdict.status) return;
    option.system = std::move(as_before);
    option.verdict = std::move(verdict);
  }

  /// How many cores tasks have: those of the plan, where it has its own.
  static std::int64_t cores_in(const Option& option) {
    std::set<std::int64_t> cores;
    std::int64_t own = 0;
    const auto& elements = option.system.platform.elements;
    if (const auto* plan = dynamic_cast<const gang::SharePlan*>(option.verdict.plan.get())) {
      for (const auto& share : plan->shares)
        for (std::size_t e = 0; e < elements.size(); ++e)
          if (elements[e].kind == ElementKind::kCpu) own += share.units[e];
      return own;
    }
    for (const Task& task : option.system.tasks)
      if (task.core) cores.insert(*task.core);
    return static_cast<std::int64_t>(cores.size());
  }

  /// How many SMs its plan uses, where it gives each task its own; else all that the file has.
  static std::int64_t sms_in(const Option& option) {
    const auto& elements = option.system.platform.elements;
    std::int64_t own = 0;
    if (const auto* plan = dynamic_cast<const gang::SharePlan*>(option.verdict.plan.get())) {
      for (const auto& share : plan->shares)
        for (std::size_t e = 0; e < elements.size(); ++e)
          if (elements[e].kind == ElementKind::kGpu) own += share.units[e];
    }
    if (const auto* plan = dynamic_cast<const rtgpu::AllocationPlan*>(option.verdict.plan.get())) {
      for (const auto& entry : plan->entries) own += entry.sms;
    }
    const Element* gpu = gpu_of(option.system);
    return own > 0 || gpu == nullptr ? own : gpu->units;
  }

  /// The method of the same behaviour that takes priorities and thresholds as they are: the first.
  static const Method* taker_of(const Method* chooser) {
    for (const Method* method : registry()) {
      if (method->behaviour.name == chooser->behaviour.name) return method;
    }
    return chooser;
  }

  /// A method that chooses takes the first choice with which every task is in time. Where a chain is
  /// too long then, others are tried; and other offsets, at which all times may grow further.
  void shorten_chains(Option& option, const Entrant& entrant) {
    if (system_.chains.empty()) return;
    const Options options = options_for(entrant);
    if (option.factor < kAsInFile) {
      const Method* taker = taker_of(option.method);
      const Verdict verdict = analyze(*option.method, option.system, options);
      const auto planned = with_priorities_of(verdict.plan.get(), option.system);
      const System& from = planned ? *planned : option.system;
      std::int64_t tried = 0;
      const auto chosen =
          with_gpu_choice_for_chains(*taker, from, options, what_is_open(entrant, *option.method),
                                     wish_.effort.most_analyses, tried);
      advice_.analyses += tried;
      take(option, chosen, *taker, options);
    }
    shift_offsets(option, options);
  }

  /// A method without a choice leaves GPU priorities to those that have one.
  GpuChoice what_is_open(const Entrant& entrant, const Method& method) const {
    GpuChoice what{true, true};
    for (const Task& task : system_.tasks) {
      if (task.gpu_priority && !wish_.open.gpu_priorities) what.order = false;
      for (const Node& node : task.nodes) {
        if (node.gpu_threshold) what.thresholds = false;
      }
    }
    what.order = what.order && entrant.method != taker_of(&method);
    return what;
  }

  void shift_offsets(Option& option, const Options& options) {
    const bool any_fixed =
        std::any_of(system_.chains.begin(), system_.chains.end(),
                    [](const Chain& chain) { return chain.phases == Chain::Phases::kFixed; });
    if (!wish_.open.offsets || !any_fixed) return;
    constexpr std::int64_t kLeast = kAsInFile / 8, kMost = kAsInFile * 8;
    const Knob all = {.what = Knob::What::kAllTimes};
    // Offsets that suit the bounds of longer times leave more room, and less so chains are short.
    for (std::int64_t permille = kLeast; permille <= kMost; permille += permille / 16) {
      const Verdict verdict =
          analyze(*option.method, turned(option.system, all, permille), quick(options));
      ++advice_.analyses;
      const auto shifted = with_offsets_for_chains(option.system, verdict);
      if (!shifted) continue;
      take(option, shifted, *option.method, options);
    }
  }

  /// A system that leaves more room replaces that of an option.
  void take(Option& option, const std::optional<System>& better, const Method& method,
            const Options& options) {
    if (!better) return;
    Judge judge(method, options);
    const auto factor = judge.further(*better, option.factor);
    advice_.analyses += judge.analyses();
    if (!factor) return;
    option.system = *better;
    option.method = &method;
    option.factor = *factor;
  }

  /// The GPU priorities and thresholds that a plan has, written into the system; nothing where they
  /// are as they were.
  static std::optional<System> with_priorities_of(const Plan* made, const System& system) {
    if (const auto* gated = dynamic_cast<const gcaps::boost::BoostPlan*>(made))
      return gcaps::boost::with_choices(system, *gated);
    const auto* plan = dynamic_cast<const gcaps::PriorityPlan*>(made);
    if (plan == nullptr) return std::nullopt;
    System chosen = system;
    bool differs = false;
    for (const auto& entry : plan->entries) {
      Task& task = chosen.tasks[entry.task];
      const auto before = task.gpu_priority ? task.gpu_priority : task.priority;
      differs = differs || before != entry.gpu_priority;
      task.gpu_priority = entry.gpu_priority;
    }
    return differs ? std::optional(std::move(chosen)) : std::nullopt;
  }

  /// A method that chooses GPU priorities chooses others when times grow; what is deployed does not.
  /// So those go into the system that still do at the factor, and the factor is that of the method
  /// which takes them as they are.
  static void fix_gpu_priorities(Option& option, const Options& options) {
    const Method* taker = taker_of(option.method);
    const Knob all = {.what = Knob::What::kAllTimes};
    for (const std::int64_t permille : {option.factor, kAsInFile}) {
      const Verdict verdict =
          analyze(*option.method, turned(option.system, all, permille), options);
      const auto chosen = with_priorities_of(verdict.plan.get(), option.system);
      if (!chosen) continue;
      const auto factor =
          Judge(*taker, options).further(*chosen, std::min(kAsInFile, permille) - 1);
      if (!factor) continue;
      option.system = *chosen;
      option.factor = *factor;
      // With thresholds in the file there is nothing left to search.
      if (dynamic_cast<const gcaps::boost::BoostPlan*>(verdict.plan.get()) != nullptr)
        option.method = taker;
      return;
    }
  }

  const System& system_;
  const Wish& wish_;
  Advice& advice_;
  std::vector<Entrant> entrants_;
  std::vector<Piece> pieces_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::int64_t best_ = kNoFactor;
};

/// A GPU with so many SMs, where the file says what kernels take then.
std::optional<Knob> sms_knob(const System& system) {
  for (const Knob& knob : knobs_of(system)) {
    if (knob.what != Knob::What::kUnits) continue;
    if (system.platform.elements[knob.element].kind == ElementKind::kGpu) return knob;
  }
  return std::nullopt;
}

void rank(std::vector<Option>& options, Goal goal) {
  std::stable_sort(options.begin(), options.end(), [&](const Option& a, const Option& b) {
    if (a.proved() != b.proved()) return a.proved();
    if (goal == Goal::kSms && a.sms != b.sms) return a.sms < b.sms;
    if (a.factor != b.factor) return a.factor > b.factor;
    return a.changes.size() < b.changes.size();
  });
}

/// The best by every method at this number of SMs replace those at more.
/// 0 where none is proved.
std::int64_t fewest_sms(const std::vector<Option>& options) {
  std::int64_t fewest = 0;
  for (const Option& option : options) {
    if (option.proved() && (fewest == 0 || option.sms < fewest)) fewest = option.sms;
  }
  return fewest;
}

void replace(std::vector<Option>& options, std::vector<Option> narrower) {
  for (Option& option : narrower) {
    if (!option.proved()) continue;
    const auto same = std::find_if(options.begin(), options.end(), [&](const Option& each) {
      return each.method == option.method;
    });
    if (same == options.end()) {
      options.push_back(std::move(option));
    } else {
      *same = std::move(option);
    }
  }
}

}  // namespace

Open left_open(const System& system) {
  Open open;
  open.gpu_priorities = true;
  open.priorities = true;
  for (const Task& task : system.tasks) {
    if (task.gpu_priority) open.gpu_priorities = false;
    if (task.priority) open.priorities = false;
  }
  open.offsets = std::all_of(system.tasks.begin(), system.tasks.end(),
                             [](const Task& task) { return task.offset == Time(); });
  return open;  // cores that are missing are open in any case
}

std::optional<std::string> why_no_shares(const System& system, const Wish& wish) {
  std::string why = "no method that may be used divides the SMs";
  for (const Method* method : wish.methods) {
    const Result<Deployment> deployment = deployment_of(*method);
    if (!takes_shares(*method) || !deployment || !suits(deployment->way, wish.target)) continue;
    Options options;
    options.plan = options.terms = false;
    const Verdict verdict = analyze(*method, system, options);
    if (verdict.status != Status::kNotApplicable) return std::nullopt;
    why = fmt::format("{} does not apply: {}", method->id, verdict.reason);
  }
  return why;
}

std::optional<std::string> why_no_fewer_sms(const System& system) {
  if (sms_knob(system)) return std::nullopt;
  for (ElementIndex e = 0; e < system.platform.elements.size(); ++e) {
    if (system.platform.elements[e].kind != ElementKind::kGpu) continue;
    const std::string why = why_units_stay(system, e);
    return why.empty() ? "the file has one SM" : why;
  }
  return "the file has no gpu";
}

Advice advise(const System& system, const Wish& wish) {
  Advice advice;
  advice.options = Search(system, wish, advice).run();
  if (wish.goal == Goal::kSms || wish.sms) {
    const std::optional<Knob> knob = sms_knob(system);
    // Fewer than what a plan uses, halved until one more is needed.
    std::int64_t enough = fewest_sms(advice.options);
    std::int64_t too_few = knob ? range_of(*knob, system).hardest - 1 : enough;
    while (enough - too_few > 1 && !wish.stop.stop_requested()) {
      const std::int64_t units = too_few + (enough - too_few) / 2;
      Advice narrow;
      auto options = Search(turned(system, *knob, units), wish, narrow).run();
      advice.analyses += narrow.analyses;
      const std::int64_t used = fewest_sms(options);
      if (used == 0) {
        too_few = units;
        continue;
      }
      enough = std::min(used, units);
      for (Option& option : options) {
        option.changes = changes_between(system, option.system);
      }
      replace(advice.options, std::move(options));
    }
  }
  rank(advice.options, wish.goal);
  advice.stopped = wish.stop.stop_requested();
  return advice;
}

}  // namespace tactus::decide
