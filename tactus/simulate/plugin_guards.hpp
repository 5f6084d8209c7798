#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <string>

#include "tactus/simulate/plugin.hpp"

/// What stands between a plugin and the program: compiled into the plugin, so that what it throws is
/// caught by the C++ library that threw it.
namespace tactus {
namespace plugin_guards {

/// Calls `work()`; what it throws goes to `failed(text)`, whose result then counts.
template <typename Work, typename Failed>
auto guarded(Work work, Failed failed) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return failed(std::string(problem.what()));
  } catch (...) {
    return failed(std::string("it threw what is no std::exception"));
  }
}

/// A method: what it throws becomes a verdict, as `tactus::analyze` would make of it.
class GuardedMethod final : public Analyst {
 public:
  explicit GuardedMethod(const Method& inner) : inner_(inner) {}

  Verdict analyze(const System& system, const Options& options) const override {
    return guarded(
        [&] {
          try {
            return inner_.analyst != nullptr ? inner_.analyst->analyze(system, options)
                                             : inner_.analyze(system, options);
          } catch (const OverflowError& overflow) {
            return Verdict::undecided(overflow.what());
          } catch (const LimitReached& limit) {
            return Verdict::undecided(limit.what());
          } catch (const BadOption& bad) {
            return Verdict::not_applicable({bad.what(), {}});
          }
        },
        [&](const std::string& why) {
          return Verdict::undecided(std::string(inner_.id) + " failed: " + why);
        });
  }

 private:
  Method inner_;
};

/// A policy: the first thing it throws is kept, and from then on it breaks its own rule, which ends
/// the run with that text.
class GuardedPolicy final : public simulate::Policy {
 public:
  explicit GuardedPolicy(std::unique_ptr<simulate::Policy> inner) : inner_(std::move(inner)) {}

  void expand(const simulate::View& view, TaskIndex task, simulate::Job& job) override {
    attempt([&] { inner_->expand(view, task, job); });
    if (!failure_.empty()) job.clear();
  }
  void before_releases(const simulate::View& view, simulate::Choice& choice) override {
    attempt([&] { inner_->before_releases(view, choice); });
    if (!failure_.empty()) choice.clear();
  }
  void choose(const simulate::View& view, simulate::Choice& choice) override {
    attempt([&] { inner_->choose(view, choice); });
    if (!failure_.empty()) choice.clear();
  }
  std::string_view audit(const simulate::View& view,
                         const simulate::Choice& choice) const override {
    std::string_view broken;
    attempt([&] { broken = inner_->audit(view, choice); });
    return failure_.empty() ? broken : std::string_view(failure_);
  }
  void became_ready(const simulate::View& view, simulate::WorkId id) override {
    attempt([&] { inner_->became_ready(view, id); });
  }
  void finished(const simulate::View& view, simulate::WorkId id) override {
    attempt([&] { inner_->finished(view, id); });
  }

 private:
  template <typename Work>
  void attempt(Work work) const {
    if (!failure_.empty()) return;
    guarded(work, [&](const std::string& why) { failure_ = "the policy failed: " + why; });
  }

  std::unique_ptr<simulate::Policy> inner_;
  mutable std::string failure_;
};

template <auto make>
Result<std::unique_ptr<simulate::Policy>> make_policy(const System& system,
                                                      const Verdict& verdict) {
  using Made = Result<std::unique_ptr<simulate::Policy>>;
  return guarded(
      [&]() -> Made {
        Made made = make(system, verdict);
        if (!made) return made;
        return std::unique_ptr<simulate::Policy>(std::make_unique<GuardedPolicy>(std::move(*made)));
      },
      [](const std::string& why) -> Made { return Error{"the policy failed: " + why}; });
}

template <auto make>
System make_system(Settings& settings, Random& random) {
  return guarded([&] { return make(settings, random); },
                 [&](const std::string& why) {
                   settings.refuse("the recipe failed: " + why);
                   return System{};
                 });
}

}  // namespace plugin_guards

inline void Plugin::add_method(const Method& method) {
  static std::deque<plugin_guards::GuardedMethod> kept;  // to the end of the program
  Method guarded = method;
  if (method.analyze != nullptr || method.analyst != nullptr) {
    guarded.analyst = &kept.emplace_back(method);
  }
  guarded.check_plan = nullptr;
  guarded.read_plan = nullptr;
  guarded.by_hand = nullptr;
  host_.add(guarded);
}

template <auto make>
void Plugin::add_policy(std::string_view name, std::string_view doc) {
  host_.add(simulate::PolicyEntry{name, doc, plugin_guards::make_policy<make>});
}

template <auto make>
void Plugin::add_recipe(std::string_view name, std::string_view doc,
                        std::span<const Parameter> parameters) {
  host_.add(Recipe{name, doc, parameters, plugin_guards::make_system<make>});
}

/// What `PluginHead::join` is.
template <void (*add)(Plugin&)>
std::string plugin_join(PluginHost& host) {
  return plugin_guards::guarded(
      [&] {
        Plugin plugin(host);
        add(plugin);
        return std::string();
      },
      [](const std::string& why) { return "it could not add what it has: " + why; });
}

}  // namespace tactus
