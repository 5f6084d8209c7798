#include "tactus/cli/method_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tactus/cli/output.hpp"
#include "tactus/methods/option_values.hpp"

namespace tactus::cli {
namespace {

using Methods = std::vector<const Method*>;

const OptionSpec* find_option(const Methods& methods, std::string_view name) {
  for (const Method* method : methods) {
    for (const OptionSpec& option : method->options) {
      if (option.name == name) return &option;
    }
  }
  return nullptr;
}

/// What is wrong with the options themselves, for any system; empty if nothing is.
std::string problem_with(const Options& options, const Methods& methods) {
  for (const auto& [name, value] : options.settings) {
    const OptionSpec* option = find_option(methods, name);
    if (option == nullptr) {
      return fmt::format("none of the chosen methods has the option --{}", name);
    }
    if (std::string problem = tactus::problem_with(*option, value); !problem.empty()) {
      return problem;
    }
  }
  std::vector<std::string_view> variants;
  for (const Method* method : methods) {
    variants.insert(variants.end(), method->variants.begin(), method->variants.end());
  }
  if (std::find(variants.begin(), variants.end(), options.variant) != variants.end()) return {};
  const std::string owner = methods.size() == 1 ? fmt::format("{} has no", methods.front()->id)
                                                : std::string("none of the chosen methods has the");
  const std::string meant = suggestion(options.variant, variants);
  return fmt::format("{} variant {}{}", owner, quote(options.variant),
                     meant.empty() ? "; `tactus methods` lists them" : meant);
}

}  // namespace

void MethodOptions::add_to(CLI::App& verb, const std::string& default_method,
                           const std::string& names) {
  list_ = default_method;
  auto* method = verb.add_option(
      names, list_,
      default_method == "all" ? "Methods by id or wildcard, comma-separated: gcaps.*,mpcp.suspend"
                              : "The method, by its id; `tactus methods` lists them");
  if (!default_method.empty()) method->capture_default_str();
  option_ = method;
  takes_alias_ = names.find("--policy") != std::string::npos;
  variant_option_ =
      verb.add_option("--variant", variant_, "Variant of the methods, e.g. safe or paper")
          ->capture_default_str();
  verb.add_option("-j,--threads", threads_, "Threads, for methods that can use several")
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
      verb.add_option(name, values_[std::string(option.name)], doc)
          ->group("Options of methods")
          ->type_name(std::string(option.value));
    }
  }
}

std::optional<std::vector<const Method*>> MethodOptions::methods() const {
  Result<std::vector<const Method*>> chosen =
      select_methods(by_alias() ? registry().front()->id : std::string_view(list_));
  if (!chosen) {
    complain("tactus: " + chosen.error().message);
    return std::nullopt;
  }
  if (const std::string problem = problem_with(options(), *chosen); !problem.empty()) {
    complain("tactus: " + problem);
    return std::nullopt;
  }
  return *chosen;
}

std::optional<Verdict> MethodOptions::analyzed(const Method& method, const System& system,
                                               const Options& options) {
  return or_complaint(method, try_analyze(method, system, options));
}

std::optional<Verdict> MethodOptions::or_complaint(const Method& method, Result<Verdict> verdict) {
  if (verdict) return std::move(*verdict);
  complain(fmt::format("tactus: {}: {}", method.id, verdict.error().message));
  return std::nullopt;
}

std::optional<std::string> MethodOptions::variant() const {
  if (variant_option_ == nullptr || variant_option_->count() == 0) return std::nullopt;
  return variant_;
}

Options MethodOptions::options() const {
  Options options;
  options.variant = variant_;
  options.threads = threads_;
  for (const auto& [name, value] : values_) {
    if (value) options.settings[name] = *value;
  }
  for (const auto& [name, given] : flags_) {
    if (given) options.settings[name] = "on";
  }
  return options;
}

}  // namespace tactus::cli
