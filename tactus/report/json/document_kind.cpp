#include "tactus/report/json/document_kind.hpp"

#include <algorithm>
#include <iterator>

namespace tactus::report {
namespace {

using json::Kind;

constexpr Joinable kJoinable[] = {
    {"system", "systems", "tasks"},    {"trace", "traces", "traceEvents"},
    {"observed", "observed", "tasks"}, {"verdict", "analyses", "methods"},
    {"slack", "slacks", "slack"},      {"sweep", "sweeps", "points"},
    {"advice", "advice", "options"},   {"experiments", "experiments", "experiments"},
    {"plan", "plans", "fingerprint"},
};

bool has(const json::Value& root, std::string_view key, Kind kind) {
  const json::Value* found = root.is(Kind::kObject) ? root.find(key) : nullptr;
  return found != nullptr && found->is(kind);
}

}  // namespace

std::string_view kind_of_document(const json::Value& root) {
  if (has(root, "platform", Kind::kObject) && has(root, "tasks", Kind::kArray)) return "system";
  if (has(root, "traceEvents", Kind::kArray)) return "trace";
  if (!has(root, "kind", Kind::kString)) return {};
  const std::string_view said = root.find("kind")->text();
  return said == "system" || said == "trace" ? std::string_view()
                                             : said;  // it has not their members
}

bool is_of_old(const json::Value& root) {
  return has(root, "tactus", Kind::kNumber) && kind_of_document(root).empty();
}

std::span<const Joinable> joinable_documents() { return kJoinable; }

const Joinable* find_joinable(std::string_view kind) {
  const auto* const found =
      std::find_if(std::begin(kJoinable), std::end(kJoinable),
                   [&](const Joinable& document) { return document.kind == kind; });
  return found == std::end(kJoinable) ? nullptr : found;
}

}  // namespace tactus::report
