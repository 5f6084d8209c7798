#include "tactus/cli/analyze_many.hpp"

#include <unistd.h>

#include <algorithm>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/methods/many.hpp"
#include "tactus/report/survey.hpp"

namespace tactus::cli {
namespace {

using report::Surveyed;

/// The worst of all systems. Of one system: all of the named methods must prove it; if none is
/// named, one proof is enough.
Exit exit_of_all(const std::vector<Surveyed>& all, bool named) {
  bool refuted = false, unknown = false;
  for (const Surveyed& one : all) {
    std::vector<Exit> exits;
    for (const Verdict& verdict : one.verdicts) exits.push_back(verbs::exit_of(verdict.status));
    const auto has = [&](Exit exit) {
      return std::find(exits.begin(), exits.end(), exit) != exits.end();
    };
    if (!named && has(kYes)) continue;
    refuted = refuted || has(kNo);
    unknown = unknown || (named ? has(kUnknown) : !has(kNo));
  }
  return refuted ? kNo : unknown ? kUnknown : kYes;
}

}  // namespace

int analyze_many(const std::vector<FileText>& files, const MethodOptions& choice,
                 const WhatIf& what_if, bool json, bool csv) {
  const auto methods = choice.methods();
  if (!methods) return kBadInput;
  std::vector<Surveyed> all;
  bool good = true;
  for (const FileText& file : files) {
    good = for_each_system(file,
                           [&](std::string place, System system) {
                             auto edited = what_if.applied(file.path, std::move(system));
                             if (edited)
                               all.push_back({std::move(place), std::move(edited->system), {}});
                             return edited.has_value();
                           }) &&
           good;
  }
  if (!good) return kBadInput;
  {
    LongWork work;
    Options options = choice.options();
    const int threads = options.threads;
    options.threads = 1;
    options.stop = work.stop_token();
    options.plan = options.terms = false;
    std::vector<Question> questions;
    for (const Method* method : *methods) questions.push_back({method, options});
    // What is wrong with an option is wrong for every system: the first one tells it.
    for (const Question& question : questions) {
      auto verdict = verbs::analyzed(*question.method, all.front().system, question.options);
      if (!verdict) return complain_of(verdict.none());
    }
    for_each_index(all.size(), threads, [&](std::size_t i) {
      all[i].verdicts = tactus::analyze_many(all[i].system, questions);
    });
    if (work.stop_token().stop_requested()) {
      complain("tactus: interrupted before all systems were analysed");
      return kUnknown;
    }
  }
  const std::string text = json  ? report::survey_json(all)
                           : csv ? report::survey_csv(all)
                                 : report::survey_text(all, report::Style::of(STDOUT_FILENO));
  if (!emit(text)) return kBadInput;
  return exit_of_all(all, choice.named() && !choice.all());
}

}  // namespace tactus::cli
