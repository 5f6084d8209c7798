#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "tactus/base/decimal.hpp"
#include "tactus/base/json.hpp"
#include "tactus/report/baseline.hpp"
#include "tactus/report/text/time_units.hpp"

namespace tactus::report {
namespace {

using json::Kind;
using json::Value;

/// What keeps a document from being one of `analyze --json`, and where.
struct Unfit {
  std::uint32_t offset;
  std::string problem;
};

class BaselineReader {
 public:
  explicit BaselineReader(TimeUnit unit) : unit_(unit) {}

  Baseline read(const Value& root) {
    Baseline baseline;
    const Value& methods = member(root, "methods", Kind::kArray);
    baseline.system = member(root, "system", Kind::kString).text();
    if (const Value* unit = root.find("time_unit")) {
      const auto named = unit->is(Kind::kString) ? time_unit_named(unit->text()) : std::nullopt;
      if (!named) throw Unfit{unit->offset(), "`time_unit` is none that this version knows"};
      unit_ = *named;
      baseline.unit_is_stated = true;
    }
    for (const Value& method : methods.items()) baseline.methods.push_back(method_of(method));
    // The same methods in the variants that tactus runs.
    const Value* deployable = root.find("deployable");
    if (deployable == nullptr || !deployable->is(Kind::kArray)) return baseline;
    for (const Value& method : deployable->items()) baseline.methods.push_back(method_of(method));
    return baseline;
  }

 private:
  static const Value& member(const Value& object, std::string_view key, Kind kind) {
    const Value* found = object.is(Kind::kObject) ? object.find(key) : nullptr;
    if (found != nullptr && found->is(kind)) return *found;
    throw Unfit{object.offset(), fmt::format("this is no `tactus analyze --json`: {} is {}",
                                             quote(key), found ? "of another kind" : "missing")};
  }

  std::optional<Time> time(const Value& object, std::string_view key) const {
    const Value* found = object.find(key);
    if (found == nullptr || found->is(Kind::kNull)) return std::nullopt;
    const auto value = found->is(Kind::kNumber)
                           ? parse_scaled(found->text(), decimal_places(unit_), Rounding::kUp)
                           : std::nullopt;
    if (!value || value->value < 0) {
      throw Unfit{found->offset(), fmt::format("{} must be a time", quote(key))};
    }
    return Time::from_ns(value->value);
  }

  Baseline::OfMethod method_of(const Value& value) const {
    Baseline::OfMethod method;
    method.method = member(value, "method", Kind::kString).text();
    method.variant = member(value, "variant", Kind::kString).text();
    method.status = member(value, "status", Kind::kString).text();
    for (const Value& task : member(value, "tasks", Kind::kArray).items()) {
      Baseline::OfTask& read = method.tasks.emplace_back();
      read.name = member(task, "task", Kind::kString).text();
      read.proved = member(task, "schedulable", Kind::kBool).boolean();
      read.bound = time(task, "bound");
      read.deadline = time(task, "deadline");
    }
    const Value* chains = value.find("chains");
    if (chains == nullptr || !chains->is(Kind::kArray)) return method;
    for (const Value& chain : chains->items()) {
      Baseline::OfTask& read = method.chains.emplace_back();
      read.name = member(chain, "name", Kind::kString).text();
      read.proved = member(chain, "holds", Kind::kBool).boolean();
      read.bound = time(chain, "bound");
    }
    return method;
  }

  TimeUnit unit_;
};

}  // namespace

Result<Baseline> read_baseline(std::string text, std::string_view name, TimeUnit unit) {
  const auto parsed = json::Document::parse(std::move(text));
  if (!parsed) return Error{parsed.error().message, std::string(name), parsed.error().at};
  try {
    return BaselineReader(unit).read(parsed->root());
  } catch (const Unfit& unfit) {
    return Error{unfit.problem, std::string(name), parsed->position(unfit.offset)};
  }
}

}  // namespace tactus::report
