#include "tactus/simulate/plugin.hpp"

#include <fmt/core.h>

#include <deque>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/shell_word.hpp"
#include "tactus/generate/own_recipes.hpp"
#include "tactus/host/module.hpp"
#include "tactus/methods/own/own_method.hpp"

namespace tactus {
namespace {

/// The descriptor of a plugin's method, with where it comes from.
struct KeptMethod {
  KeptMethod(const Method& given, const std::string& path)
      : origin(fmt::format("--plugin {}", shell_word(path))), method(given) {
    method.origin = origin;
  }
  KeptMethod(const KeptMethod&) = delete;
  KeptMethod& operator=(const KeptMethod&) = delete;

  std::string origin;
  Method method;
};

/// Adds what a plugin offers, until something cannot be added.
class Joining final : public PluginHost {
 public:
  explicit Joining(const std::string& path) : path_(path) {}

  void add(const Method& method) override {
    if (problem_) return;
    if (method.analyze == nullptr && method.analyst == nullptr) {
      problem_ = Error{fmt::format("method {} has no `analyze`", quote(method.id))};
    } else if (method.variants.empty()) {
      problem_ = Error{fmt::format("method {} has no variant", quote(method.id))};
    } else if (!(problem_ = own::problem_with_id(method.id))) {
      problem_ = add_method(kept<KeptMethod>().emplace_back(method, path_).method);
    }
  }
  void add(const simulate::PolicyEntry& policy) override {
    if (!problem_) problem_ = simulate::add_policy(policy);
  }
  void add(const Recipe& recipe) override {
    if (!problem_) problem_ = add_recipe(kept<Recipe>().emplace_back(recipe));
  }

  const std::optional<Error>& problem() const { return problem_; }

 private:
  /// The registries point to these to the end of the program.
  template <typename T>
  static std::deque<T>& kept() {
    static std::deque<T> all;
    return all;
  }

  const std::string& path_;
  std::optional<Error> problem_;
};

}  // namespace

std::optional<Error> load_plugin(const std::string& path) {
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("{}: {}", path, why)}; };
  const auto symbol = host::load_from_file(path, "tactus_plugin");
  if (!symbol) return refuse(symbol.error().message);
  const auto& head = *static_cast<const PluginHead*>(*symbol);
  if (head.version != kPluginVersion) {
    return refuse(
        fmt::format("it was built for version {} of the plugin interface; this tactus has "
                    "version {}",
                    head.version, kPluginVersion));
  }
  if (head.layout != plugin_layout()) {
    return refuse(
        "it was built with the headers of another version of Tactus, or with another compiler: "
        "build it again");
  }
  Joining joining(path);
  if (const std::string problem = head.join(joining); !problem.empty()) return refuse(problem);
  if (joining.problem()) return refuse(joining.problem()->message);
  return std::nullopt;
}

}  // namespace tactus
