// Apart from the rest of output.hpp: tactusd complains too, but reads no system, and so needs no YAML.
#include "tactus/base/file.hpp"
#include "tactus/cli/given_systems.hpp"
#include "tactus/cli/output.hpp"

namespace tactus::cli {

std::optional<System> system_or_complaint(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (text) return system_or_complaint(FileText{path, std::move(*text)});
  complain("tactus: " + text.error().message);
  return std::nullopt;
}

}  // namespace tactus::cli
