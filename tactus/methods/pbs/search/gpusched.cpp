#include "tactus/methods/pbs/search/gpusched.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "tactus/methods/pbs/batches/batch_source.hpp"
#include "tactus/methods/pbs/features.hpp"

namespace tactus::pbs {
namespace {

/// exe(v) is what has arrived by t(v) less ready(v), so the state has it, too.
struct Vertex {
  State state;
  std::set<Ticks> dom = {};
  const Vertex* parent = nullptr;
  Ticks start = 0;  ///< of the frame that led here
  Move move = {};   ///< no batch: made by a split
  std::int64_t number = 0;
  std::vector<Vertex*> successors = {};
  bool discarded = false;
};

class GpuSched {
 public:
  GpuSched(const TaskSet& set, const Oracle& oracle, Extraction extraction, Budget budget)
      : set_(set),
        oracle_(oracle),
        windows_(set),
        source_(set, oracle, Features{}),
        extraction_(extraction),
        budget_(std::move(budget)) {}

  /// Algorithm 1. What is in S stays there, so the first schedulable vertex is the answer.
  GpuSchedResult run() {
    to_expand(create({.state = windows_.root()}));
    while (!list_.empty() && end_ == nullptr && !spent()) {
      Vertex* v = list_.begin()->second;
      list_.erase(list_.begin());
      if (v->discarded) continue;
      ++result_.counters.states;
      for (const Ticks delta : std::set<Ticks>(v->dom)) {
        if (!arrives_within(v->state, delta)) continue;
        v->dom.erase(delta);
        split(v, delta);
      }
      if (v->state.ready == 0) fast_forward(v);
      for (const Move& move : batches_of(v->state.ready)) {
        if (end_ != nullptr || spent()) break;
        expand(v, move);
      }
    }
    result_.stop = budget_.reason();
    if (end_ != nullptr) {
      result_.answer = Answer::kYes;
      follow_path();
    } else if (result_.stop == Stop::kNone) {
      result_.answer = Answer::kNo;
    }
    return std::move(result_);
  }

 private:
  using Key = std::pair<std::uint32_t, Mask>;  ///< window and ready: equal exe, equal ready
  static Key key_of(const Vertex& v) { return {v.state.window, v.state.ready}; }

  bool spent() { return budget_.spent(result_.counters, bytes_, 0); }

  Vertex* create(Vertex vertex) {
    vertex.number = static_cast<std::int64_t>(all_.size());
    bytes_ +=
        static_cast<std::int64_t>(sizeof(Vertex) + 4 * sizeof(void*) * (4 + vertex.dom.size()));
    all_.push_back(std::make_unique<Vertex>(std::move(vertex)));
    Vertex* made = all_.back().get();
    known_[key_of(*made)].emplace(made->number, made);
    return made;
  }

  void to_expand(Vertex* v) {
    const std::int64_t turn = extraction_ == Extraction::kLastIn ? -++added_ : ++added_;
    const Ticks time = extraction_ == Extraction::kEarliest ? v->state.time : 0;
    list_.emplace(std::pair(time, turn), v);
  }

  /// A(t, t + delta) is not empty.
  bool arrives_within(const State& state, Ticks delta) const {
    return windows_.end(state.window) <= state.time + delta;
  }

  /// P(v): small batches first, then in the order of the file, then quick ones.
  std::vector<Move> batches_of(Mask ready) {
    std::vector<Move> moves;
    source_.for_each_eligible(
        ready, [&](const Move& move) { moves.push_back(move); },
        [&] {
          ++result_.counters.batches;
          return !spent();
        });
    std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
      if (a.batch == b.batch) return a.completion < b.completion;
      const int size = std::popcount(a.batch), other = std::popcount(b.batch);
      if (size != other) return size < other;
      const Mask differ = a.batch ^ b.batch;
      return (a.batch & differ & (~differ + 1)) != 0;
    });
    return moves;
  }

  /// Lines 17 to 45.
  void expand(Vertex* v, const Move& move) {
    if (windows_.misses(v->state, move)) return;
    Vertex s = {.state = windows_.frame_end(v->state, move),
                .dom = v->dom,
                .parent = v,
                .start = v->state.time,
                .move = move};
    const std::map<std::int64_t, Vertex*> same = known_[key_of(s)];
    for (const auto& [number, u] : same) {
      if (s.state.time >= u->state.time) {
        merge(u, s.state.time - u->state.time);
        return;
      }
      // Merge(v_s, ...): it has no successors yet.
      s.dom.insert(u->state.time - s.state.time);
      discard(u);
    }
    Vertex* made = create(std::move(s));
    v->successors.push_back(made);
    if (made->state.ready == 0 && made->state.window + 1 == windows_.count()) {
      end_ = made;  // R2: no job is left over
    } else {
      to_expand(made);
    }
  }

  /// Algorithm 2, without its recursion, which can be as deep as there are frames.
  void merge(Vertex* into, Ticks delta) {
    if (delta == 0) return;  // "we can simply remove v_j and skip the merging phase"
    std::vector<Vertex*> open = {into};
    while (!open.empty()) {
      Vertex* v = open.back();
      open.pop_back();
      if (v->discarded) continue;
      if (v != into && arrives_within(v->state, delta)) {
        split(v, delta);
        continue;
      }
      v->dom.insert(delta);
      open.insert(open.end(), v->successors.rbegin(), v->successors.rend());
    }
  }

  /// Algorithm 3. Where a job would wait until the next one of its task arrives, no frame could
  /// follow without a miss, and nothing could be compared with the vertex: it is not made.
  void split(Vertex* k, Ticks delta) {
    State state = k->state;
    state.time += delta;
    while (windows_.end(state.window) <= state.time) {
      const Mask arrivals = windows_.arrivals(++state.window);
      if ((state.ready & arrivals) != 0) return;
      state.ready |= arrivals;
    }
    Vertex* made = create({.state = state, .dom = k->dom, .parent = k});
    k->successors.push_back(made);
    to_expand(made);
  }

  /// Algorithm 4.
  void fast_forward(Vertex* v) {
    known_[key_of(*v)].erase(v->number);
    v->dom.clear();
    v->state = windows_.opening(v->state.window + 1);
    known_[key_of(*v)].emplace(v->number, v);
  }

  /// With its successors.
  void discard(Vertex* root) {
    std::vector<Vertex*> open = {root};
    while (!open.empty()) {
      Vertex* v = open.back();
      open.pop_back();
      if (v->discarded) continue;
      v->discarded = true;
      known_[key_of(*v)].erase(v->number);
      open.insert(open.end(), v->successors.begin(), v->successors.end());
    }
  }

  void follow_path() {
    for (const Vertex* v = end_; v != nullptr; v = v->parent) {
      if (v->move.batch != 0) result_.frames.push_back(frame_of(set_, oracle_, v->start, v->move));
    }
    std::reverse(result_.frames.begin(), result_.frames.end());
  }

  const TaskSet& set_;
  const Oracle& oracle_;
  Windows windows_;
  BatchSource source_;
  Extraction extraction_;
  Budget budget_;
  GpuSchedResult result_;
  std::vector<std::unique_ptr<Vertex>> all_;
  std::map<Key, std::map<std::int64_t, Vertex*>> known_;  ///< not discarded, as they were made
  std::map<std::pair<Ticks, std::int64_t>, Vertex*> list_;
  std::int64_t added_ = 0, bytes_ = 0;
  const Vertex* end_ = nullptr;
};

}  // namespace

GpuSchedResult gpusched(const TaskSet& set, const Oracle& oracle, Extraction extraction,
                        Budget budget) {
  return GpuSched(set, oracle, extraction, std::move(budget)).run();
}

}  // namespace tactus::pbs
