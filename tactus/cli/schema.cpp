#include <memory>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/experiment.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/trace/observed_json.hpp"

namespace tactus::cli {

void add_schema(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("schema", "The JSON Schema of our files, for editors");
  auto kind = std::make_shared<std::string>("system");
  verb->add_option("KIND", *kind,
                   "Of which file: system, experiment or observed (simulate and run --json)")
      ->check(CLI::IsMember({"system", "experiment", "observed"}))
      ->capture_default_str();
  verb->footer(
      "Examples:\n"
      "  tactus schema > system.schema.json\n"
      "  tactus schema experiment > experiment.schema.json");
  verb->callback([kind, &exit_code] {
    const std::string text = *kind == "system"       ? system_schema()
                             : *kind == "experiment" ? experiment::experiment_schema()
                                                     : trace::observed_schema();
    exit_code = emit(text) ? kYes : kBadInput;
  });
}

}  // namespace tactus::cli
