#include "tests/methods/rtgpu/simulator.hpp"

#include <algorithm>
#include <limits>

namespace tactus::rtgpu::testing {
namespace {

constexpr Ns kNever = std::numeric_limits<Ns>::max();

bool is_core(int resource) {
  return resource > reference::kNobodyElse && resource < reference::kFirstBus;
}

struct JobState {
  enum Phase { kIdle, kUnissued, kReady, kQueued, kInFlight } phase = kIdle;
  int job = 0;
  Ns next_release = 0, released = 0, requested = 0;
  std::size_t part = 0;
  Ns left = 0;  // of the current part
};

class Simulation {
 public:
  Simulation(const std::vector<SimulatedTask>& tasks, const Behaviour& behaviour, Waiting waiting,
             Random& random)
      : tasks_(tasks), behaviour_(behaviour), busy_(waiting == Waiting::kBusy), random_(random) {
    state_.resize(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      state_[k].next_release = behaviour_.release(k, 0, 0);
      observed_.responses.push_back(0);
      observed_.part_responses.emplace_back(tasks[k].parts.size(), 0);
    }
  }

  Observed run(Ns horizon) {
    while (!observed_.missed) {
      const Ns next = next_event();
      if (next > horizon) break;
      advance(next - now_);
      handle_instant();
    }
    return observed_;
  }

 private:
  int resource(std::size_t k) const { return tasks_[k].parts[state_[k].part].on; }

  /// Does the current part of k make progress?
  bool progresses(std::size_t k) const {
    if (state_[k].phase == JobState::kInFlight) return true;
    return state_[k].phase == JobState::kReady && owns_core(k);
  }

  bool owns_core(std::size_t k) const {
    if (tasks_[k].best_effort) return true;  // it disturbs nobody on the CPU
    for (std::size_t h = 0; h < k; ++h) {
      if (tasks_[h].best_effort) continue;
      if (busy_ ? state_[h].phase != JobState::kIdle
                : state_[h].phase == JobState::kReady && resource(h) == resource(k)) {
        return false;
      }
    }
    return true;
  }

  /// Whoever has nothing left is done, even if a more urgent job takes the core at this instant.
  bool finished(std::size_t k) const {
    const auto phase = state_[k].phase;
    return (phase == JobState::kReady || phase == JobState::kInFlight) && state_[k].left == 0;
  }

  Ns next_event() const {
    Ns next = kNever;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      next = std::min(next, state_[k].next_release);
      if (progresses(k)) next = std::min(next, now_ + state_[k].left);
    }
    return next;
  }

  void advance(Ns by) {
    std::vector<bool> moves;
    for (std::size_t k = 0; k < tasks_.size(); ++k) moves.push_back(progresses(k));
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (moves[k]) state_[k].left -= by;
    }
    now_ += by;
  }

  void handle_instant() {
    const bool decide_after_each = random_.chance(0.5);
    for (;;) {
      std::vector<std::size_t> due;
      for (std::size_t k = 0; k < tasks_.size(); ++k) {
        if (finished(k) || state_[k].next_release == now_) {
          due.push_back(k);
        }
      }
      if (due.empty()) {
        const auto before = state_;
        decide();
        bool changed = false;
        for (std::size_t k = 0; k < tasks_.size(); ++k) {
          changed = changed || before[k].phase != state_[k].phase;
        }
        if (!changed) return;
        continue;
      }
      const std::size_t k = due[static_cast<std::size_t>(
          random_.integer(0, static_cast<std::int64_t>(due.size()) - 1))];
      if (finished(k)) {
        complete(k);
      } else {
        release(k);
      }
      if (observed_.missed) return;
      if (decide_after_each) decide();
    }
  }

  void release(std::size_t k) {
    JobState& s = state_[k];
    if (s.phase != JobState::kIdle) {
      if (!tasks_[k].best_effort) observed_.missed = true;
      s.next_release = now_ + tasks_[k].period;
      return;
    }
    s.released = now_;
    s.part = 0;
    s.next_release = behaviour_.release(k, s.job + 1, now_ + tasks_[k].period);
    request(k);
  }

  /// Requests the current part, or the next one that takes any time.
  void request(std::size_t k) {
    JobState& s = state_[k];
    for (; s.part < tasks_[k].parts.size(); ++s.part) {
      s.left = behaviour_.length(k, s.job, s.part);
      if (s.left == 0) continue;
      s.requested = now_;
      const int on = resource(k);
      if (on == reference::kNobodyElse || (is_core(on) && tasks_[k].best_effort)) {
        s.phase = busy_ ? JobState::kUnissued : JobState::kInFlight;
        if (tasks_[k].best_effort) s.phase = JobState::kInFlight;
      } else if (is_core(on)) {
        s.phase = JobState::kReady;
      } else {
        s.phase = busy_ && !tasks_[k].best_effort ? JobState::kUnissued : JobState::kQueued;
      }
      return;
    }
    s.phase = JobState::kIdle;
    ++s.job;
    observed_.responses[k] = std::max(observed_.responses[k], now_ - s.released);
  }

  void complete(std::size_t k) {
    JobState& s = state_[k];
    Ns& longest = observed_.part_responses[k][s.part];
    longest = std::max(longest, now_ - s.requested);
    ++s.part;
    request(k);
  }

  /// The owner of the core issues its operation; every idle bus takes its most urgent request.
  void decide() {
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (state_[k].phase != JobState::kUnissued || !owns_core(k)) continue;
      state_[k].phase =
          resource(k) == reference::kNobodyElse ? JobState::kInFlight : JobState::kQueued;
    }
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (state_[k].phase != JobState::kQueued) continue;
      bool free = true;
      for (std::size_t other = 0; other < tasks_.size(); ++other) {
        if (state_[other].phase == JobState::kInFlight && resource(other) == resource(k)) {
          free = false;
        }
      }
      if (free) state_[k].phase = JobState::kInFlight;
    }
  }

  const std::vector<SimulatedTask>& tasks_;
  const Behaviour& behaviour_;
  bool busy_;
  Random& random_;
  Ns now_ = 0;
  std::vector<JobState> state_;
  Observed observed_;
};

}  // namespace

Behaviour random_behaviour(const std::vector<SimulatedTask>& tasks, Random& random) {
  const bool sporadic = random.chance(0.5);
  const std::int64_t mode = random.integer(0, 3);  // upper, lower or upper, uniform, all of them
  Behaviour behaviour;
  behaviour.release = [&tasks, &random, sporadic](std::size_t k, int job, Ns earliest) {
    if (job == 0) return random.integer(0, tasks[k].period - 1);
    const bool late = sporadic && random.chance(0.3);
    return earliest + (late ? random.integer(0, tasks[k].period / 2) : 0);
  };
  behaviour.length = [&tasks, &random, mode](std::size_t k, int, std::size_t part) {
    const Part& p = tasks[k].parts[part];
    const std::int64_t how = mode == 3 ? random.integer(0, 2) : mode;
    if (how == 0) return p.upper;
    if (how == 1) return random.chance(0.5) ? p.upper : p.lower;
    return random.integer(p.lower, p.upper);
  };
  return behaviour;
}

Observed simulate(const std::vector<SimulatedTask>& tasks, const Behaviour& behaviour,
                  Waiting waiting, Ns horizon, Random& random) {
  return Simulation(tasks, behaviour, waiting, random).run(horizon);
}

}  // namespace tactus::rtgpu::testing
