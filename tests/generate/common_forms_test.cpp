#include "tactus/generate/common_forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tactus/generate/common.hpp"

/// The forms promise to be conservative. Here the drawn system itself is run, step by step, in the
/// way that a form describes, and must not take longer than the form says.
namespace tactus::common {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System made(Given given, std::uint64_t index, std::string_view form = "as-is") {
  given["form"] = form;
  return *generate(kCommon, Settings(kCommon.parameters, given), 3, index);
}

/// A job on its way along its chain: the launch of a kernel is a step of its own, on the core.
struct Job {
  const Task* task;
  Time release;
  std::vector<std::pair<ElementIndex, Time>> steps = {};
  std::size_t at = 0;
  Time left = {}, arrived = {};  ///< of the step at hand
  std::optional<Time> end = {};
};

Job job_of(const Task& task, Time release, std::int64_t sms) {
  Job job{&task, release};
  for (const Node& node : task.nodes) {
    if (node.launch > Time{}) job.steps.emplace_back(kCpu, node.launch);
    const Time time =
        node.on == kGpu ? node.times[static_cast<std::size_t>(sms - 1)].wcet : *node.wcet;
    job.steps.emplace_back(node.on, time);
  }
  job.left = job.steps[0].second;
  job.arrived = release;
  return job;
}

/// Who uses an engine or a core now.
enum class Order { kAsTheyCome, kLeastUrgentFirst };

bool goes_before(const Job& a, const Job& b, Order order) {
  if (order == Order::kLeastUrgentFirst && a.task->priority != b.task->priority) {
    return *a.task->priority < *b.task->priority;
  }
  return a.arrived < b.arrived;
}

/// Runs jobs to their end: kernels beside each other on SMs of their own, one copy at a time, and
/// one job per core at a time.
void run(std::vector<Job>& jobs, Order order) {
  Time now;
  while (true) {
    std::vector<Job*> running;
    Time next = Time::from_ms(1'000'000'000);
    for (Job& job : jobs) {
      if (job.end) continue;
      if (job.release > now) {
        next = std::min(next, job.release);
        continue;
      }
      const ElementIndex on = job.steps[job.at].first;
      const bool first = std::none_of(jobs.begin(), jobs.end(), [&](const Job& other) {
        return &other != &job && !other.end && other.release <= now &&
               other.steps[other.at].first == on &&
               (on == kCopy || (on == kCpu && other.task->core == job.task->core)) &&
               (goes_before(other, job, order) ||
                (!goes_before(job, other, order) && &other < &job));
      });
      if (on == kGpu || first) running.push_back(&job);
    }
    if (running.empty() && next == Time::from_ms(1'000'000'000)) return;
    for (const Job* job : running) next = std::min(next, now + job->left);
    for (Job* job : running) {
      job->left -= next - now;
      if (job->left > Time{}) continue;
      ++job->at;
      job->arrived = next;
      if (job->at == job->steps.size()) {
        job->end = next;
      } else {
        job->left = job->steps[job->at].second;
      }
    }
    now = next;
  }
}

Time length_of_chain(const Task& task, std::int64_t sms) {
  Time sum;
  for (const auto& step : job_of(task, {}, sms).steps) sum += step.second;
  return sum;
}

TEST(OwnCopies, CoverTheQueueBeforeTheEngine) {
  int longer_than_alone = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Given given = {{"copy-min", "0.3"}, {"copy-max", "0.9"}, {"tasks", "4"}};
    const System drawn = made(given, index), form = made(given, index, "own-copies");
    Random random(4, index);
    std::vector<Job> jobs;
    for (const Task& task : drawn.tasks) {
      jobs.push_back(job_of(task, Time::from_us(random.integer(0, 20'000)), 4));
    }
    run(jobs, Order::kAsTheyCome);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      Time bound;
      for (const Node& node : form.tasks[i].nodes) {
        bound += node.launch + (node.on == 1 ? node.times[3].wcet : *node.wcet);
      }
      const Time response = *jobs[i].end - jobs[i].release;
      EXPECT_LE(response, bound);
      longer_than_alone += response > length_of_chain(drawn.tasks[i], 4) ? 1 : 0;
    }
  }
  EXPECT_GT(longer_than_alone, 100);  // so copies did wait, and the queue had to be counted
}

TEST(OwnCopies, LeaveNothingOnTheEngine) {
  const System form = made({}, 1, "own-copies");
  ASSERT_EQ(form.platform.elements.size(), 2U);
  EXPECT_EQ(form.platform.elements[1].kind, ElementKind::kGpu);
}

TEST(HeldGpu, CoversAJobAloneAndEveryBatch) {
  int longer_than_alone = 0;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const Given given = {{"copy-min", "0.2"},
                         {"copy-max", "0.6"},
                         {"tasks", "6"},
                         {"cpus", "4"},
                         {"neighbours", "1.5"}};
    const System drawn = made(given, index), form = made(given, index, "held");
    for (std::size_t i = 0; i < drawn.tasks.size(); ++i) {
      EXPECT_EQ(*form.tasks[i].nodes[0].wcet, length_of_chain(drawn.tasks[i], 16));
    }
    EXPECT_EQ(form.batches.size(), 15U + 20U + 15U);  // pairs, threes, fours
    for (const Batch& batch : form.batches) {
      const auto part = static_cast<std::int64_t>(16 / batch.tasks.size());
      for (Order order : {Order::kAsTheyCome, Order::kLeastUrgentFirst}) {
        std::vector<Job> jobs;
        for (TaskIndex task : batch.tasks) jobs.push_back(job_of(drawn.tasks[task], {}, part));
        run(jobs, order);
        Time alone, last;
        for (std::size_t k = 0; k < jobs.size(); ++k) {
          last = std::max(last, *jobs[k].end);
          alone = std::max(alone, length_of_chain(drawn.tasks[batch.tasks[k]], part));
        }
        EXPECT_LE(last, *batch.completion);
        longer_than_alone += last > alone ? 1 : 0;
      }
    }
  }
  EXPECT_GT(longer_than_alone, 100);
}

TEST(OneGraph, CoversEveryKernelOnAnySmsAndEveryPieceWithItsQueue) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Given given = {{"tasks", "5"}, {"cpus", "3"}, {"neighbours", "2"}};
    const System drawn = made(given, index), form = made(given, index, "one-graph");
    ASSERT_EQ(form.tasks.size(), 1U);
    const Task& frame = form.tasks[0];
    std::size_t at = 0;
    for (const Task& task : drawn.tasks) {
      EXPECT_EQ(task.period->ns() % frame.period->ns(), 0);
      EXPECT_LE(*frame.deadline, *task.deadline);
      for (const auto& [on, time] : job_of(task, {}, 1).steps) {
        const Node& node = frame.nodes[at++];
        // On all SMs it is as long as the piece, and each other task can be before it once.
        Time queue;
        for (const Task& other : drawn.tasks) {
          Time longest;
          for (const auto& [place, length] : job_of(other, {}, 1).steps) {
            const bool same = place == on && (on == kCopy || other.core == task.core);
            if (same && &other != &task && on != kGpu) longest = std::max(longest, length);
          }
          queue += longest;
        }
        if (on == kGpu) continue;
        EXPECT_EQ(*node.load, 16 * (time + queue));
      }
      at -= job_of(task, {}, 1).steps.size();
      for (const Node& node : task.nodes) {
        if (node.launch > Time{}) ++at;
        const Time load = *frame.nodes[at++].load;
        for (const TimesEntry& entry : node.times) EXPECT_GE(load, entry.units * entry.wcet);
      }
    }
    EXPECT_EQ(at, frame.nodes.size());
    EXPECT_EQ(frame.graph.edge_count(), frame.nodes.size() - drawn.tasks.size());
  }
}

TEST(OneCore, PutsAllTasksOnTheFirst) {
  for (const Task& task : made({}, 2, "one-core").tasks) EXPECT_EQ(task.core, 1);
}

}  // namespace
}  // namespace tactus::common
