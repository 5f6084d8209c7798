#include "tactus/report/ci/sarif.hpp"

#include <fmt/core.h>

#include "tactus/base/json_writer.hpp"

namespace tactus::report {
namespace {

/// A path as a relative or absolute reference of a URI.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void write_text(json::Writer& out, std::string_view text) {
  out.begin_object().key("text").string(text).end_object();
}

void write_rules(json::Writer& out) {
  out.key("rules").begin_array();
  for (const RuleText& rule : kRules) {
    out.begin_object().key("id").string(rule.id);
    write_text(out.key("shortDescription"), rule.what);
    out.end_object();
  }
  out.end_array();
}

/// "gcaps.suspend (safe): task `planner` has ...".
std::string message_of(const Finding& finding) {
  std::string text;
  if (!finding.method.empty()) text = fmt::format("{} ({}): ", finding.method, finding.variant);
  if (!finding.task.empty()) text += fmt::format("task {}: ", quote(finding.task));
  return text + finding.message;
}

void write_result(json::Writer& out, const Finding& finding, std::string_view file) {
  const auto rule = static_cast<std::size_t>(finding.rule);
  out.begin_object();
  out.key("ruleId").string(kRules[rule].id);
  out.key("ruleIndex").integer(static_cast<std::int64_t>(rule));
  out.key("level").string(finding.rule == Finding::Rule::kUnknown ? "warning" : "error");
  write_text(out.key("message"), message_of(finding));
  out.key("locations").begin_array().begin_object();
  out.key("physicalLocation").begin_object();
  out.key("artifactLocation").begin_object().key("uri").string(uri_of(file)).end_object();
  if (finding.at.known()) {
    out.key("region").begin_object();
    out.key("startLine").integer(finding.at.line).key("startColumn").integer(finding.at.column);
    out.end_object();
  }
  out.end_object().end_object().end_array();
  // The same finding in the next run, though the line may have moved.
  out.key("partialFingerprints").begin_object();
  out.key("finding/v1")
      .string(fmt::format("{}/{}/{}", kRules[rule].id, finding.method,
                          finding.task.empty() ? finding.message : finding.task));
  out.end_object().end_object();
}

}  // namespace

std::string sarif(std::span<const Finding> findings, std::string_view file,
                  std::string_view version) {
  json::Writer out;
  out.begin_object();
  out.key("$schema").string("https://json.schemastore.org/sarif-2.1.0.json");
  out.key("version").string("2.1.0");
  out.key("runs").begin_array().begin_object();
  out.key("tool").begin_object().key("driver").begin_object();
  out.key("name").string("tactus").key("version").string(version);
  write_rules(out);
  out.end_object().end_object();
  // Columns count characters, not the units of UTF-16.
  out.key("columnKind").string("unicodeCodePoints");
  out.key("results").begin_array();
  for (const Finding& finding : findings) write_result(out, finding, file);
  out.end_array().end_object().end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
