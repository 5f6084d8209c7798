#include "gpusched.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "reference.hpp"

namespace tactus::pbs::testing {
namespace {

using Jobs = std::uint64_t;  // a set of jobs of the hyperperiod

struct Job {
  std::size_t task;
  std::int64_t arrival, deadline;
};

struct Vertex {
  std::int64_t t = 0;
  Jobs ready = 0, exe = 0;
  std::set<std::int64_t> dom = {};
  Jobs batch = 0;        ///< that led here
  std::int64_t end = 0;  ///< t before fast-forward
  Jobs waiting = 0;      ///< ready before fast-forward
  std::vector<Vertex*> successors = {};
  bool discarded = false;
};

class GpuSched {
 public:
  GpuSched(const System& system, Expansion expansion, Repairs repairs)
      : reference_(system), expansion_(expansion), repairs_(repairs) {
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      const std::int64_t period = system.tasks[i].period->ns() / 1'000'000;
      const std::int64_t deadline = system.tasks[i].deadline->ns() / 1'000'000;
      for (std::int64_t a = 0; a < reference_.hyperperiod(); a += period) {
        jobs_.push_back({i, a, a + deadline});
      }
    }
  }

  /// Algorithm 1.
  bool run() {
    list_.push_back(create({.t = 0, .ready = arrivals(-1, 0)}));
    bool schedulable = false;
    while (!list_.empty()) {
      Vertex* v = take();
      if (v->discarded) continue;
      for (const std::int64_t delta : std::set<std::int64_t>(v->dom)) {
        if (arrivals(v->t, v->t + delta) == 0) continue;
        v->dom.erase(delta);
        split(v, delta);
      }
      if (v->ready == 0) {
        if (arrivals(v->t, reference_.hyperperiod()) == 0) continue;
        fast_forward(v);
      }
      for_each_batch(v->ready, [&](Jobs batch, std::int64_t completion) {
        schedulable = expand(v, batch, completion) || schedulable;
      });
    }
    return schedulable;
  }

 private:
  /// A(x, y]: jobs that arrive after x and not after y.
  Jobs arrivals(std::int64_t x, std::int64_t y) const {
    Jobs found = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (jobs_[j].arrival > x && jobs_[j].arrival <= y) found |= Jobs{1} << j;
    }
    return found;
  }

  /// Whether a frame with this batch may end at t while these jobs wait.
  bool on_time(std::int64_t t, Jobs batch, Jobs waiting) const {
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if ((batch >> j & 1) != 0 && t > jobs_[j].deadline) return false;
      if ((waiting >> j & 1) != 0 && t >= jobs_[j].deadline) return false;
    }
    return true;
  }

  Vertex* create(Vertex vertex) {
    vertex.end = vertex.t;
    vertex.waiting = vertex.ready;
    all_.push_back(std::make_unique<Vertex>(std::move(vertex)));
    return all_.back().get();
  }

  Vertex* take() {
    auto at = list_.begin();
    if (expansion_ == Expansion::kLastInFirstOut) at = list_.end() - 1;
    if (expansion_ == Expansion::kByTime) {
      at = std::min_element(list_.begin(), list_.end(),
                            [](const Vertex* a, const Vertex* b) { return a->t < b->t; });
    }
    Vertex* v = *at;
    list_.erase(at);
    return v;
  }

  /// Every subset of the ready jobs in every order that the oracle accepts; orders that take
  /// equally long once. Small subsets first, quick orders first: the paper leaves it open.
  template <typename Visit>
  void for_each_batch(Jobs ready, Visit visit) {
    for (int size = 1; size <= std::popcount(ready); ++size) {
      std::vector<std::size_t> chosen;
      extend_batch(ready, 0, 0, size, chosen, visit);
    }
  }
  template <typename Visit>
  void extend_batch(Jobs ready, Jobs batch, std::size_t from, int missing,
                    std::vector<std::size_t>& chosen, Visit visit) {
    if (missing == 0) {
      std::vector<std::size_t> order = chosen;  // ascending
      std::set<std::int64_t> completions;
      do {
        if (const auto completion = reference_.completion(order)) completions.insert(*completion);
      } while (std::next_permutation(order.begin(), order.end()));
      for (const std::int64_t completion : completions) visit(batch, completion);
      return;
    }
    for (std::size_t j = from; j < jobs_.size(); ++j) {
      const bool same_task = !chosen.empty() && chosen.back() == jobs_[j].task;
      if ((ready >> j & 1) == 0 || same_task) continue;
      chosen.push_back(jobs_[j].task);
      extend_batch(ready, batch | Jobs{1} << j, j + 1, missing - 1, chosen, visit);
      chosen.pop_back();
    }
  }

  /// Lines 17 to 45; true when a schedulable vertex is added.
  bool expand(Vertex* v, Jobs batch, std::int64_t completion) {
    const std::int64_t t = v->t + completion;
    const Jobs ready = (v->ready & ~batch) | arrivals(v->t, t);
    if (!on_time(t, batch, ready)) return false;
    Vertex* s =
        create({.t = t, .ready = ready, .exe = v->exe | batch, .dom = v->dom, .batch = batch});
    if (repairs_.recheck_deadlines) {
      std::erase_if(s->dom, [&](std::int64_t d) { return !on_time(t + d, batch, ready); });
    }
    for (const auto& other : all_) {
      Vertex* u = other.get();
      if (u == s || u->discarded || u->exe != s->exe || u->ready != s->ready) continue;
      if (s->t >= u->t) {
        absorb(u, *s);
        s->discarded = true;
        break;
      }
      absorb(s, *u);
      discard(u);
    }
    if (s->discarded) return false;
    v->successors.push_back(s);
    const Jobs every = jobs_.size() == 64 ? ~Jobs{0} : (Jobs{1} << jobs_.size()) - 1;
    if (s->exe == every) return true;  // R2
    list_.push_back(s);
    return false;
  }

  /// Merges `from` into the vertex that dominates it.
  void absorb(Vertex* into, const Vertex& from) {
    const std::int64_t delta = from.t - into->t;
    // "In the special case in which Delta = 0 ... we can simply remove."
    if (delta > 0) merge(into, delta);
    if (!repairs_.pass_on_deltas) return;
    for (const std::int64_t x : std::set<std::int64_t>(from.dom)) merge(into, delta + x);
  }

  /// Algorithm 2.
  void merge(Vertex* v, std::int64_t delta) {
    v->dom.insert(delta);
    for (Vertex* k : std::vector<Vertex*>(v->successors)) {
      if (k->discarded) continue;
      if (repairs_.recheck_deadlines && !on_time(k->end + delta, k->batch, k->waiting)) continue;
      const bool forwarded = k->end != k->t;
      if (repairs_.time_before_forward && forwarded && k->end + delta <= k->t) continue;
      const std::int64_t from = repairs_.time_before_forward ? k->end : k->t;
      if (arrivals(from, from + delta) != 0) {
        split(k, delta);
      } else {
        merge(k, delta);
      }
    }
  }

  /// Algorithm 3.
  void split(Vertex* k, std::int64_t delta) {
    const bool before = repairs_.time_before_forward;
    const std::int64_t t = before ? k->end : k->t;
    const Jobs ready = before ? k->waiting : k->ready;
    Vertex s = {.t = t + delta, .ready = ready | arrivals(t, t + delta), .exe = k->exe};
    if (!repairs_.split_beside) s.dom = k->dom;
    Vertex* made = create(std::move(s));
    if (!repairs_.split_beside) k->successors.push_back(made);
    list_.push_back(made);
  }

  /// Algorithm 4.
  void fast_forward(Vertex* v) {
    std::int64_t next = INT64_MAX;
    for (const Job& job : jobs_) {
      if (job.arrival > v->t) next = std::min(next, job.arrival);
    }
    v->dom.clear();
    v->t = next;
    v->ready = arrivals(next - 1, next);
  }

  void discard(Vertex* v) {
    v->discarded = true;
    for (Vertex* k : v->successors) discard(k);
  }

  Reference reference_;
  Expansion expansion_;
  Repairs repairs_;
  std::vector<Job> jobs_;
  std::vector<std::unique_ptr<Vertex>> all_;
  std::deque<Vertex*> list_;
};

}  // namespace

bool gpusched(const System& system, Expansion expansion, Repairs repairs) {
  return GpuSched(system, expansion, repairs).run();
}

}  // namespace tactus::pbs::testing
