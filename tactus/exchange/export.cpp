#include "tactus/exchange/export.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/yaml.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::exchange {
namespace {

constexpr TargetFormat kTargets[] = {
    {"yaml", "the system file in YAML"},
    {"json", "the system file in JSON, in canonical form"},
    {"sag", "job set of the schedule-abstraction graph (CSV, and a second one for edges)"},
    {"dot", "task graphs for Graphviz"},
    {"graphml", "task graphs in GraphML"},
};

}  // namespace

std::span<const TargetFormat> target_formats() { return kTargets; }

Result<Exported> export_system(const System& system, std::string_view format) {
  if (format == "yaml") return Exported{yaml::from_json(write_system(system)), {}, {}};
  if (format == "json") return Exported{write_system(system), {}, {}};
  if (format == "sag") return export_sag(system);
  if (format == "dot") return export_dot(system);
  if (format == "graphml") return export_graphml(system);
  std::vector<std::string_view> names;
  for (const TargetFormat& target : kTargets) names.push_back(target.name);
  return Error{fmt::format("there is no format {}{}; `tactus export --list` shows them",
                           quote(format), suggestion(format, names))};
}

}  // namespace tactus::exchange
