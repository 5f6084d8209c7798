#include <algorithm>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/analysis.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/explanation.hpp"
#include "tactus/report/how.hpp"
#include "tactus/report/text/time_units.hpp"

namespace tactus::report {
namespace {

void write_term(json::Writer& out, const Term& term, const Task& task, const System& system) {
  const TimeUnit unit = system.time_unit;
  out.begin_object().key("term").string(term.label);
  if (term.by != Term::kNoTask) out.key("by").string(system.tasks[term.by].name);
  if (term.on != Term::kNoElement) out.key("on").string(system.platform.elements[term.on].name);
  write_time(out.key("amount"), term.amount, unit);
  out.key("how").string(how_text(term, task, system));
  if (term.jobs != 0) {
    out.key("count").integer(term.jobs);
    write_time(out.key("each"), term.each, unit);
    if (term.period != Time()) {
      write_time(out.key("period"), term.period, unit);
      write_time(out.key("jitter"), term.jitter, unit);
    }
  }
  out.end_object();
}

}  // namespace

std::string explanation_json(const Analysis& analysis, TaskIndex task) {
  const System& system = analysis.system;
  json::Writer out;
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("system").string(system.name);
  write_changes(out, analysis.changes);
  out.key("time_unit").string(name_of(system.time_unit));
  out.key("task").string(system.tasks[task].name);
  out.key("methods").begin_array();
  for (const Verdict& verdict : analysis.asked_verdicts()) {
    static const TaskVerdict kNothing;
    const auto found = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                    [&](const TaskVerdict& entry) { return entry.task == task; });
    const TaskVerdict& own = found == verdict.tasks.end() ? kNothing : *found;
    out.begin_object();
    out.key("method").string(verdict.method).key("variant").string(verdict.variant);
    out.key("status").string(to_string(verdict.status));
    write_time(out.key("bound"), own.bound, system.time_unit);
    if (own.conditional_bound) {
      write_time(out.key("conditional_bound"), own.conditional_bound, system.time_unit);
    }
    write_time(out.key("deadline"), own.deadline, system.time_unit);
    const std::string_view why = own.note.empty() ? std::string_view(verdict.reason) : own.note;
    if (!own.bound && !why.empty()) out.key("why").string(why);
    write_time(out.key("sum"), total(own.terms), system.time_unit);
    out.key("terms").begin_array();
    for (const Term& term : own.terms) write_term(out, term, system.tasks[task], system);
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
