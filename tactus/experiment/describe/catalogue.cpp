#include "tactus/experiment/describe/catalogue.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/experiment/describe/bundled.hpp"

namespace tactus::experiment {
namespace {

using Problems = std::vector<Error>;

Result<FoundExperiment, Problems> read(const std::string& shown, std::string text) {
  ReadExperiment result =
      read_experiment(text, {.folder = std::filesystem::path(shown).parent_path().string()});
  if (result.experiment) return FoundExperiment{std::move(*result.experiment), std::move(text)};
  Problems problems = std::move(result.diagnostics);
  for (Error& problem : problems) problem.file = shown;
  problems.insert(problems.end(), result.elsewhere.begin(), result.elsewhere.end());
  return problems;
}

}  // namespace

Result<std::vector<FoundExperiment>, Problems> find_experiments(const std::string& name) {
  std::vector<FoundExperiment> found;
  const auto add = [&](const std::string& shown, std::string text) {
    auto result = read(shown, std::move(text));
    if (!result) return result.error();
    found.push_back(std::move(*result));
    return Problems{};
  };
  if (name.find('/') != std::string::npos || name.ends_with(".json")) {
    Result<std::string> text = read_text_file(name);
    if (!text) return Problems{text.error()};
    Problems problems = add(name, std::move(*text));
    if (!problems.empty()) return problems;
    return found;
  }
  std::vector<std::string_view> names;
  for (const BundledFile& file : bundled_files()) {
    names.push_back(file.name);
    if (fnmatch(name.c_str(), std::string(file.name).c_str(), 0) != 0) continue;
    Problems problems = add(std::string(file.name), std::string(file.text));
    if (!problems.empty()) return problems;
  }
  if (found.empty()) {
    const std::string meant = suggestion(name, names);
    return Problems{
        {fmt::format("there is no experiment {}{}", quote(name),
                     meant.empty() ? "; `tactus lab reproduce --list` shows them" : meant)}};
  }
  return found;
}

}  // namespace tactus::experiment
