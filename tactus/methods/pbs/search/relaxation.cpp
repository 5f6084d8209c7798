#include "tactus/methods/pbs/search/relaxation.hpp"

#include <algorithm>

namespace tactus::pbs {

void Relaxation::push(const State& state) {
  ++know_.counters.relaxed_states;
  const std::size_t first = know_.moves.size();
  const bool greedy = know_.expander.has_greedy(state);
  stack_.push_back({state, first, first, greedy ? Stage::kGreedy : Stage::kPackings,
                    know_.windows.start(state.window)});
  expand(stack_.back());
}

void Relaxation::expand(Node& node) {
  know_.moves.resize(node.first);
  node.next = node.first;
  if (node.stage == Stage::kGreedy) {
    know_.expander.greedy(node.state, know_.moves);
  } else if (node.stage == Stage::kPackings) {
    const Ticks rejected_from = know_.expander.packings(node.state, know_.moves);
    node.dead_from = std::max(node.dead_from, rejected_from);
  }
}

/// Whether all ready jobs can still start when the next ones arrive. After the last arrival there
/// is nothing to wait for.
bool Relaxation::may_wait(const State& state) const {
  const Windows& windows = know_.windows;
  if (state.window + 1 >= windows.count()) return false;
  bool good = true;
  for_each(state.ready, [&](std::size_t i) {
    good = good && windows.end(state.window) <= windows.last_start(state.window, i);
  });
  return good;
}

/// Turns to the next stage; false when there is none, that is, the state is dead.
bool Relaxation::advance(Node& node) {
  if (node.stage == Stage::kGreedy) {
    node.stage = Stage::kPackings;
    expand(node);
    return true;
  }
  if (node.stage == Stage::kPackings && may_wait(node.state)) {
    node.stage = Stage::kWait;
    expand(node);
    return true;
  }
  return false;
}

const Record& Relaxation::record_of(const State& state) {
  Record& record = know_.record(state);
  if (uses_dominance_ && state.time > record.feasible && state.time < record.infeasible) {
    if (const auto from = dead_.find(state)) record.infeasible = *from;
  }
  return record;
}

Relaxation::Child Relaxation::evaluate(const Node& node) {
  const Move& move = know_.moves[node.next];
  const auto next = know_.windows.after(node.state, move);
  if (!next) return {Child::Kind::kGood, {}, 0};
  const Record& record = record_of(*next);
  if (next->time <= record.feasible) return {Child::Kind::kGood, *next, 0};
  if (next->time < record.infeasible) return {Child::Kind::kOpen, *next, 0};
  // After a jump the next state is the same for every earlier start of this batch.
  const bool jumped = next->time > node.state.time + move.completion;
  const Ticks from = std::max(record.infeasible, know_.windows.start(next->window));
  return {Child::Kind::kDead, *next, jumped ? Expander::kAlways : from - move.completion};
}

Relaxation::Child Relaxation::evaluate_wait(const Node& node) {
  State next = know_.windows.opening(node.state.window + 1);
  next.ready |= node.state.ready;
  const Record& record = record_of(next);
  if (next.time <= record.feasible) return {Child::Kind::kGood, next, 0};
  const bool open = next.time < record.infeasible;
  return {open ? Child::Kind::kOpen : Child::Kind::kDead, next, Expander::kAlways};
}

Answer Relaxation::feasible(const State& state) {
  {
    const Record& record = record_of(state);
    if (state.time <= record.feasible) return Answer::kYes;
    if (state.time >= record.infeasible) return Answer::kNo;
  }
  const std::size_t base = stack_.size();
  push(state);
  while (stack_.size() > base) {
    if (know_.spent(stack_.size())) {
      know_.moves.resize(stack_[base].first);
      stack_.resize(base);
      return Answer::kStopped;
    }
    Node& node = stack_.back();
    const bool waiting = node.stage == Stage::kWait;
    const bool tried = waiting ? node.next > node.first : node.next == know_.moves.size();
    if (tried) {
      if (!advance(node)) close();
      continue;
    }
    const Child child = waiting ? evaluate_wait(node) : evaluate(node);
    switch (child.kind) {
      case Child::Kind::kGood:
        succeed(base);
        return Answer::kYes;
      case Child::Kind::kDead:
        node.dead_from = std::max(node.dead_from, child.dead_from);
        ++node.next;
        break;
      case Child::Kind::kOpen:
        // Looked at again when it has been closed: then its record says that it is dead.
        push(child.state);
        break;
    }
  }
  return Answer::kNo;
}

/// The top of the stack is exhausted.
void Relaxation::close() {
  const Node& node = stack_.back();
  Record& record = know_.record(node.state);
  const Ticks from = know_.features.learned_intervals ? node.dead_from : node.state.time;
  record.infeasible = std::min(record.infeasible, from);
  if (uses_dominance_) dead_.add(node.state.window, node.state.ready, record.infeasible);
  know_.moves.resize(node.first);
  stack_.pop_back();
}

/// The child in hand of the top is feasible, hence so is everything below it on the stack.
void Relaxation::succeed(std::size_t base) {
  while (stack_.size() > base) {
    const Node& node = stack_.back();
    const Windows& windows = know_.windows;
    Ticks good_until = windows.end(node.state.window) - 1;
    if (node.stage != Stage::kWait) {
      const Move& move = know_.moves[node.next];
      Ticks end = windows.limit(node.state, move.batch);
      const auto next = windows.after(node.state, move);
      if (next && next->time > node.state.time + move.completion) {
        end = std::min(end, next->time);
      } else if (next) {
        end = std::min({end, know_.record(*next).feasible, windows.end(next->window) - 1});
      }
      good_until = std::min(good_until, end - move.completion);
    }
    if (!know_.features.learned_intervals) good_until = node.state.time;
    Record& record = know_.record(node.state);
    record.feasible = std::max(record.feasible, good_until);
    know_.moves.resize(node.first);
    stack_.pop_back();
  }
}

std::vector<Relaxation::Step> Relaxation::schedule(const State& root) {
  std::vector<Step> steps;
  std::optional<State> state = root;
  while (state) {
    // Every state on the way is known to be feasible, so one of its children is found to be.
    know_.moves.clear();
    know_.expander.packings(*state, know_.moves);
    const std::vector<Move> children(know_.moves);
    bool moved = false;
    for (const Move& move : children) {
      const auto next = know_.windows.after(*state, move);
      if (next && feasible(*next) != Answer::kYes) continue;
      steps.push_back({*state, move});
      state = next;
      moved = true;
      break;
    }
    if (know_.budget.reason() != Stop::kNone) return {};
    if (moved) continue;
    State next = know_.windows.opening(state->window + 1);
    next.ready |= state->ready;
    state = next;
  }
  return steps;
}

}  // namespace tactus::pbs
