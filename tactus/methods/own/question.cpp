#include "tactus/methods/own/question.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::own {
namespace {

using plan_source::Malformed;

constexpr std::array kStatuses = {Status::kSchedulable, Status::kUnschedulable, Status::kUndecided,
                                  Status::kNotApplicable};

constexpr std::size_t kLongestLabel = 200;

/// A bound must not become smaller by rounding.
Time time_of(const json::Value& value, std::string_view key, TimeUnit unit) {
  if (value.is(json::Kind::kNumber)) {
    const auto parsed = parse_scaled(value.text(), decimal_places(unit), Rounding::kUp);
    if (parsed && parsed->value >= 0) return Time::from_ns(parsed->value);
  }
  throw Malformed(value, fmt::format("`{}` must be a time >= 0 below 2^63 ns", key));
}

bool flag(const json::Value& value, std::string_view key) {
  if (value.is(json::Kind::kBool)) return value.boolean();
  throw Malformed(value, fmt::format("`{}` must be true or false", key));
}

class AnswerReader {
 public:
  AnswerReader(const System& system, const Method* runs_as, Labels& labels)
      : system_(system), runs_as_(runs_as), labels_(labels) {}

  Verdict read(const json::Value& root, std::int64_t number) {
    const std::int64_t named =
        plan_source::integer(plan_source::member(root, "question"), "question");
    if (named != number) {
      throw Malformed(
          *root.find("question"),
          fmt::format("this answers question {}, and question {} was asked", named, number));
    }
    if (const json::Value* error = root.find("error")) {
      throw Malformed(*error, fmt::format("it says: {}", plan_source::text(*error, "error")));
    }
    read_status(plan_source::member(root, "status"));
    // A method whose bounds rely on other deadlines need not know that it must say so.
    verdict_.hold_only_together = true;
    for (const json::Member& member : root.members()) read_member(member);
    add_other_tasks();
    return std::move(verdict_);
  }

 private:
  void read_status(const json::Value& value) {
    const std::string_view word = plan_source::text(value, "status");
    const auto* const found = std::find_if(kStatuses.begin(), kStatuses.end(), [&](Status status) {
      return to_string(status) == word;
    });
    if (found == kStatuses.end()) {
      throw Malformed(value, fmt::format("`status` must be schedulable, unschedulable, undecided "
                                         "or not-applicable, got {}",
                                         quote(word)));
    }
    verdict_.status = *found;
  }

  void read_member(const json::Member& member) {
    const std::string_view key = member.key;
    const json::Value& value = member.value;
    // A verdict of `tactus analyze --json` names its method, too.
    if (key == "question" || key == "status" || key == "method" || key == "variant") return;
    if (key == "reason") {
      verdict_.reason = plan_source::text(value, key);
    } else if (key == "warnings") {
      verdict_.warnings = texts(value, key);
    } else if (key == "notes") {
      verdict_.notes = texts(value, key);
    } else if (key == "hold_only_together") {
      verdict_.hold_only_together = flag(value, key);
    } else if (key == "tasks") {
      if (!value.is(json::Kind::kArray)) throw Malformed(value, "`tasks` must be an array");
      for (const json::Value& task : value.items()) read_task(task);
    } else if (key == "plan") {
      read_plan(value);
    } else if (value.is(json::Kind::kNumber) && is_free(key)) {
      verdict_.figures.push_back({labels_.keep(key), std::string(value.text())});
    } else {
      static constexpr std::array<std::string_view, 8> kKnown = {
          "question",           "status", "reason", "warnings", "notes",
          "hold_only_together", "tasks",  "plan"};
      throw Malformed(value, fmt::format("unknown key {}{}", quote(key), suggestion(key, kKnown)));
    }
  }

  /// May this key of a verdict stand for a figure?
  static bool is_free(std::string_view key) {
    static constexpr std::array<std::string_view, 5> kTaken = {"at", "obstacles", "more_obstacles",
                                                               "missed", "other"};
    return !key.empty() && key.size() <= kLongestLabel &&
           std::find(kTaken.begin(), kTaken.end(), key) == kTaken.end();
  }

  static std::vector<std::string> texts(const json::Value& value, std::string_view key) {
    if (!value.is(json::Kind::kArray)) {
      throw Malformed(value, fmt::format("`{}` must be an array", key));
    }
    std::vector<std::string> all;
    for (const json::Value& item : value.items()) all.emplace_back(plan_source::text(item, key));
    return all;
  }

  void read_plan(const json::Value& value) {
    if (value.is(json::Kind::kNull)) return;
    if (runs_as_ == nullptr || runs_as_->read_plan == nullptr || runs_as_->check_plan == nullptr) {
      throw Malformed(value, "there is a plan, but the method has no policy that follows plans");
    }
    verdict_.plan = runs_as_->read_plan(system_, value).plan;
    const std::vector<std::string> failures = runs_as_->check_plan(system_, value);
    if (!failures.empty()) {
      throw Malformed(value, fmt::format("the plan does not hold: {}", failures.front()));
    }
  }

  TaskVerdict& task_named(const json::Value& object) {
    const json::Value& value = plan_source::member(object, "task");
    const std::string_view name = plan_source::text(value, "task");
    const auto found = std::find_if(system_.tasks.begin(), system_.tasks.end(),
                                    [&](const Task& task) { return task.name == name; });
    if (found == system_.tasks.end()) {
      std::vector<std::string_view> names;
      for (const Task& task : system_.tasks) names.push_back(task.name);
      throw Malformed(value,
                      fmt::format("there is no task {}{}", quote(name), suggestion(name, names)));
    }
    if (found->best_effort) {
      throw Malformed(value, fmt::format("task {} is best effort: it has no verdict", quote(name)));
    }
    const auto index = static_cast<TaskIndex>(found - system_.tasks.begin());
    for (const TaskVerdict& other : verdict_.tasks) {
      if (other.task != index) continue;
      throw Malformed(value, fmt::format("task {} is named twice", quote(name)));
    }
    TaskVerdict& task = verdict_.tasks.emplace_back();
    task.task = index;
    task.deadline = found->deadline;
    return task;
  }

  void read_task(const json::Value& object) {
    TaskVerdict& task = task_named(object);
    const json::Value* said = nullptr;
    const json::Value* terms = nullptr;
    for (const json::Member& member : object.members()) {
      if (member.key == "bound") {
        if (!member.value.is(json::Kind::kNull)) {
          task.bound = time_of(member.value, member.key, system_.time_unit);
        }
      } else if (member.key == "schedulable") {
        said = &member.value;
      } else if (member.key == "terms") {
        terms = &member.value;
      } else if (member.key == "note") {
        task.note = labels_.keep(plan_source::text(member.value, member.key));
      } else if (member.key != "task" && member.key != "deadline") {
        static constexpr std::array<std::string_view, 6> kKnown = {"task",  "bound", "schedulable",
                                                                   "terms", "note",  "deadline"};
        throw Malformed(member.value, fmt::format("unknown key {}{}", quote(member.key),
                                                  suggestion(member.key, kKnown)));
      }
    }
    const bool proved = verdict_.status == Status::kSchedulable;
    const bool in_time = !task.bound || !task.deadline || *task.bound <= *task.deadline;
    task.schedulable = said != nullptr ? flag(*said, "schedulable")
                                       : in_time && (task.bound.has_value() || proved);
    const auto contradiction = [&](std::string_view what) {
      throw Malformed(object,
                      fmt::format("task {} {}", quote(system_.tasks[task.task].name), what));
    };
    if (task.schedulable && !in_time)
      contradiction("is schedulable with a bound past its deadline");
    if (proved && !task.schedulable) contradiction("is not schedulable, but the system is");
    if (terms != nullptr) read_terms(*terms, task);
  }

  void read_terms(const json::Value& value, TaskVerdict& task) {
    if (!value.is(json::Kind::kObject)) throw Malformed(value, "`terms` must be an object");
    for (const json::Member& member : value.members()) {
      task.terms.push_back({.label = labels_.keep(member.key),
                            .amount = time_of(member.value, member.key, system_.time_unit)});
    }
    if (!task.bound || task.terms.empty()) return;
    // Each was rounded up by itself.
    Time sum;
    for (const Term& term : task.terms) sum += term.amount;
    const Time slack = Time::from_ns(static_cast<std::int64_t>(task.terms.size()) + 1);
    if (sum > *task.bound + slack || sum + slack < *task.bound) {
      throw Malformed(value, fmt::format("the terms of task {} are {} in all, and its bound is {}",
                                         quote(system_.tasks[task.task].name),
                                         format_time(sum, system_.time_unit),
                                         format_time(*task.bound, system_.time_unit)));
    }
    task.bound = std::max(*task.bound, sum);
    if (sum < *task.bound) {
      task.terms.push_back({.label = "rounding", .amount = *task.bound - sum});
    }
  }

  /// Every real-time task is in the tables, also where only the system as a whole was judged.
  void add_other_tasks() {
    const bool proved = verdict_.status == Status::kSchedulable;
    if (!proved && verdict_.status != Status::kUnschedulable) return;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      if (system_.tasks[index].best_effort) continue;
      if (std::any_of(verdict_.tasks.begin(), verdict_.tasks.end(),
                      [&](const TaskVerdict& task) { return task.task == index; })) {
        continue;
      }
      TaskVerdict& task = verdict_.tasks.emplace_back();
      task.task = index;
      task.deadline = system_.tasks[index].deadline;
      task.schedulable = proved;
      task.note = "the method states no bound for this task";
    }
    verdict_.sort_tasks();
  }

  const System& system_;
  const Method* runs_as_;
  Labels& labels_;
  Verdict verdict_;
};

}  // namespace

std::string_view Labels::keep(std::string_view label) {
  constexpr std::size_t kMost = 100'000;
  static constexpr std::string_view kOther = "other";
  const std::lock_guard guard(lock_);
  const auto found = kept_.find(label);
  if (found != kept_.end()) return *found;
  if (kept_.size() >= kMost || label.size() > kLongestLabel) return kOther;
  return *kept_.emplace(label).first;
}

std::string question_line(std::int64_t number, const Method& method, const System& system,
                          const Options& options) {
  json::Writer head(json::Layout::kOneLine);
  head.begin_object();
  head.key("question").integer(number);
  head.key("method").string(method.id).key("variant").string(options.variant);
  head.end_object();
  std::string line = head.take();
  std::string document = write_system_line(system);
  while (!document.empty() && document.back() == '\n') document.pop_back();
  line.resize(line.rfind('}'));
  while (!line.empty() && line.back() == ' ') line.pop_back();
  line += ", \"system\": ";
  line += document;
  line += '}';
  return line;
}

Result<Verdict> read_answer(std::string text, std::int64_t number, const System& system,
                            const Method* runs_as, Labels& labels) {
  const auto parsed = json::Document::parse(std::move(text));
  if (!parsed) return parsed.error();
  try {
    return AnswerReader(system, runs_as, labels).read(parsed->root(), number);
  } catch (const Malformed& malformed) {
    return Error{malformed.what(), {}, parsed->position(malformed.offset())};
  } catch (const OverflowError& overflow) {
    return Error{overflow.what()};
  }
}

}  // namespace tactus::own
