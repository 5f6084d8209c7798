#include "tactus/report/validation.hpp"

#include <fmt/core.h>

#include <array>

#include "tactus/base/shell_word.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus {
namespace report {
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

}  // namespace report

using namespace codec;  // the words of the tables
using report::Hunted, report::Validation;

namespace {

struct HuntedRow {
  const Validation& validation;
  const Hunted& hunted;
};

/// A job that took longer than its bound. It has a system of its own.
struct Caught {
  const HuntedRow& of;
  std::size_t place;

  const simulate::Catch& it() const { return of.hunted.bag.catches[place]; }
  const trace::Violation& violation() const { return it().violation; }
  bool saved() const { return !of.validation.folder.empty(); }
};

struct InItsSystem {
  static void write(json::Writer& out, const System&, const Caught& caught) {
    write_object(out, caught.it().system, caught);
  }
  static void describe(json::Writer& out) { describe_object<Caught>(out); }
};

std::vector<HuntedRow> hunted_rows(const Validation& validation) {
  std::vector<HuntedRow> rows;
  for (const Hunted& hunted : validation.hunted) rows.push_back({validation, hunted});
  return rows;
}
std::vector<Caught> caught_by(const HuntedRow& row) {
  std::vector<Caught> all;
  for (std::size_t k = 0; k < row.hunted.bag.catches.size(); ++k) all.push_back({row, k});
  return all;
}

template <auto kMember>
auto of_bag(const HuntedRow& row) {
  return row.hunted.bag.*kMember;
}

}  // namespace

template <>
std::span<const Field<Caught>> fields<Caught>() {
  static constexpr auto kTable = std::to_array<Field<Caught>>({
      always<TaskName>("task", "Whose job", [](const Caught& c) { return c.violation().task; }),
      where_known<Line>("chain", "Of which chain, where it is one that was too long",
                        [](const System& system, const Caught& c) {
                          const auto chain = c.violation().chain;
                          return chain ? std::string_view(system.chains[*chain].name)
                                       : std::string_view();
                        }),
      always<TimeSeen>("observed", "How long it took",
                       [](const Caught& c) { return c.violation().observed; }),
      always<TimeSeen>("bound", "What the method had promised",
                       [](const Caught& c) { return c.violation().bound; }),
      always<Number>("job", "Its number, from 0", [](const Caught& c) { return c.it().job.job; }),
      always<TimeSeen>("from", "When it began", [](const Caught& c) { return c.it().job.begin; }),
      always<TimeSeen>("to", "When it ended", [](const Caught& c) { return c.it().job.end; }),
      where_known<Line>("found_in", "Which of the given files",
                        [](const Caught& c) {
                          const auto& places = c.of.validation.places;
                          return places.empty() ? std::string_view()
                                                : std::string_view(places[c.it().place]);
                        }),
      always<Line>("scenario", "When jobs arrived, how long they took",
                   [](const Caught& c) { return to_string(c.it().scenario); }),
      always<Number>("seed", "Of everything random in it",
                     [](const Caught& c) { return c.it().scenario.seed; }),
      where_known<Line>("file", "The system",
                        [](const Caught& c) {
                          return c.saved() ? catch_file(c.of.validation, c.of.hunted, c.place)
                                           : std::string();
                        }),
      where_known<Line>("script", "The run, for `simulate --script`",
                        [](const Caught& c) {
                          return c.saved() ? script_file(c.of.validation, c.of.hunted, c.place)
                                           : std::string();
                        }),
  });
  return kTable;
}

template <>
std::span<const Field<HuntedRow>> fields<HuntedRow>() {
  using simulate::Bag;
  static constexpr auto kTable = std::to_array<Field<HuntedRow>>({
      always<Line>("method", "Its id", [](const HuntedRow& row) { return row.hunted.method->id; }),
      always<of_bag<&Bag::systems>, Number>("systems", "That it was asked about"),
      always<of_bag<&Bag::promised>, Number>("with_bounds", "For which it gave bounds"),
      always<of_bag<&Bag::runs>, Number>("runs", "That were simulated"),
      always<of_bag<&Bag::violations>, Number>("violations", "Jobs that took longer"),
      always<of_bag<&Bag::undecided>, Number>("undecided", "Systems without an answer"),
      where_known<Line>("why_undecided", "The first of them",
                        [](const HuntedRow& row) {
                          const Bag& bag = row.hunted.bag;
                          return bag.undecided > 0 ? &bag.why_undecided : nullptr;
                        }),
      always<of_bag<&Bag::not_applicable>, Number>("not_applicable", "Systems it does not cover"),
      where_known<Line>("why_not_applicable", "The first of them",
                        [](const HuntedRow& row) {
                          const Bag& bag = row.hunted.bag;
                          return bag.not_applicable > 0 ? &bag.why_not_applicable : nullptr;
                        }),
      always<caught_by, List<InItsSystem>>("caught", "The first of them"),
  });
  return kTable;
}

template <>
std::span<const Field<Validation>> fields<Validation>() {
  static constexpr auto kTable = std::to_array<Field<Validation>>({
      version<Validation>(),
      kind<Validation, "validation">(),
      always<hunted_rows, List<Object<HuntedRow>>>("methods", "Whose bounds were tried"),
  });
  return kTable;
}

namespace report {

std::string validation_json(const Validation& validation) { return document_of({}, validation); }

std::string validation_schema() {
  return schema_of<Validation>(
      "validation", "A search for runs that exceed a bound (tactus lab validate --json)");
}

}  // namespace report
}  // namespace tactus
