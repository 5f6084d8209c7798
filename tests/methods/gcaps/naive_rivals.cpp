#include <algorithm>
#include <limits>

#include "tests/methods/gcaps/naive.hpp"

/// The driver's round robin, MPCP and FMLP+.
namespace tactus::gcaps::naive {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// ceil(g / L); a segment without GPU work has no slices.
std::int64_t slices(const Set& set, Ns g) { return g == 0 ? 0 : jobs(g, set.L, 0); }

/// I(nu, g).
Ns interleaving(const Set& set, std::int64_t nu, Ns g) {
  return (set.L + set.theta) * nu * slices(set, g);
}

/// GPU work that is cut into slices: a copy takes none, and what follows it begins anew.
std::vector<Ns> sliced(const Set& set, bool safe, const Task& i) {
  std::vector<Ns> pieces;
  for (std::size_t k = 0; k < i.gpu_nodes.size(); ++k) {
    const GpuNode& node = i.gpu_nodes[k];
    if (node.copy && safe) continue;
    const bool follows = k > 0 && i.gpu_nodes[k - 1].segment == node.segment;
    const bool anew =
        !follows || (safe && i.gpu_nodes[k - 1].copy && set.without != Row::kSlicesAfterCopies);
    if (anew || pieces.empty()) pieces.push_back(0);
    pieces.back() += node.time;
  }
  return pieces;
}

/// Slices that begin because a kernel waited for its launch.
std::int64_t after_launches(const Set& set, bool safe, const Task& i) {
  std::int64_t count = 0;
  for (std::size_t k = 1; safe && k < i.gpu_nodes.size(); ++k) {
    const std::size_t segment = i.gpu_nodes[k].segment;
    const bool waits = i.segments[segment].overlap > 0 && i.gpu_nodes[k - 1].segment == segment;
    count += waits && set.without != Row::kSlicesAfterLaunches ? 1 : 0;
  }
  return count;
}

Ns copy_time(const Task& i) {
  Ns sum = 0;
  for (const GpuNode& node : i.gpu_nodes) sum += node.copy ? node.time : 0;
  return sum;
}

bool contains(const Tasks& tasks, const Task* task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

/// CPU preemption under a locking protocol.
std::vector<Demand> preemption(const Set& set, bool busy, const Task& i,
                               const Responses& responses) {
  std::vector<Demand> demands;
  for (const Task* h : set.hpp(i)) {
    const Ns d = h->C + (busy ? h->G() : h->Gm());
    demands.push_back({d, *h->T, responses.at(h->name) - d});
  }
  return demands;
}

Tasks without(Tasks tasks, const Task& i) {
  std::erase(tasks, &i);
  return tasks;
}

/// A real-time task with higher CPU priority than x; every real-time task is higher than a
/// best-effort one.
bool higher(const Task& y, const Task& x) {
  return !y.best_effort && (x.best_effort || y.pi > x.pi);
}

/// W(x, k) for every request k of x.
std::vector<Ns> request_lengths(const Set& set, bool safe, const Task& x) {
  Ns inside = 0;
  if (!safe) {
    for (const Task* y : set.gpu()) {
      if (higher(*y, x)) inside += y->longest();
    }
  }
  std::vector<Ns> lengths;
  for (const Segment& segment : x.segments) lengths.push_back(segment.G() + inside);
  return lengths;
}

std::int64_t cap(bool safe, const Task& l, Ns R) {
  if (!l.T || (safe && l.best_effort)) return kUnlimited;
  return jobs(R, *l.T, safe ? l.D : l.D - l.C - l.Gm());
}

struct Request {
  Ns length = 0;
  std::int64_t times = 0;
};

/// The longest requests, each at most `times` times, `count` in all.
Ns longest(std::vector<Request> requests, std::int64_t count) {
  std::sort(requests.begin(), requests.end(),
            [](const Request& a, const Request& b) { return a.length > b.length; });
  Ns sum = 0;
  for (const Request& request : requests) {
    const std::int64_t taken = std::min(count, request.times);
    sum += taken * request.length;
    count -= taken;
  }
  return sum;
}

}  // namespace

std::optional<Ns> mpcp_bound(const Set& set, bool busy, bool safe, const Task& i,
                             const Responses& responses) {
  struct Higher {
    Ns SW = 0, T = 1, Jg = 0;
  };
  std::vector<Higher> hp;
  Tasks lp;
  for (const Task* x : without(set.gpu(), i)) {
    if (!higher(*x, i)) {
      lp.push_back(x);
      continue;
    }
    Ns sum = 0;
    for (const Ns length : request_lengths(set, safe, *x)) sum += length;
    const Ns Rh = responses.at(x->name);
    hp.push_back({sum, *x->T, safe ? Rh - x->G() : Rh - x->C - x->Gm()});
  }
  Ns longest_lower = 0;
  for (const Task* x : lp) {
    for (const Ns length : request_lengths(set, safe, *x)) {
      longest_lower = std::max(longest_lower, length);
    }
  }
  // F8 and F11: who comes at either end of the wait counts too.
  const Ns ends = safe && set.without != Row::kEndOfWait ? 1 : 0;
  const Ns first = safe ? std::max<Ns>(longest_lower, 1) : longest_lower;
  const std::optional<Ns> b = fixed_point(first, limit(set, i), [&](Ns now) {
    Ns delay = longest_lower;
    for (const Higher& h : hp) delay += jobs(now + ends, h.T, h.Jg) * h.SW;
    return delay;
  });
  const std::vector<Demand> cpu = preemption(set, busy, i, responses);
  const Ns own = i.C + i.G();
  // F10: the window is closed on the right.
  const Ns closing = safe && i.ends_in_request && set.without != Row::kEndOfWindow ? 1 : 0;
  return fixed_point(std::max<Ns>(own, 1), limit(set, i), [&](Ns window) {
    const Ns R = window + closing;
    Ns sum = own + total(cpu, R);
    if (i.eta() > 0) {
      for (const Higher& h : hp) {
        std::int64_t count = jobs(R, h.T, h.Jg);
        if (b) count = std::min(count, i.eta() * jobs(*b + ends, h.T, h.Jg));
        sum += count * h.SW;
      }
      std::vector<Request> lower;
      for (const Task* x : lp) {
        for (const Ns length : request_lengths(set, safe, *x)) {
          lower.push_back({length, cap(safe, *x, R)});
        }
      }
      sum += longest(lower, i.eta());
    }
    for (const Task* x : set.llp(i)) {
      std::vector<Request> boosts;
      for (const Segment& segment : x->segments) {
        boosts.push_back({busy && safe ? segment.G() : segment.m, cap(safe, *x, R)});
      }
      sum += longest(boosts, i.eta() + 1);
    }
    return sum;
  });
}

namespace {

/// req_x(R) of FMLP+.
std::int64_t requests(bool safe, const Task& x, Ns R) {
  if (!x.T || (safe && x.best_effort)) return kUnlimited;
  return x.eta() * jobs(R, *x.T, safe ? x.D : *x.T);
}

}  // namespace

std::optional<Ns> fmlp_bound(const Set& set, bool busy, bool safe, const Task& i,
                             const Responses& responses) {
  const std::vector<Demand> cpu = preemption(set, busy, i, responses);
  const Ns own = i.C + i.G();
  // F10: the window is closed on the right.
  const Ns closing = safe && i.ends_in_request && set.without != Row::kEndOfWindow ? 1 : 0;
  return fixed_point(std::max<Ns>(own, 1), limit(set, i), [&](Ns window) {
    const Ns R = window + closing;
    Ns sum = own + total(cpu, R);
    std::int64_t remote_requests = 0;
    for (const Task* x : without(set.gpu(), i)) {
      const std::int64_t ahead = std::min(i.eta(), requests(safe, *x, R));
      if (x->core != i.core) {
        sum += ahead * x->longest();
        remote_requests += ahead;
      } else if (safe) {
        sum += ahead * x->longest();
      }
    }
    for (const Task* l : set.llp(i)) {
      if (safe) {
        Ns boost = 0;
        for (const Segment& segment : l->segments) {
          boost = std::max(boost, busy ? segment.G() : segment.m);
        }
        sum += std::min(1 + i.eta(), requests(safe, *l, R)) * boost;
      } else {
        const std::int64_t z = std::min(i.eta(), remote_requests);
        sum += std::min(1 + z, requests(safe, *l, R)) * l->longest();
      }
    }
    return sum;
  });
}

namespace {

/// What the authors' program makes of h in hpp(i), by its own words: of the tasks in their order, all
/// that are real-time first, `Nid` counts the users of the GPU above i on other cores, and then
/// those among as many tasks from the first on as come after i.
Demand released_preemption(const Set& set, bool busy, const Task& i, const Task& h) {
  const Ns on_cpu = h.C + h.Gm();
  if (!busy) return {on_cpu, *h.T, h.D - on_cpu};
  if (h.eta() == 0) return {0, *h.T, 0};
  Tasks order = set.by_priority();
  for (const Task& task : set.tasks) {
    if (task.best_effort) order.push_back(&task);
  }
  const auto place =
      static_cast<std::size_t>(std::find(order.begin(), order.end(), &i) - order.begin());
  std::int64_t Nid = 0;
  for (std::size_t hh = 0; hh < place; ++hh) {
    Nid += order[hh]->core != i.core && order[hh]->eta() > 0 ? 1 : 0;
  }
  for (std::size_t lp = 0; lp < order.size() - place - 1; ++lp) Nid += order[lp]->eta() > 0 ? 1 : 0;
  Ns Iid = 0;
  for (const Segment& segment : h.segments) Iid += interleaving(set, Nid, segment.e);
  return {Iid + h.G() + on_cpu, *h.T, 0};
}

}  // namespace

Bounds tsg_rr(const Set& source, bool busy, std::string_view variant) {
  const bool safe = variant.starts_with("safe");
  return settled(source, false, [&](const Set& set) {
    return in_priority_order(set, [&](const Task& i, const Responses& responses) {
      const auto nu = static_cast<std::int64_t>(without(set.gpu(), i).size());
      Ns own = i.C + i.G();
      for (const Ns piece : sliced(set, safe, i)) {
        own += interleaving(set, nu, piece);
        if (safe) own += set.theta * slices(set, piece);
      }
      own += after_launches(set, safe, i) * (nu * (set.L + set.theta) + set.theta);
      if (safe && set.without != Row::kOwnCopies) own += set.copy_waits(i, set.all_but(i, {}));
      const Tasks hpp = set.hpp(i);
      std::int64_t N = 1;
      for (const Task* k : set.gpu()) N += contains(hpp, k) ? 0 : 1;
      std::vector<Demand> demands;
      for (const Task* h : hpp) {
        if (variant == "released") {
          demands.push_back(released_preemption(set, busy, i, *h));
          continue;
        }
        Ns d = h->C + h->Gm();
        if (!busy) {
          demands.push_back({d, *h->T, responses.at(h->name) - d});
          continue;
        }
        for (const Ns piece : sliced(set, safe, *h)) d += interleaving(set, N, piece);
        d += after_launches(set, safe, *h) * N * (set.L + set.theta);
        if (safe) d += copy_time(*h);
        if (safe && set.without != Row::kLocalBusyCopies) {
          d += set.copy_waits(*h, set.all_but(*h, {}));
        }
        demands.push_back({d, *h->T, released(set, *h)});
      }
      return fixed_point(std::max<Ns>(own, 1), limit(set, i),
                         [&](Ns R) { return own + total(demands, R); });
    });
  });
}

Bounds mpcp(const Set& source, bool busy, bool safe) {
  return settled(source, false, [&](const Set& set) {
    return in_priority_order(set, [&](const Task& i, const Responses& responses) {
      return mpcp_bound(set, busy, safe, i, responses);
    });
  });
}

Bounds fmlp(const Set& source, bool busy, bool safe) {
  return settled(source, false, [&](const Set& set) {
    return in_priority_order(set, [&](const Task& i, const Responses& responses) {
      return fmlp_bound(set, busy, safe, i, responses);
    });
  });
}

}  // namespace tactus::gcaps::naive
