#include "tactus/cli/what_if.hpp"

#include "tactus/base/shell_word.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/verbs/what_if.hpp"

namespace tactus::cli {

void WhatIf::add_to(Parser& verb) {
  verb.add_option("--set", sets_,
                  "Change an attribute: camera.detect.wcet=11, camera.period=30, gpu.units=24")
      ->type_name("PATH=VALUE")
      ->check(assignment())  // told before a value that stands apart is taken for a file's name
      ->allow_extra_args(false)
      ->group("What if");
  verb.add_option("--add", files_, "Add the tasks of another system file")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("What if");
}

std::string WhatIf::words(const std::string& path) const {
  if (path == "-") return {};
  std::string out = shell_word(path);
  for (const std::string& file : files_) out += " --add " + shell_word(file);
  for (const std::string& assignment : sets_) out += " --set " + shell_word(assignment);
  return out;
}

std::optional<decide::Edited> WhatIf::read(const std::string& path) const {
  std::optional<System> system = system_or_complaint(path);
  if (!system) return std::nullopt;
  return applied(path, std::move(*system));
}

std::optional<decide::Edited> WhatIf::applied(const std::string& path, System system) const {
  std::vector<verbs::Addition> additions;
  for (const std::string& file : files_) {
    std::optional<System> other = system_or_complaint(file);
    if (!other) return std::nullopt;
    additions.push_back({shown_name(file), std::move(*other)});
  }
  auto edited = verbs::changed(std::move(system), shown_name(path), additions, sets_);
  if (edited) return std::move(*edited);
  complain_of(edited.none());
  return std::nullopt;
}

}  // namespace tactus::cli
