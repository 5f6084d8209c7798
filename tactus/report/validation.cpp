#include "tactus/report/validation.hpp"

#include <fmt/core.h>

#include "tactus/model/format.hpp"
#include "tactus/model/json_writer.hpp"
#include "tactus/report/shell_word.hpp"
#include "tactus/report/table.hpp"

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
  for (const OptionSpec& spec : hunted.method->options) {
    const auto found = options.settings.find(spec.name);
    if (found == options.settings.end()) continue;
    command += fmt::format(" --{}", spec.name);
    if (!spec.value.empty()) command += fmt::format(" {}", shell_word(found->second));
  }
  return command;
}

}  // namespace

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
      const auto& [system, scenario, violation] = hunted.bag.catches[k];
      text += fmt::format("{}: task {} was seen to take {}, its bound is {}\n", hunted.method->id,
                          system.tasks[violation.task].name,
                          format_time(violation.observed, system.time_unit),
                          format_time(violation.bound, system.time_unit));
      if (validation.folder.empty()) continue;
      text += fmt::format("  {}\n", replay(validation, hunted, k));
    }
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
    out.key("caught").begin_array();
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const auto& [system, scenario, violation] = hunted.bag.catches[k];
      out.begin_object();
      out.key("task").string(system.tasks[violation.task].name);
      write_time(out.key("observed"), violation.observed, system.time_unit);
      write_time(out.key("bound"), violation.bound, system.time_unit);
      out.key("scenario").string(to_string(scenario));
      out.key("seed").number(std::to_string(scenario.seed));
      if (!validation.folder.empty()) {
        out.key("file").string(catch_file(validation, hunted, k));
      }
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
