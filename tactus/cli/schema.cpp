#include <algorithm>
#include <iterator>
#include <memory>

#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/charts/figure_style.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/trace/observed_json.hpp"
#include "tactus/trace/script_file.hpp"

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
    {"plan", plan_schema},
    {"observed", trace::observed_schema},
    {"measurement", report::measurement_schema},
    {"arbiter", report::arbiter_schema},
    {"validation", report::validation_schema},
    {"style", report::style_schema},
    {"script", trace::script_schema},
};

}  // namespace

void add_schema(Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("schema", "The JSON Schemas of our files and of what verbs print");
  auto kind = std::make_shared<std::string>("system");
  std::vector<std::string> names;
  for (const Kind& known : kKinds) names.emplace_back(known.name);
  verb->add_option("KIND", *kind,
                   "Of which document: system, experiment, plan, style (plot --style); verdict "
                   "(analyze --json), "
                   "explanation (analyze --explain TASK --json), slack, sweep (slack --sweep "
                   "--json), advice (advise --json), "
                   "observed (simulate and run --json), measurement, arbiter (top --json), "
                   "validation, script (simulate --script)")
      ->check(one_of(names))
      ->capture_default_str();
  verb->footer(
      "Examples:\n"
      "  tactus schema > system.schema.json\n"
      "  tactus schema verdict > verdict.schema.json");
  verb->callback([kind, &exit_code] {
    const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                     [&](const Kind& known) { return known.name == *kind; });
    exit_code = emit(found->text()) ? kYes : kBadInput;
  });
}

}  // namespace tactus::cli
