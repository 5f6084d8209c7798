#include "tactus/experiment/experiment.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tactus/experiment/format.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/json_writer.hpp"
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

std::vector<Point> points_of(const Experiment& experiment) {
  std::vector<Point> points;
  if (experiment.system) {
    for (const Task& task : experiment.system->tasks) {
      if (task.best_effort) continue;
      Point point;
      point.index = points.size();
      point.x = task.name;
      points.push_back(std::move(point));
    }
    return points;
  }
  constexpr std::uint64_t kSeeds = 1'000'000'000;
  const std::string seed = std::to_string(experiment.seed);
  const auto& swept = experiment.sweep.set;
  const bool options_only = std::all_of(swept.begin(), swept.end(), is_option);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    for (const std::string& x : experiment.sweep.values) {
      Point point;
      point.index = points.size();
      point.case_index = i;
      point.x = x;
      // The sweep overrides the case, and the case overrides the common settings.
      for (const std::string& name : experiment.sweep.set) {
        if (is_option(name)) {
          point.options[name.substr(kOptionMark.size())] = x;
        } else {
          point.settings[name] = x;
        }
      }
      point.settings.insert(experiment.cases[i].set.begin(), experiment.cases[i].set.end());
      point.settings.insert(experiment.settings.begin(), experiment.settings.end());
      const std::string_view drawn_at = options_only ? std::string_view() : x;
      point.seed = hash({experiment.name, seed, experiment.cases[i].name, drawn_at}) % kSeeds;
      points.push_back(std::move(point));
    }
  }
  return points;
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

const Curve& curve_of(const std::vector<Curve>& curves, std::size_t line,
                      std::string_view variant) {
  const auto first = std::find_if(curves.begin(), curves.end(),
                                  [&](const Curve& curve) { return curve.line == line; });
  const auto exact = std::find_if(first, curves.end(), [&](const Curve& curve) {
    return curve.line == line && curve.variant == variant;
  });
  return exact == curves.end() ? *first : *exact;
}

ReadExperiment read_experiment(std::string text) {
  auto parsed = json::Document::parse(std::move(text));
  if (const auto* problem = std::get_if<Diagnostic>(&parsed)) return {std::nullopt, {*problem}};
  const auto& document = std::get<json::Document>(parsed);
  ReadContext context(document);
  ReadExperiment result;
  Experiment experiment;
  read_object(document.root(), context, experiment);
  if (!context.failed()) result.experiment = std::move(experiment);
  result.diagnostics = context.take_diagnostics();
  return result;
}

std::string experiment_schema() {
  json::Writer out;
  out.begin_object();
  out.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
  out.key("title").string("Tactus experiment file");
  describe_object<Experiment>(out);
  out.end_object();
  return out.take();
}

std::string key_of(const Experiment& experiment) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  out.key("name").string(experiment.name);
  if (experiment.system) {
    out.key("system").string(write_system_line(*experiment.system));
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
    const Method* const method = find_method(line.method);
    if (method != nullptr && !method->origin.empty()) out.key("origin").string(method->origin);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::experiment
