#include "tactus/methods/pbs/search/full_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tactus/methods/pbs/batches/batch_source.hpp"

namespace tactus::pbs {
namespace {

/// Path counts explode; at the limit they mean "at least".
std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
std::string shown(std::uint64_t count) {
  return count == UINT64_MAX ? "> 10^19" : std::to_string(count);
}

class Explorer {
 public:
  Explorer(const TaskSet& set, const Oracle& oracle, Budget budget)
      : set_(set),
        oracle_(oracle),
        windows_(set),
        source_(set, oracle, Features{}),
        budget_(std::move(budget)) {}

  FullGraph run() {
    // One layer per number of executed jobs: every batch executes at least one, so all ways into a
    // vertex are known before it is expanded.
    insert(windows_.root());
    layers_[0].begin()->second.paths = 1;
    while (!layers_.empty()) {
      const auto layer = std::move(layers_.extract(layers_.begin()).mapped());
      for (const auto& [key, vertex] : layer) {
        if (budget_.spent(counters_, bytes_, 0)) {
          graph_.stop = budget_.reason();
          return std::move(graph_);
        }
        ++counters_.states;
        expand(vertex);
      }
    }
    link();
    return std::move(graph_);
  }

 private:
  using Key = std::pair<Ticks, Mask>;
  struct Open {
    State state;
    std::int64_t executed = 0;
    std::uint64_t paths = 0;
  };

  std::int64_t executed_at(const State& state) {
    // Jobs that have arrived less those that are ready.
    while (arrived_.size() <= state.window) {
      const std::size_t k = arrived_.size();
      arrived_.push_back((k == 0 ? 0 : arrived_[k - 1]) + std::popcount(windows_.arrivals(k)));
    }
    return arrived_[state.window] - std::popcount(state.ready);
  }
  Open& insert(const State& state) {
    const std::int64_t executed = executed_at(state);
    const auto [entry, fresh] = layers_[executed].try_emplace({state.time, state.ready});
    if (fresh) {
      entry->second = {state, executed, 0};
      bytes_ += static_cast<std::int64_t>(sizeof(Open) + sizeof(FullGraph::Vertex) + 64);
    }
    return entry->second;
  }

  void expand(const Open& open) {
    const std::size_t from = graph_.vertices.size();
    index_.emplace(std::pair(open.state.time, open.state.ready), from);
    graph_.vertices.push_back(
        {open.state.time, open.state.ready, open.executed, open.paths, false, {}});
    const auto follow = [&](const Move& move) {
      if (windows_.misses(open.state, move)) return;
      const auto [orders, fresh] = orders_.try_emplace({move.completion, move.batch}, 0);
      if (fresh) orders->second = count_orders(set_, oracle_, move);
      const auto next = windows_.after(open.state, move);
      bytes_ += static_cast<std::int64_t>(sizeof(FullGraph::Edge));
      const std::uint64_t paths = multiply(open.paths, orders->second);
      if (next) {
        Open& to = insert(*next);
        to.paths = add(to.paths, paths);
        targets_.push_back({next->time, next->ready});
      } else {
        end_paths_ = add(end_paths_, paths);
        end_time_ = std::max(end_time_, open.state.time + move.completion);
        targets_.push_back({kNever, 0});
      }
      graph_.vertices[from].edges.push_back({move, orders->second, 0});
    };
    source_.for_each_eligible(open.state.ready, follow,
                              [&] { return !budget_.spent(counters_, bytes_, 0); });
  }

  /// Edges get the places of their targets, and vertices know whether they lead to the end.
  void link() {
    if (end_paths_ > 0) {
      graph_.end = graph_.vertices.size();
      index_.emplace(std::pair(kNever, Mask{0}), *graph_.end);
      graph_.vertices.push_back({end_time_, 0, set_.jobs, end_paths_, true, {}});
    }
    std::size_t target = 0;
    for (FullGraph::Vertex& vertex : graph_.vertices) {
      for (FullGraph::Edge& edge : vertex.edges) edge.to = index_.at(targets_[target++]);
    }
    for (std::size_t v = graph_.vertices.size(); v-- > 0;) {
      for (const FullGraph::Edge& edge : graph_.vertices[v].edges) {
        if (graph_.vertices[edge.to].leads_to_end) graph_.vertices[v].leads_to_end = true;
      }
    }
  }

  const TaskSet& set_;
  const Oracle& oracle_;
  Windows windows_;
  BatchSource source_;
  Budget budget_;
  Counters counters_;
  std::int64_t bytes_ = 0;
  std::map<std::int64_t, std::map<Key, Open>> layers_;
  std::map<Key, std::size_t> index_;
  std::map<Key, std::uint64_t> orders_;
  std::vector<Key> targets_;  ///< of all edges, in order
  std::vector<std::int64_t> arrived_;
  std::uint64_t end_paths_ = 0;
  Ticks end_time_ = 0;
  FullGraph graph_;
};

std::string batch_text(const TaskSet& set, Mask batch) {
  std::string text;
  for_each(batch, [&](std::size_t i) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", set.kernels[i].name);
  });
  return text;
}

}  // namespace

FullGraph explore(const TaskSet& set, const Oracle& oracle, Budget budget) {
  return Explorer(set, oracle, std::move(budget)).run();
}

std::uint64_t FullGraph::edges() const {
  std::uint64_t count = 0;
  for (const Vertex& vertex : vertices) count += vertex.edges.size();
  return count;
}

std::uint64_t FullGraph::merged(std::int64_t up_to_job) const {
  return static_cast<std::uint64_t>(
      std::count_if(vertices.begin(), vertices.end(),
                    [&](const Vertex& vertex) { return vertex.executed <= up_to_job; }));
}

std::uint64_t FullGraph::unmerged(std::int64_t up_to_job) const {
  std::uint64_t count = 0;
  for (const Vertex& vertex : vertices) {
    if (vertex.executed <= up_to_job) count = add(count, vertex.paths);
  }
  return count;
}

PlanTable FullGraph::counts(bool with_unmerged) const {
  std::map<std::int64_t, std::pair<std::uint64_t, std::uint64_t>> by_executed;
  for (const Vertex& vertex : vertices) {
    auto& [merged, paths] = by_executed[vertex.executed];
    ++merged;
    paths = add(paths, vertex.paths);
  }
  PlanTable table{fmt::format("Scheduling graph: {} vertices, {} edges, {} feasible tables "
                              "(different batch orders count)",
                              vertices.size(), edges(), shown(tables())),
                  {"executed jobs", "vertices"},
                  {}};
  if (with_unmerged) table.header.emplace_back("without merging");
  for (const auto& [executed, counts] : by_executed) {
    table.rows.push_back({std::to_string(executed), std::to_string(counts.first)});
    if (with_unmerged) table.rows.back().push_back(shown(counts.second));
  }
  return table;
}

std::vector<Frame> FullGraph::first_table(const TaskSet& set, const Oracle& oracle) const {
  std::vector<Frame> frames;
  for (std::size_t v = 0; end && v != *end;) {
    const auto edge =
        std::find_if(vertices[v].edges.begin(), vertices[v].edges.end(),
                     [&](const Edge& candidate) { return vertices[candidate.to].leads_to_end; });
    frames.push_back(frame_of(set, oracle, vertices[v].time, edge->move));
    v = edge->to;
  }
  return frames;
}

std::string FullGraph::dot(const System& system, const TaskSet& set) const {
  const auto time = [&](Ticks ticks) { return format_time(set.time(ticks), system.time_unit); };
  std::string text = "digraph schedule {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n";
  const std::size_t drawn = std::min(vertices.size(), kMostDrawn);
  for (std::size_t v = 0; v < drawn; ++v) {
    const Vertex& vertex = vertices[v];
    const bool is_end = end && v == *end;
    text += fmt::format(
        "  v{} [label=\"{}{}\"{}];\n", v,
        is_end ? std::string("end")
               : "t=" + time(vertex.time) + "\\n" + dot_escaped(batch_text(set, vertex.ready)),
        is_end ? fmt::format("\\n{} tables", shown(vertex.paths)) : std::string(),
        vertex.leads_to_end ? ", color=darkgreen, penwidth=2" : "");
    for (const Edge& edge : vertex.edges) {
      if (edge.to >= drawn) continue;
      text +=
          fmt::format("  v{} -> v{} [label=\"{}: {}\"];\n", v, edge.to,
                      dot_escaped(batch_text(set, edge.move.batch)), time(edge.move.completion));
    }
  }
  if (drawn < vertices.size()) {
    text += fmt::format("  cut [label=\"{} more vertices\", shape=plaintext];\n",
                        vertices.size() - drawn);
  }
  return text + "}\n";
}

}  // namespace tactus::pbs
