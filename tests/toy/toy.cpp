// Methods that the library does not know: this file and nothing else makes a program of which every
// verb can take them (tests/cli/toy_method_test.cpp).
#include <array>

#include "tactus/methods/dag/methods.hpp"

namespace tactus::toy {
namespace {

constexpr std::array<std::string_view, 1> kVariants = {kSafe};

/// Graham's bound, doubled: right, and easy to tell from every other.
Verdict analyze_doubled(const System& system, const Options& options) {
  Verdict verdict = dag::kGraham.analyze(system, options);
  for (TaskVerdict& task : verdict.tasks) {
    if (!task.bound) continue;
    task.terms.push_back({.label = "the same again", .amount = *task.bound});
    task.bound = *task.bound * 2;
    task.schedulable = !task.deadline || *task.bound <= *task.deadline;
    if (!task.schedulable) verdict.status = Status::kUnschedulable;
  }
  return verdict;
}

/// A bound below every run: a hunt must catch it.
Verdict analyze_halved(const System& system, const Options& options) {
  Verdict verdict = dag::kGraham.analyze(system, options);
  for (TaskVerdict& task : verdict.tasks) {
    if (task.bound) task.bound = div_up(*task.bound, 2);
    task.terms.clear();
  }
  return verdict;
}

constexpr OptionSpec kOptions[] = {{"toys", "N", "how many toys; without effect"}};

Method like_graham(std::string_view id, Behaviour behaviour) {
  Method method = dag::kGraham;
  method.id = id;
  method.title = "a toy";
  method.variants = kVariants;
  method.analyze = analyze_doubled;
  method.options = kOptions;
  method.behaviour = behaviour;
  method.look = {.part = Part::kThirdRival, .second = true};
  return method;
}

Method halved() {
  Method method = like_graham("toy.halved", dag::kGraham.behaviour);
  method.analyze = analyze_halved;
  return method;
}

const Method kDoubled = like_graham("toy.doubled", {.name = "kernel-graph", .recipe = "dag-small"});
const Method kHalved = halved();
const Method kSilent = like_graham("toy.silent", {});
const Method kDancing = like_graham("toy.dancing", {.name = "dance", .recipe = "dag-small"});
const Method kShy = like_graham("toy.shy", {.why_none = "toys do not move while one looks"});
const Method kAtHome = like_graham("toy.at-home", {.name = "kernel-graph"});

const bool kAdded = [] {
  for (const Method* method : {&kDoubled, &kHalved, &kSilent, &kDancing, &kShy, &kAtHome}) {
    add_method(*method);
  }
  return true;
}();

}  // namespace
}  // namespace tactus::toy
