#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/dag.hpp"
#include "tactus/methods/gang/exact.hpp"
#include "tactus/methods/gang/gang_plan.hpp"

/// Re-verifies a plan. It shares with the planner how a file becomes gangs (dag.hpp), but nothing
/// of the analysis: sets are std::set, Delta is taken from the definitions, and Theorem 2 is the
/// literal form of Defs. 6-11. It proves that the shares are enough, not that they are minimal.
namespace tactus::gang {
namespace {

using Places = std::set<std::size_t>;

/// V_p of one DAG, on one share.
class ShareCheck {
 public:
  ShareCheck(const GangDag& dag, ElementIndex element, Pools pools, bool swc, bool exact)
      : dag_(dag), pools_(pools), swc_(swc), exact_(exact) {
    std::vector<Places> ancestors(dag.nodes.size());
    for (NodeIndex v = 0; v < dag.nodes.size(); ++v) {
      for (NodeIndex u : dag.graph.predecessors(v)) {
        ancestors[v].insert(ancestors[u].begin(), ancestors[u].end());
        ancestors[v].insert(u);
      }
      if (dag.nodes[v].on == element) members_.insert(v);
    }
    for (std::size_t a : members_) {
      for (std::size_t b : members_) {
        if (a == b ? dag.nodes[a].copies > 1
                   : !ancestors[a].contains(b) && !ancestors[b].contains(a)) {
          interferers_[a].insert(b);
        }
      }
    }
    ancestors_ = std::move(ancestors);
  }

  bool fits() const {
    return std::all_of(members_.begin(), members_.end(),
                       [&](std::size_t v) { return dag_.nodes[v].width <= pools_.size; });
  }

  /// term_p by Defs. 6-11, or nothing when exact Delta takes too long to verify.
  std::optional<Fraction> term() {
    std::map<std::size_t, std::int64_t> own, idle;
    for (std::size_t v : members_) {
      const auto totals = exact_ ? antichain_totals(v) : dp_totals(v);
      if (!totals) return std::nullopt;
      own[v] = 0;
      for (std::int64_t s = pools_.size; s > pools_.size - dag_.nodes[v].width; --s) {
        if (totals->contains(s)) own[v] = pools_.size - s;
      }
    }
    for (std::size_t v : members_) {
      idle[v] = own[v];
      if (!swc_) continue;
      for (std::size_t u : interferers_[v]) idle[v] = std::max(idle[v], own[u]);
    }
    std::vector<std::size_t> order(members_.begin(), members_.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return idle[a] > idle[b]; });
    Volume left = off_path();
    Places seen;
    Fraction sum;
    for (std::size_t v : order) {
      Volume fresh = 0;
      for (std::size_t u : interferers_[v]) {
        if (seen.insert(u).second) fresh = add(fresh, volume(u));
      }
      const Volume taken = std::min(left, fresh);  // g of Def. 11 at h(p), all of it before
      left -= taken;
      sum += quotient(taken, multiply(pools_.size - idle[v], pools_.count));
    }
    return sum;
  }

 private:
  using Sums = std::set<std::int64_t>;

  Volume volume(std::size_t v) const {
    const GangNode& node = dag_.nodes[v];
    return multiply(multiply(node.width, node.wcet.ns()), node.copies);
  }

  Volume off_path() const {
    std::vector<std::optional<Volume>> touched(dag_.nodes.size());
    std::vector<bool> untouched(dag_.nodes.size());
    Volume total = 0;
    std::optional<Volume> least;
    for (NodeIndex v = 0; v < dag_.nodes.size(); ++v) {
      const auto previous = dag_.graph.predecessors(v);
      std::optional<Volume> best;
      bool clean = previous.empty();
      for (NodeIndex u : previous) {
        clean = clean || untouched[u];
        if (touched[u] && (!best || *touched[u] < *best)) best = touched[u];
      }
      if (members_.contains(v)) {
        total = add(total, volume(v));
        if (clean) best = 0;
        best = add(*best, multiply(dag_.nodes[v].width, dag_.nodes[v].wcet.ns()));
        clean = false;
      }
      touched[v] = best;
      untouched[v] = clean;
      if (dag_.graph.successors(v).empty() && best && (!least || *best < *least)) least = best;
    }
    return total - least.value_or(0);
  }

  void add_copies(const Sums& base, std::size_t v, std::int64_t copies, Sums& out) const {
    for (std::int64_t sum : base) {
      for (std::int64_t n = 1; n <= copies; ++n) {
        const std::int64_t next = sum + n * dag_.nodes[v].width;
        if (next > pools_.size) break;
        out.insert(next);
      }
    }
  }
  std::int64_t copies_beside(std::size_t i, std::size_t v) const {
    return dag_.nodes[v].copies - (i == v ? 1 : 0);
  }

  std::optional<Sums> dp_totals(std::size_t i) const {
    std::map<std::size_t, Sums> ending;
    Sums all{0};
    for (std::size_t j : interferers_.contains(i) ? interferers_.at(i) : Places()) {
      Sums base{0};
      for (const auto& [k, sums] : ending) {
        if (!ancestors_[j].contains(k)) base.insert(sums.begin(), sums.end());
      }
      add_copies(base, j, copies_beside(i, j), ending[j]);
      all.insert(ending[j].begin(), ending[j].end());
    }
    return all;
  }

  std::optional<Sums> antichain_totals(std::size_t i) {
    constexpr std::size_t kMostSets = 200'000;
    std::map<Places, Sums> known;
    const auto totals = [&](auto&& self, const Places& allowed) -> const Sums* {
      if (const auto found = known.find(allowed); found != known.end()) return &found->second;
      if (known.size() > kMostSets) return nullptr;
      Sums sums{0};
      if (!allowed.empty()) {
        const std::size_t v = *allowed.begin();
        Places rest = allowed, beside;
        rest.erase(v);
        for (std::size_t u : rest) {
          if (interferers_[v].contains(u)) beside.insert(u);
        }
        const Sums* without = self(self, rest);
        const Sums* with = without == nullptr ? nullptr : self(self, beside);
        if (with == nullptr) return nullptr;
        sums = *without;
        add_copies(*with, v, copies_beside(i, v), sums);
      }
      return &known.emplace(allowed, std::move(sums)).first->second;
    };
    const Sums* found = totals(totals, interferers_[i]);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  const GangDag& dag_;
  Pools pools_;
  bool swc_, exact_;
  Places members_;
  std::vector<Places> ancestors_;
  std::map<std::size_t, Places> interferers_;
};

std::optional<std::int64_t> whole_number(const json::Value* value) {
  if (value == nullptr || !value->is(json::Kind::kNumber)) return std::nullopt;
  std::int64_t number = 0;
  const std::string_view text = value->text();
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class PlanCheck {
 public:
  PlanCheck(const System& system, const json::Value& plan, bool swc)
      : system_(system), plan_(plan), swc_(swc), used_(system.platform.elements.size()) {}

  std::vector<std::string> run() {
    const auto tasks = make_tasks(system_);
    if (!tasks) return {tasks.error().reason};
    const json::Value* allocation = plan_.find("allocation");
    if (allocation == nullptr || !allocation->is(json::Kind::kObject)) {
      return {"the plan has no `allocation`"};
    }
    for (const GangTask& task : std::get<std::vector<GangTask>>(tasks)) check(task, *allocation);
    std::int64_t total = 0;
    for (std::size_t p = 0; p < used_.size(); ++p) {
      const Element& element = system_.platform.elements[p];
      total += used_[p];
      if (used_[p] > element.units) {
        complain(fmt::format("element {}: {} units are given away, it has {}", quote(element.name),
                             used_[p], element.units));
      }
    }
    if (whole_number(plan_.find("total_units")) != total) {
      complain(fmt::format("`total_units` is not {}, the sum of the shares", total));
    }
    return std::move(problems_);
  }

 private:
  void complain(std::string problem) { problems_.push_back(std::move(problem)); }

  void check(const GangTask& gangs, const json::Value& allocation) {
    const Task& task = system_.tasks[gangs.task];
    const std::string who = fmt::format("task {}: ", quote(task.name));
    const json::Value* shares = allocation.find(task.name);
    if (shares == nullptr || !shares->is(json::Kind::kObject)) {
      return complain(who + "has no share");
    }
    const json::Value* deltas = plan_.find("delta");
    const json::Value* delta = deltas == nullptr ? nullptr : deltas->find(task.name);
    const bool exact = delta != nullptr && delta->text() == "exact";
    const auto entries = chosen_entries(gangs, *shares);
    if (!entries) return;
    const GangDag dag = make_dag(gangs, *entries);
    Fraction bound = to_fraction(length_of(dag));
    for (ElementIndex p = 0; p < used_.size(); ++p) {
      const Element& element = system_.platform.elements[p];
      const std::string where = fmt::format("{}element {}: ", who, quote(element.name));
      const auto units = whole_number(shares->find(element.name));
      if (!units || *units < 0 || *units > element.units) {
        return complain(where + "the share is no number of its units");
      }
      used_[p] += *units;
      const bool needed = std::any_of(dag.nodes.begin(), dag.nodes.end(),
                                      [&](const GangNode& node) { return node.on == p; });
      if (!needed) {
        if (*units != 0) complain(where + "units are given, but no node runs there");
        continue;
      }
      ShareCheck share(dag, p, pools_of(element, *units), swc_, exact);
      if (*units == 0 || !share.fits()) return complain(where + "a gang does not fit the share");
      const auto term = share.term();
      if (!term) return complain(where + "exact Delta takes too long to verify");
      bound += *term;
    }
    if (bound > to_fraction(dag.deadline)) {
      complain(fmt::format("{}the bound on its share is {}, its deadline {}", who,
                           format_time(round_up(bound), system_.time_unit),
                           format_time(dag.deadline, system_.time_unit)));
    }
    const json::Value* bounds = plan_.find("bounds");
    const json::Value* stated = bounds == nullptr ? nullptr : bounds->find(task.name);
    const std::string shown = format_time(round_up(bound), system_.time_unit);
    if (stated == nullptr || stated->text() != shown) {
      complain(fmt::format("{}the bound on its share is {}, not the one stated", who, shown));
    }
  }

  /// What the plan says about the widths of moldable gangs; nothing, and a complaint, if that is
  /// not an entry of the file or does not fit into the share.
  std::optional<Entries> chosen_entries(const GangTask& gangs, const json::Value& shares) {
    const Task& task = system_.tasks[gangs.task];
    const json::Value* all = plan_.find("widths");
    const json::Value* widths = all == nullptr ? nullptr : all->find(task.name);
    const std::size_t before = problems_.size();
    Entries entries(gangs.pieces.size());
    for (std::size_t i = 0; i < gangs.pieces.size(); ++i) {
      const Piece& piece = gangs.pieces[i];
      if (!piece.moldable) continue;
      const Node& node = task.nodes[piece.node];
      const std::string who = fmt::format("task {}: node {}: ", quote(task.name), quote(node.name));
      const auto width = whole_number(widths == nullptr ? nullptr : widths->find(node.name));
      const auto share = whole_number(shares.find(system_.platform.elements[node.on].name));
      if (!width) {
        complain(who + "the plan does not say how many units it runs on");
        continue;
      }
      const auto entry = std::find_if(node.times.begin(), node.times.end(),
                                      [&](const TimesEntry& e) { return e.units == *width; });
      if (entry == node.times.end()) {
        complain(fmt::format("{}{} units are no entry of its `times`", who, *width));
      } else if (share && *width > *share) {
        complain(
            fmt::format("{}{} units are more than its task's share of {}", who, *width, *share));
      } else {
        entries[i] = static_cast<std::uint32_t>(entry - node.times.begin());
      }
    }
    if (problems_.size() > before) return std::nullopt;
    return entries;
  }

  const System& system_;
  const json::Value& plan_;
  bool swc_;
  std::vector<std::int64_t> used_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> check_wc_plan(const System& system, const json::Value& plan) {
  return PlanCheck(system, plan, false).run();
}
std::vector<std::string> check_swc_plan(const System& system, const json::Value& plan) {
  return PlanCheck(system, plan, true).run();
}

}  // namespace tactus::gang
