#include "tests/simulate/locks.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "tactus/methods/gang/locks/smlp.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/trace/chain_watch.hpp"

namespace tactus::simulate::locks {
namespace {

using gang::LockDag;

/// The longest path through each node, accesses as long as they take and wait at most.
std::vector<mpz_class> paths_through(const gang::InflatedDag& dag) {
  const Graph& graph = dag.source->graph;
  const std::size_t count = dag.wcet.size();
  std::vector<mpz_class> head(count), tail(count), through(count);
  for (NodeIndex v = 0; v < count; ++v) {
    for (const NodeIndex u : graph.predecessors(v)) head[v] = std::max(head[v], head[u]);
    head[v] += dag.wcet[v];
  }
  for (auto v = static_cast<NodeIndex>(count); v-- > 0;) {
    for (const NodeIndex w : graph.successors(v)) {
      tail[v] = std::max<mpz_class>(tail[v], tail[w] + dag.wcet[w]);
    }
    through[v] = head[v] + tail[v];
  }
  return through;
}

/// On which CPUs a task runs: on all, by rate-monotonic priorities; on some of its own; or on one that
/// it shares, by deadlines.
struct Place {
  enum class Kind { kAll, kOwn, kShared } kind = Kind::kAll;
  std::int64_t number = 0;  ///< of own CPUs, or which shared one
};

Place place_of(const TaskVerdict& task, const Verdict& verdict, std::int64_t cpus) {
  for (const PlanTable& table : task.details) {
    if (table.title != "CPUs") continue;
    const auto& row = table.rows.front();
    return {row[0] == "own" ? Place::Kind::kOwn : Place::Kind::kShared, std::stoll(row[1])};
  }
  if (verdict.method == "gang.wc-he") return {Place::Kind::kOwn, cpus};
  return {};
}

class Simulation {
 public:
  Simulation(const System& system, const Verdict& verdict, std::int64_t partitions,
             const Scenario& scenario, std::int64_t jobs, Random& random)
      : system_(system), scenario_(scenario), random_(random), watch_(system) {
    const auto tasks = std::get<std::vector<gang::GangTask>>(gang::make_tasks(system));
    const auto model = std::get<gang::LockModel>(gang::make_lock_model(system, tasks));
    const bool resizes = partitions == kSmlp;
    const gang::Partitions cut =
        resizes ? gang::fewest_units(model) : gang::partitions_of(model, partitions);
    const gang::LockView view = gang::make_lock_view(model, cut);
    const gang::Locks locks = gang::make_locks(
        system, view, cut,
        {.protocol = resizes ? gang::Protocol::kSmlp : gang::Protocol::kFifo, .requests = {}});
    cpus_ = view.cpus;
    for (const auto& [element, lock] : locks) {
      Queue& queue = queues_[element];
      queue.servers = lock.partitions;
      if (!resizes) continue;
      queue.element = &system.platform.elements[element];
      queue.idle = queue.element->units;
      queue.fewest = lock.units;
    }
    Time longest_period;
    for (const LockDag& dag : view.dags) {
      Member& member = members_.emplace_back();
      member.dag = dag;
      for (const TaskVerdict& task : verdict.tasks) {
        if (task.task == dag.task) member.place = place_of(task, verdict, cpus_);
      }
      const std::vector<mpz_class> through = paths_through(gang::inflate(system, dag, locks));
      member.order.resize(dag.nodes.size());
      std::iota(member.order.begin(), member.order.end(), NodeIndex{0});
      if (member.place.kind == Place::Kind::kAll) {
        std::stable_sort(member.order.begin(), member.order.end(),
                         [&](NodeIndex a, NodeIndex b) { return through[a] > through[b]; });
      } else {  // any order will do
        for (std::size_t i = member.order.size(); i > 1; --i) {
          const auto other = random.integer(0, static_cast<std::int64_t>(i) - 1);
          std::swap(member.order[i - 1], member.order[static_cast<std::size_t>(other)]);
        }
      }
      for (const auto& node : dag.nodes) {
        member.most.push_back(!node.access ? node.wcet
                                           : Time::from_ns(whole(gang::access_length(
                                                 system.platform.elements[node.access->element],
                                                 *node.access, locks.at(node.access->element)))));
      }
      longest_period = std::max(longest_period, dag.period);
    }
    ranked_.resize(members_.size());
    std::iota(ranked_.begin(), ranked_.end(), std::size_t{0});
    std::stable_sort(ranked_.begin(), ranked_.end(), [&](std::size_t a, std::size_t b) {
      return members_[a].dag.period < members_[b].dag.period;
    });
    horizon_ = longest_period * jobs;
    seen_.longest.resize(system.tasks.size());
  }

  Seen run() {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const Task& task = task_of(k);
      if (task.after) continue;
      const Time own = Time::from_ns(random_.integer(0, members_[k].dag.period.ns()));
      arrives(k, scenario_.offsets_of_file ? task.offset : own);
    }
    constexpr int kMostEvents = 20'000;
    for (int events = 0; events < kMostEvents && !seen_.overran; ++events) {
      const std::vector<Part> running = chosen();
      std::optional<Time> next;
      const auto look = [&](Time at) { next = std::min(next.value_or(at), at); };
      if (!releases_.empty()) look(releases_.begin()->first);
      for (const Part& part : running) look(now_ + left(part));
      for (const auto& [element, queue] : queues_) {
        for (const Part& part : queue.held) look(now_ + left(part));
      }
      if (!next) break;
      advance(*next - now_, running);
      now_ = *next;
      end_what_is_done(running);
      release_what_is_due();
    }
    seen_.chains = watch_.take();
    return std::move(seen_);
  }

 private:
  struct Job {
    Time arrival;
    std::vector<std::size_t> missing;  ///< by node: predecessors that have not ended
    std::vector<Time> left;
    enum class State { kWaits, kReady, kRequested, kEnded };
    std::vector<State> state;
    std::size_t open = 0;
    bool begun = false;
  };
  struct Member {
    LockDag dag;
    Place place;
    std::vector<NodeIndex> order;  ///< the most urgent first
    std::vector<Time> most;        ///< how long each node may take
    std::optional<Job> job;
    bool late_before = false;
  };
  struct Part {
    std::size_t member;
    NodeIndex node;
    std::int64_t units = 0;  ///< of an access under an SMLP: what it has
  };
  struct Queue {
    std::int64_t servers = 1;
    std::deque<Part> waiting;
    std::vector<Part> held;
    const Element* element = nullptr;  ///< of an SMLP
    std::int64_t idle = 0, fewest = 1;
    std::vector<Part> late;  ///< its priority queue
  };
  struct Release {
    std::size_t member;
    Time arrival;
  };

  static std::int64_t whole(const gang::Fraction& time) {
    const mpz_class down = time.get_num() / time.get_den();
    return down.get_si();
  }
  const Task& task_of(std::size_t k) const { return system_.tasks[members_[k].dag.task]; }
  Job& job_of(const Part& part) { return *members_[part.member].job; }
  Time& left(const Part& part) { return job_of(part).left[part.node]; }
  bool is_access(const Part& part) const {
    return members_[part.member].dag.nodes[part.node].access.has_value();
  }

  Time lateness(Member& member, const Task& task) {
    switch (scenario_.jitter) {
      case Jitter::kNone:
        return {};
      case Jitter::kLate:
        return task.jitter;
      case Jitter::kBurst:
        member.late_before = !member.late_before;
        return member.late_before ? task.jitter : Time();
      case Jitter::kUniform:
        break;
    }
    return Time::from_ns(random_.integer(0, task.jitter.ns()));
  }

  void arrives(std::size_t k, Time arrival) {
    if (arrival > horizon_) return;
    releases_.emplace(arrival + lateness(members_[k], task_of(k)), Release{k, arrival});
  }

  void release_what_is_due() {
    while (!releases_.empty() && releases_.begin()->first <= now_) {
      const auto [k, arrival] = releases_.begin()->second;
      releases_.erase(releases_.begin());
      Member& member = members_[k];
      if (member.job) {
        seen_.overran = true;
        return;
      }
      ++seen_.jobs;
      Job& job = member.job.emplace();
      const std::size_t count = member.dag.nodes.size();
      job.arrival = arrival;
      job.open = count;
      job.missing.resize(count);
      job.state.resize(count, Job::State::kWaits);
      for (NodeIndex v = 0; v < count; ++v) {
        job.missing[v] = member.dag.graph.predecessors(v).size();
        const std::int64_t most = member.most[v].ns();
        job.left.push_back(
            Time::from_ns(scenario_.longest ? most : random_.integer(most - most / 2, most)));
      }
      for (NodeIndex v = 0; v < count; ++v) {
        if (job.missing[v] == 0) becomes_ready({k, v});
      }
      const Task& task = task_of(k);
      if (task.after || !task.period) continue;
      const Time more =
          scenario_.exact ? Time() : Time::from_ns(random_.integer(0, task.period->ns() / 3));
      arrives(k, arrival + *task.period + more);
    }
  }

  void becomes_ready(const Part& part) {
    job_of(part).state[part.node] = Job::State::kReady;
    // On a CPU that is shared, a job is one thread: it asks when it gets there.
    const bool at_once = members_[part.member].place.kind != Place::Kind::kShared;
    if (is_access(part) && at_once) request(part);
  }

  void request(const Part& part) {
    job_of(part).state[part.node] = Job::State::kRequested;
    Queue& queue = queues_.at(members_[part.member].dag.nodes[part.node].access->element);
    if (queue.element != nullptr) {
      queue.late.push_back(part);
    } else {
      queue.waiting.push_back(part);
    }
    grant(queue);
  }

  /// Of two requests: is the first one of a more urgent job, or further up in its graph's order?
  bool more_urgent(const Part& a, const Part& b) const {
    const auto rank = [&](const Part& part) {
      const auto& order = members_[part.member].order;
      return std::pair(std::find(ranked_.begin(), ranked_.end(), part.member),
                       std::find(order.begin(), order.end(), part.node) - order.begin());
    };
    return rank(a) < rank(b);
  }

  void grant_resized(Queue& queue) {
    const auto refill = [&] {
      while (!queue.late.empty() && std::ssize(queue.waiting) < cpus_) {
        const auto next =
            std::min_element(queue.late.begin(), queue.late.end(),
                             [&](const Part& a, const Part& b) { return more_urgent(a, b); });
        queue.waiting.push_back(*next);
        queue.late.erase(next);
      }
    };
    for (refill(); !queue.waiting.empty() && queue.idle >= queue.fewest; refill()) {
      Part part = queue.waiting.front();
      queue.waiting.pop_front();
      const gang::Access& access = *members_[part.member].dag.nodes[part.node].access;
      const auto length = [&](std::int64_t units) {
        return gang::resized_length(*queue.element, access, units);
      };
      part.units = queue.idle;
      while (part.units > queue.fewest && length(part.units - 1) == length(queue.idle))
        --part.units;
      queue.idle -= part.units;
      // `left` was drawn for the fewest units.
      left(part) = Time::from_ns(left(part).ns() * length(part.units).ns() /
                                 std::max<std::int64_t>(length(queue.fewest).ns(), 1));
      queue.held.push_back(part);
      begins(part);
    }
  }

  void grant(Queue& queue) {
    if (queue.element != nullptr) return grant_resized(queue);
    while (!queue.waiting.empty() && std::ssize(queue.held) < queue.servers) {
      queue.held.push_back(queue.waiting.front());
      queue.waiting.pop_front();
      begins(queue.held.back());
    }
  }

  /// A job reads when its first node begins.
  void begins(const Part& part) {
    Job& job = job_of(part);
    if (std::exchange(job.begun, true)) return;
    watch_.starts(members_[part.member].dag.task, now_);
  }

  std::vector<NodeIndex> ready_on_cpu(std::size_t k) const {
    const Member& member = members_[k];
    std::vector<NodeIndex> found;
    for (const NodeIndex v : member.order) {
      if (member.job && member.job->state[v] == Job::State::kReady && !is_access({k, v})) {
        found.push_back(v);
      }
    }
    return found;
  }

  /// The CPU work that runs now.
  std::vector<Part> chosen() {
    std::vector<Part> running;
    std::int64_t free = cpus_;
    std::map<std::int64_t, std::vector<std::size_t>> shared;  // by CPU: who has a job
    for (const std::size_t k : ranked_) {
      const Member& member = members_[k];
      if (!member.job) continue;
      if (member.place.kind == Place::Kind::kShared) {
        shared[member.place.number].push_back(k);
        continue;
      }
      std::int64_t own = member.place.kind == Place::Kind::kOwn ? member.place.number : free;
      for (const NodeIndex v : ready_on_cpu(k)) {
        if (own-- <= 0) break;
        if (member.place.kind == Place::Kind::kAll) --free;
        running.push_back({k, v});
      }
    }
    for (auto& [cpu, members] : shared) {
      std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
        return deadline_of(a) < deadline_of(b);
      });
      for (const std::size_t k : members) {
        if (const auto part = next_of_thread(k)) {
          running.push_back(*part);
          break;
        }
        if (scenario_.spins) break;
      }
    }
    for (const Part& part : running) begins(part);
    return running;
  }

  Time deadline_of(std::size_t k) const { return members_[k].job->arrival + *task_of(k).deadline; }

  /// What a job that is one thread does with its CPU; nothing while it waits for an accelerator.
  std::optional<Part> next_of_thread(std::size_t k) {
    const Job& job = *members_[k].job;
    if (std::count(job.state.begin(), job.state.end(), Job::State::kRequested) > 0) return {};
    for (NodeIndex v = 0; v < job.state.size(); ++v) {
      if (job.state[v] != Job::State::kReady) continue;
      if (!is_access({k, v})) return Part{k, v};
      request({k, v});
      return {};
    }
    return {};
  }

  void advance(Time by, const std::vector<Part>& running) {
    for (const Part& part : running) left(part) -= by;
    for (auto& [element, queue] : queues_) {
      for (const Part& part : queue.held) left(part) -= by;
    }
  }

  void end_what_is_done(const std::vector<Part>& running) {
    std::vector<Part> done;
    for (const Part& part : running) {
      if (left(part) <= Time()) done.push_back(part);
    }
    for (auto& [element, queue] : queues_) {
      for (std::size_t i = 0; i < queue.held.size();) {
        if (left(queue.held[i]) > Time()) {
          ++i;
          continue;
        }
        done.push_back(queue.held[i]);
        queue.idle += queue.held[i].units;
        queue.held.erase(queue.held.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    for (const Part& part : done) {
      job_of(part).state[part.node] = Job::State::kEnded;
      if (--job_of(part).open == 0) ends(part.member);
    }
    // What ends now is seen by what begins now.
    for (const Part& part : done) {
      for (const NodeIndex w : members_[part.member].dag.graph.successors(part.node)) {
        if (--job_of(part).missing[w] == 0) becomes_ready({part.member, w});
      }
    }
    for (auto& [element, queue] : queues_) grant(queue);
    for (Member& member : members_) {
      if (member.job && member.job->open == 0) member.job.reset();
    }
  }

  void ends(std::size_t k) {
    const Job& job = *members_[k].job;
    const TaskIndex task = members_[k].dag.task;
    seen_.longest[task] = std::max(seen_.longest[task], now_ - job.arrival);
    watch_.ends(task, now_);
    for (std::size_t other = 0; other < members_.size(); ++other) {
      const Task& follower = task_of(other);
      if (!follower.after || *follower.after != task) continue;
      releases_.emplace(now_ + lateness(members_[other], follower),
                        Release{other, job.arrival + least_time(system_.tasks[task])});
    }
  }

  const System& system_;
  const Scenario scenario_;
  Random& random_;
  trace::ChainWatch watch_;
  Seen seen_;
  std::int64_t cpus_ = 1;
  std::vector<Member> members_;
  std::vector<std::size_t> ranked_;  ///< by period
  std::map<ElementIndex, Queue> queues_;
  std::multimap<Time, Release> releases_;
  Time now_, horizon_;
};

}  // namespace

Seen run(const System& system, const Verdict& verdict, std::int64_t partitions,
         const Scenario& scenario, std::int64_t jobs, Random& random) {
  return Simulation(system, verdict, partitions, scenario, jobs, random).run();
}

}  // namespace tactus::simulate::locks
