// Scripts of `simulate --script`, and files with one system per line.
#include "tactus/model/systems_file.hpp"
#include "tactus/trace/script_file.hpp"
#include "tests/fuzz/targets/example.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const System kRobot = fuzz::example("robot");
  const std::string text = fuzz::text_of(data, size);
  const auto read = trace::read_script(text, "script", kRobot);
  if (const auto* problems = std::get_if<std::vector<Diagnostic>>(&read)) {
    fuzz::demand(!problems->empty(), "a script that is refused has a reason");
    fuzz::demand_lines(*problems);
  }
  if (!is_json_lines(text)) return 0;
  const ReadSystems systems = read_system_lines(text);
  fuzz::demand_lines(systems.diagnostics);
  return 0;
}
