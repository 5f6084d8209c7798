#include "tactus/exchange/rhythms.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/model/reserve.hpp"

namespace tactus::exchange {
namespace {

std::string shown(Time time, TimeUnit unit) {
  constexpr std::array<std::string_view, 5> kWords = {"ns", "us", "ms", "s", "units"};
  return fmt::format("{} {}", format_time(time, unit), kWords[static_cast<std::size_t>(unit)]);
}

std::optional<Time> asked(const std::map<std::string, Time, std::less<>>& given,
                          const std::string& task) {
  auto found = given.find(task);
  if (found == given.end()) found = given.find("");
  return found == given.end() ? std::nullopt : std::optional(found->second);
}

/// From the end of a job to the start of the next, at most.
Time longest_pause(std::span<const SeenJob> jobs) {
  Time longest;
  for (std::size_t k = 1; k < jobs.size(); ++k) {
    longest = std::max(longest, jobs[k].start - jobs[k - 1].end);
  }
  return longest;
}

}  // namespace

void add_rhythm(std::span<const SeenJob> jobs, const ImportOptions& options, Task& task,
                std::vector<std::string>& notes) {
  if (const auto period = asked(options.periods, task.name)) task.period = period;
  task.deadline = asked(options.deadlines, task.name);
  const bool given = task.period.has_value();
  const auto note = [&](std::string_view text) {
    notes.push_back(fmt::format("task {}: {}", quote(task.name), text));
  };
  if (jobs.size() < 2) {
    if (!given) note("one job only, so it has no period; --period gives it one");
    return;
  }
  std::vector<Time> starts;
  for (const SeenJob& job : jobs) starts.push_back(job.start);
  const std::optional<Rhythm> rhythm = rhythm_of(starts, task.period);
  if (!rhythm) return note("two jobs start at once, so it has no period; --period gives it one");
  task.period = rhythm->period;
  task.jitter = Reserve{options.margin}.above(rhythm->late);
  const std::string period = shown(rhythm->period, options.time_unit);
  const std::string late = shown(rhythm->late, options.time_unit);
  const bool back_to_back = longest_pause(jobs).ns() * 100 < rhythm->period.ns();
  if (given && !rhythm->steady && jobs.size() < 10) return;
  note(fmt::format(
      "{}{}",
      given && rhythm->steady
          ? fmt::format("with this period, its {} jobs come up to {} late", jobs.size(), late)
      : given
          ? std::string("its jobs do not keep to this period here, so they say nothing of jitter")
      : rhythm->steady
          ? fmt::format("the period is that to which its {} starts keep best, {}; they are up to "
                        "{} late",
                        jobs.size(), period, late)
          : fmt::format("the period is the shortest distance of two starts, {}", period),
      back_to_back && !given
          ? "; its jobs follow each other without a pause, so this is the rhythm of the profiled "
            "loop: give the real one with --period"
          : ""));
}

void add_followings(std::span<const std::vector<SeenJob>> jobs, const ImportOptions& options,
                    System& system, std::vector<std::string>& notes) {
  const auto found = followings(jobs, options.lag);
  for (TaskIndex i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    const auto& [before, count, shortest, longest] = *found[i];
    Task& task = system.tasks[i];
    notes.push_back(fmt::format(
        "task {} begins {} to {} after the end of {} in all {} jobs, and follows no other task so "
        "closely{}",
        quote(task.name), format_time(shortest, options.time_unit),
        shown(longest, options.time_unit), quote(system.tasks[before].name), count,
        options.after ? ": `after` and `jitter` say so" : "; --after writes `after`"));
    if (!options.after) continue;
    task.after = static_cast<TaskIndex>(before);
    task.offset = Time();
    task.jitter = Reserve{options.margin}.above(longest);
    if (!asked(options.deadlines, task.name)) task.deadline.reset();
  }
  if (options.after) follow_periods(system);
}

}  // namespace tactus::exchange
