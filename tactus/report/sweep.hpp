#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/decide/sweep.hpp"
#include "tactus/report/charts/chart.hpp"
#include "tactus/report/text/terminal.hpp"

/// How bounds follow one value of a system.
namespace tactus::report {

struct Swept {
  const System& system;
  const Method& method;
  std::string_view variant;
  decide::SweepRange range;
  std::span<const decide::SweepPoint> points;
};

std::string sweep_text(const Swept& swept, const Style& style);
std::string sweep_csv(const Swept& swept);
std::string sweep_json(const Swept& swept, std::span<const decide::Change> changes);
/// A curve per task: its bound as a share of its deadline. Where it has none, the curve ends.
Chart sweep_chart(const Swept& swept);

}  // namespace tactus::report
