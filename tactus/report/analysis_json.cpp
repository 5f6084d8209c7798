#include <algorithm>

#include "tactus/base/json_writer.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/checks.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/end_to_end.hpp"
#include "tactus/report/headline.hpp"
#include "tactus/report/measured.hpp"
#include "tactus/report/text/time_units.hpp"

namespace tactus::report {
namespace {

/// A term as a key. The part of an element is written under the element's own name, so that a
/// program need not know our labels.
std::string term_key(const Term& term, const System& system) {
  return term.label == "interference" && term.on != Term::kNoElement
             ? system.platform.elements[term.on].name
             : term_name(term, system);
}

void write_task(json::Writer& out, const System& system, const TaskVerdict& task) {
  const TimeUnit unit = system.time_unit;
  out.begin_object();
  out.key("task").string(system.tasks[task.task].name);
  write_time(out.key("bound"), task.bound, unit);
  write_time(out.key("deadline"), task.deadline, unit);
  out.key("schedulable").boolean(task.schedulable);
  if (task.latency) write_time(out.key("latency"), task.latency, unit);
  if (task.conditional_bound) {
    write_time(out.key("conditional_bound"), task.conditional_bound, unit);
  } else if (!task.bound && !task.terms.empty()) {
    write_time(out.key("demand"), total(task.terms), unit);
  }
  if (!task.note.empty()) out.key("note").string(task.note);
  out.key("terms").begin_object();
  // A key may stand only once in an object: terms of one name are summed.
  std::vector<std::pair<std::string, Time>> sums;
  for (const Term& term : task.terms) {
    std::string name = term_key(term, system);
    const auto same = std::find_if(sums.begin(), sums.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (same == sums.end()) {
      sums.emplace_back(std::move(name), term.amount);
    } else {
      same->second += term.amount;
    }
  }
  for (const auto& [name, amount] : sums) write_time(out.key(name), amount, unit);
  out.end_object().end_object();
}

void write_at(json::Writer& out, Position at) {
  if (!at.known()) return;
  out.key("at").begin_object();
  out.key("line").integer(at.line).key("column").integer(at.column);
  out.end_object();
}

void write_obstacles(json::Writer& out, const Verdict& verdict) {
  static constexpr std::string_view kWhose[] = {"", "element", "task", "node"};
  out.key("obstacles").begin_array();
  for (const Obstacle& obstacle : verdict.obstacles) {
    out.begin_object().key("reason").string(obstacle.reason);
    write_at(out, obstacle.at);
    if (!obstacle.give.empty()) {
      out.key("give").begin_array();
      for (std::string_view attribute : obstacle.give) out.string(attribute);
      out.end_array();
      out.key(kWhose[static_cast<std::size_t>(obstacle.whose)]).string(obstacle.name);
    }
    out.end_object();
  }
  out.end_array();
  if (verdict.more_obstacles > 0) {
    out.key("more_obstacles").integer(static_cast<std::int64_t>(verdict.more_obstacles));
  }
}

void write_verdict(json::Writer& out, const System& system, const Verdict& verdict) {
  out.begin_object();
  out.key("method").string(verdict.method);
  out.key("variant").string(verdict.variant);
  out.key("status").string(to_string(verdict.status));
  if (!verdict.reason.empty()) out.key("reason").string(verdict.reason);
  write_at(out, verdict.at);
  if (verdict.status == Status::kNotApplicable) write_obstacles(out, verdict);
  out.key("warnings").begin_array();
  for (const std::string& warning : verdict.warnings) out.string(warning);
  out.end_array();
  out.key("notes").begin_array();
  for (const std::string& note : verdict.notes) out.string(note);
  out.end_array();
  out.key("tasks").begin_array();
  for (const TaskVerdict& task : verdict.tasks) write_task(out, system, task);
  out.end_array();
  write_chains(out, verdict, system);
  const Method* method = find_method(verdict.method);
  const bool followed =
      method != nullptr && method->follows_jobs && verdict.status != Status::kNotApplicable;
  if (followed || !verdict.missed.empty()) {
    out.key("missed").begin_array();
    for (const MissedJob& missed : verdict.missed) {
      out.begin_object();
      out.key("task").string(system.tasks[missed.task].name).key("job").integer(missed.job);
      write_time(out.key("deadline"), missed.deadline, system.time_unit);
      write_time(out.key("finish"), missed.finish, system.time_unit);
      out.end_object();
    }
    out.end_array();
  }
  for (const Figure& figure : verdict.figures) out.key(figure.name).number(figure.value);
  if (verdict.plan) {
    out.key("plan");
    write_plan(out, system, verdict.method, verdict.variant, *verdict.plan);
  }
  out.end_object();
}

/// The method to deploy, and how close it is to the edge.
void write_best(json::Writer& out, const Analysis& analysis) {
  const decide::Standing& best = analysis.best();
  if (best.group > decide::Group::kNotRunHere) {
    out.key("best").null();
    return;
  }
  const System& system = analysis.system;
  const auto share = [](std::int64_t permille) { return format_scaled(permille, 3); };
  out.key("best").begin_object();
  out.key("method").string(analysis.method(best.place).id);
  out.key("variant").string(analysis.verdicts[best.place].variant);
  out.key("runs_here").boolean(best.group == decide::Group::kRunnable);
  out.key("run_by");
  if (best.way) {
    out.string(to_string(*best.way));
  } else {
    out.null();
  }
  if (!best.why_not.empty()) out.key("why_not").string(best.why_not);
  if (const auto cover = decide::cover_of(system, analysis.verdicts[best.place]))
    write_cover(out.key("cover"), *cover);
  write_never_run(out, system, analysis.verdicts[best.place]);
  if (best.least) {
    out.key("least_slack").number(share(best.least->permille));
    out.key("limited_by").string(best.least->whose);
  }
  if (!analysis.growth.empty()) {
    out.key("may_grow").begin_array();
    for (const decide::Growth& growth : analysis.growth) {
      const Task& task = system.tasks[growth.task];
      out.begin_object().key("task").string(task.name);
      out.key("node").string(task.nodes[growth.node].name).key("by").number(share(growth.permille));
      if (growth.breaks) out.key("then_late").string(system.tasks[*growth.breaks].name);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

}  // namespace

std::string analysis_json(const Analysis& analysis) {
  json::Writer out;
  begin_document(out, analysis.system, analysis.changes);
  out.key("time_unit").string(name_of(analysis.system.time_unit));
  static constexpr std::string_view kJudges[] = {"named", "any", "deployed"};
  out.key("judged_by").string(kJudges[static_cast<std::size_t>(analysis.judged_by)]);
  if (analysis.judged_by == JudgedBy::kDeployed) {
    const Verdict& deployed = analysis.verdicts[analysis.deployed];
    out.key("deployed").begin_object();
    out.key("method").string(deployed.method).key("variant").string(deployed.variant);
    out.end_object();
  }
  out.key("status").string(to_string(judgement(analysis)));
  write_headline(out.key("headline"), analysis);
  write_best(out, analysis);
  if (analysis.checks != nullptr) write_checks(out, *analysis.checks);
  write_measured(out.key("measured"), analysis.system);
  out.key("methods").begin_array();
  for (const Verdict& verdict : analysis.asked_verdicts()) {
    write_verdict(out, analysis.system, verdict);
  }
  out.end_array();
  if (!analysis.deployable_verdicts().empty()) {
    out.key("deployable").begin_array();
    for (const Verdict& verdict : analysis.deployable_verdicts()) {
      write_verdict(out, analysis.system, verdict);
    }
    out.end_array();
  }
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
