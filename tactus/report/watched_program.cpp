#include "tactus/report/watched_program.hpp"

#include <fmt/core.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

using observe::SeenNode;
using observe::SeenTask;
using observe::TaskOptions;

}  // namespace

std::string watched_text(const SeenTask& seen, const TaskOptions& options, const Style& style) {
  const auto time = [&](Time value) { return format_time(value, seen.system.time_unit); };
  std::string text = fmt::format("{} on {}: {} jobs, every {} (min) {} (p50) {} (max)\n",
                                 options.name, options.machine, seen.jobs, time(seen.period.min),
                                 time(seen.period.p50), time(seen.period.max));
  Table table({{"part"},
               {"min", Align::kRight},
               {"p50", Align::kRight},
               {"p99", Align::kRight},
               {"max", Align::kRight},
               {"bytes", Align::kRight},
               {"launch", Align::kRight},
               {"wcet", Align::kRight}});
  for (const SeenNode& node : seen.nodes) {
    table.add({node.name, time(node.time.min), time(node.time.p50), time(node.time.p99),
               time(node.time.max), node.bytes > 0 ? std::to_string(node.bytes) : "",
               node.launch > Time() ? time(node.launch) : "", time(node.wcet)});
  }
  text += table.render(style, "  ");
  text += fmt::format(
      "wcet and launch are the longest that was seen, plus {} %, rounded up. Measured, not proved: "
      "a "
      "longer time can always come.\n",
      options.margin);
  for (const std::string& note : seen.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

std::string watched_json(const SeenTask& seen, const TaskOptions& options) {
  json::Writer w;
  const auto put = [&](const char* key, Time value) {
    w.key(key).number(format_time(value, seen.system.time_unit));
  };
  begin_document(w, "measured-program", seen.system, {});
  w.key("machine").string(options.machine);
  w.key("jobs").integer(static_cast<std::int64_t>(seen.jobs));
  w.key("margin").integer(options.margin);
  w.key("period").begin_object();
  put("min", seen.period.min);
  put("p50", seen.period.p50);
  put("max", seen.period.max);
  w.end_object();
  w.key("parts").begin_array();
  for (const SeenNode& node : seen.nodes) {
    w.begin_object();
    w.key("name").string(node.name);
    put("min", node.time.min);
    put("p50", node.time.p50);
    put("p99", node.time.p99);
    put("max", node.time.max);
    w.key("still_grows").boolean(node.grew);
    w.key("bytes").integer(static_cast<std::int64_t>(node.bytes));
    put("launch", node.launch);
    put("wcet", node.wcet);
    w.end_object();
  }
  w.end_array();
  w.key("notes").begin_array();
  for (const std::string& note : seen.notes) w.string(note);
  w.end_array();
  w.key("file").number(write_system(seen.system));  // JSON text already
  w.end_object();
  return w.take();
}

}  // namespace tactus::report
