#pragma once

#include "tactus/report/charts/recorded.hpp"

namespace tactus {
class ReadContext;
namespace json {
class Value;
}
}  // namespace tactus

namespace tactus::report {

/// Is it the document that `run --json` and `simulate --json` print?
bool is_run(const json::Value& root);

/// What was observed in a run beside what was proved: per task the mean and the longest response,
/// the bound and the deadline. Complains to `context` if the document is not what we write.
RecordedFigure figure_of_run(const json::Value& root, ReadContext& context);

}  // namespace tactus::report
