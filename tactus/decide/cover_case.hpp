#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/decide/cover.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"

/// One start that is judged (cover.hpp): what is known of it, and what was found so far.
namespace tactus::decide {

/// Where two of the conditions come from.
inline constexpr std::string_view kVariantInForce =
    "methods/gcaps.md: `safe-arbiter` assumes `tactusd`; an arbiter serves the runlist updates on "
    "a core without tasks of the file";

struct CoverCase {
  CoverCase(const System& of, const Verdict& proof, const Start& how);

  void add(std::string id, Holds holds, std::string what, std::string_view from, std::string help,
           Whose whose = Whose::kStart);

  const std::string& name(TaskIndex task) const { return system.tasks[task].name; }
  std::string shown(Time time) const;  ///< with its unit
  bool on_gpu(TaskIndex task) const;

  const System& system;
  const Verdict& verdict;
  const Start& start;
  const gcaps::boost::BoostPlan* boost = nullptr;  ///< null: no plan of boost
  const gcaps::PriorityPlan* plan = nullptr;       ///< null: tasks are no processes with priorities
  std::vector<const gcaps::PriorityPlan::Entry*> entries;  ///< by task; null: best effort
  std::optional<std::int64_t> most_urgent;                 ///< GPU priority of all that use it
  std::vector<Condition> conditions;
};

/// "a, b, c and 3 more".
std::string listed(const std::vector<std::string>& names);

/// What every task must be, and which are not.
struct Tasks {
  std::vector<std::string> others;  ///< they are something else
  std::vector<std::string> unseen;  ///< nobody knows

  Holds holds() const;
  /// Which of the three is so; the first two end with the tasks.
  std::string say(std::string_view no, std::string_view not_known, std::string_view yes) const;
};

/// Who decides about the GPU, in which order, and whether its orders are carried out in time.
void judge_arbitrated(CoverCase& one);
/// Copies of several tasks that meet, and were measured alone.
void judge_copies(CoverCase& one);

}  // namespace tactus::decide
