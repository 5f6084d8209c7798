#include "tactus/cli/method_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"

namespace tactus::cli {
namespace {

std::set<std::string> choices_of(std::string_view value) {
  std::set<std::string> choices;
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find('|', start), value.size());
    choices.emplace(value.substr(start, end - start));
    start = end + 1;
  }
  return choices;
}

bool has_option(const Method& method, std::string_view name) {
  return std::any_of(method.options.begin(), method.options.end(),
                     [&](const OptionSpec& option) { return option.name == name; });
}

}  // namespace

void MethodOptions::add_to(CLI::App& verb, const std::string& default_method,
                           const std::string& names) {
  list_ = default_method;
  auto* method = verb.add_option(
      names, list_, "Methods by id or wildcard, comma-separated: gcaps.*,mpcp.suspend");
  if (!default_method.empty()) method->capture_default_str();
  verb.add_option("--variant", variant_, "Variant of the methods, e.g. safe or paper")
      ->capture_default_str();
  verb.add_option("-j,--threads", threads_, "Threads, where a method can use several")
      ->check(CLI::Range(1, 1024));

  std::set<std::string_view> seen;
  for (const Method* entry : registry()) {
    for (const OptionSpec& option : entry->options) {
      if (!seen.insert(option.name).second) continue;
      const std::string name = fmt::format("--{}", option.name);
      const std::string doc = fmt::format("{} ({})", option.doc, entry->id);
      if (option.value.empty()) {
        verb.add_flag(name, flags_[std::string(option.name)], doc)->group("Options of methods");
        continue;
      }
      auto* added = verb.add_option(name, values_[std::string(option.name)], doc);
      added->group("Options of methods")->type_name(std::string(option.value));
      if (option.value == "N") {
        added->check(whole_number(0));
      } else if (option.value.find('|') != std::string_view::npos) {
        added->check(CLI::IsMember(choices_of(option.value)));
      }
    }
  }
}

std::optional<std::vector<const Method*>> MethodOptions::methods() const {
  Result<std::vector<const Method*>> chosen = select_methods(list_);
  if (!chosen) {
    complain("tactus: " + chosen.error().message);
    return std::nullopt;
  }
  for (const auto& setting : options().settings) {
    const std::string& name = setting.first;
    const bool used = std::any_of(chosen->begin(), chosen->end(),
                                  [&](const Method* m) { return has_option(*m, name); });
    if (used) continue;
    complain(fmt::format("tactus: none of the chosen methods has the option --{}", name));
    return std::nullopt;
  }
  return *chosen;
}

bool MethodOptions::refused(const Verdict& verdict) {
  if (verdict.bad_option) complain(fmt::format("tactus: {}: {}", verdict.method, verdict.reason));
  return verdict.bad_option;
}

Options MethodOptions::options() const {
  Options options;
  options.variant = variant_;
  options.threads = threads_;
  for (const auto& [name, value] : values_) {
    if (!value.empty()) options.settings[name] = value;
  }
  for (const auto& [name, given] : flags_) {
    if (given) options.settings[name] = "on";
  }
  return options;
}

}  // namespace tactus::cli
