#include "tactus/report/json/schemas.hpp"

#include <iterator>

#include "tactus/model/codec.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/json/schema_parts.hpp"

namespace tactus::report {
namespace {

using namespace schema;

constexpr std::string_view kTime = "In the unit of the system";

std::vector<Key> with_head(std::vector<Key> keys) {
  const auto any_value = [](std::string_view about) {
    return any_of_types(about, {"null", "boolean", "number", "string", "array", "object"});
  };
  std::vector<Key> all = {
      {"tactus",
       [](json::Writer& out) {
         out.key("const").integer(kFormatVersion);
         out.key("description").string("The version of the format");
       }},
      {"system", text("The name of the system")},
      optional("changes", list("What differs from the file (--set, --add)",
                               object("", {optional("set", text("The path that was changed")),
                                           optional("add", text("The file whose tasks were added")),
                                           optional("from", any_value("The value before")),
                                           optional("to", any_value("The value now")),
                                           optional("tasks", any_value("What was added"))}))),
  };
  all.insert(all.end(), std::make_move_iterator(keys.begin()), std::make_move_iterator(keys.end()));
  return all;
}

Schema unit_schema() {
  const auto names = codec::words_of<TimeUnit>();
  return word("The unit of every time here", {names.begin(), names.end()});
}

Schema status_schema(std::string_view about) {
  return word(about, {"schedulable", "unschedulable", "undecided", "not-applicable"});
}

Schema place() {
  return object("Where in the file", {{"line", integer("From 1")}, {"column", integer("From 1")}});
}

Schema time_or_null(std::string_view about) { return any_of_types(about, {"number", "null"}); }

Schema obstacle() {
  return object("", {{"reason", text("What is in the way")},
                     optional("at", place()),
                     optional("give", list("Add one of these keys", text(""))),
                     optional("element", text("To this element")),
                     optional("task", text("Or to this task")),
                     optional("node", text("Or to this node"))});
}

std::vector<Key> plan_keys();

Schema task_schema() {
  return object(
      "", {{"task", text("Its name")},
           {"bound", time_or_null("The proved bound of its response time; null: there is none")},
           {"deadline", time_or_null("Null: it has none")},
           {"schedulable", flag("Is its deadline proved?")},
           optional("latency",
                    number("At the end of a path of `after`: from the arrival of its first task to "
                           "the end of this one, at most")),
           optional("conditional_bound",
                    number("The bound that it has if the tasks before it without a bound meet "
                           "their deadlines")),
           optional("demand", number("Without a bound: what first exceeded the deadline")),
           optional("note", text("Why there is no bound, or on what it depends")),
           {"terms", by_name("What the bound, or the demand, is the sum of", number(kTime))}});
}

Schema chains_schema() {
  const Schema parts =
      list("What its bound is the sum of, without null",
           object("", {{"tasks", list("One, or several of which each starts the next", text(""))},
                       {"waits", number("Until the job arrives that reads; at first, a period")},
                       {"takes", number("From that arrival to the end")}}));
  return list("The chains of the file; schedulable means that they hold, too",
              object("", {{"name", text("")},
                          {"bound", time_or_null("Of reaction and of age; null: there is none")},
                          {"holds", flag("Is it within `reaction` and `age`?")},
                          {"parts", parts}}));
}

Schema method_schema() {
  std::vector<Key> plan = plan_keys();
  return object(
      "",
      {{"method", text("Its id, as `tactus methods` lists it")},
       {"variant", text("Which variant of it")},
       {"status", status_schema("What it says of the whole system")},
       optional("reason", text("Why, when it is undecided or not applicable")),
       optional("at", place()),
       optional("obstacles", list("Everything that keeps the method from applying", obstacle())),
       optional("more_obstacles", integer("How many there are beyond those")),
       {"warnings", list("", text(""))},
       {"notes", list("What was derived because the file does not say it", text(""))},
       {"tasks", list("The real-time tasks in the order of the file", task_schema())},
       optional("chains", chains_schema()),
       optional("missed", list("Jobs that a simulated schedule ends too late",
                               object("", {{"task", text("")},
                                           {"job", integer("From 0")},
                                           {"deadline", signed_number(kTime)},
                                           {"finish", signed_number(kTime)}}))),
       optional("widths", by_name("By task and node: the units that the bounds assume",
                                  by_name("", integer("")))),
       optional(
           "gpu_completion",
           by_name("gcaps.boost.*, by task: when each GPU segment is done at the latest; null: "
                   "no bound",
                   any_of_types("", {"array", "null"}))),
       optional("gpu_thresholds", by_name("gcaps.boost.*, by task: one for each GPU segment",
                                          list("", any_of_types("", {"integer"})))),
       optional("hyperperiod", signed_number("pbs")),
       optional("jobs", integer("pbs: in a hyperperiod")),
       optional("states", integer("pbs: of the search")),
       optional("relaxed_states", integer("pbs: of the search that only bounds")),
       optional("time_ms", number("pbs: how long the search took")),
       optional("vertices", integer("pbs --all")),
       optional("edges", integer("pbs --all")),
       optional("tables", any_of_types("pbs --all", {"number", "string"})),
       optional("unmerged", any_of_types("pbs --no-merge", {"number", "string"})),
       optional("plan", object("The plan that the method made", std::move(plan)))});
}

std::vector<Key> plan_keys() {
  const auto segment_name = any_of_types("Node and segment", {"string", "number"});
  const auto kernel = object("", {{"node", text("")},
                                  {"segment", integer("From 1")},
                                  {"load", number("SMs x time")},
                                  {"m", integer("SMs")},
                                  {"c", number(kTime)}});
  std::vector<Key> keys = with_head({
      {"fingerprint", text("Of the system that the plan was made for")},
      {"method", text("The method that made it")},
      {"variant", text("Which variant of it")},
      // gcaps.*, tsg-rr.*, mpcp.*, fmlp.*
      optional("waiting", word("While the GPU works", {"suspend", "busy"})),
      optional("cores", by_name("By task", integer(""))),
      optional("gpu_priorities",
               by_name("By task; null: no segments", any_of_types("", {"integer", "null"}))),
      optional("priorities",
               by_name("By task; larger is more urgent", any_of_types("", {"integer", "null"}))),
      optional("bounds", any_of_types("By task (rtgpu: one entry per task)", {"object", "array"})),
      optional("gpu_thresholds",
               by_name("By task and GPU segment: taken off only for GPU priorities above it",
                       list("", any_of_types("", {"integer"})))),
      // gang.*, rtgpu
      optional("allocation", by_name("By task, and by element (gang)",
                                     any_of_types("Units", {"integer", "object"}))),
      optional("total_units", integer("Of all shares")),
      optional("delta",
               by_name("By task: how idle processors were counted", word("", {"exact", "dp"}))),
      optional("widths", by_name("By task and node", by_name("", integer("Units")))),
      optional("virtual_sms", by_name("By task", integer(""))),
      optional("units", by_name("By task and kernel", by_name("", integer("SMs")))),
      optional("spare_sms", integer("That no task has")),
      // dag.*
      optional("task", text("The task whose graph is planned")),
      optional("bound", number(kTime)),
      optional("deadline", time_or_null(kTime)),
      optional("schedulable", flag("Is the bound within the deadline?")),
      optional("cuts", integer("How many nodes were cut")),
      optional("steps", list("One after another",
                             object("", {{"r", number("How long it takes")},
                                         {"primary", list("The kernels it was made of", kernel)},
                                         {"launched", list("Those on its spare SMs", kernel)},
                                         {"spare", any_of_types("SMs left over", {"integer"})}}))),
      optional("edges", list("What the plan adds to the graph",
                             object("", {{"from", list("", segment_name)},
                                         {"to", list("", segment_name)}}))),
      optional("barriers",
               list("Between steps", object("", {{"after", list("", list("", segment_name))},
                                                 {"before", list("", list("", segment_name))}}))),
      optional(
          "segments",
          any_of_types("dag: by node, the loads of its segments; rtgpu: bounds of the segments",
                       {"object", "array"})),
      // pbs.*
      optional("hyperperiod", number(kTime)),
      optional("margin", number("Added to every completion")),
      optional("frames",
               list("The table",
                    object("", {{"start", number(kTime)},
                                {"end", number(kTime)},
                                {"batch", list("What is submitted together",
                                               object("", {{"task", text("")},
                                                           {"job", integer("From 0")}}))}}))),
  });
  return keys;
}

Schema cover_schema() {
  return object(
      "Does what is started cover the proof?",
      {{"tier", word("Of GPU work: the first under which nothing is refused",
                     {"channel", "yield", "gate", "process", "hold"})},
       {"covered", word("The worst of the conditions that are not left to the programs",
                        {"yes", "no", "not known"})},
       {"conditions",
        list("", object("", {{"id", text("A word, for --accept")},
                             {"holds", word("", {"yes", "no", "not known"})},
                             {"what", text("What must hold, or what is there instead")},
                             {"from", text("The sentence of the assumption, and its page")},
                             {"help", text("What would make it hold")},
                             {"whose",
                              word("Who can see to it", {"start", "machine", "program"})}}))}});
}

Schema never_run_schema() {
  return list("Best-effort tasks for which the plan leaves nothing",
              object("", {{"task", text("")}, {"why", text("")}}));
}

Schema headline_schema() {
  return object("What to say first",
                {{"state", word("", {"runs here", "needs", "not proved", "undecided"})},
                 {"text", text("In a sentence")},
                 optional("needs", text("What the proof needs and is not here")),
                 optional("now", text("What is there instead")),
                 {"not_covered", list("What no proof of this system covers", text(""))}});
}

Schema best_schema() {
  return object_or_null(
      "The method to deploy; null: none proves every deadline",
      {{"method", text("")},
       {"variant", text("")},
       {"runs_here", flag("Does tactus run its plans on this system?")},
       {"run_by", any_of_types("What runs it", {"string", "null"})},
       optional("why_not", text("Where it does not: why")),
       optional("cover", cover_schema()),
       optional("never_run", never_run_schema()),
       optional("least_slack", number("Of all tasks, as a part of the deadline")),
       optional("limited_by", text("The task with that slack")),
       optional("may_grow",
                list("How far the times of single nodes may grow",
                     object("", {{"task", text("")},
                                 {"node", text("")},
                                 {"by", number("As a part of its time")},
                                 optional("then_late", text("The task that is late first"))})))});
}

Schema difference() {
  return object(
      "", {{"change", word("", {"worse", "better", "new", "gone"})},
           optional("method", text("")),
           optional("variant", text("")),
           optional("task", text("")),
           optional("what", word("", {"verdict", "bound", "slack"})),
           optional("was", any_of_types("A status, a time, or percent", {"string", "number"})),
           optional("now", any_of_types("A status, a time, or percent", {"string", "number"})),
           {"counts", flag("Is it of a method that decides about `worse`?")}});
}

}  // namespace

std::string verdict_schema() {
  return document(
      "What Tactus proves of a system (tactus analyze --json)",
      with_head(
          {{"time_unit", unit_schema()},
           {"judged_by", word("Whose answer counts: the deployed method's, any method's (one proof "
                              "is enough), or that of every named method",
                              {"named", "any", "deployed"})},
           optional("deployed", object("The method that the file deploys",
                                       {{"method", text("")}, {"variant", text("")}})),
           {"status", status_schema("The answer that counts")},
           {"headline", headline_schema()},
           optional("best", best_schema()),
           optional("min_slack", object("What --min-slack asked for",
                                        {{"asked", text("Percent of the deadline")},
                                         {"below", list("Tasks that have less",
                                                        object("", {{"method", text("")},
                                                                    {"variant", text("")},
                                                                    {"task", text("")},
                                                                    {"why", text("")}}))}})),
           optional("baseline",
                    object("The comparison with --baseline",
                           {{"file", text("")},
                            {"worse", flag("Under a method that counts")},
                            {"differences", list("What is worse first", difference())}})),
           {"measured",
            list("Nodes whose times were measured, and how",
                 object("", {{"task", text("")},
                             {"node", text("")},
                             {"measured", any_of_types("As in the file", {"object"})}}))},
           {"methods", list("In the order of `tactus methods`", method_schema())},
           optional("deployable",
                    list("The same methods in the variants that tactus runs", method_schema()))}));
}

std::string explanation_schema() {
  const auto term =
      object("", {{"term", text("What it stands for")},
                  optional("by", text("The task that causes it")),
                  optional("on", text("The element where it arises")),
                  {"amount", number(kTime)},
                  {"how", text("How it was computed, in words and numbers")},
                  optional("count", integer("How many")),
                  optional("each", number("And how long each is")),
                  optional("period", number("The count is ceil((R + jitter) / period)")),
                  optional("jitter", number("Of that formula"))});
  return document(
      "What the bound of a task is made of (tactus analyze --explain TASK --json)",
      with_head({{"time_unit", unit_schema()},
                 {"task", text("Whose bound")},
                 {"methods", list("", object("", {{"method", text("")},
                                                  {"variant", text("")},
                                                  {"status", status_schema("Of the whole system")},
                                                  {"bound", time_or_null("Null: there is none")},
                                                  optional("conditional_bound", number(kTime)),
                                                  {"deadline", time_or_null("Null: it has none")},
                                                  optional("why", text("Why there is no bound")),
                                                  {"sum", number("Of the terms")},
                                                  {"terms", list("", term)}}))}}));
}

std::string slack_schema() {
  return document(
      "How far the values of a system may go (tactus slack --json)",
      with_head(
          {{"method", text("The method that was asked")},
           {"variant", text("Which variant of it")},
           {"status", status_schema("Of the system as it is")},
           optional("reason", text("Why")),
           {"slack",
            list("One entry per value",
                 object("",
                        {{"of", text("camera.detect.wcet; `all times` stands for a factor")},
                         {"kind", word("", {"all-times", "time", "period", "deadline", "jitter",
                                            "units", "cost", "longer-period"})},
                         {"now", time_or_null("Its value in the file")},
                         {"holds", time_or_null("The hardest value that is still proved")},
                         {"fails", time_or_null("The easiest value that is not")},
                         {"exact", flag("Is there nothing between the two?")},
                         optional("breaks",
                                  object("What happens there",
                                         {{"status", status_schema("")},
                                          optional("task", text("The task that is late first")),
                                          optional("chain", text("Or the chain that is too long")),
                                          optional("reason", text(""))}))}))},
           optional("chains", chains_schema()),
           {"notes", list("What goes with a value here, and not with --set", text(""))},
           {"left_out", list("Values that could not be turned", text(""))},
           {"analyses", integer("How many were made")},
           {"stopped", flag("Before the end")}}));
}

std::string advice_schema() {
  return document(
      "Ways to run a system (tactus advise --json)",
      with_head(
          {{"found", flag("Is a way proved?")},
           {"options",
            list("The best first",
                 object("",
                        {{"method", text("")},
                         {"variant", text("")},
                         {"proved", flag("")},
                         {"factor", number("By which all times may grow")},
                         {"exact", flag("Is that the largest?")},
                         optional("limited_by", text("The task that is late first")),
                         {"run_by", text("What runs it")},
                         {"needs", text("What that needs at run time")},
                         optional("cover", cover_schema()),
                         optional("never_run", never_run_schema()),
                         optional("never_run", never_run_schema()),
                         {"cores", integer("")},
                         {"sms", integer("")},
                         optional("shares", text("Of the SMs: TASK=SMS,...")),
                         optional("arbiter_core", integer("")),
                         {"to_change",
                          by_name("By path",
                                  object("", {{"from",
                                               any_of_types("", {"null", "boolean", "number",
                                                                 "string", "array", "object"})},
                                              {"to", any_of_types(
                                                         "", {"null", "boolean", "number", "string",
                                                              "array", "object"})}}))}}))},
           {"left_out", list("Methods that cannot be used",
                             object("", {{"method", text("")}, {"why", text("")}}))},
           optional("would_do", list("The smallest changes that would be enough",
                                     object("", {{"change", text("The value")},
                                                 {"from", number("")},
                                                 {"to", number("")},
                                                 {"method", text("")}}))),
           optional("would_do_cut_short", flag("Were not all values tried?")),
           optional("one_more_core_would_do", flag("")),
           optional("one_more_sm_would_do", flag("")),
           {"exhaustive", flag("Was everything tried?")},
           {"analyses", integer("How many were made")},
           {"stopped", flag("Before the end")}}));
}

std::string plan_schema() {
  return document("A plan (tactus plan -o); which keys there are depends on the method",
                  plan_keys());
}

}  // namespace tactus::report
