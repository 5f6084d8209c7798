#include "tactus/observe/task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <thread>

#include "tactus/host/date.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/reserve.hpp"
#include "tactus/model/rhythm.hpp"

namespace tactus::observe {
namespace {

const char* word_of(Part::Kind kind) {
  switch (kind) {
    case Part::Kind::kCpu:
      return "cpu";
    case Part::Kind::kGpu:
      return "gpu";
    case Part::Kind::kCopyIn:
      return "copy in";
    case Part::Kind::kCopyOut:
      return "copy out";
    case Part::Kind::kCopyElsewhere:
      return "copy";
  }
  return "";
}

Reserve reserve_of(const TaskOptions& options) { return {options.margin, Reserve::kMeasured}; }

std::vector<SeenNode> nodes_of(const Shape& shape, const TaskOptions& options) {
  std::vector<SeenNode> nodes;
  std::map<Part::Kind, int> counts;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    SeenNode node;
    node.kind = shape.kinds[i];
    Time launch;
    for (const Part& part : shape.seen[i]) {
      node.times.push_back(part.time);
      launch = std::max(launch, part.launch);
      node.bytes = std::max(node.bytes, part.bytes);
    }
    node.time = statistics_of(node.times);
    if (node.time.max == Time()) continue;  // no job has it
    node.name = fmt::format("{} {}", word_of(node.kind), ++counts[node.kind]);
    const auto longest = std::max_element(node.times.begin(), node.times.end());
    node.grew = longest - node.times.begin() >= std::ssize(node.times) / 2;
    node.wcet = reserve_of(options).above(node.time.max);
    if (launch > Time()) node.launch = reserve_of(options).above(launch);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

System system_of(const std::vector<SeenNode>& seen, const Rhythm& rhythm,
                 const TaskOptions& options) {
  System system;
  system.name = options.name;
  const auto element = [&](const char* name, ElementKind kind, std::int64_t units) {
    Element made;
    made.name = name;
    made.kind = kind;
    made.units = units;
    system.platform.elements.push_back(std::move(made));
  };
  element(
      "cpu", ElementKind::kCpu,
      std::max<std::int64_t>(static_cast<std::int64_t>(std::thread::hardware_concurrency()), 1));
  element("gpu", ElementKind::kGpu, 1);
  element("copy", ElementKind::kCopy, 1);
  Task task;
  task.name = options.name;
  task.period = task.deadline = rhythm.period;
  task.jitter = reserve_of(options).above(rhythm.late);
  for (const SeenNode& part : seen) {
    Node node;
    node.name = part.name;
    node.on = part.kind == Part::Kind::kCpu ? 0 : part.kind == Part::Kind::kGpu ? 1 : 2;
    node.wcet = part.wcet;
    node.launch = part.launch;
    if (options.bcet) node.bcet = reserve_of(options).below(part.time.min);
    Measured measured = reserve_of(options).measured(part.time.max, std::ssize(part.times));
    measured.on = options.machine;
    measured.date = host::today();
    node.measured = measured;
    task.nodes.push_back(std::move(node));
  }
  task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  system.tasks.push_back(std::move(task));
  return system;
}

/// "each job has 2 automatic segments (`tactus exec --auto`)"
std::string automatic_segments(const Jobs& jobs) {
  std::size_t least = SIZE_MAX, most = 0;
  for (const Job& job : jobs.jobs) {
    const auto segments = static_cast<std::size_t>(
        std::count_if(job.parts.begin(), job.parts.end(),
                      [](const Part& p) { return p.kind == Part::Kind::kGpu; }));
    least = std::min(least, segments);
    most = std::max(most, segments);
  }
  const std::string number =
      least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
  return fmt::format(
      "each job has {} automatic segment{} (`tactus exec --auto`), if it never pauses for 1 ms "
      "while it launches and launches at most 500 times in each",
      number, number == "1" ? "" : "s");
}

void note_what_is_uncertain(const Jobs& jobs, const Shape& shape, int margin, SeenTask& seen) {
  const auto note = [&](std::string text) { seen.notes.push_back(std::move(text)); };
  if (jobs.by_segments) note("its GPU parts are the segments that it marks");
  if (jobs.automatic) note(automatic_segments(jobs));
  if (shape.joined) {
    note("its jobs differ in what they do, so all times of a kind are one node, in no known order");
  }
  if (jobs.unfinished > 0) {
    note(
        fmt::format("{} jobs are left out: they did not wait for their GPU work", jobs.unfinished));
  }
  if (jobs.other_processes > 0) {
    note(fmt::format("{} other processes of it used the GPU, too; they are left out",
                     jobs.other_processes));
  }
  if (std::any_of(seen.nodes.begin(), seen.nodes.end(), [](const SeenNode& n) { return n.grew; })) {
    note("some of the longest times came in the second half: a longer run may show longer ones");
  }
  note(
      "a GPU part is the time until the program knew that its work had ended, so its launches are "
      "in it as well as in `launch`");
  const Task& task = seen.system.tasks.front();
  note(
      task.jitter > Time()
          ? fmt::format("the period is that to which its jobs keep best, the deadline is the same; "
                        "`jitter` is how far they are from it, plus {} %",
                        margin)
          : "the period is the shortest distance of two jobs, the deadline is the same");
}

}  // namespace

Result<SeenTask> task_of(const Jobs& jobs, const TaskOptions& options) {
  const Shape shape = shape_of(jobs);
  SeenTask seen;
  seen.jobs = jobs.jobs.size();
  seen.nodes = nodes_of(shape, options);
  if (seen.nodes.empty()) return Error{"its jobs take no time at all"};
  std::vector<Time> distances;
  for (std::size_t i = 1; i < jobs.jobs.size(); ++i) {
    distances.push_back(jobs.jobs[i].start - jobs.jobs[i - 1].start);
  }
  seen.period = statistics_of(distances);
  std::vector<Time> starts;
  for (const Job& job : jobs.jobs) starts.push_back(job.start);
  std::optional<Rhythm> rhythm = rhythm_of(starts, {});
  if (rhythm && !rhythm->steady) rhythm->period = Time::from_us(rhythm->period.ns() / 1000);
  if (!rhythm || rhythm->period <= Time())
    return Error{"its jobs have no distance from each other"};
  ReadResult checked = check_system(system_of(seen.nodes, *rhythm, options));
  if (!checked.system) return Error{checked.diagnostics.front().message};
  seen.system = std::move(*checked.system);
  note_what_is_uncertain(jobs, shape, options.margin, seen);
  return seen;
}

}  // namespace tactus::observe
