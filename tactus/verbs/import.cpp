#include "tactus/verbs/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tactus/exchange/numbers.hpp"
#include "tactus/report/export.hpp"
#include "tactus/report/import.hpp"

namespace tactus::verbs {
namespace {

constexpr std::array<std::string_view, 4> kTimeUnits = {"ns", "us", "ms", "s"};

/// @pre the word is one of them, as the table says
template <typename Enumeration, typename Words>
void read_word(const std::string& word, const Words& words, Enumeration& value) {
  value = static_cast<Enumeration>(std::find(words.begin(), words.end(), word) - words.begin());
}

/// A time above zero.
std::optional<Time> read_time(std::string_view text, TimeUnit unit) {
  const auto ns = exchange::scaled(text, decimal_places(unit), Rounding::kDown);
  if (!ns || *ns <= 0) return std::nullopt;
  return Time::from_ns(*ns);
}

using Times = std::map<std::string, Time, std::less<>>;

std::optional<NoAnswer> read_times(const char* option, const std::vector<std::string>& given,
                                   TimeUnit unit, Times& times) {
  for (const std::string& text : given) {
    const std::size_t equals = text.rfind('=');
    const std::string task = equals == std::string::npos ? "" : text.substr(0, equals);
    const auto time = read_time(std::string_view(text).substr(equals + 1), unit);
    if (!time) {
      return NoAnswer::bad_input(
          fmt::format("{} needs a time > 0, or TASK=TIME, got {}", option, quote(text)));
    }
    if (!times.try_emplace(task, *time).second) {
      return NoAnswer::bad_input(fmt::format("{} is given twice for {}", option,
                                             task.empty() ? "all tasks" : quote(task)));
    }
  }
  return std::nullopt;
}

Answer<exchange::ImportOptions> options_of(const ImportQuestion& words) {
  exchange::ImportOptions options;
  options.name = words.name;
  options.task = words.task;
  options.gpu_only = words.gpu_only;
  options.jobs = words.jobs;
  read_word(words.tasks, exchange::kTasksByWords, options.tasks_by);
  read_word(words.fold, exchange::kFoldWords, options.fold);
  read_word(words.demand, exchange::kDemandWords, options.demand);
  read_word(words.time_unit, kTimeUnits, options.time_unit);
  if (!words.gap.empty()) {
    const auto gap = read_time(words.gap, options.time_unit);
    if (!gap) {
      return NoAnswer::bad_input(fmt::format("--gap needs a time > 0, got {}", quote(words.gap)));
    }
    options.gap = *gap;
  }
  if (!words.lag.empty()) {
    const auto lag = read_time(words.lag, options.time_unit);
    if (!lag) {
      return NoAnswer::bad_input(fmt::format("--lag needs a time > 0, got {}", quote(words.lag)));
    }
    options.lag = *lag;
  }
  options.after = words.after;
  const TimeUnit unit = options.time_unit;
  if (auto bad = read_times("--period", words.periods, unit, options.periods)) return *bad;
  if (auto bad = read_times("--deadline", words.deadlines, unit, options.deadlines)) return *bad;
  options.margin = words.margin;
  options.tracks = words.tracks;
  options.gpu_tracks = words.gpu_tracks;
  options.parts = words.parts;
  options.join = words.join;
  options.skip = static_cast<std::size_t>(words.skip);
  if (words.cores > 0) options.cores = words.cores;
  if (words.sms > 0) options.sms = words.sms;
  options.bcet = words.bcet;
  return options;
}

/// "/tmp/robot.json.gz" is "robot".
std::string system_name_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.find('.', 1);
  if (dot != std::string::npos) name.erase(dot);
  return name.empty() || name == "-" ? "imported" : name;
}

template <typename Formats>
std::vector<std::string_view> names_of(const Formats& formats) {
  std::vector<std::string_view> names;
  for (const auto& format : formats) names.push_back(format.name);
  return names;
}

}  // namespace

void describe(ImportQuestion& question, Fields& is) {
  is("file", question.file, "What to import; - is standard input").positional("FILE");
  is("from", question.from, "What it is (--list shows them); default: its contents tell")
      .shows("FORMAT")
      .one_of(names_of(exchange::source_formats()));
  is("jobs", question.jobs,
     "Annotations that are jobs, such as 'job_*'; or idle: jobs end where nothing happens for "
     "--gap. Default: ProfilerStep#*, else all outermost, else idle")
      .shows("PATTERN");
  is("join", question.join,
     "Another recording of the same run, whose GPU work and costs are put in: of kineto, nsys, "
     "tensorrt (--exportProfile) or arbiter; may be repeated")
      .shows("FILE");
  is("tracks", question.tracks,
     "With chrome: tracks (PROCESS/THREAD) whose outermost slices are jobs")
      .shows("PATTERN");
  is("gpu_tracks", question.gpu_tracks, "With chrome: tracks whose slices are GPU work")
      .shows("PATTERN");
  is("parts", question.parts, "With chrome: slices inside of jobs that are nodes (--fold none)")
      .shows("PATTERN");
  is("gap", question.gap, "With --jobs idle: shortest pause between jobs; default 1 ms").decimal();
  is("tasks", question.tasks, "What makes a task").one_of(exchange::kTasksByWords);
  is("fold", question.fold, "What becomes one node").one_of(exchange::kFoldWords);
  is("margin", question.margin, "Percent on top of the longest time that was seen")
      .range(0, 10'000);
  is("gpu_only", question.gpu_only,
     "Leave out CPU work: for what is captured as a graph and launched at once");
  is("bcet", question.bcet,
     "Write the shortest time, less the margin, as `bcet`: it was seen, not proved");
  is("demand", question.demand, "Which `parallelism` a kernel gets").one_of(exchange::kDemandWords);
  is("after", question.after, "Write `after` where each job of a task follows one of another task");
  is("lag", question.lag, "How soon it must; default 2 ms").decimal();
  is("skip", question.skip, "Leave out so many jobs of each task: warming up");
  is("period", question.periods, "Period of all tasks, or TASK=TIME; may be repeated")
      .shows("TIME");
  is("deadline", question.deadlines, "Deadline of all tasks, or TASK=TIME; may be repeated")
      .shows("TIME");
  is("cores", question.cores, "Cores of the cpu element").range(1);
  is("sms", question.sms, "SMs of the gpu element").range(1);
  is("times", question.times,
     "CSV of nsys or ncu with the times of kernels, for nodes that have none")
      .shows("FILE");
  is("edges", question.edges, "With a job set of sag: the CSV of its edges").shows("FILE");
  is("time_unit", question.time_unit, "Of the file, and of the times given here")
      .one_of(kTimeUnits);
  is("name", question.name, "Name of the system; default: that of the file");
  is("task", question.task, "Name of the task, if there is only one");
}

std::string ImportedSystem::json(bool with_system) const {
  return report::import_json(imported, name, with_system);
}

Answer<ImportedSystem> answer(const ImportQuestion& question, const Companion& companion) {
  if ((question.text == nullptr) == question.file.empty()) {
    return NoAnswer::bad_input(
        "an import needs a source: its text, or the name of its file (`file`)");
  }
  const bool idle = question.jobs.empty() || question.jobs == "idle";
  if (!question.gap.empty() && !idle) {
    companion.warn(
        {.message = "--gap has no effect: it is of --jobs idle", .severity = Severity::kWarning});
  }
  auto options = options_of(question);
  if (!options) return options.none();
  if (options->name.empty()) options->name = system_name_of(question.file);
  for (const auto& [document, text] :
       {std::pair(&question.edges, &options->edges), std::pair(&question.times, &options->times)}) {
    if (document->problem) return NoAnswer::bad_input(document->problem->message);
    *text = document->text;
  }
  const std::string name = question.text != nullptr ? "<source>"
                           : question.file == "-"   ? "<stdin>"
                                                    : question.file;
  options->watch = {companion.progress, companion.stop};
  auto result = question.text == nullptr
                    ? exchange::import_file(question.file, question.from, *options)
                    : exchange::import_text(question.text, question.from, *options);
  if (result) {
    const ImportQuestion usual;
    for (const auto& [given, option] : {std::pair(question.tracks != usual.tracks, "--tracks"),
                                        std::pair(!question.gpu_tracks.empty(), "--gpu-tracks"),
                                        std::pair(question.parts != usual.parts, "--parts")}) {
      if (!given || result->format == "chrome") continue;
      companion.warn({.message = fmt::format(
                          "{} has no effect: it is of Chrome traces (--from chrome)", option),
                      .severity = Severity::kWarning});
    }
    return ImportedSystem{std::move(*result), name};
  }
  if (companion.stop.stop_requested()) return NoAnswer::unknown("interrupted: nothing is imported");
  return NoAnswer{kBadInput, problems_of(result.error(), name)};
}

void describe(ExportQuestion& question, Fields& is) {
  describe(question.about, is);
  is("to", question.to, "The format").one_of(names_of(exchange::target_formats()));
}

std::string Exported::json() const { return report::export_json(exported, format); }

Answer<Exported> answer(const ExportQuestion& question, const Companion& companion) {
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  if (question.to.empty()) return NoAnswer::bad_input("an export needs `to`");
  auto exported = exchange::export_system(edited->system, question.to);
  if (exported) return Exported{std::move(*exported), question.to};
  return NoAnswer{kBadInput, {{exported.error().message, question.about.name()}}};
}

}  // namespace tactus::verbs
