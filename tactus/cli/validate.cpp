#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/method_options.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/model/file.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/table.hpp"
#include "tactus/simulate/hunt.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  MethodOptions choice;
  std::uint64_t count = 1000, runs = 10, seed = 1;
  std::uint32_t jobs = 20;
  std::string duration;
  std::string folder;
  bool json = false;
};

struct Hunted {
  const Method* method;
  simulate::Bag bag;
};

/// The file of the k-th catch.
std::string file_of(const Hunted& hunted, std::size_t k, const Arguments& arguments) {
  return fmt::format("{}/{}-{}.system.json", arguments.folder, hunted.method->id, k + 1);
}

/// Ready to be pasted into a shell.
std::string quoted_for_shell(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,=";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command that shows a catch again, once its system is in a file.
std::string replay(const Hunted& hunted, const simulate::Catch& caught, const std::string& file,
                   const Arguments& arguments) {
  const Options options = arguments.choice.options();
  std::string command = fmt::format(
      "tactus simulate {} --policy {} --variant {} --scenario {} --seed {}", quoted_for_shell(file),
      hunted.method->id, options.variant, to_string(caught.scenario), caught.scenario.seed);
  command += arguments.duration.empty() ? fmt::format(" --jobs {}", arguments.jobs)
                                        : fmt::format(" --duration {}", arguments.duration);
  for (const OptionSpec& spec : hunted.method->options) {
    const auto found = options.settings.find(spec.name);
    if (found == options.settings.end()) continue;
    command += fmt::format(" --{}", spec.name);
    if (!spec.value.empty()) command += " " + quoted_for_shell(found->second);
  }
  return command;
}

std::string as_text(const std::vector<Hunted>& all, const report::Style& style) {
  report::Table table({{"method"},
                       {"systems", report::Align::kRight},
                       {"with bounds", report::Align::kRight},
                       {"runs", report::Align::kRight},
                       {"violations", report::Align::kRight}});
  for (const Hunted& hunted : all) {
    const simulate::Bag& bag = hunted.bag;
    table.add({hunted.method->id,
               std::to_string(bag.systems),
               std::to_string(bag.promised),
               std::to_string(bag.runs),
               {std::to_string(bag.violations),
                bag.violations > 0 ? report::Ink::kRed : report::Ink::kPlain}});
  }
  return table.render(style);
}

std::string as_json(const std::vector<Hunted>& all, const Arguments& arguments) {
  json::Writer out;
  out.begin_object().key("tactus").integer(kFormatVersion).key("methods").begin_array();
  for (const Hunted& hunted : all) {
    out.begin_object();
    out.key("method").string(hunted.method->id);
    out.key("systems").number(std::to_string(hunted.bag.systems));
    out.key("with_bounds").number(std::to_string(hunted.bag.promised));
    out.key("runs").number(std::to_string(hunted.bag.runs));
    out.key("violations").number(std::to_string(hunted.bag.violations));
    out.key("caught").begin_array();
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const simulate::Catch& caught = hunted.bag.catches[k];
      const TimeUnit unit = caught.system.time_unit;
      out.begin_object();
      out.key("task").string(caught.system.tasks[caught.violation.task].name);
      out.key("observed").number(format_time(caught.violation.observed, unit));
      out.key("bound").number(format_time(caught.violation.bound, unit));
      out.key("scenario").string(to_string(caught.scenario));
      out.key("seed").number(std::to_string(caught.scenario.seed));
      if (!arguments.folder.empty()) out.key("file").string(file_of(hunted, k, arguments));
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

/// Writes the shrunk systems and says how to see each of them again.
bool show_catches(const std::vector<Hunted>& all, const Arguments& arguments, std::string& text) {
  for (const Hunted& hunted : all) {
    for (std::size_t k = 0; k < hunted.bag.catches.size(); ++k) {
      const simulate::Catch& caught = hunted.bag.catches[k];
      const TimeUnit unit = caught.system.time_unit;
      text += fmt::format("{}: task {} was seen to take {}, its bound is {}\n", hunted.method->id,
                          caught.system.tasks[caught.violation.task].name,
                          format_time(caught.violation.observed, unit),
                          format_time(caught.violation.bound, unit));
      if (arguments.folder.empty()) continue;
      const std::string file = file_of(hunted, k, arguments);
      if (const auto problem = write_text_file(file, write_system(caught.system))) {
        complain("tactus: " + problem->message);
        return false;
      }
      text += fmt::format("  {}\n", replay(hunted, caught, file, arguments));
    }
  }
  return true;
}

bool has_variant(const Method& method, std::string_view variant) {
  return std::find(method.variants.begin(), method.variants.end(), variant) !=
         method.variants.end();
}

int run(const Arguments& arguments) {
  const auto methods = arguments.choice.methods();
  if (!methods) return kBadInput;
  std::optional<Time> duration;
  if (!arguments.duration.empty()) {
    // What is generated counts in milliseconds, or in units of the same length.
    duration = time_argument("duration", arguments.duration, System{});
    if (!duration) return kBadInput;
  }
  if (!arguments.folder.empty() && !make_folder(arguments.folder)) return kBadInput;
  std::vector<Hunted> all;
  std::vector<std::string_view> without_variant;
  bool interrupted = false;
  {
    LongWork work;
    for (const Method* method : *methods) {
      simulate::Hunt hunt;
      hunt.method = method;
      hunt.recipe = simulate::hunting_ground(method->id);
      if (hunt.recipe == nullptr) {
        if (arguments.choice.all()) continue;
        complain(fmt::format("tactus: there is no policy behind {} to simulate: {}", method->id,
                             simulate::why_no_policy(method->id)));
        continue;
      }
      if (!has_variant(*method, arguments.choice.options().variant)) {
        without_variant.push_back(method->id);
        continue;
      }
      hunt.options = arguments.choice.options();
      hunt.options.stop = work.stop_token();
      hunt.options.progress = work.progress();
      hunt.systems = arguments.count;
      hunt.runs = arguments.runs;
      hunt.jobs = arguments.jobs;
      hunt.duration = duration;
      hunt.seed = arguments.seed;
      all.push_back({method, simulate::hunt(hunt)});
    }
    interrupted = work.stop_token().stop_requested();
  }
  if (!without_variant.empty()) {
    complain(fmt::format("tactus: there is no variant {} of {}",
                         quote(arguments.choice.options().variant),
                         fmt::join(without_variant, ", ")));
  }
  if (all.empty()) return kUnknown;
  std::string text =
      arguments.json ? as_json(all, arguments) : as_text(all, report::Style::of(STDOUT_FILENO));
  std::string catches;
  if (!show_catches(all, arguments, catches)) return kBadInput;
  if (!arguments.json) text += catches;
  if (!emit(text)) return kBadInput;
  std::uint64_t violations = 0, promised = 0;
  for (const Hunted& hunted : all) {
    if (!hunted.bag.broken_rule.empty()) {
      complain("tactus: a simulated policy broke a rule of the engine: " + hunted.bag.broken_rule);
      return kUnknown;
    }
    violations += hunted.bag.violations;
    promised += hunted.bag.promised;
  }
  if (interrupted) complain("tactus: interrupted; the table shows what was done until then");
  if (violations > 0) return kNo;
  // Nothing promised, nothing validated.
  return promised > 0 && !interrupted ? kYes : kUnknown;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("validate", "Hunt by simulation for runs that exceed a bound");
  auto arguments = std::make_shared<Arguments>();
  arguments->choice.add_to(*verb, "all");
  verb->add_option("--count", arguments->count, "Random systems per method")
      ->capture_default_str()
      ->check(whole_number(1));
  verb->add_option("--runs", arguments->runs, "Scenarios per system")
      ->capture_default_str()
      ->check(whole_number(1));
  auto* jobs = verb->add_option("--jobs", arguments->jobs,
                                "In a run: until the slowest task has had so many jobs")
                   ->capture_default_str()
                   ->check(whole_number(1));
  verb->add_option("--duration,--horizon", arguments->duration,
                   "Or so long, in the unit of the systems")
      ->check(decimal_number())
      ->excludes(jobs);
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-o,--output", arguments->folder,
                   "Write what violates, made small, into this folder")
      ->type_name("DIR");
  verb->add_flag("--json", arguments->json, "As JSON");
  verb->footer(
      "Exit code 0: no run exceeded its bound; 1: one did; 3: nothing to validate.\n"
      "Examples:\n"
      "  tactus validate --method 'gcaps.*' --count 10000 -j 2\n"
      "  tactus validate --method gcaps.suspend --variant paper -o caught");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
