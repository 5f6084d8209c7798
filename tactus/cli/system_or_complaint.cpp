// Apart from the rest of output.hpp: tactusd complains too, but reads no system, and so needs no YAML.
#include "tactus/cli/output.hpp"

namespace tactus::cli {

std::optional<System> system_or_complaint(const std::string& path) {
  Result<ReadResult> read = load_system(path);
  if (!read) {
    complain("tactus: " + read.error().message);
    return std::nullopt;
  }
  complain_about(path, read->diagnostics);
  return std::move(read->system);
}

}  // namespace tactus::cli
