#include "tactus/methods/dag/ancestor_lists.hpp"

#include <algorithm>
#include <iterator>

namespace tactus::dag {
namespace {

/// Longer lists cost more than the sweeps that are the other way.
constexpr std::size_t kLongest = 256;
/// Ends of the graph with several predecessors, each of which costs a walk over the whole graph.
constexpr std::size_t kMostEnds = 4;

class AncestorLists {
 public:
  explicit AncestorLists(const SortedGraph& graph)
      : graph_(graph),
        is_end_(graph.size(), 1),
        users_(graph.size()),
        reach_(graph.size()),
        lists_(graph.size()),
        sums_(graph.size()) {
    for (const NodeIndex before : graph.previous) {
      is_end_[before] = 0;
      ++users_[before];
    }
    find_reach();
  }

  std::optional<std::vector<std::int64_t>> run() {
    std::vector<std::int64_t> ending(graph_.size() + 1);  // weights by the place that they reach
    std::int64_t before = 0, ended = 0;
    std::size_t ends = 0;
    for (NodeIndex v = 0; v < graph_.size(); ++v) {
      if (v > 0) ended += ending[v - 1];
      if (is_end_[v] != 0) {
        if (graph_.start[v + 1] - graph_.start[v] > 1 && ++ends > kMostEnds) return std::nullopt;
        sums_[v] = sum_of_end(v);
      } else {
        if (!make_list(v)) return std::nullopt;
        const List& list = lists_[v];
        std::int64_t sum = 0;
        for (const NodeIndex place : list.places) sum += graph_.weight[place];
        sums_[v] = graph_.weight[v] + (list.of_others ? before - ended - sum : sum);
      }
      release_predecessors(v);
      if (is_end_[v] == 0) living_.push_back(v);
      before += graph_.weight[v];
      ending[reach_[v]] += graph_.weight[v];
    }
    return std::move(sums_);
  }

 private:
  struct List {
    bool of_others = false;         ///< not of ancestors
    std::vector<NodeIndex> places;  ///< ascending
  };

  template <typename Visit>
  void for_each_previous(NodeIndex v, Visit visit) const {
    for (std::uint32_t e = graph_.start[v]; e < graph_.start[v + 1]; ++e) visit(graph_.previous[e]);
  }

  /// The last place, not an end, that each place leads to; itself when there is none.
  void find_reach() {
    for (NodeIndex v = 0; v < graph_.size(); ++v) reach_[v] = v;
    for (std::size_t v = graph_.size(); v-- > 0;) {
      if (is_end_[v] != 0) continue;
      for_each_previous(static_cast<NodeIndex>(v), [&](NodeIndex before) {
        reach_[before] = std::max(reach_[before], reach_[v]);
      });
    }
  }

  bool leads_to(NodeIndex place, NodeIndex v) const { return reach_[place] >= v; }

  bool make_list(NodeIndex v) {
    std::optional<NodeIndex> last;  // of those predecessors that know their others
    for_each_previous(v, [&](NodeIndex before) {
      if (lists_[before].of_others) last = std::max(last.value_or(before), before);
    });
    if (!last) return collect_ancestors(v);
    if (v - *last > 4 * kLongest) return false;
    List& list = lists_[v];
    list.of_others = true;
    for (const NodeIndex place : lists_[*last].places) {
      if (leads_to(place, v)) list.places.push_back(place);
    }
    for (NodeIndex place = *last + 1; place < v; ++place) {
      if (leads_to(place, v)) list.places.push_back(place);
    }
    for_each_previous(v, [&](NodeIndex before) {
      if (before != *last && !list.places.empty()) remove_known(before, list.places);
    });
    return list.places.size() <= kLongest;
  }

  /// Takes `before` and its ancestors out of `places`, which all lead to a node after it.
  void remove_known(NodeIndex before, std::vector<NodeIndex>& places) const {
    const List& known = lists_[before];
    auto at = known.places.begin();
    std::erase_if(places, [&](NodeIndex place) {
      if (place >= before) return place == before;
      while (at != known.places.end() && *at < place) ++at;
      const bool listed = at != known.places.end() && *at == place;
      return listed != known.of_others;
    });
  }

  bool collect_ancestors(NodeIndex v) {
    std::vector<NodeIndex> ancestors;
    for_each_previous(v, [&](NodeIndex before) {
      if (ancestors.size() > 8 * kLongest) return;
      const std::vector<NodeIndex>& known = lists_[before].places;
      ancestors.insert(ancestors.end(), known.begin(), known.end());
      ancestors.push_back(before);
    });
    std::sort(ancestors.begin(), ancestors.end());
    ancestors.erase(std::unique(ancestors.begin(), ancestors.end()), ancestors.end());
    List& list = lists_[v];
    if (ancestors.size() <= kLongest / 2) {
      list.places = std::move(ancestors);
      return true;
    }
    // Many: where all paths began not long before, the others are few.
    std::erase_if(living_, [&](NodeIndex place) { return !leads_to(place, v); });
    if (ancestors.size() > 8 * kLongest || living_.size() > 8 * kLongest) return false;
    list.of_others = true;
    std::set_difference(living_.begin(), living_.end(), ancestors.begin(), ancestors.end(),
                        std::back_inserter(list.places));
    return list.places.size() <= kLongest;
  }

  std::int64_t sum_of_end(NodeIndex v) {
    if (graph_.start[v + 1] - graph_.start[v] == 1) {
      return graph_.weight[v] + sums_[graph_.previous[graph_.start[v]]];
    }
    std::vector<char> is_ancestor(v + 1);
    is_ancestor[v] = 1;
    std::int64_t sum = 0;
    for (std::size_t place = v + std::size_t{1}; place-- > 0;) {
      if (is_ancestor[place] == 0) continue;
      sum += graph_.weight[place];
      for_each_previous(static_cast<NodeIndex>(place),
                        [&](NodeIndex before) { is_ancestor[before] = 1; });
    }
    return sum;
  }

  /// A list is needed until the last successor is done.
  void release_predecessors(NodeIndex v) {
    for_each_previous(v, [&](NodeIndex before) {
      if (--users_[before] == 0) lists_[before].places = {};
    });
  }

  const SortedGraph& graph_;
  std::vector<char> is_end_;
  std::vector<std::uint32_t> users_;
  std::vector<NodeIndex> reach_;
  std::vector<List> lists_;
  std::vector<NodeIndex> living_;  ///< places so far, but for some that lead to nothing later
  std::vector<std::int64_t> sums_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> sums_by_lists(const SortedGraph& graph) {
  return AncestorLists(graph).run();
}

}  // namespace tactus::dag
