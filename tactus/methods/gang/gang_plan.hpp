#pragma once

#include <vector>

#include "tactus/methods/gang/shares/allocation.hpp"
#include "tactus/methods/gang/widths.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/plan.hpp"

namespace tactus::gang {

/// The exclusive units of every task, the width of every moldable gang, and the bound with both.
class SharePlan final : public Plan {
 public:
  struct Share {
    TaskIndex task;
    std::vector<std::int64_t> units;  ///< by element
    Time bound;
    bool exact_delta;  ///< how Delta was computed for that bound
    /// Of the nodes with `times`, in the order of the file. The run time must use exactly these: a
    /// narrower entry because fewer units are free, or a wider and faster one, breaks the bound.
    std::vector<NodeUnits> widths = {};
  };
  std::vector<Share> shares;

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
  std::string dot(const System& system) const override;

 private:
  std::int64_t total_units() const;
  bool has_widths() const;
  Widths widths(const System& system) const;
};

/// `Method::read_plan` of both methods.
Verdict read_share_plan(const System& system, const json::Value& plan);

/// `Method::check_plan` of gang.wc and gang.swc.
std::vector<std::string> check_wc_plan(const System& system, const json::Value& plan);
std::vector<std::string> check_swc_plan(const System& system, const json::Value& plan);

}  // namespace tactus::gang
