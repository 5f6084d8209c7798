#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/model/system.hpp"

/// The systems that differ from a file in what is open: cores and CPU priorities.
namespace tactus::decide {

/// One of them.
struct Candidate {
  std::vector<std::int64_t> cores;  ///< by task; 0 where the file gives none and none is needed
  std::vector<TaskIndex> order;     ///< real-time tasks, most urgent first; empty: as in the file

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Open {
  bool cores = false;           ///< those of all tasks, else of tasks that have none
  bool priorities = false;      ///< of all tasks; where no task has one they are open in any case
  bool gpu_priorities = false;  ///< what the file gives is forgotten
  bool offsets = false;         ///< of tasks in chains of fixed phases
};

/// Cores are alike: of two assignments that differ in the names of cores only, one is looked at.
class Space {
 public:
  /// @param spare  a core that no task may be on
  Space(const System& system, const Open& open, std::optional<std::int64_t> spare);

  /// Every candidate, or nothing when there are more than `most`. The first is `start()`'s order.
  std::optional<std::vector<Candidate>> all(std::size_t most) const;
  /// As near to the file as possible; tasks without a core go where there is least to do.
  Candidate start() const;
  Candidate random(Random& random) const;
  /// Candidates one step away, in random order.
  std::vector<Candidate> neighbours(const Candidate& from, Random& random) const;
  /// The system it stands for.
  System system(const Candidate& candidate) const;
  /// The same with the names of cores as in the file, as far as possible.
  Candidate renamed(const Candidate& candidate) const;

 private:
  void add_assignments(Candidate& partial, std::size_t next, std::size_t most,
                       std::vector<Candidate>& all) const;
  /// The cores that the next task may take: those in use, and one that is not.
  std::vector<std::int64_t> choices(const std::vector<std::int64_t>& cores) const;

  const System& base_;
  Open open_;
  bool open_order_ = false;
  std::vector<std::int64_t> usable_;    ///< cores
  std::vector<TaskIndex> open_tasks_;   ///< whose core is open
  std::vector<std::int64_t> fixed_;     ///< by task; 0 where open
  std::vector<TaskIndex> first_order_;  ///< as in the file, or by deadlines
};

}  // namespace tactus::decide
