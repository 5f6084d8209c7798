#pragma once

#include <optional>
#include <string_view>

#include "tactus/base/json.hpp"

namespace tactus::report {

/// What a file holds. It says so by its contents; its name does not matter.
enum class DocumentKind {
  kSystem,
  kTrace,
  kObserved,     ///< of `run` and `simulate`
  kAnalysis,     ///< of `analyze`
  kSlack,        ///< of `slack`
  kSweep,        ///< of `slack --sweep`
  kAdvice,       ///< of `advise`
  kExperiments,  ///< of `results` and `reproduce`
  kPlan,
};

/// Nothing where it is none of these.
std::optional<DocumentKind> kind_of_document(const json::Value& root);

/// Under which name the joined document lists documents of this kind.
std::string_view list_of(DocumentKind kind);

}  // namespace tactus::report
