#include "tactus/report/joined.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tactus/base/json_copy.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/report/charts/chart_style.hpp"
#include "tactus/report/how.hpp"

namespace tactus::report {
namespace {

using json::Value;

/// Text as a JSON string.
std::string literal(std::string_view text) {
  json::Writer out(json::Layout::kOneLine);
  out.string(text);
  return out.take();
}

std::string looks_json() {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  std::size_t place = 0;
  for (const Method* method : registry()) {
    const CurveStyle style = style_of_method(method->id, place++);
    out.key(method->id).begin_object();
    out.key("colour").string(style.colour).key("dash").integer(style.dash).end_object();
  }
  out.end_object();
  return out.take();
}

std::string palette_json() {
  json::Writer out(json::Layout::kOneLine);
  out.begin_array();
  for (const std::string_view colour : palette()) out.string(colour);
  out.end_array();
  return out.take();
}

}  // namespace

std::string copy_of(const Value& value) {
  json::Writer out(json::Layout::kOneLine);
  json::copy(out, value);
  return out.take();
}

std::string explanations_json(const Analysis& analysis) {
  const System& system = analysis.system;
  json::Writer out(json::Layout::kOneLine);
  out.begin_array();
  for (const Verdict& verdict : analysis.verdicts) {
    for (const TaskVerdict& task : verdict.tasks) {
      if (task.terms.empty()) continue;
      out.begin_object().key("method").string(verdict.method);
      out.key("task").string(system.tasks[task.task].name).key("terms").begin_array();
      for (const Term& term : task.terms) {
        out.begin_object().key("term").string(term_name(term, system));
        write_time(out.key("amount"), term.amount, system.time_unit);
        out.key("how").string(how_text(term, system.tasks[task.task], system)).end_object();
      }
      out.end_array().end_object();
    }
  }
  out.end_array();
  return out.take();
}

void Joined::add(const SystemDocuments& system) {
  std::string entry =
      fmt::format(R"({{"file":{},"system":{},"analysis":{},"explanations":{})",
                  literal(system.file), system.system, system.analysis, system.explanations);
  if (!system.slack.empty()) entry += fmt::format(R"(,"slack":{})", system.slack);
  if (!system.sweep.empty()) entry += fmt::format(R"(,"sweep":{})", system.sweep);
  lists_[find_joinable("system")->list].push_back(entry + "}");
}

void Joined::add(const Joinable& kind, std::string_view file, std::string_view json,
                 std::string_view problem) {
  std::string entry = fmt::format(R"({{"file":{},"document":{})", literal(file), json);
  if (!problem.empty()) entry += fmt::format(R"(,"problem":{})", literal(problem));
  lists_[kind.list].push_back(entry + "}");
}

std::string Joined::json(std::string_view version) const {
  std::string out = fmt::format(
      R"({{"tactus":{},"kind":"report","version":{},"palette":{},"looks":{},"catalogue":{})",
      kFormatVersion, literal(version), palette_json(), looks_json(), methods_json(registry()));
  for (const Joinable& document : joinable_documents()) {
    const auto found = lists_.find(document.list);
    out += fmt::format(",\"{}\":[", document.list);
    if (found != lists_.end()) out += fmt::format("{}", fmt::join(found->second, ","));
    out += "]";
  }
  return out + "}";
}

}  // namespace tactus::report
