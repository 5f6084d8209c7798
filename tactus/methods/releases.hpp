#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/methods/method.hpp"

/// Jobs that are released later than they arrive (docs/use/pipelines.md). The fixed-priority methods
/// have the jitter in their equations. The others are asked about a system without it, in which each
/// job that is late here is on time: here is how that system is made, and what its answers mean.
namespace tactus {

/// J, as a summand of a bound.
inline Term jitter_term(Time jitter) {
  return {.label = "jitter", .amount = jitter, .how = "from its arrival to its release, at most"};
}

/// How a method takes jobs that are released late.
enum class Instead {
  kSporadic,  ///< they come more often: T - J and D - J
  kOneGraph,  ///< the same of a method that takes D > T: min(D, T) - J
  kTable,     ///< they come later: `offset` + J and D - J
};

/// The system that such a method is asked about.
class OnTime {
 public:
  OnTime(const System& system, Instead instead);

  /// What the method cannot be asked, because nothing is left of a deadline; or nothing.
  const std::optional<Verdict>& hopeless() const { return hopeless_; }
  /// @pre !hopeless()
  const System& system() const { return on_time_; }
  /// What its answer says about the system that was given.
  void translate(Verdict& verdict) const;

 private:
  std::optional<std::string> shift(TaskIndex i);
  void give_up(std::string reason, TaskIndex task);

  const System& given_;
  Instead instead_;
  System on_time_;
  std::vector<Time> jitter_;  ///< by task
  std::optional<Verdict> hopeless_;
};

/// Nothing where no job is late.
std::optional<OnTime> where_late(const System& system, Instead instead);

/// `Method::analyze` of a method that does not know jitter itself.
template <auto kAnalyze, Instead kInstead>
Verdict analyze_on_time(const System& system, const Options& options) {
  const std::optional<OnTime> on_time = where_late(system, kInstead);
  if (!on_time) return kAnalyze(system, options);
  if (on_time->hopeless()) return *on_time->hopeless();
  Verdict verdict = kAnalyze(on_time->system(), options);
  on_time->translate(verdict);
  return verdict;
}

/// `Method::read_plan` of it. The bounds in a plan count from the release.
template <auto kRead, Instead kInstead>
Verdict read_on_time(const System& system, const json::Value& plan) {
  const std::optional<OnTime> on_time = where_late(system, kInstead);
  if (!on_time || on_time->hopeless()) return kRead(system, plan);
  Verdict verdict = kRead(on_time->system(), plan);
  on_time->translate(verdict);
  return verdict;
}

/// `Method::check_plan` of it.
template <auto kCheck, Instead kInstead>
std::vector<std::string> check_on_time(const System& system, const json::Value& plan) {
  const std::optional<OnTime> on_time = where_late(system, kInstead);
  if (!on_time) return kCheck(system, plan);
  if (on_time->hopeless()) return {on_time->hopeless()->reason};
  return kCheck(on_time->system(), plan);
}

/// Why no method covers a system, or not this one in this variant, because of what it says about
/// releases and chains.
std::optional<Refusal> refused_releases(const Method& method, const System& system,
                                        const Options& options);

}  // namespace tactus
