#include "tactus/generate/common_forms.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::common {
namespace {

/// Kernels of the job, each on that many SMs.
Time kernels(const Task& task, std::int64_t sms) {
  Time sum;
  for (const Node& node : task.nodes) {
    if (node.on == kGpu) sum += node.times[static_cast<std::size_t>(sms - 1)].wcet;
  }
  return sum;
}

Time copies(const Task& task) {
  Time sum;
  for (const Node& node : task.nodes) {
    if (node.on == kCopy) sum += *node.wcet;
  }
  return sum;
}

/// What the core does for a job: CPU segments and launches.
Time cpu_work(const Task& task) {
  Time sum;
  for (const Node& node : task.nodes) {
    if (node.on == kCpu) sum += *node.wcet;
    sum += node.launch;
  }
  return sum;
}

Time longest_copy(const Task& task) {
  Time longest;
  for (const Node& node : task.nodes) {
    if (node.on == kCopy) longest = std::max(longest, *node.wcet);
  }
  return longest;
}

/// The longest time for which a job has its core without a break.
Time longest_cpu_piece(const Task& task) {
  Time longest;
  for (const Node& node : task.nodes) {
    longest = std::max({longest, node.launch, node.on == kCpu ? *node.wcet : Time{}});
  }
  return longest;
}

/// A copy, with the queue before it: one copy of every other task.
Time queued_copy(const System& system, const Task& task, Time own) {
  Time sum = own;
  for (const Task& other : system.tasks) {
    if (&other != &task) sum += longest_copy(other);
  }
  return sum;
}

/// The same for a piece of CPU work on a core.
Time queued_cpu_piece(const System& system, const Task& task, Time own) {
  Time sum = own;
  for (const Task& other : system.tasks) {
    if (&other != &task && other.core == task.core) sum += longest_cpu_piece(other);
  }
  return sum;
}

System with_own_copies(System system) {
  // The lengths depend on the copies of all, so they are found before any is changed.
  std::vector<std::vector<Time>> lengths;
  for (const Task& task : system.tasks) {
    auto& of_task = lengths.emplace_back();
    for (const Node& node : task.nodes) {
      of_task.push_back(node.on == kCopy ? queued_copy(system, task, *node.wcet) : Time{});
    }
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    for (std::size_t k = 0; k < system.tasks[i].nodes.size(); ++k) {
      Node& node = system.tasks[i].nodes[k];
      if (node.on == kGpu) node.on = kGpu - 1;  // the engine goes
      if (lengths[i][k] == Time{}) continue;
      node.on = kCpu;
      node.wcet = lengths[i][k];
    }
  }
  system.platform.elements.erase(system.platform.elements.begin() + kCopy);
  return system;
}

/// How long jobs of these tasks take side by side, each on an equal part of the SMs.
Time together(const System& system, const std::vector<TaskIndex>& members) {
  const auto count = static_cast<std::int64_t>(members.size());
  const std::int64_t part = system.platform.elements[kGpu].units / count;
  Time longest;
  for (TaskIndex own : members) {
    const Task& task = system.tasks[own];
    Time end = kernels(task, part);
    for (TaskIndex other : members) {
      end += copies(system.tasks[other]);
      if (system.tasks[other].core == task.core) end += cpu_work(system.tasks[other]);
    }
    longest = std::max(longest, end);
  }
  return longest;
}

constexpr std::size_t kMostTogether = 4;

/// All batches that begin with `members` and go on with tasks from `next` on.
void add_batches(const System& system, std::vector<TaskIndex>& members, TaskIndex next,
                 std::vector<Batch>& batches) {
  const auto units = static_cast<std::size_t>(system.platform.elements[kGpu].units);
  if (members.size() >= std::min(kMostTogether, units)) return;
  for (TaskIndex task = next; task < system.tasks.size(); ++task) {
    members.push_back(task);
    if (members.size() > 1) {
      Batch& batch = batches.emplace_back();
      batch.tasks = members;
      batch.completion = together(system, members);
    }
    add_batches(system, members, task + 1, batches);
    members.pop_back();
  }
}

System holding_the_gpu(const System& drawn) {
  System system;
  system.platform.elements.push_back(drawn.platform.elements[kGpu]);
  const std::int64_t sms = drawn.platform.elements[kGpu].units;
  std::vector<TaskIndex> members;
  add_batches(drawn, members, 0, system.batches);
  for (const Task& from : drawn.tasks) {
    Task& task = system.tasks.emplace_back();
    task.name = from.name;
    task.period = from.period;
    task.deadline = from.deadline;
    Node& node = task.nodes.emplace_back();
    node.name = "job";
    node.on = 0;
    node.wcet = cpu_work(from) + copies(from) + kernels(from, sms);
    task.graph = Graph::chain(1);
  }
  return system;
}

System as_one_graph(const System& drawn) {
  System system;
  Element gpu = drawn.platform.elements[kGpu];
  Task frame;
  frame.name = "frame";
  std::vector<Edge> edges;
  for (const Task& from : drawn.tasks) {
    if (!frame.period || *from.period < *frame.period) frame.period = from.period;
    if (!frame.deadline || *from.deadline < *frame.deadline) frame.deadline = from.deadline;
    std::optional<NodeIndex> before;
    const auto add = [&](std::string name, Time load) {
      Node& node = frame.nodes.emplace_back();
      node.name = fmt::format("{}.{}", from.name, name);
      node.on = 0;
      node.load = load;
      const auto index = static_cast<NodeIndex>(frame.nodes.size() - 1);
      if (before) edges.emplace_back(*before, index);
      before = index;
    };
    // As long on all SMs as it really is, and longer on fewer.
    const auto add_piece = [&](std::string name, Time length) {
      add(std::move(name), length * gpu.units);
    };
    for (const Node& node : from.nodes) {
      if (node.on == kCopy) add_piece(node.name, queued_copy(drawn, from, *node.wcet));
      if (node.on == kCpu) add_piece(node.name, queued_cpu_piece(drawn, from, *node.wcet));
      if (node.on != kGpu) continue;
      if (node.launch > Time{}) {
        add_piece("launch-" + node.name, queued_cpu_piece(drawn, from, node.launch));
      }
      Time load;
      for (const TimesEntry& entry : node.times) load = std::max(load, entry.wcet * entry.units);
      add(node.name, load);
    }
  }
  gpu.t_min = Time::from_us(1);
  system.platform.elements.push_back(std::move(gpu));
  frame.graph = Graph(static_cast<NodeIndex>(frame.nodes.size()), edges);
  system.tasks.push_back(std::move(frame));
  return system;
}

}  // namespace

System rewritten(System drawn, Form form) {
  switch (form) {
    case Form::kAsIs:
      break;
    case Form::kOneCore:
      for (Task& task : drawn.tasks) task.core = 1;
      break;
    case Form::kOwnCopies:
      return with_own_copies(std::move(drawn));
    case Form::kHeld:
      return holding_the_gpu(drawn);
    case Form::kOneGraph:
      return as_one_graph(drawn);
  }
  return drawn;
}

}  // namespace tactus::common
