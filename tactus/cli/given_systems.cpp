#include "tactus/cli/given_systems.hpp"

#include <fmt/core.h>

#include "tactus/cli/output.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/model/systems_file.hpp"

namespace tactus::cli {

bool holds_several(const FileText& file) {
  return notation_of(file.path) != Notation::kYaml && is_json_lines(file.text);
}

std::optional<System> system_or_complaint(FileText file) {
  ReadResult read = read_system(std::move(file.text), notation_of(file.path));
  complain_about(file.path, read.diagnostics);
  return std::move(read.system);
}

bool for_each_system(const FileText& file,
                     const std::function<bool(std::string place, System system)>& take) {
  if (!holds_several(file)) {
    std::optional<System> system = system_or_complaint(file);
    return system && take(shown_name(file.path), std::move(*system));
  }
  ReadSystems read = read_system_lines(file.text);
  complain_about(file.path, read.diagnostics);
  for (SystemOfLine& one : read.systems) {
    if (!take(fmt::format("{}:{}", shown_name(file.path), one.line), std::move(one.system))) {
      return false;
    }
  }
  return !read.systems.empty();
}

std::optional<std::map<std::string, std::string, std::less<>>> settings_of(
    const std::vector<std::string>& given) {
  std::map<std::string, std::string, std::less<>> settings;
  for (const std::string& setting : given) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      complain(fmt::format("tactus: --set needs name=value, got {}", quote(setting)));
      return std::nullopt;
    }
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return settings;
}

}  // namespace tactus::cli
