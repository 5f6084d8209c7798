#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "tactus/arbiter/admit/reply.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/charts/figure_style.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/serve/openapi.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/trace/script_file.hpp"
#include "tactus/verbs/questions.hpp"

namespace tactus::cli {
namespace {

struct Kind {
  const char* name;
  std::string (*text)();
};

constexpr Kind kKinds[] = {
    {"system", system_schema},
    {"experiment", experiment::experiment_schema},
    {"verdict", report::verdict_schema},
    {"explanation", report::explanation_schema},
    {"slack", report::slack_schema},
    {"advice", report::advice_schema},
    {"sweep", report::sweep_schema},
    {"deployment", report::deployment_schema},
    {"checkup", report::checkup_schema},
    {"reservations", report::reservations_schema},
    {"reservation", arbiter::admit::reservation_schema},
    {"plan", plan_schema},
    {"observed", trace::observed_schema},
    {"measurement", report::measurement_schema},
    {"arbiter", report::arbiter_schema},
    {"watched", report::watched_schema},
    {"validation", report::validation_schema},
    {"style", report::style_schema},
    {"script", trace::script_schema},
    {"question", verbs::question_schemas},
    {"openapi", serve::openapi},
};

struct SchemaArguments {
  std::string kind = "system";
};

void describe(SchemaArguments& arguments, Fields& is) {
  std::vector<std::string_view> names;
  for (const Kind& known : kKinds) names.emplace_back(known.name);
  is("kind", arguments.kind,
     "Of which document: system, experiment, plan, style (plot --style); verdict (analyze --json), "
     "explanation (analyze --explain TASK --json), slack, sweep (slack --sweep --json), advice "
     "(advise --json), deployment (deploy --json), checkup (doctor --json), reservations (reserve "
     "--dry --json), reservation (reserve --list --json), observed (simulate and run --json), "
     "measurement, arbiter (top --json), watched (watch --json), "
     "validation, script (simulate --script), question (what the C interface, HTTP and Python "
     "ask), "
     "openapi (the HTTP interface)")
      .positional("KIND")
      .one_of(names);
}

int run(SchemaArguments& arguments) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& known) { return known.name == arguments.kind; });
  return emit(found->text()) ? kYes : kBadInput;
}

}  // namespace

void add_schema(Parser& app, int& exit_code) {
  add_verb<SchemaArguments>(app, exit_code, "schema",
                            "The JSON Schemas of our files and of what verbs print",
                            "Examples:\n"
                            "  tactus schema > system.schema.json\n"
                            "  tactus schema verdict > verdict.schema.json",
                            run);
}

}  // namespace tactus::cli
