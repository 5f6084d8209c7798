#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tactus/model/system.hpp"

/// The problem once more, slowly and straight from the model of docs/use/methods/pbs.md: every
/// submission order of every set, block by block, every sequence of batches. It shares no code with
/// the library beyond the system it reads, whose times must be whole units.
namespace tactus::pbs::testing {

class Reference {
 public:
  explicit Reference(const System& system);

  struct Job {
    std::size_t task;
    std::int64_t number;
  };
  struct Miss {
    Job job;
    std::int64_t deadline, finish;
  };

  /// Work-conserving tables, submission orders told apart; equal states are counted once.
  std::uint64_t tables();
  /// The same without merging anything.
  std::uint64_t tables_by_enumeration();
  /// Whether a table exists when the GPU may idle.
  bool feasible_with_idling();
  /// Missed jobs of the baselines.
  std::vector<Miss> edf_misses(bool parallel) const;

  /// Sections 3 and 4 for one submission order.
  std::optional<std::int64_t> completion(const std::vector<std::size_t>& order) const;
  bool fits(const std::vector<std::size_t>& order) const;

  std::size_t tasks() const { return period_.size(); }
  std::int64_t hyperperiod() const { return hyperperiod_; }

 private:
  using Done = std::vector<std::int64_t>;  ///< jobs executed so far, by task
  struct Option {
    std::vector<std::size_t> tasks;
    std::int64_t completion;
    std::uint64_t orders;
  };

  std::int64_t arrival(std::size_t task, std::int64_t job) const {
    return offset_[task] + job * period_[task];
  }
  std::int64_t jobs(std::size_t task) const { return hyperperiod_ / period_[task]; }
  std::int64_t arrived(std::size_t task, std::int64_t time) const;
  std::int64_t next_arrival(std::int64_t time) const;
  bool finished(const Done& done) const;
  /// The state after a batch, or nothing when it is not possible on time.
  std::optional<Done> after(const Option& option, std::int64_t time, const Done& done) const;
  std::uint64_t count(std::int64_t time, const Done& done, bool merge);
  bool idle(std::int64_t time, const Done& done);

  const System& system_;
  std::vector<std::int64_t> period_, deadline_, offset_, wcet_;
  std::vector<std::size_t> file_index_;
  std::int64_t hyperperiod_ = 1;
  std::vector<Option> options_;
  std::map<std::pair<std::int64_t, Done>, std::uint64_t> counted_;
  std::map<std::pair<std::int64_t, Done>, bool> idled_;
};

}  // namespace tactus::pbs::testing
