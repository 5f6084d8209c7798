#include "tactus/report/catalogue.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {

std::string methods_text(std::span<const Method* const> methods, const Style& style) {
  Table table({{"method"}, {"plan"}, {"variants"}, {"what it proves"}});
  for (const Method* method : methods) {
    table.add({{method->id, Ink::kBold},
               method->makes_plan ? "yes" : "no",
               fmt::format("{}", fmt::join(method->variants, ", ")),
               method->title});
  }
  return table.render(style) + "\nDetails of one: tactus methods ID\n";
}

std::string recipes_text(const Style& style) {
  std::string out;
  for (const Recipe* recipe : recipes()) {
    out += heading(recipe->name, Ink::kBold, fmt::format(": {}", recipe->doc), style);
    Table table({{"parameter"}, {"default"}, {"meaning"}});
    for (const Parameter& p : recipe->parameters) table.add({p.name, p.default_value, p.doc});
    out += table.render(style, "  ") + '\n';
  }
  return out;
}

std::string recipes_json() {
  json::Writer out;
  codec::begin_document(out, "recipes");
  out.key("recipes").begin_array();
  for (const Recipe* recipe : recipes()) {
    out.begin_object().key("name").string(recipe->name).key("doc").string(recipe->doc);
    out.key("parameters").begin_array();
    for (const Parameter& p : recipe->parameters) {
      out.begin_object().key("name").string(p.name);
      out.key("default").string(p.default_value).key("doc").string(p.doc).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

std::string bundled_experiments_text(const Style& style) {
  Table table({{"experiment"},
               {"figure"},
               {"points", Align::kRight},
               {"sets per point", Align::kRight},
               {"what it shows"}});
  for (const experiment::BundledFile& file : experiment::bundled_files()) {
    const auto experiment = experiment::read_experiment(std::string(file.text)).experiment;
    if (!experiment) continue;  // a test reads them all
    table.add({experiment->name, experiment->figure,
               std::to_string(experiment::points_of(*experiment).size()),
               std::to_string(experiment->sets), experiment->title});
  }
  return table.render(style);
}

}  // namespace tactus::report
