#include "tactus/methods/plan_document.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "tactus/model/whole_document.hpp"
#include "tactus/model/writer.hpp"

namespace tactus {

using namespace codec;  // the words of the table

namespace {

/// What every plan begins with.
struct Head {
  std::string_view method, variant;
};

}  // namespace

template <>
std::span<const Field<Head>> fields<Head>() {
  static constexpr auto kTable = std::to_array<Field<Head>>({
      version<Head>(),
      kind<Head, "plan">(),
      system_name<Head>(),
      always<Line>("fingerprint", "Of the system that the plan was made for",
                   [](const System& system, const Head&) { return fingerprint(system); }),
      always<&Head::method, Line>("method", "The method that made it"),
      always<&Head::variant, Line>("variant", "Which variant of it"),
  });
  return kTable;
}

void write_plan(json::Writer& out, const System& system, std::string_view method,
                std::string_view variant, const Plan& plan) {
  out.begin_object();
  write_members(out, system, Head{method, variant});
  plan.write_fields(out, system);
  out.end_object();
}

void AnyPlan::describe(json::Writer& out) {
  out.key("anyOf").begin_array();
  for (const PlanKeys keys : plan_types()) {
    std::vector<Described> members = described<Head>();
    std::ranges::copy(keys(), std::back_inserter(members));
    out.begin_object();
    describe_object(out, members);
    out.end_object();
  }
  out.end_array();
}

std::string plan_schema() {
  return schema_with("plan", "A plan (tactus plan -o), by the method that made it",
                     AnyPlan::describe);
}

}  // namespace tactus
