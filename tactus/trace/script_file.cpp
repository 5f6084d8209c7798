#include "tactus/trace/script_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "tactus/model/whole_document.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/trace/script_document.hpp"

namespace tactus::trace {
namespace {

std::string_view unit_name(TimeUnit unit) {
  return codec::words_of<TimeUnit>()[static_cast<std::size_t>(unit)];
}

/// From the document, whose names are texts, to a script of a system.
class Binder {
 public:
  Binder(const System& system, ReadContext& context) : system_(system), context_(context) {
    for (const Task& task : system.tasks) names_.push_back(task.name);
  }

  Scenario bind(const ScriptDocument& document, const std::string& name) {
    auto script = std::make_shared<Script>(system_);
    script->name = name;
    if (!document.system.empty() && document.system != system_.name) {
      context_.error(document.at, fmt::format("this script is of the system {}, not of {}",
                                              quote(document.system), quote(system_.name)));
    } else if (!document.fingerprint.empty() && document.fingerprint != fingerprint(system_)) {
      context_.error(document.at,
                     fmt::format("this script is of another system {}: its `fingerprint` differs",
                                 quote(system_.name)));
    }
    if (document.time_unit && *document.time_unit != system_.time_unit) {
      context_.error(document.at, fmt::format("`time_unit` must be that of the system, {}",
                                              quote(unit_name(system_.time_unit))));
    }
    std::set<TaskIndex> seen;
    for (const ScriptedTask& task : document.tasks) {
      const auto found = std::find(names_.begin(), names_.end(), task.task);
      if (found == names_.end()) {
        context_.error(task.at, fmt::format("there is no task {}{}", quote(task.task),
                                            suggestion(task.task, names_)));
        continue;
      }
      const auto index = static_cast<TaskIndex>(found - names_.begin());
      if (!seen.insert(index).second) {
        context_.error(task.at, fmt::format("task {} is listed twice", quote(task.task)));
        continue;
      }
      script->set_jobs(index, jobs_of(index, task));
    }
    script->end = document.end;
    Scenario scenario;
    if (const auto words = parse_scenario(document.scenario, document.seed)) {
      scenario = *words;
    } else {
      context_.error(document.at, words.error().message);
    }
    scenario.script = std::move(script);
    return scenario;
  }

 private:
  std::vector<Script::Job> jobs_of(TaskIndex index, const ScriptedTask& source) {
    const Task& task = system_.tasks[index];
    std::vector<Script::Job> jobs;
    const auto complain = [&](const ScriptedJob& job, const std::string& what) {
      context_.error(job.at,
                     fmt::format("job {} of task {} {}", jobs.size(), quote(task.name), what));
    };
    for (const ScriptedJob& job : source.jobs) {
      if (!jobs.empty() && !task.period && !task.best_effort) {
        complain(job, "cannot be: a task without a period has one job");
        break;
      }
      const Time least = jobs.empty() ? Time() : jobs.back().release + task.period.value_or(Time());
      if (!jobs.empty() && job.release < least) {
        complain(job, fmt::format("is released at {}, but may not be before {}: the period is {}",
                                  format_time(job.release, system_.time_unit),
                                  format_time(least, system_.time_unit),
                                  format_time(task.period.value_or(Time()), system_.time_unit)));
      }
      Script::Job& added = jobs.emplace_back();
      added.release = job.release;
      added.at = job.at;
      if (job.late) added.entries.push_back({Piece::Part::kRelease, 0, 0, *job.late, job.at});
      add_nodes(task, job.times, Piece::Part::kWork, added);
      add_nodes(task, job.launches, Piece::Part::kLaunch, added);
      for (const ScriptedTime& time : job.operations) {
        std::uint32_t number = 0;
        const char* const end = time.name.data() + time.name.size();
        const auto [rest, problem] = std::from_chars(time.name.data(), end, number);
        if (problem != std::errc() || rest != end) {
          context_.error(time.at, fmt::format("an operation is named by its number, got {}",
                                              quote(time.name)));
        }
        added.entries.push_back({Piece::Part::kOperation, 0, number, time.time, time.at});
      }
    }
    return jobs;
  }

  void add_nodes(const Task& task, const std::vector<ScriptedTime>& times, Piece::Part part,
                 Script::Job& job) {
    for (const ScriptedTime& time : times) {
      const auto node = std::find_if(task.nodes.begin(), task.nodes.end(),
                                     [&](const Node& each) { return each.name == time.name; });
      if (node == task.nodes.end()) {
        std::vector<std::string_view> names;
        for (const Node& each : task.nodes) names.push_back(each.name);
        context_.error(time.at, fmt::format("task {} has no node {}{}", quote(task.name),
                                            quote(time.name), suggestion(time.name, names)));
        continue;
      }
      job.entries.push_back({part, static_cast<NodeIndex>(node - task.nodes.begin()), time.which,
                             time.time, time.at});
    }
  }

  const System& system_;
  ReadContext& context_;
  std::vector<std::string_view> names_;
};

/// By part, node and place, as the document groups them; a run may take them in another order.
std::vector<Script::Entry> in_order(std::vector<Script::Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Script::Entry& a, const Script::Entry& b) {
                     return std::tie(a.part, a.node, a.which) < std::tie(b.part, b.node, b.which);
                   });
  return entries;
}

ScriptedJob document_of(const Task& task, const Script::Job& job) {
  ScriptedJob written;
  written.release = job.release;
  for (const Script::Entry& entry : in_order(job.entries)) {
    switch (entry.part) {
      case Piece::Part::kWork:
        written.times.push_back({task.nodes[entry.node].name, entry.which, entry.time, {}});
        break;
      case Piece::Part::kLaunch:
        written.launches.push_back({task.nodes[entry.node].name, entry.which, entry.time, {}});
        break;
      case Piece::Part::kOperation:
        written.operations.push_back({std::to_string(entry.which), 0, entry.time, {}});
        break;
      case Piece::Part::kRelease:
        written.late = entry.time;
    }
  }
  return written;
}

std::string one_line(const auto& write) {
  json::Writer out(json::Layout::kOneLine);
  write(out);
  std::string text = out.take();
  text.pop_back();  // the newline
  return text;
}

}  // namespace

Result<Scenario, std::vector<Error>> read_script(std::string text, const std::string& name,
                                                 const System& system) {
  auto parsed = json::Document::parse(std::move(text));
  if (!parsed) return std::vector{parsed.error()};
  const json::Document& document = *parsed;
  ReadContext context(document);
  context.time_unit = system.time_unit;
  ScriptDocument read;
  read_object(document.root(), context, read);
  Scenario scenario;
  if (!context.failed()) {
    try {
      scenario = Binder(system, context).bind(read, name);
    } catch (const OverflowError& overflow) {
      context.error(document.root(), overflow.what());
    }
  }
  if (context.failed()) return context.take_diagnostics();
  return scenario;
}

std::string write_script(const System& system, const Scenario& scenario) {
  const Script& script = *scenario.record;
  const auto text_of = [](std::string_view text) {
    return one_line([&](json::Writer& out) { out.string(text); });
  };
  std::string text = fmt::format(
      "{{\n  \"tactus_script\": {},\n  \"system\": {},\n  \"fingerprint\": {},\n"
      "  \"time_unit\": {},\n  \"scenario\": {},\n  \"seed\": {},\n",
      kScriptVersion, text_of(system.name), text_of(fingerprint(system)),
      text_of(unit_name(system.time_unit)), text_of(to_string(scenario)), scenario.seed);
  if (script.end) {
    text += fmt::format("  \"end\": {},\n", format_time(*script.end, system.time_unit));
  }
  text += "  \"tasks\": [";
  bool first_task = true;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (script.jobs(task).empty()) continue;
    text += fmt::format("{}\n    {{ \"task\": {}, \"jobs\": [", first_task ? "" : ",",
                        text_of(system.tasks[task].name));
    first_task = false;
    bool first_job = true;
    for (const Script::Job& job : script.jobs(task)) {
      const ScriptedJob written = document_of(system.tasks[task], job);
      text += fmt::format("{}\n      {}", first_job ? "" : ",",
                          one_line([&](json::Writer& out) { write_object(out, system, written); }));
      first_job = false;
    }
    text += " ] }";
  }
  return text + " ]\n}\n";
}

std::string script_schema() {
  return schema_of<ScriptDocument>("script",
                                   "Tactus script: the releases and execution times of a run");
}

}  // namespace tactus::trace
