#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// A table for a person, not yet laid out.
struct PlanTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// One bar of a schedule drawn over time: a unit (SM, core) busy with something.
struct PlanBar {
  std::int64_t unit = 0;
  Time start, end;
  std::string label;
};

/// What must be done at run time so that a bound holds: priorities, widths, shares, a table. Every
/// family has its own; simulator and executors ask for the one they understand by type.
class Plan {
 public:
  virtual ~Plan() = default;
  /// Writes the family's fields into the open object; times in the system's unit.
  virtual void write_fields(json::Writer& out, const System& system) const = 0;
  /// The plan as a person reads it.
  virtual std::vector<PlanTable> tables(const System& system) const = 0;
  /// The schedule that the plan implies, if it fixes one.
  virtual std::vector<PlanBar> bars(const System& /*system*/) const { return {}; }
  /// The plan as a Graphviz graph; empty if that makes no sense.
  virtual std::string dot(const System& /*system*/) const { return {}; }
};

/// Text for the inside of the quotes of a Graphviz label.
std::string dot_escaped(std::string_view text);

/// A time in the file's unit, or null.
void write_time(json::Writer& out, const std::optional<Time>& time, TimeUnit unit);

/// Writes a whole plan object: its system, the method that made it, and the family's fields.
void write_plan(json::Writer& out, const System& system, std::string_view method,
                std::string_view variant, const Plan& plan);

}  // namespace tactus
