#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/simulate/registry.hpp"

/// Methods, policies and recipes from a shared object (docs/use/own-methods.md). A plugin is built
/// against the installed headers, and ends with:
///
///     TACTUS_PLUGIN(plugin) {
///       plugin.add_method(kMyMethod);
///       plugin.add_policy<make_my_policy>("my-policy", "what it does");
///       plugin.add_recipe<draw_my_system>("my-recipe", "what it draws", kParameters);
///     }
namespace tactus {

/// The side of the program. No exception may cross the border: program and plugin may have a C++
/// library each.
class PluginHost {
 public:
  virtual ~PluginHost() = default;
  virtual void add(const Method& method) = 0;
  virtual void add(const simulate::PolicyEntry& policy) = 0;
  virtual void add(const Recipe& recipe) = 0;
};

/// The first thing that is read from a plugin. C++ types cross the border, so both sides must be
/// made of the same headers, with compilers that lay them out alike; this tells whether they are.
struct PluginHead {
  std::uint32_t version;
  std::uint64_t layout;
  std::string (*join)(PluginHost& host);  ///< what went wrong, or nothing
};

/// Grows with every change of a type above, also one that the layout does not show.
inline constexpr std::uint32_t kPluginVersion = 1;

/// A number that changes with the sizes of the types that cross the border.
constexpr std::uint64_t plugin_layout() {
  std::uint64_t sum = 1469598103934665603ULL;
  for (const std::size_t size :
       {sizeof(System),           sizeof(Task),           sizeof(Node),
        sizeof(Element),          sizeof(Graph),          sizeof(Verdict),
        sizeof(TaskVerdict),      sizeof(Term),           sizeof(Options),
        sizeof(Method),           sizeof(Behaviour),      sizeof(Recipe),
        sizeof(Settings),         sizeof(Random),         sizeof(simulate::PolicyEntry),
        sizeof(simulate::Policy), sizeof(simulate::View), sizeof(simulate::Choice),
        sizeof(simulate::Work),   sizeof(simulate::Job),  sizeof(trace::Scenario),
        sizeof(std::string)}) {
    sum = (sum ^ size) * 1099511628211ULL;
  }
  return sum;
}

/// Loads a plugin and lets it add what it has. An error says what is wrong with it, in one line that
/// begins with the path. @param path a file, never looked for in the folders of libraries
std::optional<Error> load_plugin(const std::string& path);

/// The side of the plugin: adds what it has, each part with a guard that catches what it throws.
class Plugin {
 public:
  explicit Plugin(PluginHost& host) : host_(host) {}

  /// What the descriptor points to must stay where it is. Plans of a plugin are made and simulated,
  /// but not read from files.
  void add_method(const Method& method);

  /// @tparam make as `simulate::PolicyEntry::make`  @param name static text, as is `doc`
  template <auto make>
  void add_policy(std::string_view name, std::string_view doc);

  /// @tparam make as `Recipe::make`  @param name static text, as are all others
  template <auto make>
  void add_recipe(std::string_view name, std::string_view doc,
                  std::span<const Parameter> parameters = {});

 private:
  PluginHost& host_;
};

}  // namespace tactus

#include "tactus/simulate/plugin_guards.hpp"  // the guards, which are part of the plugin

#define TACTUS_PLUGIN(plugin)                                                                   \
  static void tactus_plugin_add(tactus::Plugin&(plugin));                                       \
  extern "C" __attribute__((visibility("default"))) const tactus::PluginHead tactus_plugin = {  \
      tactus::kPluginVersion, tactus::plugin_layout(), tactus::plugin_join<tactus_plugin_add>}; \
  static void tactus_plugin_add(tactus::Plugin&(plugin))
