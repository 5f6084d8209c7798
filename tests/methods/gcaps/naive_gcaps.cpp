#include <algorithm>
#include <set>

#include "tests/methods/gcaps/naive.hpp"

/// Response times under GCAPS, and GPU priority assignment.
namespace tactus::gcaps::naive {
namespace {

struct Rule {
  bool busy = false;
  Variant variant = Variant::kSafe;
  bool safe() const { return variant != Variant::kPaper; }
};

/// l_k: local lower tasks whose updates can be in the way.
std::int64_t l(const Set& set, Rule rule, const Task& k) {
  return rule.variant == Variant::kSafe ? set.lambda(k) : 0;
}

/// `safe-inherit`: can an update of a lower local task have inherited a priority above k?
bool lent_above(const Set& set, Rule rule, const Task& k) {
  if (rule.variant != Variant::kSafeInherit || set.llp(k).empty()) return false;
  for (const Task* j : set.gpu()) {
    if (!j->best_effort && j->pi > k.pi) return true;
  }
  return false;
}

/// `count` updates, unless that row is left out.
Ns updates(const Set& set, Row row, std::int64_t count) {
  return set.without == row ? 0 : count * set.eps;
}

/// Updates of others that an owner h can wait for in the segments of one job, as seen by i.
Ns owners_waits(const Set& set, Rule rule, const Task& h) {
  if (rule.variant != Variant::kSafeInherit) {
    const std::int64_t lh = l(set, rule, h);
    return h.eta() * (1 + 2 * lh) * set.eps;
  }
  Ns sum = updates(set, Row::kOwnersEnd, h.eta());
  if (lent_above(set, rule, h)) sum += updates(set, Row::kLentAboveOwner, h.eta());
  return sum;
}

/// How long `times` waits for leavers are, unless the row that says so is left out.
Ns leaving(const Set& set, Rule rule, Row row, std::int64_t times) {
  return rule.safe() && set.without != row ? times * set.d_prime() : 0;
}

std::int64_t kappa(const Set& set, Rule rule) {
  return rule.variant == Variant::kSafeArbiter && set.without != Row::kKappa ? 2 : 1;
}

Tasks with_higher_gpu_priority(const Set& set, const Task& i) {
  Tasks found;
  for (const Task* h : set.real_time()) {
    if (h->pi_g > i.pi_g) found.push_back(h);
  }
  return found;
}

/// What h waits for copies, as others see it; any other task may be below it while levels are open.
Ns copying(const Set& set, Rule rule, Row row, const Task& h, bool final) {
  if (!rule.safe() || set.without == row) return 0;
  return set.copy_waits(h, set.all_but(h, final ? with_higher_gpu_priority(set, h) : Tasks()));
}

Ns blocking(const Set& set, Rule rule, const Task& i, const Tasks& hp) {
  const Ns printed = (i.eta() + 1) * set.eps;
  if (!rule.safe()) return printed;
  Ns leavers = set.without == Row::kOwnCopies ? 0 : set.copy_waits(i, set.all_but(i, hp));
  for (const Task* k : set.gpu()) {
    if (k == &i || std::find(hp.begin(), hp.end(), k) != hp.end()) continue;
    leavers += leaving(set, rule, Row::kOwn, kappa(set, rule) * i.eta());
    break;
  }
  if (rule.variant == Variant::kSafeArbiter) return 2 * i.eta() * set.eps + leavers;
  if (rule.variant == Variant::kSafeInherit) {
    Ns sum = i.eta() * set.eps + updates(set, Row::kSecondRequest, i.eta()) + leavers;
    if (!lent_above(set, rule, i)) return sum;
    sum += updates(set, Row::kLentOnRelease, 1);
    return rule.busy ? sum : sum + updates(set, Row::kLentOnReturn, i.eta());
  }
  const std::int64_t arrivals = rule.busy ? 1 : 1 + 3 * i.eta();
  return leavers + std::max(printed, 2 * i.eta() * set.eps + arrivals * l(set, rule, i) * set.eps);
}

void add_local(const Set& set, Rule rule, const Task& i, const Task& h, Ns Rh, bool final,
               std::vector<Demand>& demands) {
  const Ns updates = 2 * set.eps * h.eta();
  if (rule.busy) {
    const Ns lock_waits = rule.safe() ? 2 * h.eta() * set.eps : 0;
    const Ns leavers = leaving(set, rule, Row::kLocalBusy, kappa(set, rule) * h.eta());
    const Ns copies = copying(set, rule, Row::kLocalBusyCopies, h, final);
    demands.push_back(
        {h.C + (rule.safe() ? h.G() : h.Gm() + h.Ge()) + updates + lock_waits + leavers + copies,
         *h.T, released(set, h)});
  } else if (h.eta() == 0) {
    demands.push_back({h.C, *h.T, released(set, h)});
  } else {
    const Ns on_core = h.C + (set.without == Row::kLaunchesOfOthers ? h.G() - h.Ge() : h.Gm());
    demands.push_back({on_core + updates, *h.T, Rh - on_core});
    if (i.eta() == 0) return;
    const Ns repair = rule.safe() ? owners_waits(set, rule, h) : 0;
    const Ns leavers = leaving(set, rule, Row::kLocalSuspend, h.eta());
    const Ns copies = copying(set, rule, Row::kLocalSuspendCopies, h, final);
    demands.push_back({h.Ge() + repair + leavers + copies, *h.T, Rh - h.Ge()});
  }
}

void add_remote(const Set& set, Rule rule, const Task& h, Ns Rh, bool final,
                std::vector<Demand>& demands) {
  Ns d = h.Ge() + 2 * set.eps * h.eta();
  if (rule.safe()) {
    const std::int64_t lh = lent_above(set, rule, h) ? 1 : l(set, rule, h);
    const Ns b = rule.busy ? (2 * h.eta() + lh) * set.eps : owners_waits(set, rule, h);
    d += h.G() - h.Ge() + b + leaving(set, rule, Row::kRemote, h.eta()) +
         copying(set, rule, Row::kRemoteCopies, h, final);
  }
  demands.push_back({d, *h.T, Rh - h.Ge()});
}

/// Who may own the GPU while i waits for it, or while somebody above i on its core spins for it.
/// `hp` are the tasks with higher GPU priority; `final` says whether their levels are known.
Tasks owners_ahead(const Set& set, Rule rule, const Task& i, const Tasks& hp, bool final) {
  if (i.eta() == 0 && !rule.busy) return {};
  std::optional<std::int64_t> least;  // of the GPU users in hpp(i)
  for (const Task* h : set.hpp(i)) {
    if (h->eta() > 0) least = std::min(least.value_or(h->pi_g), h->pi_g);
  }
  Tasks found;
  for (const Task* h : hp) {
    if (h->core == i.core || h->eta() == 0) continue;
    const bool arbitrated_cpu_only = i.eta() == 0 && rule.variant == Variant::kSafeArbiter;
    if (arbitrated_cpu_only && !least) continue;  // nobody spins on its core, whatever the levels
    if (arbitrated_cpu_only && final && h->pi_g <= *least) continue;
    found.push_back(h);
  }
  return found;
}

/// The test of one task; `hp` are the tasks with higher GPU priority, `R` stands for R_h.
std::optional<Ns> bound_of(const Set& set, Rule rule, const Task& i, const Tasks& hp, bool final,
                           const std::function<Ns(const Task&)>& R) {
  std::vector<Demand> demands;
  for (const Task* h : set.hpp(i)) add_local(set, rule, i, *h, R(*h), final, demands);
  std::set<const Task*> above_owners;
  for (const Task* h : owners_ahead(set, rule, i, hp, final)) {
    add_remote(set, rule, *h, R(*h), final, demands);
    for (const Task* x : set.hpp(*h)) above_owners.insert(x);
  }
  if (rule.safe()) {
    for (const Task* x : above_owners) demands.push_back({x->C, *x->T, R(*x) - x->C});
  }
  const bool waits_for_lock = rule.variant == Variant::kSafeInherit && (rule.busy || i.eta() > 0);
  if (waits_for_lock && set.without != Row::kHolderKeptOff) {
    for (const Task* x : set.real_time()) {
      if (x->core == i.core || x->pi < i.pi || set.llp(*x).empty()) continue;
      if (above_owners.count(x) == 0) demands.push_back({x->C_first, *x->T, R(*x) - x->C_first});
    }
  }
  const Ns fixed = i.C + i.G() + 2 * set.eps * i.eta() + blocking(set, rule, i, hp);
  const bool closed = set.without != Row::kEndOfWindow;
  const Ns closing = rule.safe() && i.ends_on_gpu && set.eps == 0 && closed ? 1 : 0;  // F11
  return fixed_point(std::max<Ns>(fixed, 1), limit(set, i),
                     [&](Ns now) { return fixed + total(demands, now + closing); });
}

/// The plain method: with the file's GPU priorities.
Bounds plain(const Set& set, Rule rule) {
  if (!orders_differ(set)) {
    return in_priority_order(set, [&](const Task& i, const Responses& responses) {
      return bound_of(set, rule, i, with_higher_gpu_priority(set, i), true,
                      [&](const Task& h) { return responses.at(h.name); });
    });
  }
  Bounds bounds;
  for (const Task* i : set.real_time()) {
    auto& bound = bounds[i->name];
    bound = bound_of(set, rule, *i, with_higher_gpu_priority(set, *i), true,
                     [](const Task& h) { return h.D; });
    if (bound) *bound += i->J;
  }
  return bounds;
}

/// Does the order of the levels follow the CPU order on every core?
bool keeps_core_order(const Set& set, const std::map<std::string, std::int64_t>& level) {
  for (const Task* i : set.real_time()) {
    for (const Task* h : set.hpp(*i)) {
      if (level.at(h->name) < level.at(i->name)) return false;
    }
  }
  return true;
}

/// Audsley's search; nothing when there is no assignment.
std::optional<Answer> assign(Set set, Rule rule) {
  Answer answer;
  answer.schedulable = true;
  answer.gpu_priorities.emplace();
  Tasks unassigned = set.by_priority();
  std::reverse(unassigned.begin(), unassigned.end());  // from lowest to highest
  const auto lowest_of_its_core = [&](const Task* candidate) {
    for (const Task* other : unassigned) {
      if (other->core == candidate->core && other->pi < candidate->pi) return false;
    }
    return true;
  };
  for (std::int64_t level = 1; !unassigned.empty(); ++level) {
    const Task* winner = nullptr;
    const auto at_this_level = [&](const Task& i) {
      Tasks hp = unassigned;
      std::erase(hp, &i);
      std::optional<Ns> bound =
          bound_of(set, rule, i, hp, false, [](const Task& h) { return h.D; });
      if (bound) *bound += i.J;
      return bound;
    };
    // How late the unassigned are, at most: each as if it had this level.
    Bounds known = answer.bounds;
    for (const After& after : set.afters) known.try_emplace(after.before, after.b);
    for (bool changed = true; changed;) {
      changed = false;
      for (const After& after : set.afters) {
        for (Task& task : set.tasks) {
          if (task.name == after.task) task.J = *known.at(after.before) - after.b + after.own;
        }
      }
      for (const Task* i : unassigned) {
        const Ns now = at_this_level(*i).value_or(i->D);
        changed = changed || known[i->name] != now;
        known[i->name] = now;
      }
    }
    for (const Task* candidate : unassigned) {
      if (rule.safe() && !lowest_of_its_core(candidate)) continue;
      const std::optional<Ns> bound = at_this_level(*candidate);
      if (!bound) continue;
      winner = candidate;
      answer.bounds[candidate->name] = bound;
      answer.gpu_priorities->emplace(candidate->name, level);
      break;
    }
    if (winner == nullptr) return std::nullopt;
    std::erase(unassigned, winner);
  }
  if (!keeps_core_order(set, *answer.gpu_priorities)) return std::nullopt;
  return answer;
}

}  // namespace

bool orders_differ(const Set& set) {
  for (const Task* a : set.real_time()) {
    for (const Task* b : set.real_time()) {
      if (a->pi > b->pi && a->pi_g < b->pi_g) return true;
    }
  }
  return false;
}

Answer gcaps(const Set& set, bool busy, bool prio, Variant variant) {
  const Rule rule{busy, variant};
  Answer answer;
  answer.bounds =
      settled(set, orders_differ(set), [&](const Set& now) { return plain(now, rule); });
  answer.schedulable = all_found(answer.bounds);
  if (!prio) return answer;
  if (answer.schedulable) {
    answer.gpu_priorities.emplace();
    for (const Task* i : set.real_time()) answer.gpu_priorities->emplace(i->name, i->pi_g);
    return answer;
  }
  if (variant == Variant::kSafeInherit) return answer;  // it allows no other order
  return assign(set, rule).value_or(answer);
}

}  // namespace tactus::gcaps::naive
