#include "tactus/arbiter/admit/request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <variant>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json.hpp"
#include "tactus/base/json_copy.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::arbiter::admit {
namespace {

using json::Value;
using JsonKind = json::Kind;

/// The first problem is the one that is told.
class Reading {
 public:
  explicit Reading(const Value& root) : root_(root) {}

  void wrong(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }
  const std::string& problem() const { return problem_; }
  bool has(std::string_view key) const { return root_.find(key) != nullptr; }

  std::string text(std::string_view key) {
    const Value* const value = root_.find(key);
    if (value == nullptr) return {};
    if (!value->is(JsonKind::kString) || value->text().empty()) {
      wrong(fmt::format("{} must be a text", quote(key)));
      return {};
    }
    return std::string(value->text());
  }
  bool flag(std::string_view key) {
    const Value* const value = root_.find(key);
    if (value == nullptr) return false;
    if (!value->is(JsonKind::kBool)) wrong(fmt::format("{} must be true or false", quote(key)));
    return value->is(JsonKind::kBool) && value->boolean();
  }
  /// 33, or "33 ms"; rounded to the side that asks for more.
  std::optional<Time> time(std::string_view key, Rounding rounding) {
    const Value* const value = root_.find(key);
    if (value == nullptr) return std::nullopt;
    std::string_view number = value->text();
    int places = 6;
    if (value->is(JsonKind::kString)) {
      static constexpr std::array<std::pair<std::string_view, int>, 4> kUnits = {
          {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}}};
      const std::size_t end = std::min(number.find_first_not_of("0123456789."), number.size());
      std::string_view unit = number.substr(end);
      while (unit.starts_with(' ')) unit.remove_prefix(1);
      number = number.substr(0, end);
      const auto at = std::find_if(kUnits.begin(), kUnits.end(),
                                   [&](const auto& one) { return one.first == unit; });
      if (at != kUnits.end()) places = at->second;
      // Digits, at most one point, which stands between two of them.
      const bool is_number = !number.empty() && number.front() != '.' && number.back() != '.' &&
                             std::count(number.begin(), number.end(), '.') <= 1 &&
                             !(number.size() > 1 && number[0] == '0' && number[1] != '.');
      if ((at == kUnits.end() && !unit.empty()) || !is_number) number = {};
    } else if (!value->is(JsonKind::kNumber)) {
      number = {};
    }
    const auto scaled = number.empty() ? std::nullopt : parse_scaled(number, places, rounding);
    if (!scaled || scaled->value < 0) {
      wrong(fmt::format("{} must be a time: milliseconds, or a text like \"33 ms\" or \"800 us\"",
                        quote(key)));
      return std::nullopt;
    }
    return Time::from_ns(scaled->value);
  }
  std::optional<std::int64_t> core(std::string_view key) {
    const Value* const value = root_.find(key);
    if (value == nullptr) return std::nullopt;
    const auto number = value->is(JsonKind::kNumber)
                            ? parse_scaled(value->text(), 0, Rounding::kDown)
                            : std::nullopt;
    if (!number || !number->exact || number->value < 1) {
      wrong(fmt::format("{} must be a whole number from 1 on", quote(key)));
      return std::nullopt;
    }
    return number->value;
  }
  void only(std::initializer_list<std::string_view> known) {
    for (const json::Member& member : root_.members()) {
      if (std::find(known.begin(), known.end(), member.key) == known.end())
        wrong(
            fmt::format("{} is unknown here{}", quote(member.key), suggestion(member.key, known)));
    }
  }

 private:
  const Value& root_;
  std::string problem_;
};

std::optional<ElementIndex> element_of(const System& platform, ElementKind kind) {
  const auto& elements = platform.platform.elements;
  const auto at = std::find_if(elements.begin(), elements.end(),
                               [&](const Element& element) { return element.kind == kind; });
  if (at == elements.end()) return std::nullopt;
  return static_cast<ElementIndex>(at - elements.begin());
}

/// CPU time, then one GPU segment.
std::optional<Task> short_task(Reading& reading, const System& platform) {
  Task task;
  task.name = reading.text("name");
  if (task.name.empty()) task.name = "task";
  task.period = reading.time("period", Rounding::kDown);
  task.deadline = reading.time("deadline", Rounding::kDown);
  if (!task.deadline) task.deadline = task.period;
  task.jitter = reading.time("jitter", Rounding::kUp).value_or(Time());
  task.core = reading.core("core");
  const auto cpu = reading.time("cpu", Rounding::kUp);
  const auto gpu = reading.time("gpu", Rounding::kUp);
  const auto launch = reading.time("launch", Rounding::kUp);
  if (launch && !gpu) reading.wrong("`launch` is the CPU time of GPU work: `gpu` is missing");
  if (!cpu && !gpu) reading.wrong("a reservation needs `gpu` or `cpu` time");
  const auto add = [&](const char* name, ElementKind kind, Time time, Time launched) {
    const auto on = element_of(platform, kind);
    if (!on) return reading.wrong(fmt::format("the arbiter's platform has no {}", name));
    Node node;
    node.name = name;
    node.on = *on;
    node.wcet = time;
    node.launch = launched;
    task.nodes.push_back(std::move(node));
  };
  if (cpu && (*cpu > Time() || !gpu)) add("cpu", ElementKind::kCpu, *cpu, {});
  if (gpu) add("gpu", ElementKind::kGpu, *gpu, launch.value_or(Time()));
  if (!reading.problem().empty()) return std::nullopt;
  return task;
}

/// As in a system file, on the platform of the arbiter.
Result<Task> long_task(const Value& value, const System& platform) {
  System bare;
  bare.name = platform.name;
  bare.time_unit = platform.time_unit;
  bare.platform = platform.platform;
  const auto written = json::Document::parse(write_system_line(bare));
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  for (const json::Member& member : std::get<json::Document>(written).root().members()) {
    if (member.key == "tasks") continue;
    out.key(member.key);
    json::copy(out, member.value);
  }
  out.key("tasks").begin_array();
  json::copy(out, value);
  out.end_array();
  out.end_object();
  ReadResult read = read_system(out.take());
  if (!read.system) return Error{read.diagnostics.front().message};
  if (read.system->tasks.size() != 1) return Error{"`task` must be one task"};
  Task only = std::move(read.system->tasks.front());
  return only;
}

/// Fills in what a task of a file may leave out, and says what is wrong with it.
Result<Task> checked(Task task, const System& platform) {
  System system;
  system.name = "request";
  system.time_unit = platform.time_unit;
  system.platform = platform.platform;
  system.tasks.push_back(std::move(task));
  ReadResult read = check_system(std::move(system));
  if (!read.system) return Error{read.diagnostics.front().message};
  Task only = std::move(read.system->tasks.front());
  return only;
}

std::optional<Error> read_reserve(const Value& root, Reading& reading, const System& platform,
                                  Request& request) {
  request.kind = Request::Kind::kReserve;
  request.name = reading.text("name");
  request.name_may_vary = reading.flag("name_may_vary");
  request.declared = reading.flag("declared");
  request.leaves = !reading.has("leaves") || reading.flag("leaves");
  const bool until_started = reading.flag("until_started");
  request.warm_up_ns = until_started ? Request::kUntilStarted
                                     : reading.time("warm_up", Rounding::kUp).value_or(Time()).ns();
  request.bound = reading.time("bound", Rounding::kDown);
  if (const Value* const task = root.find("task")) {
    reading.only({"ask", "task", "name_may_vary", "declared", "leaves", "bound", "warm_up",
                  "until_started"});
    if (!reading.problem().empty()) return Error{reading.problem()};
    auto read = long_task(*task, platform);
    if (!read) return read.error();
    request.task = std::move(*read);
    request.name = request.task->name;
    return std::nullopt;
  }
  reading.only({"ask", "name", "period", "deadline", "jitter", "gpu", "launch", "cpu", "core",
                "name_may_vary", "declared", "leaves", "bound", "warm_up", "until_started"});
  const bool only_a_name = !reading.has("period") && !reading.has("gpu") && !reading.has("cpu");
  if (only_a_name && !request.name.empty()) return std::nullopt;
  if (!reading.has("period")) reading.wrong("a reservation needs a `period`");
  auto task = short_task(reading, platform);
  if (!task) return Error{reading.problem()};
  auto whole = checked(std::move(*task), platform);
  if (!whole) return whole.error();
  request.task = std::move(*whole);
  request.name = request.task->name;
  return std::nullopt;
}

/// What no program needs; so no sum of times overflows, and no analysis takes long.
std::optional<Error> too_large(const Request& request) {
  constexpr Time kLongest = Time::from_ns(3'600'000'000'000);
  constexpr std::size_t kMostNodes = 64;
  const Task& task = *request.task;
  const auto is_long = [&](Time time) { return time > kLongest; };
  bool any = is_long(task.jitter) || is_long(task.period.value_or(Time())) ||
             is_long(task.deadline.value_or(Time())) || is_long(request.bound.value_or(Time()));
  for (const Node& node : task.nodes)
    any = any || is_long(node.wcet.value_or(Time())) || is_long(node.launch);
  if (any || (request.warm_up_ns > kLongest.ns() && request.warm_up_ns != Request::kUntilStarted))
    return Error{"a time of a reservation is at most an hour"};
  if (task.nodes.size() > kMostNodes)
    return Error{fmt::format("a reservation has at most {} nodes", kMostNodes)};
  return std::nullopt;
}

}  // namespace

Result<Request> read_request(const std::string& text, const System& platform) {
  const auto parsed = json::Document::parse(text);
  if (const auto* const problem = std::get_if<Diagnostic>(&parsed))
    return Error{"the request is no JSON: " + problem->message};
  const Value& root = std::get<json::Document>(parsed).root();
  if (!root.is(JsonKind::kObject)) return Error{"a request is a JSON object"};
  Reading reading(root);
  const std::string what = reading.text("ask");
  Request request;
  std::optional<Error> problem;
  if (what == "reserve") {
    problem = read_reserve(root, reading, platform, request);
  } else if (what == "start") {
    request.kind = Request::Kind::kStart;
    request.name = reading.text("name");
    reading.only({"ask", "name"});
  } else if (what == "release" || what == "list" || what == "dump") {
    request.kind = what == "release" ? Request::Kind::kRelease
                   : what == "list"  ? Request::Kind::kList
                                     : Request::Kind::kDump;
    reading.only({"ask"});
  } else {
    return Error{"`ask` must be reserve, release, start, list or dump"};
  }
  if (!problem && request.task) problem = too_large(request);
  if (problem) return *problem;
  if (!reading.problem().empty()) return Error{reading.problem()};
  return request;
}

}  // namespace tactus::arbiter::admit
