#include "tactus/verbs/init.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tactus/decide/commented.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/decide/gpu_costs.hpp"
#include "tactus/decide/space.hpp"
#include "tactus/decide/spoken_task.hpp"
#include "tactus/model/gpu_element.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/verbs/import.hpp"

namespace tactus::verbs {
namespace {

constexpr std::int64_t kUsualCores = 4, kOne = 1;

Answer<System> system_of_words(const InitQuestion& question) {
  System system;
  const decide::SpokenElements elements;
  for (const auto& [name, kind, units] :
       {std::tuple("cpu", ElementKind::kCpu, kUsualCores),
        std::tuple("copy", ElementKind::kCopy, kOne), std::tuple("gpu", ElementKind::kGpu, kOne)}) {
    Element& element = system.platform.elements.emplace_back();
    element.name = name;
    element.kind = kind;
    element.units = units;
  }
  NoAnswer none;
  for (const std::string& words : question.tasks) {
    auto task = decide::spoken_task(words, elements);
    if (task) {
      system.tasks.push_back(std::move(*task));
    } else {
      none.problems.push_back({task.error().message});
    }
  }
  if (!none.problems.empty()) return none;
  const bool copies = std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return std::any_of(task.nodes.begin(), task.nodes.end(),
                       [&](const Node& node) { return node.on == elements.copy; });
  });
  if (copies) return system;
  system.platform.elements.erase(system.platform.elements.begin() + elements.copy);
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) node.on -= node.on > elements.copy ? 1 : 0;
  }
  return system;
}

Answer<System> system_from(const InitQuestion& question, const Companion& companion,
                           std::vector<std::string>& notes) {
  const std::string& from = question.from;
  const bool is_system = from.ends_with(".system.json") || notation_of(from) == Notation::kYaml;
  if (!is_system) {
    ImportQuestion import;
    import.file = from;
    auto imported = verbs::answer(import, companion);
    if (!imported) return imported.none();
    notes = std::move(imported->imported.notes);
    return std::move(imported->imported.system);
  }
  auto loaded = load_system(from);
  if (!loaded) return NoAnswer::bad_input(loaded.error().message);
  std::vector<Problem> problems = problems_of(loaded->diagnostics, from);
  if (!loaded->system) return NoAnswer{kBadInput, std::move(problems)};
  for (const Problem& problem : problems) companion.warn(problem);
  return std::move(*loaded->system);
}

Element* element_of(System& system, ElementKind kind) {
  for (Element& element : system.platform.elements) {
    if (element.kind == kind) return &element;
  }
  return nullptr;
}

/// Tasks that need a core get one; one is left to the arbiter where there are so many.
System with_cores(const System& system) {
  const auto spare = decide::arbiter_core(system, decide::CoresOf::kOpen);
  const decide::Space space(system, {}, spare);
  return space.system(space.start());
}

std::string about_element(const System& system, const Element& element,
                          const InitQuestion& question) {
  switch (element.kind) {
    case ElementKind::kCpu: {
      const auto spare = decide::arbiter_core(system, decide::CoresOf::kFile);
      return fmt::format("units: cores. {}",
                         spare
                             ? fmt::format("No task is on core {}: it is left to tactusd, the "
                                           "arbiter",
                                           *spare)
                             : "Every core has tasks; tactusd, the arbiter, wants one of its own");
    }
    case ElementKind::kCopy:
      return "copies between CPU and GPU; one at a time";
    case ElementKind::kGpu:
      return question.costs.empty()
                 ? "units: SMs. What sharing it costs is not given: tactus gpu profiles"
                 : fmt::format(
                       "units: SMs. Costs: {}, as long as was measured there; yours: "
                       "tactus tiers",
                       question.costs);
  }
  return {};
}

decide::Comments comments_of(const System& system, const InitQuestion& question,
                             const std::vector<std::string>& notes) {
  decide::Comments comments;
  comments.head = {
      "Written by `tactus init`; comments may stay. Every time is in " +
          std::string(system.time_unit == TimeUnit::kMs ? "milliseconds." : "the `time_unit`."),
      "wcet: the longest time of a piece of work, alone on its element. period: the SHORTEST time",
      "between two arrivals; where they come late, add \"jitter\". docs/use/format.md has the "
      "rest."};
  for (const std::string& note : notes) comments.head.push_back("Note: " + note);
  for (const Element& element : system.platform.elements) {
    comments.elements.push_back(about_element(system, element, question));
  }
  comments.tasks = question.tasks;
  return comments;
}

}  // namespace

void describe(InitQuestion& question, Fields& is) {
  is("task", question.tasks,
     "A task in words, as often as there are tasks: 'camera 30 Hz, 8 ms GPU, 2 ms CPU, deadline "
     "33'")
      .shows("WORDS");
  is("from", question.from, "A system file (of `measure`, too), or what `import` reads")
      .shows("FILE")
      .excludes({"task"});
  is("name", question.name, "Of the system").shows("NAME");
  is("cores", question.cores, "CPU cores of the machine").range(1, 1'000'000);
  is("sms", question.sms, "SMs of its GPU; only methods that divide a GPU count them")
      .range(1, 1'000'000);
  is("costs", question.costs, "What sharing the GPU costs, as measured on a known one")
      .shows("PROFILE");
}

std::string Initial::json() const { return write_system(system); }

Answer<Initial> answer(const InitQuestion& question, const Companion& companion) {
  if (question.tasks.empty() && question.from.empty()) {
    return NoAnswer::bad_input(
        "there is no task; say --task 'camera 30 Hz, 8 ms GPU, 2 ms CPU, deadline 33'");
  }
  Initial initial;
  auto begun = question.from.empty() ? system_of_words(question)
                                     : system_from(question, companion, initial.notes);
  if (!begun) return begun.none();
  if (!question.name.empty()) begun->name = question.name;
  if (begun->name.empty()) begun->name = "robot";
  for (const auto& [kind, units] :
       {std::pair(ElementKind::kCpu, question.cores), std::pair(ElementKind::kGpu, question.sms)}) {
    if (Element* element = element_of(*begun, kind); element != nullptr && units > 0) {
      element->units = units;
    }
  }
  // Told with the words of the question: a system that nobody has written has no lines.
  ReadResult checked = check_system(std::move(*begun));
  if (!checked.system) return NoAnswer{kBadInput, problems_of(checked.diagnostics, "")};
  decide::Edited edited{with_cores(*checked.system)};
  if (!question.costs.empty()) {
    if (auto problem = decide::fill_in_costs(edited, question.costs)) {
      return NoAnswer::bad_input(problem->message);
    }
  }
  if (auto problems = finish(edited); !problems.empty()) {
    return NoAnswer{kBadInput, problems_of(problems, "")};
  }
  initial.notes.insert(initial.notes.end(), edited.notes.begin(), edited.notes.end());
  initial.text =
      decide::commented(edited.system, comments_of(edited.system, question, initial.notes));
  initial.system = std::move(edited.system);
  return initial;
}

}  // namespace tactus::verbs
