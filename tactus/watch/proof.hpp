#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/decide/standing.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/watch/departure.hpp"
#include "tactus/watch/watch.hpp"

namespace tactus::watch {

/// What is left of a proof with the values that were seen in place of the file's.
struct Room {
  std::vector<std::optional<Time>> bounds;  ///< by task
  Status status = Status::kSchedulable;
  std::string reason;                       ///< where there is nothing to say
  std::optional<decide::LeastSlack> least;  ///< who has least, where every deadline is proved
  /// So many thousandths of these times may all times be, and every deadline is still proved.
  std::optional<std::int64_t> scale;
};

/// The plan that is relied on, and the analysis that is asked what would become of it.
class Proof {
 public:
  /// @param verdict with its plan, where it has one
  Proof(System system, const Method& method, Verdict verdict, Options options);

  const System& system() const { return system_; }
  const Method& method() const { return *method_; }
  const Verdict& verdict() const { return verdict_; }

  /// Under the priorities of the plan; of plans without, by an analysis from the beginning.
  Verdict on(const System& changed) const;
  /// With each value that was seen to be worse in place of the file's. Nothing where the file has no
  /// value for something that was seen.
  std::optional<System> as_seen(const std::vector<Departure>& departures) const;
  Room room(const std::vector<Departure>& departures) const;
  /// Whose bounds change when a task takes longer.
  RestsOn rests_on() const;

 private:
  System system_;
  const Method* method_;
  Verdict verdict_;
  Options options_;
  std::string plan_;  ///< as JSON, without what it promises; empty: it says no priorities
};

/// How much of its deadline a bound leaves, in thousandths, rounded down.
std::optional<std::int64_t> permille_left(const Task& task, const std::optional<Time>& bound);

}  // namespace tactus::watch
