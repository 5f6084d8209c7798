#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tactus/base/position.hpp"
#include "tactus/model/system.hpp"
#include "tactus/trace/scenario.hpp"

namespace tactus::trace {

/// Thrown in the middle of a run: a script says something that is impossible there. `simulate` in
/// verbs turns it into a diagnostic with its place.
class BadScript : public std::runtime_error {
 public:
  BadScript(const std::string& what, Position place) : std::runtime_error(what), at(place) {}
  Position at;
};

/// A run, job by job: when each is released and how long each of its pieces takes. A scenario that
/// has one follows it (`Scenario::script`) or fills it (`Scenario::record`). script_file.hpp reads
/// and writes it. A script serves one run at a time.
class Script {
 public:
  /// How long one piece takes.
  struct Entry {
    Piece::Part part = Piece::Part::kWork;
    NodeIndex node = 0;
    std::uint32_t which = 0;
    Time time;
    Position at = {};
    mutable bool asked = false;  ///< for it, in the run that follows the script
  };
  struct Job {
    Time release;
    std::vector<Entry> entries;
    Position at = {};
    mutable bool begun = false;  ///< in the run that follows the script
  };

  explicit Script(const System& system) : system_(&system), jobs_(system.tasks.size()) {}

  std::string name;         ///< of its file, in complaints
  std::optional<Time> end;  ///< of the run; nothing: when all jobs have ended

  /// The jobs of a task. @param jobs with rising releases
  void set_jobs(TaskIndex task, std::vector<Job> jobs);
  const std::vector<Job>& jobs(TaskIndex task) const { return jobs_[task]; }

  /// Nothing if there is no such job.
  std::optional<Time> release(TaskIndex task, std::uint32_t job) const;
  std::optional<Time> last_release(TaskIndex task) const;
  /// Nothing if the script leaves it open. @throws BadScript if it is not within [least, most]
  std::optional<Time> time(TaskIndex task, std::uint32_t job, const Piece& piece, Time least,
                           Time most) const;

  void note_release(TaskIndex task, std::uint32_t job, Time release);
  void note_time(TaskIndex task, std::uint32_t job, const Piece& piece, Time time);

  /// After a run that followed it: the first time of a job that began which the run did not ask
  /// for, because the policy has no such piece.
  std::optional<BadScript> left_over() const;
  /// The first job that is not at its task's offset, or not one period behind the one before it.
  std::optional<BadScript> not_periodic() const;

 private:
  Job& job_of(TaskIndex task, std::uint32_t job);
  std::string name_of(TaskIndex task, std::uint32_t job, const Entry& entry) const;

  const System* system_;
  std::vector<std::vector<Job>> jobs_;  ///< by task
  std::uint64_t noted_ = 0;             ///< times
};

}  // namespace tactus::trace
