#include "tactus/report/import.hpp"

#include <fmt/core.h>

#include "tactus/base/json_copy.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

/// What a task takes in the file.
struct Sums {
  Time cpu, gpu;
};

Sums sums_of(const System& system, const Task& task) {
  Sums sums;
  for (const Node& node : task.nodes) {
    const bool cpu = system.platform.elements[node.on].kind == ElementKind::kCpu;
    (cpu ? sums.cpu : sums.gpu) += node.wcet.value_or(Time());
    sums.cpu += node.launch;
  }
  return sums;
}

std::string time_or_dash(const std::optional<Time>& time, TimeUnit unit) {
  return time ? format_time(*time, unit) : "-";
}

}  // namespace

std::string import_text(const exchange::Imported& imported, const std::string& source, bool notes,
                        const Style& style) {
  const System& system = imported.system;
  const bool seen = !imported.seen.empty();
  std::vector<Table::Column> columns = {{"task"}};
  if (seen) columns.insert(columns.end(), {{"jobs", Align::kRight}, {"GPU work", Align::kRight}});
  columns.insert(columns.end(), {{"nodes", Align::kRight},
                                 {"edges", Align::kRight},
                                 {"CPU time", Align::kRight},
                                 {"GPU time", Align::kRight},
                                 {"period", Align::kRight}});
  Table table(columns);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const Sums sums = sums_of(system, task);
    std::vector<Cell> row = {task.name};
    if (seen) {
      row.emplace_back(std::to_string(imported.seen[i].jobs));
      row.emplace_back(std::to_string(imported.seen[i].works));
    }
    row.emplace_back(std::to_string(task.nodes.size()));
    row.emplace_back(std::to_string(task.graph.edge_count()));
    row.emplace_back(format_time(sums.cpu, system.time_unit));
    row.emplace_back(format_time(sums.gpu, system.time_unit));
    row.emplace_back(time_or_dash(task.period, system.time_unit));
    table.add(std::move(row));
  }
  std::string text = heading(system.name, Ink::kBold,
                             fmt::format(" from {} ({})", source, imported.format), style);
  text += table.render(style, "  ");
  if (imported.notes.empty()) return text;
  if (!notes) {
    return text + heading("", Ink::kPlain,
                          fmt::format("{} notes on what was assumed and left out: --report shows "
                                      "them",
                                      imported.notes.size()),
                          style);
  }
  text += "Assumed, and left out:\n";
  for (const std::string& note : imported.notes) text += list_entry("- " + note, style);
  return text;
}

std::string import_json(const exchange::Imported& imported, const std::string& source,
                        bool with_system) {
  json::Writer out;
  codec::begin_document(out, "import");
  out.key("source").string(source);
  out.key("format").string(imported.format);
  out.key("tasks").begin_array();
  for (std::size_t i = 0; i < imported.system.tasks.size(); ++i) {
    const Task& task = imported.system.tasks[i];
    out.begin_object().key("name").string(task.name);
    out.key("nodes").integer(static_cast<std::int64_t>(task.nodes.size()));
    out.key("edges").integer(static_cast<std::int64_t>(task.graph.edge_count()));
    if (!imported.seen.empty()) {
      const exchange::TaskSeen& seen = imported.seen[i];
      out.key("jobs").integer(static_cast<std::int64_t>(seen.jobs));
      out.key("gpu_work").integer(static_cast<std::int64_t>(seen.works));
      out.key("longest_gpu_ns").integer(seen.gpu_time);
      out.key("longest_cpu_ns").integer(seen.cpu_time);
    }
    out.end_object();
  }
  out.end_array();
  out.key("notes").begin_array();
  for (const std::string& note : imported.notes) out.string(note);
  out.end_array();
  if (with_system) {
    const auto parsed = json::Document::parse(write_system_line(imported.system));
    out.key("system");
    json::copy(out, parsed->root());
  }
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
