#include "tests/simulate/naive.hpp"

#include <algorithm>
#include <set>

namespace tactus::simulate::naive {
namespace {

/// The jobs of one task: one at a time, each released when it is due and the one before has ended.
struct Jobs {
  std::int64_t next_release = 0, release = 0;
  std::uint32_t number = 0, released = 0;
  bool live = false;

  bool start(const System& system, TaskIndex task, const trace::Scenario& scenario,
             std::int64_t now) {
    if (live || next_release > now) return false;
    live = true;
    release = next_release;
    number = released++;
    next_release += scenario.gap_after(system, task, number).ns();
    return true;
  }
};

/// A piece that occupies `width` of something for `left` more nanoseconds.
struct Block {
  std::size_t group = 0;  ///< of its kernel or node: the groups before it must be done
  std::int64_t left = 0, width = 1;
  bool runs = false, started = false;
  std::size_t unit = 0;
  bool copy = false;  ///< on no SM
};

bool done(const std::vector<Block>& blocks, std::size_t group) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const Block& b) { return b.group != group || b.left == 0; });
}

bool all_done(const std::vector<Block>& blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.left == 0; });
}

using Before = std::vector<std::set<std::size_t>>;  ///< groups that precede each group

bool ready(const std::vector<Block>& blocks, const Before& before, const Block& block) {
  return block.left > 0 && std::all_of(before[block.group].begin(), before[block.group].end(),
                                       [&](std::size_t group) { return done(blocks, group); });
}

/// A group that takes no time is done only when what precedes it is: carry precedence through it.
Before closed(Before before) {
  for (bool grows = true; grows;) {
    grows = false;
    for (auto& own : before) {
      const std::size_t size = own.size();
      for (const std::size_t group : std::set(own)) {
        own.insert(before[group].begin(), before[group].end());
      }
      grows = grows || own.size() > size;
    }
  }
  return before;
}

}  // namespace

Responses run_dag(const System& system, const dag::DagPlan& plan, const trace::Scenario& scenario,
                  std::int64_t horizon) {
  const Task& task = system.tasks[plan.task];
  const auto& kernels = plan.schedule.kernels;
  Before before(kernels.size());
  std::vector<std::size_t> step_of(kernels.size());
  for (std::size_t j = 0; j < plan.schedule.steps.size(); ++j) {
    const dag::Step& step = plan.schedule.steps[j];
    for (std::size_t k = step.begin; k < step.end; ++k) step_of[k] = j;
  }
  for (std::size_t a = 0; a < kernels.size(); ++a) {
    for (std::size_t b = 0; b < kernels.size(); ++b) {
      const auto next = task.graph.successors(kernels[a].node);
      const bool edge = std::find(next.begin(), next.end(), kernels[b].node) != next.end();
      const bool link =
          kernels[a].node == kernels[b].node && kernels[a].segment < kernels[b].segment;
      const bool barrier = plan.ordering == dag::Ordering::kBarriers && step_of[a] < step_of[b];
      if (edge || link || barrier) before[b].insert(a);
    }
  }
  before = closed(std::move(before));
  Responses responses(system.tasks.size());
  Jobs jobs;
  jobs.next_release = scenario.first_release(system, plan.task).ns();
  std::vector<Block> blocks;
  for (std::int64_t now = 0; now < horizon; ++now) {
    while (jobs.start(system, plan.task, scenario, now)) {
      blocks.clear();
      for (std::size_t k = kernels.size(); k-- > 0;) {  // the latest first
        if (const Node& copy = task.nodes[kernels[k].node]; !copy.load) {
          const auto number = static_cast<std::uint32_t>(k);
          blocks.push_back(
              {k, scenario.length(plan.task, jobs.number, {number}, copy.bcet, *copy.wcet).ns()});
          blocks.back().copy = true;
          continue;
        }
        const std::int64_t waves = (kernels[k].m + plan.sms - 1) / plan.sms;
        const Node& node = task.nodes[kernels[k].node];
        const Time most = Time::from_ns(kernels[k].c.ns() / waves);
        const Time least =
            mul_div_up(most, std::min(node.load_min, *node.load).ns(), node.load->ns());
        const Time length = scenario.length(plan.task, jobs.number,
                                            {.number = static_cast<std::uint32_t>(k)}, least, most);
        for (std::int64_t b = 0; b < kernels[k].m; ++b) blocks.push_back({k, length.ns()});
      }
      if (!all_done(blocks)) break;
      jobs.live = false;
      responses[plan.task].push_back(now - jobs.release);
    }
    if (!jobs.live) continue;
    std::int64_t free = plan.sms;
    for (const Block& block : blocks) free -= block.runs && !block.copy ? 1 : 0;
    for (Block& block : blocks) {
      if (block.runs || !ready(blocks, before, block)) continue;
      if (free == 0 && !block.copy) continue;
      block.runs = true;
      free -= block.copy ? 0 : 1;
    }
    for (Block& block : blocks) {
      if (block.runs && --block.left == 0) block.runs = false;
    }
    if (!all_done(blocks)) continue;
    jobs.live = false;
    responses[plan.task].push_back(now + 1 - jobs.release);
  }
  return responses;
}

namespace {

/// Kahn's algorithm, the smallest position first.
std::vector<NodeIndex> node_order(const Graph& graph) {
  std::vector<NodeIndex> order;
  std::set<NodeIndex> left;
  for (NodeIndex v = 0; v < graph.size(); ++v) left.insert(v);
  while (!left.empty()) {
    for (const NodeIndex v : left) {
      const auto previous = graph.predecessors(v);
      if (std::any_of(previous.begin(), previous.end(),
                      [&](NodeIndex u) { return left.contains(u); })) {
        continue;
      }
      order.push_back(v);
      left.erase(v);
      break;
    }
  }
  return order;
}

struct GangTask {
  Jobs jobs;
  std::vector<NodeIndex> order;
  Before before;              ///< by node
  std::vector<Block> blocks;  ///< the latest first
};

void expand(const System& system, TaskIndex index, const trace::Scenario& scenario,
            GangTask& gang) {
  const Task& task = system.tasks[index];
  gang.blocks.clear();
  std::uint32_t pieces = 0;  // a kernel of several blocks has a start and an end beside them
  for (const NodeIndex v : gang.order) {
    const Node& node = task.nodes[v];
    const bool lanes = system.platform.elements[node.on].lanes > 1;
    const auto copies = static_cast<std::uint32_t>(lanes ? node.blocks.value_or(1) : 1);
    for (std::uint32_t b = 0; b < copies; ++b) {
      const Time length = scenario.length(index, gang.jobs.number, {.number = pieces + b},
                                          std::min(node.bcet, *node.wcet), *node.wcet);
      gang.blocks.push_back({v, length.ns(), node.parallelism.value_or(1)});
    }
    pieces += copies == 1 ? 1 : copies + 2;
  }
  std::reverse(gang.blocks.begin(), gang.blocks.end());
}

/// Algorithm 1 on one share: processors in one pool, or lanes unit by unit.
void walk(GangTask& gang, const Task& task, ElementIndex element, std::vector<std::int64_t> room,
          bool walk_on, bool preemptive) {
  for (Block& block : gang.blocks) {
    if (task.nodes[block.group].on != element || !block.runs) continue;
    if (preemptive) {
      block.runs = false;
    } else {
      room[block.unit] -= block.width;
    }
  }
  for (Block& block : gang.blocks) {
    if (task.nodes[block.group].on != element || block.runs) continue;
    if (!ready(gang.blocks, gang.before, block)) continue;
    for (std::size_t i = 0; i < room.size() && !block.runs; ++i) {
      const std::size_t unit = ((block.started ? block.unit : 0) + i) % room.size();
      if (room[unit] < block.width) continue;
      room[unit] -= block.width;
      block.unit = unit;
      block.runs = block.started = true;
    }
    if (!block.runs && !walk_on) return;
  }
}

}  // namespace

Responses run_gangs(const System& system, const std::vector<std::vector<std::int64_t>>& units,
                    bool walk_on, const trace::Scenario& scenario, std::int64_t horizon) {
  std::vector<GangTask> gangs(system.tasks.size());
  for (TaskIndex t = 0; t < gangs.size(); ++t) {
    const Graph& graph = system.tasks[t].graph;
    gangs[t].order = node_order(graph);
    gangs[t].jobs.next_release = scenario.first_release(system, t).ns();
    gangs[t].before.resize(graph.size());
    for (const auto& [from, to] : graph.edges()) gangs[t].before[to].insert(from);
    gangs[t].before = closed(std::move(gangs[t].before));
  }
  Responses responses(system.tasks.size());
  for (std::int64_t now = 0; now < horizon; ++now) {
    for (TaskIndex t = 0; t < gangs.size(); ++t) {
      GangTask& gang = gangs[t];
      while (gang.jobs.start(system, t, scenario, now)) {
        expand(system, t, scenario, gang);
        if (!all_done(gang.blocks)) break;
        gang.jobs.live = false;
        responses[t].push_back(now - gang.jobs.release);
      }
      if (!gang.jobs.live) continue;
      for (ElementIndex p = 0; p < system.platform.elements.size(); ++p) {
        const std::int64_t lanes = system.platform.elements[p].lanes;
        std::vector<std::int64_t> room = {units[t][p]};
        if (lanes > 1) room.assign(static_cast<std::size_t>(units[t][p]), lanes);
        walk(gang, system.tasks[t], p, std::move(room), walk_on, scenario.preemptive);
      }
      for (Block& block : gang.blocks) {
        if (block.runs && --block.left == 0) block.runs = false;
      }
      if (!all_done(gang.blocks)) continue;
      gang.jobs.live = false;
      responses[t].push_back(now + 1 - gang.jobs.release);
    }
  }
  return responses;
}

namespace {

/// Of kernels one after the other, each with the whole GPU: of a curve, the entry with all units,
/// else the shortest.
Time least_time(const System& system, const Task& task) {
  Time sum;
  for (const Node& node : task.nodes) {
    sum += node.bcet;
    if (node.wcet || node.times.empty()) continue;
    const TimesEntry* used = &node.times.front();
    for (const TimesEntry& entry : node.times) {
      const bool all = entry.units == system.platform.elements[node.on].units;
      if (all || entry.wcet < used->wcet) used = &entry;
    }
    sum += used->bcet;
  }
  return sum;
}

}  // namespace

Responses run_table(const System& system, const pbs::ScheduleTable& table,
                    const trace::Scenario& scenario, std::int64_t horizon) {
  Responses responses(system.tasks.size());
  std::vector<std::uint32_t> played(system.tasks.size());
  std::int64_t end = 0;
  for (std::int64_t round = 0;; ++round) {
    for (const pbs::Frame& frame : table.frames()) {
      std::int64_t start = end, length = 0;
      const Time completion = table.time(frame.end - frame.start);
      for (const pbs::Frame::Job& job : frame.batch) {
        const TaskIndex task = table.task_of(job.kernel);
        const Task& source = system.tasks[task];
        start = std::max(start, source.offset.ns() + played[task] * source.period->ns());
        const Time least = std::max(least_time(system, source), Time::from_ns(1));
        length = std::max(length, scenario.length(task, played[task], {}, least, completion).ns());
      }
      end = start + length;
      if (end > horizon) return responses;
      for (const pbs::Frame::Job& job : frame.batch) {
        const TaskIndex task = table.task_of(job.kernel);
        const Task& source = system.tasks[task];
        responses[task].push_back(end -
                                  (source.offset.ns() + played[task]++ * source.period->ns()));
      }
    }
  }
}

}  // namespace tactus::simulate::naive
