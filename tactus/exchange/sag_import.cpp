#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "tactus/exchange/csv.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/source.hpp"

/// Job sets of the schedule-abstraction graph (np-schedulability-analysis): a CSV file of jobs, and
/// one of edges between them. Its jobs are not preempted, and a smaller priority is more urgent.
namespace tactus::exchange {
namespace {

struct SagJob {
  std::int64_t task = 0, job = 0;
  std::int64_t arrival = 0, latest = 0, cost_min = 0, cost_max = 0, deadline = 0,
               priority = 0;  // 10^-6 units
  Position at;
};

/// Jobs that edges join, in the order of their numbers: one job of a task.
struct Instance {
  std::vector<std::size_t> jobs;
  std::vector<Edge> edges;  // of places in `jobs`
};

class SagReader {
 public:
  explicit SagReader(const ImportOptions& options) : options_(options) {}

  Draft read(std::string_view jobs) {
    read_jobs(jobs);
    if (draft_.problems.empty() && !options_.edges.empty()) read_edges(options_.edges);
    if (draft_.problems.empty()) make_tasks();
    return std::move(draft_);
  }

 private:
  void complain(const CsvField& at, std::string message) {
    constexpr std::size_t kMost = 20;
    if (draft_.problems.size() < kMost) {
      draft_.problems.push_back({std::move(message), {}, at.at});
    }
  }

  std::int64_t number(const CsvField& field, std::string_view what) {
    const auto value = scaled(field.text, decimal_places(TimeUnit::kUnit), Rounding::kUp);
    if (!value)
      complain(field, fmt::format("{} must be a number, got {}", what, quote(field.text)));
    return value.value_or(0);
  }
  std::int64_t id(const CsvField& field, std::string_view what) {
    const auto value = whole(field.text);
    if (!value) {
      complain(field, fmt::format("{} must be a whole number, got {}", what, quote(field.text)));
    }
    return value.value_or(0);
  }

  void read_jobs(std::string_view text) {
    const Csv csv = read_csv(text);
    if (csv.problem) {
      draft_.problems.push_back(*csv.problem);
      return;
    }
    if (csv.rows.empty()) return complain({}, "the file is empty");
    const CsvRow& titles = csv.rows.front();
    if (column_of(titles, {"trigger min", "tmin"})) {
      return complain(titles.front(),
                      "these are aborts: a job that is ended early has no place in a system file, "
                      "whose jobs always run to their end");
    }
    for (std::size_t i = 1; i < csv.rows.size(); ++i) {
      const CsvRow& row = csv.rows[i];
      constexpr std::size_t kColumns = 8;
      if (row.size() != kColumns) {
        complain(row.front(),
                 fmt::format("a job has 8 fields (task, job, arrival min and max, cost "
                             "min and max, deadline, priority), this row has {}",
                             row.size()));
        continue;
      }
      SagJob job;
      job.at = row.front().at;
      job.task = id(row[0], "the task");
      job.job = id(row[1], "the job");
      job.arrival = number(row[2], "the earliest arrival");
      job.latest = number(row[3], "the latest arrival");
      job.cost_min = number(row[4], "the least cost");
      job.cost_max = number(row[5], "the greatest cost");
      job.deadline = number(row[6], "the deadline");
      job.priority = number(row[7], "the priority");
      if (job.arrival < 0 || job.latest < job.arrival || job.cost_min < 0 ||
          job.cost_max < job.cost_min || job.deadline <= job.arrival) {
        complain(row[0], fmt::format("job {} of task {}: its times do not fit together", job.job,
                                     job.task));
      }
      if (!places_.try_emplace({job.task, job.job}, jobs_.size()).second) {
        complain(row[0], fmt::format("job {} of task {} is listed twice", job.job, job.task));
      }
      jobs_.push_back(job);
    }
    if (jobs_.empty() && draft_.problems.empty()) complain(titles.front(), "there are no jobs");
  }

  void read_edges(std::string_view text) {
    const Csv csv = read_csv(text);
    if (csv.problem) {
      draft_.problems.push_back(*csv.problem);
      return;
    }
    for (std::size_t i = 1; i < csv.rows.size(); ++i) {
      const CsvRow& row = csv.rows[i];
      constexpr std::size_t kEnds = 4;
      if (row.size() < kEnds) {
        complain(row.front(), "an edge has 4 fields: task and job of both ends");
        continue;
      }
      for (std::size_t k = kEnds; k < row.size(); ++k) {
        if (scaled(row[k].text, 0, Rounding::kUp).value_or(0) != 0) {
          complain(row[k], "this edge has a delay (suspension); edges of a system file have none");
          break;
        }
      }
      const std::size_t problems_before = draft_.problems.size();
      const auto from = places_.find({id(row[0], "the task"), id(row[1], "the job")});
      const auto to = places_.find({id(row[2], "the task"), id(row[3], "the job")});
      if (draft_.problems.size() != problems_before) continue;  // no such numbers
      if (from == places_.end() || to == places_.end()) {
        const std::size_t wrong = from == places_.end() ? 0 : 2;
        complain(row[wrong], fmt::format("there is no job {} of task {}", row[wrong + 1].text,
                                         row[wrong].text));
        continue;
      }
      edges_.emplace_back(from->second, to->second);
    }
  }

  /// Jobs that are joined by edges, directly or not.
  std::vector<Instance> instances() {
    std::vector<std::size_t> parent(jobs_.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](std::size_t job) {
      while (parent[job] != job) job = parent[job] = parent[parent[job]];
      return job;
    };
    for (const auto& [from, to] : edges_) parent[root(from)] = root(to);
    std::map<std::size_t, Instance> by_root;
    for (std::size_t i = 0; i < jobs_.size(); ++i) by_root[root(i)].jobs.push_back(i);
    for (auto& [first, instance] : by_root) {
      std::sort(instance.jobs.begin(), instance.jobs.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(jobs_[a].task, jobs_[a].job) < std::tie(jobs_[b].task, jobs_[b].job);
      });
    }
    for (const auto& [from, to] : edges_) {
      Instance& instance = by_root[root(from)];
      const auto place = [&](std::size_t job) {
        return static_cast<NodeIndex>(std::find(instance.jobs.begin(), instance.jobs.end(), job) -
                                      instance.jobs.begin());
      };
      instance.edges.emplace_back(place(from), place(to));
    }
    std::vector<Instance> all;
    for (auto& [first, instance] : by_root) {
      std::sort(instance.edges.begin(), instance.edges.end());
      all.push_back(std::move(instance));
    }
    std::sort(all.begin(), all.end(), [&](const Instance& a, const Instance& b) {
      const SagJob &first = jobs_[a.jobs.front()], &second = jobs_[b.jobs.front()];
      return std::tie(first.task, first.arrival, first.job) <
             std::tie(second.task, second.arrival, second.job);
    });
    return all;
  }

  std::int64_t relative_deadline(const Instance& instance) const {
    std::int64_t least = INT64_MAX;
    for (std::size_t job : instance.jobs) {
      least = std::min(least, jobs_[job].deadline - jobs_[job].arrival);
    }
    return least;
  }
  std::int64_t priority_of(const Instance& instance) const {
    std::int64_t least = INT64_MAX;
    for (std::size_t job : instance.jobs) least = std::min(least, jobs_[job].priority);
    return least;
  }

  /// The same job of the same task, but for its arrival?
  bool alike(const Instance& a, const Instance& b) const {
    if (a.jobs.size() != b.jobs.size() || a.edges != b.edges) return false;
    for (std::size_t i = 0; i < a.jobs.size(); ++i) {
      const SagJob &one = jobs_[a.jobs[i]], &other = jobs_[b.jobs[i]];
      if (std::tie(one.task, one.cost_min, one.cost_max, one.priority) !=
              std::tie(other.task, other.cost_min, other.cost_max, other.priority) ||
          one.deadline - one.arrival != other.deadline - other.arrival ||
          one.latest - one.arrival != other.latest - other.arrival) {
        return false;
      }
    }
    return true;
  }

  /// The period, if all instances of a task are alike and equally far apart.
  std::optional<std::int64_t> period_of(const std::vector<Instance>& all) const {
    if (all.size() < 2) return std::nullopt;
    const auto arrival = [&](const Instance& one) { return jobs_[one.jobs.front()].arrival; };
    const std::int64_t period = arrival(all[1]) - arrival(all[0]);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (period <= 0 || arrival(all[i]) - arrival(all[i - 1]) != period ||
          !alike(all[0], all[i])) {
        return std::nullopt;
      }
    }
    return period;
  }

  void make_tasks() {
    Element processors;
    processors.name = "processors";
    processors.kind = ElementKind::kCopy;
    processors.units = options_.cores.value_or(1);
    draft_.system.name = options_.name;
    draft_.system.time_unit = TimeUnit::kUnit;
    draft_.system.platform.elements.push_back(processors);
    std::map<std::int64_t, std::vector<Instance>> by_task;
    for (Instance& instance : instances()) {
      const SagJob& first = jobs_[instance.jobs.front()];
      for (std::size_t job : instance.jobs) {
        if (jobs_[job].arrival == first.arrival) continue;
        draft_.problems.push_back(
            {fmt::format(
                 "job {} of task {} is joined by edges with job {} of task {}, which arrives "
                 "at another time; a task of a system file is released as a whole",
                 jobs_[job].job, jobs_[job].task, first.job, first.task),
             {},
             jobs_[job].at});
        return;
      }
      by_task[first.task].push_back(std::move(instance));
    }
    struct Ranked {
      std::int64_t priority, task;
      std::size_t place;
    };
    std::vector<Ranked> ranks;
    std::size_t periodic = 0, once = 0;
    for (const auto& [number, all] : by_task) {
      const auto period = period_of(all);
      (period ? periodic : once) += period ? 1 : all.size();
      for (const Instance& instance : all) {
        ranks.push_back({priority_of(instance), number, draft_.system.tasks.size()});
        add_task(number, instance, period, all.size() > 1);
        if (period) break;
      }
    }
    // A smaller number is more urgent there, and among equals the task with the smaller number.
    std::stable_sort(ranks.begin(), ranks.end(), [](const Ranked& a, const Ranked& b) {
      return std::tie(a.priority, a.task) < std::tie(b.priority, b.task);
    });
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      draft_.system.tasks[ranks[i].place].priority = static_cast<std::int64_t>(ranks.size() - i);
    }
    draft_.notes.emplace_back(
        "its jobs are not preempted, so the processors are an element of kind `copy`, which is not "
        "preempted either");
    if (!options_.cores) {
      draft_.notes.emplace_back(
          "the file does not say how many processors there are: 1 assumed; "
          "--cores changes it");
    }
    draft_.notes.push_back(fmt::format(
        "{} tasks are periodic; {} jobs are not part of a regular rhythm: each is a task that is "
        "released once",
        periodic, once));
    if (!edges_.empty()) {
      draft_.notes.emplace_back(
          "jobs joined by edges are one task, with the earliest deadline and "
          "the most urgent priority among them");
    }
  }

  void add_task(std::int64_t number, const Instance& instance, std::optional<std::int64_t> period,
                bool several) {
    const SagJob& first = jobs_[instance.jobs.front()];
    Task task;
    task.name =
        period || !several ? fmt::format("T{}", number) : fmt::format("T{}.J{}", number, first.job);
    if (period) task.period = Time::from_ns(*period);
    task.deadline = Time::from_ns(relative_deadline(instance));
    task.offset = Time::from_ns(first.arrival);
    for (std::size_t place : instance.jobs) {
      const SagJob& job = jobs_[place];
      task.jitter = std::max(task.jitter, Time::from_ns(job.latest - job.arrival));
      Node node;
      node.name = fmt::format("J{}", instance.jobs.size() == 1 ? 1 : job.job);
      if (job.task != first.task) node.name = fmt::format("T{}.J{}", job.task, job.job);
      node.wcet = Time::from_ns(job.cost_max);
      node.bcet = Time::from_ns(job.cost_min);
      task.nodes.push_back(std::move(node));
    }
    task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), instance.edges);
    draft_.system.tasks.push_back(std::move(task));
  }

  const ImportOptions& options_;
  Draft draft_;
  std::vector<SagJob> jobs_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

}  // namespace

Draft import_sag(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes());
  if (!text) return Draft::bad(text.error().message);
  return SagReader(options).read(*text);
}

}  // namespace tactus::exchange
