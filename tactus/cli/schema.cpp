#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::cli {

void add_schema(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("schema", "The JSON Schema of the system file, for editors");
  verb->footer("Example:\n  tactus schema > system.schema.json");
  verb->callback([&exit_code] { exit_code = emit(system_schema()) ? kYes : kBadInput; });
}

}  // namespace tactus::cli
