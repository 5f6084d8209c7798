#include "tactus/trace/script.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tactus/base/diagnostic.hpp"

namespace tactus::trace {
namespace {

template <typename PieceOrEntry>
auto place_of(const PieceOrEntry& piece) {
  return std::tuple(piece.part, piece.node, piece.which);
}

bool before(const Script::Entry& a, const Script::Entry& b) { return place_of(a) < place_of(b); }

}  // namespace

void Script::set_jobs(TaskIndex task, std::vector<Job> jobs) {
  for (Job& job : jobs) std::stable_sort(job.entries.begin(), job.entries.end(), before);
  jobs_[task] = std::move(jobs);
}

std::optional<Time> Script::release(TaskIndex task, std::uint32_t job) const {
  const std::vector<Job>& jobs = jobs_[task];
  return job < jobs.size() ? std::optional(jobs[job].release) : std::nullopt;
}

std::optional<Time> Script::last_release(TaskIndex task) const {
  const std::vector<Job>& jobs = jobs_[task];
  return jobs.empty() ? std::nullopt : std::optional(jobs.back().release);
}

std::optional<Time> Script::time(TaskIndex task, std::uint32_t job, const Piece& piece, Time least,
                                 Time most) const {
  if (job >= jobs_[task].size()) return std::nullopt;
  const Job& scripted = jobs_[task][job];
  const bool work = piece.part == Piece::Part::kWork || piece.part == Piece::Part::kLaunch;
  if (work) scripted.begun = true;
  const Entry wanted{piece.part, piece.node, piece.which, {}};
  const auto found =
      std::lower_bound(scripted.entries.begin(), scripted.entries.end(), wanted, before);
  if (found == scripted.entries.end() || place_of(*found) != place_of(piece)) return std::nullopt;
  found->asked = true;
  if (found->time < least || found->time > most) {
    const TimeUnit unit = system_->time_unit;
    throw BadScript(fmt::format("{} cannot take {}: it takes {} to {}", name_of(task, job, *found),
                                format_time(found->time, unit), format_time(least, unit),
                                format_time(most, unit)),
                    found->at);
  }
  return found->time;
}

Script::Job& Script::job_of(TaskIndex task, std::uint32_t job) {
  if (jobs_[task].size() <= job) jobs_[task].resize(job + 1);
  return jobs_[task][job];
}

void Script::note_release(TaskIndex task, std::uint32_t job, Time release) {
  job_of(task, job).release = release;
}

void Script::note_time(TaskIndex task, std::uint32_t job, const Piece& piece, Time time) {
  constexpr std::uint64_t kMost = 10'000'000;
  if (++noted_ > kMost) {
    throw BadScript(
        fmt::format("a run of more than {} execution times is not written as a script", kMost), {});
  }
  job_of(task, job).entries.push_back({piece.part, piece.node, piece.which, time});
}

std::string Script::name_of(TaskIndex task, std::uint32_t job, const Entry& entry) const {
  const Task& source = system_->tasks[task];
  const std::string whose = fmt::format("job {} of task {}", job, quote(source.name));
  if (entry.part == Piece::Part::kOperation) {
    return fmt::format("operation {} during {}", entry.which, whose);
  }
  if (entry.part == Piece::Part::kRelease) return fmt::format("`late` of {}", whose);
  return fmt::format("{}{} of {}", entry.part == Piece::Part::kLaunch ? "the launch of " : "",
                     quote(source.nodes[entry.node].name), whose);
}

std::optional<BadScript> Script::left_over() const {
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    for (std::uint32_t job = 0; job < jobs_[task].size(); ++job) {
      if (!jobs_[task][job].begun) continue;
      for (const Entry& entry : jobs_[task][job].entries) {
        if (entry.asked || entry.part == Piece::Part::kOperation) continue;
        return BadScript(
            fmt::format("{} has no time of its own under this policy", name_of(task, job, entry)),
            entry.at);
      }
    }
  }
  return std::nullopt;
}

std::optional<BadScript> Script::not_periodic() const {
  for (TaskIndex task = 0; task < jobs_.size(); ++task) {
    const Task& source = system_->tasks[task];
    if (!source.period) continue;
    for (std::uint32_t job = 0; job < jobs_[task].size(); ++job) {
      const Time expected =
          job == 0 ? source.offset : jobs_[task][job - 1].release + *source.period;
      if (jobs_[task][job].release == expected) continue;
      return BadScript(
          fmt::format("job {} of task {} must be released at {}: this method knows "
                      "when jobs arrive",
                      job, quote(source.name), format_time(expected, system_->time_unit)),
          jobs_[task][job].at);
    }
  }
  return std::nullopt;
}

}  // namespace tactus::trace
