#include "tactus/methods/pbs/search/table_search.hpp"

#include <algorithm>
#include <span>

#include "tactus/methods/pbs/edf.hpp"
#include "tactus/methods/pbs/search/beam.hpp"
#include "tactus/methods/pbs/search/core_proof.hpp"

namespace tactus::pbs {
namespace {

/// The work-conserving search: depth-first over states (time, ready mask) with an explicit stack.
/// A state that lies in a learned interval or that the relaxation refutes is not expanded; neither
/// maximal batches nor "earlier is better" are used to leave anything out.
class WorkConservingSearch {
 public:
  WorkConservingSearch(Knowledge& knowledge, Relaxation& relaxation)
      : know_(knowledge), relaxation_(relaxation) {}

  Answer run(const State& root) {
    push(root);
    while (!stack_.empty()) {
      if (know_.spent(stack_.size())) return Answer::kStopped;
      Node& node = stack_.back();
      if (node.next == know_.moves.size()) {
        if (!advance(node)) close();
        continue;
      }
      const Move move = know_.moves[node.next];
      const auto next = know_.windows.after(node.state, move);
      if (!next) return Answer::kYes;
      const std::optional<DeadInterval> dead = why_dead(node, move, *next);
      if (know_.budget.reason() != Stop::kNone) return Answer::kStopped;
      if (dead) {
        node.dead.intersect(dead->from, dead->to);
        ++node.next;
      } else {
        push(*next);  // looked at again when it has been closed, and is dead then
      }
    }
    return Answer::kNo;
  }

  /// The way to success. @pre run answered yes.
  std::vector<Relaxation::Step> path() const {
    std::vector<Relaxation::Step> steps;
    for (const Node& node : stack_) steps.push_back({node.state, know_.moves[node.next]});
    return steps;
  }

 private:
  enum class Stage : std::uint8_t { kGreedy, kPackings, kEverything };
  struct Node {
    State state;
    std::size_t first = 0, next = 0;  ///< in `Knowledge::moves`
    Stage stage = Stage::kGreedy;
    DeadInterval dead;  ///< where all children so far fail
  };

  void push(const State& state) {
    ++know_.counters.states;
    const Windows& windows = know_.windows;
    const std::size_t first = know_.moves.size();
    const bool greedy = know_.expander.has_greedy(state);
    stack_.push_back({state,
                      first,
                      first,
                      greedy ? Stage::kGreedy : Stage::kPackings,
                      {windows.start(state.window), windows.end(state.window) - 1}});
    expand(stack_.back());
  }

  void expand(Node& node) {
    know_.moves.resize(node.first);
    node.next = node.first;
    switch (node.stage) {
      case Stage::kGreedy:
        know_.expander.greedy(node.state, know_.moves);
        break;
      case Stage::kPackings:
        know_.expander.packings(node.state, know_.moves);
        break;
      case Stage::kEverything:
        // Only now the list is complete, and what it leaves out is known to be rejected.
        node.dead.intersect(know_.expander.everything(node.state, know_.moves), kNever);
        break;
    }
  }

  bool advance(Node& node) {
    if (node.stage == Stage::kEverything) return false;
    node.stage = node.stage == Stage::kGreedy ? Stage::kPackings : Stage::kEverything;
    expand(node);
    return true;
  }

  /// Where, in times of the parent, the batch leads to a dead state; nothing when it is not known
  /// to be dead.
  std::optional<DeadInterval> why_dead(const Node& node, const Move& move, const State& next) {
    const Ticks c = move.completion;
    const bool jumped = next.time > node.state.time + c;
    const DeadInterval while_jumping = {Expander::kAlways, next.time - c};
    const Ticks opens = know_.windows.start(next.window);
    const auto refuted = [&](Ticks infeasible) -> DeadInterval {
      if (jumped) return while_jumping;
      return {std::max(infeasible, opens) - c, kNever};
    };
    const Record& record = know_.record(next);
    if (next.time >= record.infeasible) return refuted(record.infeasible);
    if (const auto known = know_.intervals.find(record, next.time)) {
      if (jumped) return while_jumping;
      return DeadInterval{std::max(known->from, opens) - c,
                          std::min(known->to, know_.windows.end(next.window) - 1) - c};
    }
    if (!know_.features.relaxation) return std::nullopt;
    if (relaxation_.feasible(next) != Answer::kNo) return std::nullopt;
    return refuted(know_.record(next).infeasible);
  }

  /// The top of the stack is exhausted.
  void close() {
    const Node& node = stack_.back();
    const Ticks now = node.state.time;
    const DeadInterval dead = know_.features.learned_intervals ? node.dead : DeadInterval{now, now};
    know_.intervals.add(know_.record(node.state), dead);
    know_.moves.resize(node.first);
    stack_.pop_back();
  }

  Knowledge& know_;
  Relaxation& relaxation_;
  std::vector<Node> stack_;
};

template <typename Step>
std::vector<Frame> frames_of(const TaskSet& set, const Oracle& oracle,
                             const std::vector<Step>& steps) {
  std::vector<Frame> frames;
  frames.reserve(steps.size());
  for (const Step& step : steps) {
    frames.push_back(frame_of(set, oracle, step.state.time, step.move));
  }
  return frames;
}

/// Both baselines are work-conserving, so what they manage is a table.
bool probe(const TaskSet& set, const Oracle& oracle, SearchResult& result) {
  for (const Batching batching : {Batching::kSerial, Batching::kParallel}) {
    EdfRun run = run_edf(set, oracle, batching);
    if (!run.missed.empty()) continue;
    result.answer = Answer::kYes;
    result.proof = Proof::kProbe;
    result.feasible_with_idling = true;
    result.frames = std::move(run.frames);
    return true;
  }
  return false;
}

/// Steps of an exact part, the widths of the beams after it, and the steps for cores of the tasks after
/// those.
struct Turn {
  std::int64_t steps = 0;
  std::span<const std::size_t> widths;
  std::int64_t core_steps = 0;
};
constexpr std::size_t kNarrow[] = {16, 64}, kMiddle[] = {256}, kWide[] = {1024};
constexpr Turn kTurns[] = {
    {0, kNarrow, 4'000'000}, {4'000'000, kMiddle, 16'000'000}, {32'000'000, kWide, 64'000'000}, {}};

/// One search: exact parts and the beam by turns, with all that is learned kept between them. An
/// exact part alone can lose itself in a bad beginning, and the beam proves nothing.
class Search {
 public:
  Search(const TaskSet& set, const Oracle& oracle, const Windows& windows, bool idle,
         const Features& features, ChildOrder order, Budget budget)
      : set_(set),
        oracle_(oracle),
        idle_(idle),
        root_(windows.root()),
        know_(set, oracle, windows, features, order, std::move(budget)),
        relaxation_(know_),
        core_(know_) {}

  SearchResult run() {
    if (refuted_at_once()) return finished(Answer::kNo, Proof::kDemand);
    for (std::size_t turn = 0;; ++turn) {
      const bool last = turn + 1 == std::size(kTurns);
      const std::int64_t steps = turn == 0 ? know_.features.patience : kTurns[turn].steps;
      know_.budget.pause_after(know_.counters, last ? INT64_MAX : steps);
      if (exact_part()) return std::move(result_);
      know_.budget.pause_after(know_.counters, INT64_MAX);
      if (turn == 0) know_.learn_weights();
      if (know_.no_table) return finished(Answer::kNo, Proof::kRelaxed);
      if (refuted_at_once()) return finished(Answer::kNo, Proof::kDemand);
      if (by_beam(kTurns[turn].widths)) return finished(Answer::kYes, Proof::kFound);
      if (core_.found(kTurns[turn].core_steps)) {
        result_.core = core_.kernels();
        return finished(Answer::kNo, Proof::kRelaxed);
      }
    }
  }

 private:
  SearchResult finished(Answer answer, Proof proof) {
    know_.count_records();
    result_.answer = answer;
    result_.proof = proof;
    result_.counters = know_.counters;
    result_.stop = know_.budget.reason();
    return std::move(result_);
  }
  bool stopped() const { return know_.budget.reason() != Stop::kNone; }

  bool refuted_at_once() {
    if (know_.record(root_).infeasible > root_.time) return false;
    result_.overload = know_.demand.overload(root_);
    result_.shift = know_.constraints.shift();
    return true;
  }

  /// The relaxation, then the work-conserving search, until there is an answer, which is in
  /// `result_` then, or until the budget says to pause.
  bool exact_part() {
    know_.moves.clear();
    if (know_.features.relaxation || idle_) {
      const Answer relaxed = relaxation_.feasible(root_);
      result_.feasible_with_idling = result_.feasible_with_idling || relaxed == Answer::kYes;
      if (relaxed == Answer::kNo) return answer(Answer::kNo, Proof::kRelaxed);
      if (relaxed == Answer::kStopped) return stopped() && answer(relaxed, Proof::kNone);
      if (idle_) {
        know_.budget.pause_after(know_.counters, INT64_MAX);
        result_.frames = frames_of(set_, oracle_, relaxation_.schedule(root_));
        return answer(stopped() ? Answer::kStopped : relaxed, Proof::kFound);
      }
    }
    WorkConservingSearch exact(know_, relaxation_);
    const Answer found = exact.run(root_);
    if (found == Answer::kStopped) return stopped() && answer(found, Proof::kNone);
    if (found == Answer::kYes) result_.frames = frames_of(set_, oracle_, exact.path());
    return answer(found, found == Answer::kYes ? Proof::kFound : Proof::kExhausted);
  }
  bool answer(Answer answer, Proof proof) {
    result_ = finished(answer, proof);
    return true;
  }

  bool by_beam(std::span<const std::size_t> widths) {
    if (!know_.features.beam || know_.demand.empty()) return false;
    Beam beam(know_);
    for (const std::size_t width : widths) {
      for (const bool careful : {false, true}) {
        const auto steps = beam.run(root_, width, careful);
        if (!steps) continue;
        result_.frames = frames_of(set_, oracle_, *steps);
        result_.feasible_with_idling = true;
        return true;
      }
    }
    return false;
  }

  const TaskSet& set_;
  const Oracle& oracle_;
  bool idle_;
  State root_;
  Knowledge know_;
  Relaxation relaxation_;
  CoreProof core_;
  SearchResult result_;
};

}  // namespace

SearchResult search(const TaskSet& set, const Oracle& oracle, bool idle, const Features& features,
                    ChildOrder order, Budget budget) {
  SearchResult result;
  const auto too_long = [](const Kernel& kernel) { return kernel.wcet > kernel.deadline; };
  if (std::any_of(set.kernels.begin(), set.kernels.end(), too_long)) {
    result.answer = Answer::kNo;
    result.proof = Proof::kTooLong;
    return result;
  }
  if (features.probes && probe(set, oracle, result)) return result;
  const Windows windows(set);
  return Search(set, oracle, windows, idle, features, order, std::move(budget)).run();
}

}  // namespace tactus::pbs
