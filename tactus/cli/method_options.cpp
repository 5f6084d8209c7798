#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"

#include <fmt/core.h>

#include <set>

#include "tactus/cli/output.hpp"

namespace tactus::cli {

void MethodOptions::add_to(Parser& verb, const std::string& default_method,
                           const std::string& names) {
  list_ = default_method;
  auto* method = verb.add_option(
      names, list_,
      default_method == "all" ? "Methods by id or wildcard, comma-separated: gcaps.*,mpcp.suspend"
                              : "The method, by its id; `tactus methods` lists them");
  method->type_name(default_method == "all" ? "LIST" : "ID");
  if (!default_method.empty()) method->capture_default_str();
  option_ = method;
  takes_alias_ = names.find("--policy") != std::string::npos;
  variant_option_ =
      verb.add_option("--variant", variant_, "Variant of the methods, e.g. safe or paper")
          ->type_name("NAME")
          ->capture_default_str();
  verb.add_option("-j,--threads", threads_, "Threads, for methods that can use several")
      ->check(between(1, 1024));

  std::set<std::string_view> seen;
  for (const Method* entry : registry()) {
    for (const OptionSpec& option : entry->options) {
      if (!seen.insert(option.name).second) continue;
      const std::string name = fmt::format("--{}", option.name), doc(option.doc);
      const std::string group(kMethodOptionsGroup);
      if (option.value.empty()) {
        verb.add_flag(name, flags_[std::string(option.name)], doc)->group(group);
        continue;
      }
      verb.add_option(name, values_[std::string(option.name)], doc)
          ->group(group)
          ->type_name(std::string(option.value));
    }
  }
}

std::optional<verbs::Methods> MethodOptions::methods() const {
  auto chosen =
      verbs::choose(by_alias() ? registry().front()->id : std::string_view(list_), options());
  if (chosen) return std::move(*chosen);
  complain_of(chosen.none());
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
