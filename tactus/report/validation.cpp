#include "tactus/report/validation.hpp"

#include <fmt/core.h>

#include <tuple>

#include "tactus/base/json_writer.hpp"
#include "tactus/base/shell_word.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

/// The command that shows a violation again, when its system is in a file.
std::string replay(const Validation& validation, const Hunted& hunted, std::size_t k) {
  const trace::Scenario& scenario = hunted.bag.catches[k].scenario;
  const Options& options = validation.options;
  std::string command =
      fmt::format("tactus simulate {} --policy {} --variant {} --scenario {} --seed {}",
                  shell_word(catch_file(validation, hunted, k)), hunted.method->id, options.variant,
                  to_string(scenario), scenario.seed);
  command += validation.duration.empty() ? fmt::format(" --jobs {}", validation.jobs)
                                         : fmt::format(" --duration {}", validation.duration);
  if (validation.late_completions) command += " --late-completions";
  const simulate::Catch& caught = hunted.bag.catches[k];
  command +=
      fmt::format(" --gantt --around {}",
                  shell_word(fmt::format("{}#{}", caught.system.tasks[caught.violation.task].name,
                                         caught.job.job)));
  if (hunted.method->origin.starts_with("--")) command += fmt::format(" {}", hunted.method->origin);
  for (const OptionSpec& spec : hunted.method->options) {
    const auto found = options.settings.find(spec.name);
    if (found == options.settings.end()) continue;
    command += fmt::format(" --{}", spec.name);
    if (!spec.value.empty()) command += fmt::format(" {}", shell_word(found->second));
  }
  return command;
}

/// Which job it was: "job 3, from 12 to 17".
std::string job_text(const simulate::Catch& caught) {
  const TimeUnit unit = caught.system.time_unit;
  return fmt::format("job {}, from {} to {}", caught.job.job, format_time(caught.job.begin, unit),
                     format_time(caught.job.end, unit));
}

/// What the table does not show: systems without an answer, and violations beyond the limit.
std::string silent_text(const Validation& validation, const Hunted& hunted) {
  const simulate::Bag& bag = hunted.bag;
  std::string text;
  if (bag.undecided > 0) {
    text += fmt::format("{}: undecided for {} systems; the first is {}\n", hunted.method->id,
                        bag.undecided, bag.why_undecided);
  }
  if (bag.not_applicable > 0 && (!validation.places.empty() || bag.promised == 0)) {
    text += fmt::format("{}: not applicable to {} systems; the first is {}\n", hunted.method->id,
                        bag.not_applicable, bag.why_not_applicable);
  }
  if (bag.violations > bag.catches.size()) {
    text += fmt::format("{}: {} more violations; --limit lists more\n", hunted.method->id,
                        bag.violations - bag.catches.size());
  }
  return text;
}

}  // namespace

std::string script_file(const Validation& validation, const Hunted& hunted, std::size_t k) {
  return fmt::format("{}/{}-{}.script.json", validation.folder, hunted.method->id, k + 1);
}

std::string catch_file(const Validation& validation, const Hunted& hunted, std::size_t k) {
  return fmt::format("{}/{}-{}.system.json", validation.folder, hunted.method->id, k + 1);
}

std::string validation_text(const Validation& validation, const Style& style) {
  Table table({{"method"},
               {"systems", Align::kRight},
               {"with bounds", Align::kRight},
               {"runs", Align::kRight},
               {"violations", Align::kRight}});
  for (const auto& [method, bag] : validation.hunted) {
    table.add({method->id,
               std::to_string(bag.systems),
               std::to_string(bag.promised),
               std::to_string(bag.runs),
               {std::to_string(bag.violations), bag.violations > 0 ? Ink::kRed : Ink::kPlain}});
  }
  std::string text = table.render(style);
  for (const Hunted& hunted : validation.hunted) {
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const simulate::Catch& caught = hunted.bag.catches[k];
      const System& system = caught.system;
      const auto chain = caught.violation.chain;
      text += fmt::format("{}: {} was seen to take {}, its bound is {} ({}{})\n", hunted.method->id,
                          chain ? fmt::format("chain {}", system.chains[*chain].name)
                                : fmt::format("task {}", system.tasks[caught.violation.task].name),
                          format_time(caught.violation.observed, system.time_unit),
                          format_time(caught.violation.bound, system.time_unit), job_text(caught),
                          validation.places.empty()
                              ? ""
                              : fmt::format("; found in {}", validation.places[caught.place]));
      if (validation.folder.empty()) continue;
      text += fmt::format("  {}\n", replay(validation, hunted, k));
    }
    text += silent_text(validation, hunted);
  }
  return text;
}

std::string validation_json(const Validation& validation) {
  json::Writer out;
  out.begin_object().key("tactus").integer(kFormatVersion).key("methods").begin_array();
  for (const Hunted& hunted : validation.hunted) {
    out.begin_object();
    out.key("method").string(hunted.method->id);
    out.key("systems").number(std::to_string(hunted.bag.systems));
    out.key("with_bounds").number(std::to_string(hunted.bag.promised));
    out.key("runs").number(std::to_string(hunted.bag.runs));
    out.key("violations").number(std::to_string(hunted.bag.violations));
    out.key("undecided").number(std::to_string(hunted.bag.undecided));
    if (hunted.bag.undecided > 0) out.key("why_undecided").string(hunted.bag.why_undecided);
    out.key("not_applicable").number(std::to_string(hunted.bag.not_applicable));
    if (hunted.bag.not_applicable > 0) {
      out.key("why_not_applicable").string(hunted.bag.why_not_applicable);
    }
    out.key("caught").begin_array();
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const simulate::Catch& caught = hunted.bag.catches[k];
      const auto& [system, scenario, violation] =
          std::tie(caught.system, caught.scenario, caught.violation);
      out.begin_object();
      out.key("task").string(system.tasks[violation.task].name);
      if (violation.chain) out.key("chain").string(system.chains[*violation.chain].name);
      write_time(out.key("observed"), violation.observed, system.time_unit);
      write_time(out.key("bound"), violation.bound, system.time_unit);
      out.key("job").integer(caught.job.job);
      write_time(out.key("from"), caught.job.begin, system.time_unit);
      write_time(out.key("to"), caught.job.end, system.time_unit);
      if (!validation.places.empty()) out.key("found_in").string(validation.places[caught.place]);
      out.key("scenario").string(to_string(scenario));
      out.key("seed").number(std::to_string(scenario.seed));
      if (!validation.folder.empty()) {
        out.key("file").string(catch_file(validation, hunted, k));
        out.key("script").string(script_file(validation, hunted, k));
      }
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
