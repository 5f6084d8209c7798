#include "tests/methods/pbs/systems.hpp"

#include <fmt/core.h>

namespace tactus::pbs::testing {

std::string to_json(const SystemText& text) {
  std::string tasks;
  for (const TaskText& task : text.tasks) {
    tasks += fmt::format(
        "{}\n  {{\"name\": \"{}\", \"period\": {}, \"deadline\": {}, \"offset\": {}, \"nodes\": "
        "[{{\"name\": \"k\", \"on\": \"gpu\", \"wcet\": {}{}}}]}}",
        tasks.empty() ? "" : ",", task.name, task.period, task.deadline, task.offset, task.wcet,
        task.more);
  }
  const std::string batches =
      text.batches.empty() ? std::string() : fmt::format(",\n \"batches\": [{}]", text.batches);
  return fmt::format(
      "{{\"tactus\": 1, \"name\": \"test\", \"time_unit\": \"unit\",\n"
      " \"platform\": {{\"elements\": [{{\"name\": \"gpu\", \"kind\": \"gpu\", {}}}]}},\n"
      " \"tasks\": [{}]{}{}}}",
      text.gpu, tasks, batches, text.more);
}

namespace {

std::string batch(std::vector<std::string> tasks, int completion, bool ordered = false) {
  std::string names;
  for (const std::string& task : tasks) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", task);
  }
  return fmt::format("{{\"tasks\": [{}], \"completion\": {}{}}}", names, completion,
                     ordered ? ", \"ordered\": true" : "");
}

std::string list(std::vector<std::string> items) {
  std::string all;
  for (const std::string& item : items) all += (all.empty() ? "" : ", ") + item;
  return all;
}

}  // namespace

SystemText figure_1() {
  return {{{"t1", 4, 4, 1}, {"t2", 5, 5, 3}, {"t3", 10, 10, 3}},
          list({batch({"t1", "t2"}, 4), batch({"t1", "t3"}, 4), batch({"t2", "t3"}, 4),
                batch({"t1", "t2", "t3"}, 6)})};
}

SystemText example_21(bool j1_first) {
  std::vector<TaskText> tasks = {{"j1", 10, 10, 6, 0, ", \"blocks\": 4, \"threads\": 64"},
                                 {"j2", 10, 10, 6, 0, ", \"blocks\": 1, \"threads\": 192"}};
  if (!j1_first) std::swap(tasks[0], tasks[1]);
  return {tasks, batch({"j1", "j2"}, 8), "\"units\": 2, \"sm\": {\"threads\": 256}"};
}

SystemText example_312() {
  return {{{"J1", 40, 40, 5},
           {"J2", 40, 40, 5},
           {"J3", 40, 34, 5, 6},
           {"J4", 40, 34, 4, 6},
           {"J5", 40, 8, 6, 17},
           {"J6", 40, 7, 5, 18}},
          list({batch({"J1", "J2"}, 7), batch({"J3", "J4"}, 5), batch({"J5", "J6"}, 6)})};
}

SystemText slower_order_needed() {
  return {{{"a", 12, 6, 4}, {"b", 12, 6, 4}, {"c", 12, 12, 4}, {"u", 12, 2, 1, 5}},
          list({batch({"a", "b"}, 4, true), batch({"b", "a"}, 6, true)})};
}

SystemText finding(int number) {
  switch (number) {
    case 1:
      return {{{"a", 6, 5, 4}, {"b", 8, 8, 3}}, batch({"a", "b"}, 5)};
    case 2:
      return {{{"a", 24, 24, 5}, {"b", 24, 5, 2}, {"c", 6, 4, 2}, {"d", 24, 10, 2}},
              batch({"b", "c"}, 2)};
    case 3:
      return {{{"a", 12, 3, 2}, {"b", 8, 8, 3}, {"c", 24, 24, 6}, {"d", 24, 24, 3}},
              list({batch({"a", "d"}, 3), batch({"b", "d"}, 3)})};
    default:
      return {
          {{"a", 24, 24, 1}, {"b", 8, 7, 1}, {"c", 12, 11, 4}, {"d", 12, 10, 1}, {"e", 8, 7, 5}},
          list({batch({"a", "d"}, 1), batch({"b", "d"}, 1), batch({"b", "c", "e"}, 7)})};
  }
}

Options with(std::map<std::string, std::string, std::less<>> settings) {
  Options options;
  options.settings = std::move(settings);
  return options;
}

Verdict run(const Method& method, const System& system, Options options) {
  return analyze(method, system, options);
}

bool schedulable(const Method& method, const System& system) {
  const Verdict verdict = run(method, system);
  EXPECT_TRUE(verdict.status == Status::kSchedulable || verdict.status == Status::kUnschedulable)
      << verdict.reason;
  return verdict.status == Status::kSchedulable;
}

const ScheduleTable& table_of(const Verdict& verdict) {
  const auto* table = dynamic_cast<const ScheduleTable*>(verdict.plan.get());
  if (table == nullptr) throw std::runtime_error("the verdict has no table");
  return *table;
}

std::string shown(const System& system, const ScheduleTable& table) {
  std::string text;
  for (const Frame& frame : table.frames()) {
    std::string names;
    for (const Frame::Job& job : frame.batch) {
      names += (names.empty() ? "" : "+") + system.tasks[job.kernel].name;
    }
    text += fmt::format("{}{} [{},{}]", text.empty() ? "" : ", ", names, frame.start, frame.end);
  }
  return text;
}

std::vector<std::string> check_own_plan(const Method& method, const System& system,
                                        const Verdict& verdict) {
  json::Writer out;
  write_plan(out, system, verdict.method, verdict.variant, *verdict.plan);
  return check_text(method, system, out.take());
}

std::vector<std::string> check_text(const Method& method, const System& system, std::string plan) {
  const auto parsed = json::Document::parse(std::move(plan));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) throw std::runtime_error("the test's plan is not JSON");
  return method.check_plan(system, document->root());
}

}  // namespace tactus::pbs::testing
