#include "tactus/verbs/about.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/json.hpp"
#include "tactus/base/shell_word.hpp"
#include "tactus/decide/gpu_costs.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/model/systems_file.hpp"
#include "tactus/report/json/document_kind.hpp"

namespace tactus::verbs {

ReadResult read(const Document& document) {
  return read_system(document.text, notation_of(document.path));
}

std::vector<Error> problems_of(const std::vector<Diagnostic>& diagnostics,
                               const std::string& name) {
  std::vector<Error> problems;
  for (const Diagnostic& found : diagnostics) {
    problems.push_back(found);
    if (found.file.empty()) problems.back().file = name;
  }
  return problems;
}

NoAnswer unreadable(const Document& document) {
  return NoAnswer::bad_input(document.given() ? document.problem->message
                                              : std::string("there is no system"));
}

namespace {

void warn(const std::vector<Error>& problems, const Companion& companion) {
  for (const Error& problem : problems) companion.warn(problem);
}

/// What a document is that is no system but one of ours; empty where it is neither.
std::string other_document(const Document& document) {
  const auto parsed = json::Document::parse(document.text);
  if (!parsed) return {};
  const std::string_view kind = report::kind_of_document(parsed->root());
  if (kind.empty() || kind == "system") return {};
  if (kind == "plan")
    return "this is a plan; name its system, and the plan behind --plan or --check";
  if (kind == "trace") {
    return "this is a trace; `tactus import` makes a system of it, `tactus report` shows it";
  }
  return fmt::format("this is no system, but what tactus has printed ({})", kind);
}

/// What there is to know of a system that is in order.
std::vector<std::string> warnings_of(const System& system) {
  std::vector<std::string> all;
  for (const Diagnostic& found : check_system(system).diagnostics) all.push_back(found.message);
  return all;
}

}  // namespace

void tell_without_effect(const Companion& companion, const Fields& fields,
                         std::initializer_list<std::string_view> keys, std::string_view why) {
  for (const std::string_view key : keys) {
    if (!fields.given(key)) continue;
    companion.warn(
        {.message = fmt::format("{} has no effect: {}", option_name(fields.at(key)), why),
         .severity = Severity::kWarning});
  }
}

void tell_without_effect_but(const Companion& companion, const Fields& fields,
                             std::initializer_list<std::string_view> keys, std::string_view why) {
  for (const AskedField& field : fields.all()) {
    if (std::find(keys.begin(), keys.end(), field.key) == keys.end()) {
      tell_without_effect(companion, fields, {field.key}, why);
    }
  }
}

Answer<System> system_in(const Document& document, const Companion& companion) {
  if (document.problem || !document.given()) return unreadable(document);
  ReadResult result = read(document);
  std::vector<Error> problems = problems_of(result.diagnostics, document.name);
  if (!result.system) {
    if (std::string other = other_document(document); !other.empty()) {
      return NoAnswer{kBadInput, {{std::move(other), document.name}}};
    }
    return NoAnswer{kBadInput, std::move(problems)};
  }
  warn(problems, companion);
  return std::move(*result.system);
}

Answer<decide::Edited> WhatIf::applied(System system, const std::string& name,
                                       const Companion& companion) const {
  decide::Edited edited{std::move(system)};
  if (add.empty() && set.all.empty() && costs.empty()) return edited;
  const std::vector<std::string> known = warnings_of(edited.system);
  for (const Document& document : add) {
    const auto other = system_in(document, companion);
    if (!other) return other.none();
    if (auto problem = decide::add(edited, *other, document.name)) {
      return NoAnswer::bad_input(problem->message);
    }
  }
  for (const std::string& assignment : set.all) {
    if (auto problem = decide::set(edited, assignment)) {
      return NoAnswer::bad_input(problem->message);
    }
  }
  if (!costs.empty()) {
    if (auto problem = decide::fill_in_costs(edited, costs)) {
      return NoAnswer::bad_input(problem->message);
    }
  }
  NoAnswer none;
  for (Diagnostic& found : finish(edited)) {
    found.message.insert(0, "as changed: ");
    none.problems.push_back({std::move(found.message), name, found.at, found.severity});
  }
  if (!none.problems.empty()) return none;
  for (std::string& warning : warnings_of(edited.system)) {
    if (std::find(known.begin(), known.end(), warning) == known.end()) {
      edited.notes.push_back(std::move(warning));
    }
  }
  return edited;
}

void describe(WhatIf& what_if, Fields& is) {
  is("set", what_if.set,
     "Change an attribute: camera.detect.wcet=11, camera.period=30, gpu.units=24")
      .shows("PATH=VALUE")
      .group("What if");
  is("add", what_if.add, "Add the tasks of another system file").shows("FILE").group("What if");
  is("costs", what_if.costs,
     "Costs of the GPU that the file lacks, as measured on a known one: h200/channel")
      .shows("PROFILE")
      .group("What if");
}

Answer<decide::Edited> About::edited(const Companion& companion) const {
  auto read = system_in(system, companion);
  if (!read) return read.none();
  return what_if.applied(std::move(*read), name(), companion);
}

std::string About::words() const {
  if (system.path.empty() || system.path == "-") return {};
  std::string out = shell_word(system.path);
  for (const Document& document : what_if.add) out += " --add " + shell_word(document.path);
  for (const std::string& assignment : what_if.set.all) out += " --set " + shell_word(assignment);
  if (!what_if.costs.empty()) out += " --costs " + shell_word(what_if.costs);
  return out;
}

void describe(About& about, Fields& is) {
  is("system", about.system, "System file; - is standard input").positional("FILE").required();
  describe(about.what_if, is);
}

Answer<Methods> MethodChoice::methods(std::string_view otherwise) const {
  return choose(by_alias() ? registry().front()->id
                : method   ? std::string_view(*method)
                           : otherwise,
                with({}));
}

Options MethodChoice::with(const Companion& companion) const {
  Options all;
  all.variant = variant.value_or(std::string(kSafe));
  all.threads = threads;
  all.settings = options;
  all.stop = companion.stop;
  all.progress = companion.progress;
  return all;
}

void MethodChoice::tell_idle(const Companion& companion, const Fields& fields, std::string_view why,
                             bool variant_counts) const {
  if (!variant_counts) tell_without_effect(companion, fields, {"variant"}, why);
  tell_without_effect(companion, fields, {"threads"}, why);
  for (const auto& [name, value] : options) {
    companion.warn({.message = fmt::format("--{} has no effect: {}", name, why),
                    .severity = Severity::kWarning});
  }
}

void describe(MethodChoice& choice, Fields& is, bool several) {
  is("method", choice.method,
     several ? "Methods by id or wildcard, comma-separated: gcaps.*,mpcp.suspend"
             : "The method, by its id; `tactus methods` lists them")
      .letter('m')
      .shows(several ? "LIST" : "ID")
      .shows_default(several ? "all" : "")
      .commas();
  is("variant", choice.variant, "Variant, e.g. safe or paper").shows("NAME").shows_default(kSafe);
  is("threads", choice.threads, "Threads, for methods that can use several")
      .letter('j')
      .range(1, 1024);
  std::vector<NamedValue> own;
  for (const Method* method : registry()) {
    for (const OptionSpec& option : method->options) {
      const bool told = std::any_of(own.begin(), own.end(), [&](const NamedValue& other) {
        return other.name == option.name;
      });
      if (!told) own.push_back({option.name, option.value, option.doc});
    }
  }
  is("options", choice.options, "Options of methods").named(std::move(own));
}

bool holds_several(const Document& document) {
  return notation_of(document.path) != Notation::kYaml && is_json_lines(document.text);
}

Answer<bool> for_each_system(
    const Document& document, const Companion& companion,
    const std::function<Answer<bool>(std::string place, System system)>& take) {
  if (document.problem) return unreadable(document);
  if (!holds_several(document)) {
    auto system = system_in(document, companion);
    if (!system) return system.none();
    return take(document.name, std::move(*system));
  }
  ReadSystems all = read_system_lines(document.text);
  std::vector<Error> problems = problems_of(all.diagnostics, document.name);
  if (all.systems.empty()) return NoAnswer{kBadInput, std::move(problems)};
  warn(problems, companion);
  for (SystemOfLine& one : all.systems) {
    auto taken = take(fmt::format("{}:{}", document.name, one.line), std::move(one.system));
    if (!taken) return taken;
  }
  return true;
}

}  // namespace tactus::verbs
