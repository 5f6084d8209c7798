#include "tactus/cli/given_systems.hpp"

#include <fmt/core.h>

#include "tactus/cli/output.hpp"
#include "tactus/model/systems_file.hpp"

namespace tactus::cli {

bool for_each_system(const FileText& file,
                     const std::function<bool(std::string place, System system)>& take) {
  if (!is_json_lines(file.text)) {
    ReadResult read = read_system(file.text);
    complain_about(file.path, read.diagnostics);
    return read.system && take(shown_name(file.path), std::move(*read.system));
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
