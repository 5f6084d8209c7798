#include "tactus/verbs/init.hpp"

#include <fmt/core.h>

#include <algorithm>

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

Element* element_of(System& system, ElementKind kind) {
  for (Element& element : system.platform.elements) {
    if (element.kind == kind) return &element;
  }
  return nullptr;
}

/// The place of the first element of a kind; it is made where there is none.
ElementIndex place_of(System& system, ElementKind kind, std::string_view name, std::int64_t units) {
  auto& elements = system.platform.elements;
  if (const Element* known = element_of(system, kind)) {
    return static_cast<ElementIndex>(known - elements.data());
  }
  Element& element = elements.emplace_back();
  element.name = name;
  element.kind = kind;
  element.units = units;
  return static_cast<ElementIndex>(elements.size() - 1);
}

bool is_used(const System& system, ElementIndex element) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return std::any_of(task.nodes.begin(), task.nodes.end(),
                       [&](const Node& node) { return node.on == element; });
  });
}

/// Adds the tasks and chains that are said in words.
std::vector<Error> add_words(System& system, const InitQuestion& question) {
  const bool had_copies = element_of(system, ElementKind::kCopy) != nullptr;
  const decide::SpokenElements elements = {
      .cpu = place_of(system, ElementKind::kCpu, "cpu", kUsualCores),
      .copy = place_of(system, ElementKind::kCopy, "copy", kOne),
      .gpu = place_of(system, ElementKind::kGpu, "gpu", kOne)};
  std::vector<Error> problems;
  for (const std::string& words : question.tasks) {
    auto task = decide::spoken_task(words, elements);
    if (task) {
      system.tasks.push_back(std::move(*task));
    } else {
      problems.push_back({task.error().message});
    }
  }
  if (!had_copies && !is_used(system, elements.copy)) {
    system.platform.elements.erase(system.platform.elements.begin() + elements.copy);
    for (Task& task : system.tasks) {
      for (Node& node : task.nodes) node.on -= node.on > elements.copy ? 1 : 0;
    }
  }
  if (!problems.empty()) return problems;  // chains of tasks that are not there
  for (const std::string& words : question.chains) {
    auto chain = decide::spoken_chain(words, system);
    if (chain) {
      system.chains.push_back(std::move(*chain));
    } else {
      problems.push_back({chain.error().message});
    }
  }
  return problems;
}

Answer<System> system_from(const std::string& from, const Companion& companion,
                           std::vector<std::string>& notes) {
  const bool is_system = from.ends_with(".system.json") || notation_of(from) == Notation::kYaml;
  if (!is_system) {
    ImportQuestion import;
    import.file = from;
    auto imported = verbs::answer(import, companion);
    if (!imported) return imported.none();
    for (std::string& note : imported->imported.notes) notes.push_back(std::move(note));
    return std::move(imported->imported.system);
  }
  auto loaded = load_system(from);
  if (!loaded) return NoAnswer::bad_input(loaded.error().message);
  std::vector<Error> problems = problems_of(loaded->diagnostics, from);
  if (!loaded->system) return NoAnswer{kBadInput, std::move(problems)};
  for (const Error& problem : problems) companion.warn(problem);
  return std::move(*loaded->system);
}

/// Adds what another program was recorded as. Both ran on one machine: its cores are those that any
/// of them used, whatever they are called.
std::optional<Error> join(decide::Edited& edited, System other, const std::string& file,
                          bool sms_are_said) {
  for (Element& element : other.platform.elements) {
    Element* const own = element_of(edited.system, element.kind);
    if (own == nullptr) continue;
    if (own->kind == ElementKind::kCpu) own->units = std::max(own->units, element.units);
    if (own->kind == ElementKind::kGpu && sms_are_said) element.units = own->units;
    element.name = own->name;
  }
  return decide::add(edited, other, file, "--from");
}

/// All files, then all words.
Answer<System> begun(const InitQuestion& question, const Companion& companion,
                     std::vector<std::string>& notes) {
  decide::Edited edited;
  for (const std::string& file : question.from) {
    auto system = system_from(file, companion, notes);
    if (!system) return system.none();
    if (&file == &question.from.front()) {
      edited.system = std::move(*system);
    } else if (auto problem = join(edited, std::move(*system), file, question.sms > 0)) {
      return NoAnswer::bad_input(problem->message);
    }
  }
  if (!question.tasks.empty() || !question.chains.empty()) {
    auto problems = add_words(edited.system, question);
    if (!problems.empty()) return NoAnswer{kBadInput, std::move(problems)};
  }
  return std::move(edited.system);
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
  comments.tasks.assign(system.tasks.size() - question.tasks.size(), {});  // of files
  comments.tasks.insert(comments.tasks.end(), question.tasks.begin(), question.tasks.end());
  return comments;
}

}  // namespace

void describe(InitQuestion& question, Fields& is) {
  is("task", question.tasks,
     "A task in words, as often as there are tasks: 'camera 30 Hz, 8 ms GPU, 2 ms CPU, deadline "
     "33'")
      .shows("WORDS");
  is("chain", question.chains,
     "A limit from end to end, as often as there are some: 'camera > planner > wheel, 400 ms'")
      .shows("WORDS");
  is("from", question.from,
     "Tasks that there are already: a system file (of `measure`, too: one for each program), or "
     "what `import` reads. May be repeated, and tasks in words may be added")
      .shows("FILE");
  is("name", question.name, "Of the system").shows("NAME");
  is("cores", question.cores,
     "CPU cores of the machine; default: those of the file, else of this machine")
      .range(1, 1'000'000);
  is("sms", question.sms,
     "SMs of its GPU; only methods that divide a GPU count them. Default: as for the cores")
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
  auto system = begun(question, companion, initial.notes);
  if (!system) return system.none();
  if (!question.name.empty()) system->name = question.name;
  if (system->name.empty()) system->name = "robot";
  for (const auto& [kind, units] :
       {std::pair(ElementKind::kCpu, question.cores), std::pair(ElementKind::kGpu, question.sms)}) {
    if (Element* element = element_of(*system, kind); element != nullptr && units > 0) {
      element->units = units;
    }
  }
  // Told with the words of the question: a system that nobody has written has no lines.
  ReadResult checked = check_system(std::move(*system));
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
