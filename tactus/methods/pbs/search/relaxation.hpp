#pragma once

#include <vector>

#include "tactus/methods/pbs/search/dominance.hpp"
#include "tactus/methods/pbs/search/knowledge.hpp"

namespace tactus::pbs {

/// The second pruning, and the answer to `--idle`: the problem in which the GPU may idle
/// although jobs are ready.
///
/// Then an earlier time is never worse for equal window and ready mask (idle a little, and you are
/// in the later state), so feasibility is a threshold in time: a record keeps F, the largest time
/// known feasible, and I, the smallest known infeasible. A work-conserving schedule also solves
/// this problem, so "no" here means "no" there. "Earlier is never worse" must not be used there.
///
/// What we learn from an exhausted state: every batch fails at all times from its own lower end on,
/// and waiting does not depend on the time, so I = the largest of these ends. What we learn from a
/// success: the batch stays good up to F = min(limit, F of the next state, end of its window) - c.
class Relaxation {
 public:
  explicit Relaxation(Knowledge& knowledge)
      : know_(knowledge),
        uses_dominance_(knowledge.features.dominance && knowledge.source.closed()),
        dead_(knowledge.windows.count()) {}

  Answer feasible(const State& state);

  struct Step {
    State state;
    Move move;
  };
  /// The batches of a schedule with idling, in order. @pre feasible(root) answered yes.
  std::vector<Step> schedule(const State& root);

 private:
  enum class Stage : std::uint8_t { kGreedy, kPackings, kWait };
  struct Node {
    State state;
    std::size_t first = 0, next = 0;  ///< in `Knowledge::moves`
    Stage stage = Stage::kGreedy;
    Ticks dead_from = 0;  ///< so far: every failed child fails from then on
  };
  struct Child {
    enum class Kind { kOpen, kDead, kGood } kind = Kind::kOpen;
    State state;
    Ticks dead_from = 0;  ///< in times of the parent
  };

  void push(const State& state);
  void expand(Node& node);
  Child evaluate(const Node& node);
  Child evaluate_wait(const Node& node);
  /// The record of a state, after a look at the better states that are known to be dead.
  const Record& record_of(const State& state);
  bool may_wait(const State& state) const;
  bool advance(Node& node);
  void close();
  void succeed(std::size_t base);

  Knowledge& know_;
  bool uses_dominance_;
  DeadStates dead_;
  std::vector<Node> stack_;
};

}  // namespace tactus::pbs
