#include "tactus/experiment/describe/experiment.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tactus/base/json_writer.hpp"
#include "tactus/experiment/describe/format.hpp"
#include "tactus/experiment/describe/own_sets.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/whole_document.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::experiment {
namespace {

/// FNV-1a over several texts, each with its end.
std::uint64_t hash(std::initializer_list<std::string_view> texts) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; };
  for (std::string_view text : texts) {
    std::for_each(text.begin(), text.end(), add);
    add('\0');
  }
  return hash;
}

void write_words(json::Writer& out, const Words& words) {
  out.begin_object();
  for (const auto& [name, value] : words) out.key(name).string(value);
  out.end_object();
}

constexpr std::string_view kOptionMark = "--";

}  // namespace

std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_option(std::string_view swept) { return swept.starts_with(kOptionMark); }

namespace {

std::vector<Point> tasks_as_points(const System& system) {
  std::vector<Point> points;
  for (const Task& task : system.tasks) {
    if (task.best_effort) continue;
    Point point;
    point.index = points.size();
    point.x = task.name;
    points.push_back(std::move(point));
  }
  return points;
}

/// The sweep overrides the case, and the case overrides the common settings.
void set_up(const Experiment& experiment, Point& point) {
  const auto add = [&](const std::string& name, const std::string& value) {
    if (is_option(name)) {
      point.options.emplace(name.substr(kOptionMark.size()), value);
    } else {
      point.settings.emplace(name, value);
    }
  };
  for (const std::string& name : experiment.sweep.set) add(name, point.x);
  for (const auto& [name, value] : experiment.cases[point.case_index].set) add(name, value);
  for (const auto& [name, value] : experiment.settings) add(name, value);
}

}  // namespace

std::vector<Point> points_of(const Experiment& experiment) {
  if (experiment.system) return tasks_as_points(*experiment.system);
  constexpr std::uint64_t kSeeds = 1'000'000'000;
  std::vector<Point> points;
  const std::string seed = std::to_string(experiment.seed);
  const auto& swept = experiment.sweep.set;
  const bool options_only = std::all_of(swept.begin(), swept.end(), is_option);
  // Files have their points from what they say, unless options of methods are swept.
  const bool by_files = experiment.own != nullptr && experiment.sweep.values.empty();
  const auto& xs = by_files ? experiment.own->xs : experiment.sweep.values;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    const std::size_t row = experiment.cases_by.empty() ? 0 : i;
    for (std::size_t k = 0; k < xs.size(); ++k) {
      Point point;
      point.index = points.size();
      point.case_index = i;
      point.x = xs[k];
      if (experiment.own) point.group = row * experiment.own->xs.size() + (by_files ? k : 0);
      set_up(experiment, point);
      const std::string_view drawn_at =
          options_only && !by_files ? std::string_view() : std::string_view(point.x);
      const std::string_view drawn_in =
          experiment.common_sets ? std::string_view() : experiment.cases[i].name;
      point.seed = hash({experiment.name, seed, drawn_in, drawn_at}) % kSeeds;
      points.push_back(std::move(point));
    }
  }
  return points;
}

std::int64_t most_sets(const Experiment& experiment, const Point& point) {
  if (experiment.system) return 1;
  if (!experiment.own) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(experiment.own->groups[point.group].size());
}

std::vector<Curve> curves_of(const Experiment& experiment) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < experiment.lines.size(); ++i) {
    for (const std::string& variant : experiment.lines[i].variants) {
      curves.push_back({curves.size(), i, variant});
    }
  }
  return curves;
}

Words settings_of(const Point& point, const Line& line) {
  Words settings = line.set;
  settings.insert(point.settings.begin(), point.settings.end());
  return settings;
}

const Curve& curve_of(const std::vector<Curve>& curves, std::size_t line,
                      std::string_view variant) {
  const auto first = std::find_if(curves.begin(), curves.end(),
                                  [&](const Curve& curve) { return curve.line == line; });
  const auto exact = std::find_if(first, curves.end(), [&](const Curve& curve) {
    return curve.line == line && curve.variant == variant;
  });
  return exact == curves.end() ? *first : *exact;
}

ReadExperiment read_experiment(std::string text, const SetsFrom& from) {
  auto parsed = json::Document::parse(std::move(text));
  if (!parsed) return {std::nullopt, {parsed.error()}, {}};
  const json::Document& document = *parsed;
  ReadContext context(document);
  ReadExperiment result;
  Experiment experiment;
  read_object(document.root(), context, experiment);
  if (!context.failed() && !experiment.files.empty()) {
    experiment.own = from.known;
    if (!experiment.own) {
      FoundSets found = find_sets(experiment, from.folder);
      const json::Value& files = *document.root().find("files");
      for (const std::string& problem : found.wrong_patterns) context.error(files, problem);
      result.elsewhere = std::move(found.complaints);
      experiment.own = std::move(found.sets);
    }
  }
  if (!context.failed() && result.elsewhere.empty()) {
    check_points(document.root(), context, experiment);
  }
  if (!context.failed() && result.elsewhere.empty()) result.experiment = std::move(experiment);
  result.diagnostics = context.take_diagnostics();
  return result;
}

std::string experiment_schema() {
  return schema_of<Experiment>("experiment", "Tactus experiment file");
}

std::string key_of(const Experiment& experiment) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  out.key("name").string(experiment.name);
  if (experiment.system) {
    out.key("system").string(write_system_line(*experiment.system));
  } else if (experiment.own) {
    out.key("files_by").string(experiment.sweep.by);
    out.key("cases_by").string(experiment.cases_by);
  } else {
    out.key("recipe").string(experiment.recipe);
  }
  out.key("measure").string(to_string(experiment.measure));
  if (is_simulated(experiment.measure)) {
    out.key("runs").integer(experiment.simulation.runs);
    out.key("jobs").integer(experiment.simulation.jobs);
  }
  out.key("points").begin_array();
  for (const Point& point : points_of(experiment)) {
    if (experiment.own && !experiment.sweep.by.empty()) break;  // as the files say
    out.begin_object().key("seed").integer(static_cast<std::int64_t>(point.seed));
    out.key("case").string(experiment.system ? "" : experiment.cases[point.case_index].name);
    out.key("x").string(point.x).key("settings");
    write_words(out, point.settings);
    if (!point.options.empty()) {
      out.key("options");
      write_words(out, point.options);
    }
    out.end_object();
  }
  out.end_array().key("lines").begin_array();
  for (const Line& line : experiment.lines) {
    out.begin_object().key("name").string(line.name).key("method").string(line.method);
    out.key("variants").begin_array();
    for (const std::string& variant : line.variants) out.string(variant);
    out.end_array().key("of").string(line.figure).key("options");
    write_words(out, line.options);
    if (!line.set.empty()) {
      out.key("set");
      write_words(out, line.set);
    }
    const Method* const method = find_method(line.method);
    if (method != nullptr && !method->origin.empty()) out.key("origin").string(method->origin);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::experiment
