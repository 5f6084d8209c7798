#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "tactus/decide/space.hpp"
#include "tactus/methods/method.hpp"

/// Looks through a space for the candidate under which all times may grow most by one method.
namespace tactus::decide {

/// By how much all times may grow, in thousandths of the file's (below 1000: must shrink).
class Judge {
 public:
  Judge(const Method& method, Options options);

  /// How far all times of this system may go together, if further than `than`; nothing where not.
  /// Of 1000 and more: the system itself is proved too. Both are tried, never concluded.
  std::optional<std::int64_t> further(const System& system, std::int64_t than);
  bool proves(const System& system, std::int64_t permille);
  std::int64_t analyses() const { return analyses_; }

 private:
  const Method& method_;
  Options options_;
  std::int64_t analyses_ = 0;
};

/// Below every factor: nothing was found.
inline constexpr std::int64_t kNoFactor = -1;

struct Best {
  Candidate candidate;
  std::int64_t factor = kNoFactor;
};

struct Effort {
  std::size_t most_listed = 20'000;   ///< candidates; with more of them the search is local
  std::uint64_t restarts = 16;        ///< of a local search; the first starts at the file
  std::int64_t most_analyses = 5000;  ///< in one restart
  std::uint64_t seed = 1;
};

/// The best of some listed candidates; of equal ones the first.
Best best_of(const Space& space, std::span<const Candidate> candidates, Judge& judge,
             const std::stop_token& stop);

/// Steps to better neighbours until there is none, or until enough has been tried.
Best climb(const Space& space, Judge& judge, const Effort& effort, std::uint64_t restart,
           const std::stop_token& stop);

}  // namespace tactus::decide
