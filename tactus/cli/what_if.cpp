#include "tactus/cli/what_if.hpp"

#include "tactus/cli/output.hpp"
#include "tactus/report/shell_word.hpp"

namespace tactus::cli {

void WhatIf::add_to(CLI::App& verb) {
  verb.add_option("--set", sets_,
                  "Change an attribute: camera.detect.wcet=11, camera.period=30, gpu.units=24")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false)
      ->group("What if");
  verb.add_option("--add", files_, "Add the tasks of another system file")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("What if");
}

std::string WhatIf::words(const std::string& path) const {
  if (path == "-") return {};
  std::string out = report::shell_word(path);
  for (const std::string& file : files_) out += " --add " + report::shell_word(file);
  for (const std::string& assignment : sets_) out += " --set " + report::shell_word(assignment);
  return out;
}

std::optional<decide::Edited> WhatIf::read(const std::string& path) const {
  std::optional<System> system = system_or_complaint(path);
  if (!system) return std::nullopt;
  return applied(path, std::move(*system));
}

std::optional<decide::Edited> WhatIf::applied(const std::string& path, System system) const {
  decide::Edited edited{std::move(system)};
  if (sets_.empty() && files_.empty()) return edited;
  std::optional<Error> problem;
  for (const std::string& file : files_) {
    const std::optional<System> other = system_or_complaint(file);
    if (!other) return std::nullopt;
    if (!problem) problem = add(edited, *other, shown_name(file));
  }
  for (const std::string& assignment : sets_) {
    if (!problem) problem = set(edited, assignment);
  }
  if (problem) {
    complain("tactus: " + problem->message);
    return std::nullopt;
  }
  std::vector<Diagnostic> found = finish(edited);
  for (Diagnostic& diagnostic : found) diagnostic.message.insert(0, "as changed: ");
  complain_about(path, found);
  if (!found.empty()) return std::nullopt;
  return edited;
}

}  // namespace tactus::cli
