#include "tactus/experiment/describe/catalogue.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/experiment/describe/bundled.hpp"

namespace tactus::experiment {
namespace {

using Complaints = std::vector<std::string>;

std::variant<FoundExperiment, Complaints> read(const std::string& shown, std::string text) {
  ReadExperiment result =
      read_experiment(text, {.folder = std::filesystem::path(shown).parent_path().string()});
  if (result.experiment) return FoundExperiment{std::move(*result.experiment), std::move(text)};
  Complaints complaints;
  for (const Diagnostic& problem : result.diagnostics) {
    complaints.push_back(to_string(problem, shown));
  }
  complaints.insert(complaints.end(), result.elsewhere.begin(), result.elsewhere.end());
  return complaints;
}

}  // namespace

std::variant<std::vector<FoundExperiment>, Complaints> find_experiments(const std::string& name) {
  std::vector<FoundExperiment> found;
  const auto add = [&](const std::string& shown, std::string text) {
    auto result = read(shown, std::move(text));
    if (auto* complaints = std::get_if<Complaints>(&result)) return std::move(*complaints);
    found.push_back(std::get<FoundExperiment>(std::move(result)));
    return Complaints{};
  };
  if (name.find('/') != std::string::npos || name.ends_with(".json")) {
    Result<std::string> text = read_text_file(name);
    if (!text) return Complaints{"tactus: " + text.error().message};
    Complaints complaints = add(name, std::move(*text));
    if (!complaints.empty()) return complaints;
    return found;
  }
  std::vector<std::string_view> names;
  for (const BundledFile& file : bundled_files()) {
    names.push_back(file.name);
    if (fnmatch(name.c_str(), std::string(file.name).c_str(), 0) != 0) continue;
    Complaints complaints = add(std::string(file.name), std::string(file.text));
    if (!complaints.empty()) return complaints;
  }
  if (found.empty()) {
    const std::string meant = suggestion(name, names);
    return Complaints{
        fmt::format("tactus: there is no experiment {}{}", quote(name),
                    meant.empty() ? "; `tactus lab reproduce --list` shows them" : meant)};
  }
  return found;
}

}  // namespace tactus::experiment
