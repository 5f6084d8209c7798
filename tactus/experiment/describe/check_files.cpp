#include "tactus/experiment/describe/check_files.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/experiment/describe/check_options.hpp"
#include "tactus/experiment/describe/own_sets.hpp"

namespace tactus::experiment {
namespace {

void check_by(const json::Value* value, ReadContext& context, const std::string& by) {
  if (value == nullptr || by.empty()) return;
  if (const auto wrong = wrong_path(by)) context.error(*value, *wrong);
}

/// Either the files say what the points are, or options of the methods are swept.
void check_sweep(const json::Value& sweep, ReadContext& context, const Experiment& experiment) {
  ReadContext::Scope scope(context, "sweep");
  const json::Value *by = sweep.find("by"), *set = sweep.find("set"),
                    *values = sweep.find("values");
  check_by(by, context, experiment.sweep.by);
  if (by != nullptr) {
    for (const json::Value* foreign : {set, values}) {
      if (foreign != nullptr) context.error(*foreign, "what `by` finds in the files is swept");
    }
    return;
  }
  if (set == nullptr || values == nullptr) {
    context.error(sweep, "a sweep over files needs `by`, or `set` and `values` of options");
    return;
  }
  if (context.failed()) return;
  for (const json::Value& name : set->items()) {
    if (is_option(name.text())) {
      check_swept_option(name, context, experiment);
    } else {
      context.error(name, fmt::format("files have no parameter {}; only options of methods, such "
                                      "as `--effort`, can be set",
                                      quote(name.text())));
    }
  }
}

void check_cases(const json::Value& cases, ReadContext& context, const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.cases.size() && i < cases.items().size(); ++i) {
    ReadContext::Scope scope(context, "case", i, cases.items()[i]);
    for (const json::Member& member : cases.items()[i].find("set")->members()) {
      if (is_option(member.key)) {
        check_case_option(member, context, experiment);
      } else {
        context.error(member, fmt::format("files have no parameter {}", quote(member.key)));
      }
    }
  }
}

}  // namespace

void check_files(const json::Value& source, ReadContext& context, Experiment& experiment) {
  for (std::string_view foreign : {"settings", "sets"}) {
    if (const json::Value* value = source.find(foreign)) {
      context.error(*value, quote(foreign) + " goes with `recipe`, not with `files`");
    }
  }
  if (const json::Value* sweep = source.find("sweep")) check_sweep(*sweep, context, experiment);
  const json::Value *cases = source.find("cases"), *cases_by = source.find("cases_by");
  check_by(cases_by, context, experiment.cases_by);
  if (cases != nullptr && cases_by != nullptr) {
    context.error(*cases_by, "what `cases_by` finds in the files are the cases; leave out `cases`");
  }
  if (cases != nullptr && !context.failed()) check_cases(*cases, context, experiment);
}

}  // namespace tactus::experiment
