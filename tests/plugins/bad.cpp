// Plugins that are wrong in one way each; TACTUS_BAD says in which (tests/CMakeLists.txt).
#include <stdexcept>

#include "tactus/simulate/plugin.hpp"

#define TACTUS_NO_SYMBOL 1
#define TACTUS_OTHER_VERSION 2
#define TACTUS_OTHER_LAYOUT 3
#define TACTUS_TAKEN_ID 4
#define TACTUS_THROWING_JOIN 5
#define TACTUS_THROWING_PARTS 6

namespace {

using namespace tactus;

constexpr std::string_view kVariants[] = {kSafe};

Verdict throw_verdict(const System& system, const Options&) {
  if (system.tasks.size() > 1) throw std::runtime_error("two tasks are too many");
  throw 42;
}

/// A bound that lets the policy be asked.
Verdict give_bounds(const System& system, const Options&) {
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    TaskVerdict& entry = verdict.tasks.emplace_back();
    entry.task = task;
    entry.bound = entry.deadline = system.tasks[task].deadline;
    entry.schedulable = true;
  }
  return verdict;
}

class Throwing final : public simulate::Policy {
 public:
  void expand(const simulate::View&, TaskIndex, simulate::Job&) override {
    throw std::runtime_error("it does not expand");
  }
  void choose(const simulate::View&, simulate::Choice&) override {}
};

Result<std::unique_ptr<simulate::Policy>> make_throwing(const System&, const Verdict&) {
  return std::unique_ptr<simulate::Policy>(std::make_unique<Throwing>());
}
Result<std::unique_ptr<simulate::Policy>> throw_policy(const System&, const Verdict&) {
  throw std::runtime_error("there is no policy today");
}

System throw_system(Settings&, Random&) { throw std::runtime_error("no systems today"); }
/// A task without nodes, on a platform without elements.
System nonsense(Settings&, Random&) {
  System system;
  system.tasks.emplace_back().name = "t";
  return system;
}

[[maybe_unused]] Method method(std::string_view id,
                               Verdict (*analyze)(const System&, const Options&),
                               Behaviour behaviour) {
  Method made;
  made.id = id;
  made.title = made.paper = made.assumes = made.needs = "bad";
  made.variants = kVariants;
  made.analyze = analyze;
  made.behaviour = behaviour;
  return made;
}

[[maybe_unused]] void add(Plugin& plugin) {
  if (TACTUS_BAD == TACTUS_THROWING_JOIN) throw std::runtime_error("not today");
  if (TACTUS_BAD == TACTUS_TAKEN_ID) plugin.add_method(method("gcaps.suspend", give_bounds, {}));
  plugin.add_method(method("bad.analysis", throw_verdict, {}));
  plugin.add_method(
      method("bad.policy", give_bounds, {.name = "bad-policy", .recipe = "gcaps-small"}));
  plugin.add_method(method("bad.make", give_bounds, {.name = "bad-make", .recipe = "gcaps-small"}));
  plugin.add_policy<make_throwing>("bad-policy", "throws");
  plugin.add_policy<throw_policy>("bad-make", "is not made");
  plugin.add_recipe<throw_system>("bad-recipe", "throws");
  plugin.add_recipe<nonsense>("bad-nonsense", "draws what is no system");
}

}  // namespace

#if TACTUS_BAD != TACTUS_NO_SYMBOL
extern "C" __attribute__((visibility("default"))) const tactus::PluginHead tactus_plugin = {
    tactus::kPluginVersion + (TACTUS_BAD == TACTUS_OTHER_VERSION ? 1 : 0),
    tactus::plugin_layout() + (TACTUS_BAD == TACTUS_OTHER_LAYOUT ? 1 : 0),
    tactus::plugin_join<add>};
#endif
