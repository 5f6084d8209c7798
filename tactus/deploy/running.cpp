#include "tactus/deploy/running.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "tactus/arbiter/path_variables.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/base/file.hpp"
#include "tactus/deploy/cover.hpp"

namespace tactus::deploy {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> environment_of(const std::string& folder) {
  std::map<std::string, std::string> variables;
  const auto text = read_text_file(folder + "/environ");
  if (!text) return variables;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\0'));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(one.substr(0, equals), one.substr(equals + 1));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return variables;
}

std::set<int> cpus_of(int pid) {
  std::set<int> cpus;
  cpu_set_t set;
  if (sched_getaffinity(pid, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.insert(cpu);
  return cpus;
}

int fifo_of(int pid) {
  sched_param parameter{};
  const int policy = sched_getscheduler(pid);
  if (policy < 0 || (policy & ~SCHED_RESET_ON_FORK) != SCHED_FIFO) return 0;
  return sched_getparam(pid, &parameter) == 0 ? parameter.sched_priority : 0;
}

/// What the arbiter knows of a process that is its client.
void add_seen(decide::TaskStart& start, const TaskProcess& process, const arbiter::Row& row,
              bool boost) {
  const auto tier = arbiter::tasks::tier_named(row.tier);
  // A program under `tactus exec` is one segment, however many it marks inside.
  const bool whole =
      process.environment.contains(arbiter::kPriorityVariable) || tier == decide::Tier::kProcess;
  if (!whole && start.marks_segments == false) return;
  start.tier = tier;
  if (whole) {
    start.marks_segments = false;
  } else if (row.active != 0 || row.segments > 0) {
    start.marks_segments = true;
  }
  if (row.active == 0) return;
  start.best_effort = row.best_effort != 0;
  start.priority.reset();
  if (row.best_effort == 0) start.priority = row.priority;
  if (boost && row.best_effort == 0) start.threshold = row.threshold;
}

}  // namespace

std::vector<TaskProcess> running_tasks(std::string_view system) {
  std::vector<TaskProcess> all;
  const std::string prefix = fmt::format("{}/", system);
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    TaskProcess process;
    process.environment = environment_of(entry.path().string());
    const auto task = process.environment.find(arbiter::kTaskVariable);
    if (task == process.environment.end() || !task->second.starts_with(prefix)) continue;
    process.pid = pid;
    process.task = task->second.substr(prefix.size());
    const auto maps = read_text_file(entry.path().string() + "/maps");
    process.library = maps && maps->find("libtactus_preload.so") != std::string::npos;
    process.cpus = cpus_of(pid);
    process.fifo = fifo_of(pid);
    if (!process.cpus.empty()) all.push_back(std::move(process));  // else it has just ended
  }
  return all;
}

std::optional<SeenArbiter> running_arbiter(const std::string& socket) {
  auto observer = arbiter::client::Observer::open(socket);
  if (!observer) return std::nullopt;
  auto snapshot = observer->look();
  if (!snapshot) return std::nullopt;
  SeenArbiter seen{std::move(*snapshot), std::nullopt, 0};
  const int pid = observer->arbiter();
  const std::set<int> cpus = cpus_of(pid);
  if (cpus.size() == 1) seen.cpu = *cpus.begin();
  seen.fifo = fifo_of(pid);
  return seen;
}

decide::Start running_start(const System& system, const std::vector<TaskProcess>& processes,
                            const std::optional<SeenArbiter>& arbiter, bool real_gpu) {
  decide::Start start;
  start.real_gpu = real_gpu;
  const bool boost = arbiter && arbiter->snapshot.summary.rule == arbiter::kRuleBoost;
  if (arbiter) start.arbiter = {boost, arbiter->cpu, arbiter->fifo};
  for (const Task& task : system.tasks) {
    decide::TaskStart own;
    own.there = false;
    for (const TaskProcess& process : processes) {
      if (process.task != task.name) continue;
      if (!own.there) {
        own = task_start({}, process.environment, boost);
        own.tier.reset();  // only the arbiter knows what is in force
        own.cpus = process.cpus;
        own.fifo = process.fifo;
      }
      // All of them must be where the plan wants them.
      own.cpus->insert(process.cpus.begin(), process.cpus.end());
      own.fifo = std::min(*own.fifo, process.fifo);
      if (!arbiter) continue;
      for (const arbiter::Row& row : arbiter->snapshot.clients)
        if (row.pid == process.pid) add_seen(own, process, row, boost);
    }
    start.tasks.push_back(std::move(own));
  }
  return start;
}

}  // namespace tactus::deploy
