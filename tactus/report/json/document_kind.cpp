#include "tactus/report/json/document_kind.hpp"

#include <iterator>

namespace tactus::report {
namespace {

using json::Kind;

/// Two members that only this kind has together.
struct Mark {
  DocumentKind kind;
  std::string_view list;
  std::string_view first;
  Kind first_is;
  std::string_view second;
  Kind second_is;
};

// In the order of `DocumentKind`.
constexpr Mark kMarks[] = {
    {DocumentKind::kSystem, "systems", "platform", Kind::kObject, "tasks", Kind::kArray},
    {DocumentKind::kTrace, "traces", "traceEvents", Kind::kArray, "traceEvents", Kind::kArray},
    {DocumentKind::kObserved, "observed", "producer", Kind::kString, "tasks", Kind::kArray},
    {DocumentKind::kAnalysis, "analyses", "judged_by", Kind::kString, "methods", Kind::kArray},
    {DocumentKind::kSlack, "slacks", "slack", Kind::kArray, "method", Kind::kString},
    {DocumentKind::kSweep, "sweeps", "points", Kind::kArray, "of", Kind::kString},
    {DocumentKind::kAdvice, "advice", "options", Kind::kArray, "found", Kind::kBool},
    {DocumentKind::kExperiments, "experiments", "experiments", Kind::kArray, "tactus",
     Kind::kNumber},
    {DocumentKind::kPlan, "plans", "fingerprint", Kind::kString, "method", Kind::kString},
};

bool has(const json::Value& root, std::string_view key, Kind kind) {
  const json::Value* found = root.find(key);
  return found != nullptr && found->is(kind);
}

}  // namespace

std::optional<DocumentKind> kind_of_document(const json::Value& root) {
  if (!root.is(Kind::kObject)) return std::nullopt;
  for (const Mark& mark : kMarks) {
    if (has(root, mark.first, mark.first_is) && has(root, mark.second, mark.second_is)) {
      return mark.kind;
    }
  }
  return std::nullopt;
}

std::string_view list_of(DocumentKind kind) { return kMarks[static_cast<std::size_t>(kind)].list; }

}  // namespace tactus::report
