// What the next arbiter must know: who has a reservation, and in which place.
#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "tactus/arbiter/admit/register.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json.hpp"
#include "tactus/base/json_copy.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::arbiter::admit {

using json::Value;
using JsonKind = json::Kind;

namespace {

constexpr std::string_view kKind = "kept-reservations";
constexpr std::int64_t kVersion = 1;

/// Of the state; nothing where it is not what we write.
std::optional<std::int64_t> integer(const Value& owner, std::string_view key) {
  const Value* const value = owner.find(key);
  if (value == nullptr || !value->is(JsonKind::kNumber)) return std::nullopt;
  const auto read = parse_scaled(value->text(), 0, Rounding::kDown);
  return read && read->exact ? std::optional(read->value) : std::nullopt;
}
std::optional<bool> flag(const Value& owner, std::string_view key) {
  const Value* const value = owner.find(key);
  return value != nullptr && value->is(JsonKind::kBool) ? std::optional(value->boolean())
                                                        : std::nullopt;
}
std::optional<std::vector<std::int64_t>> integers(const Value& owner, std::string_view key) {
  const Value* const value = owner.find(key);
  if (value == nullptr || !value->is(JsonKind::kArray)) return std::nullopt;
  std::vector<std::int64_t> all;
  for (const Value& item : value->items()) {
    const auto number =
        item.is(JsonKind::kNumber) ? parse_scaled(item.text(), 0, Rounding::kDown) : std::nullopt;
    if (!number || number->value < 0) return std::nullopt;
    all.push_back(number->value);
  }
  return all;
}

constexpr const char kDamaged[] = "it is damaged";

}  // namespace

std::string Register::state(const Began& began) const {
  System system;
  const System& platform = controller_.platform();
  system.name = platform.name;
  system.time_unit = platform.time_unit;
  system.platform = platform.platform;
  json::Writer out(json::Layout::kOneLine);
  out.begin_object().key("kind").string(kKind).key("version").integer(kVersion);
  out.key("last").integer(static_cast<std::int64_t>(last_));
  out.key("holdings").begin_array();
  const auto reservations = controller_.reservations();
  for (const reserve::Placed& placed : controller_.list()) {
    Task task = *placed.task;
    const auto at = holdings_.find(task.name);
    // Of two of one name the one that is gone counts only until the other one is.
    const bool here =
        at != holdings_.end() && std::any_of(reservations.begin(), reservations.end(),
                                             [&](const reserve::Controller::Reservation& one) {
                                               return &one.task == placed.task.get();
                                             });
    out.begin_object().key("here").boolean(here);
    out.key("cuts").begin_array();
    for (const std::size_t cut : placed.cuts) out.integer(static_cast<std::int64_t>(cut));
    out.end_array();
    if (here) {
      const Holding& one = at->second;
      out.key("number").integer(static_cast<std::int64_t>(one.number));
      out.key("user").integer(one.user);
      out.key("process").integer(one.process);
      out.key("began").integer(one.process != 0 ? began(one.process) : 0);
      out.key("kept").boolean(one.kept);
      out.key("declared").boolean(one.declared);
      out.key("begun").boolean(one.begins <= now_);
      out.key("undeclared").integer(one.undeclared);
      out.key("pause").integer(one.pause);
      out.key("lengths").begin_array();
      for (const std::int64_t length : one.lengths) out.integer(length);
      out.end_array();
    } else {
      task.name = fmt::format("{} (gone {})", task.name, system.tasks.size());
    }
    out.end_object();
    system.tasks.push_back(std::move(task));
  }
  out.end_array();
  const auto written = json::Document::parse(write_system_line(system));
  out.key("system");
  json::copy(out, std::get<json::Document>(written).root());
  out.end_object();
  return out.take();
}

/// Wherever it was read.
std::string Register::text_of(const Task& task) const {
  System system;
  system.name = "task";
  system.time_unit = controller_.platform().time_unit;
  system.platform = controller_.platform().platform;
  system.tasks.push_back(task);
  return write_system_line(system);
}

/// Why it is of no use, if it is not; then nobody is there.
std::optional<std::string> Register::restore(const std::string& state, const Began& began) {
  const auto parsed = json::Document::parse(state);
  if (!std::holds_alternative<json::Document>(parsed)) return kDamaged;
  const Value& root = std::get<json::Document>(parsed).root();
  if (!root.is(JsonKind::kObject)) return kDamaged;
  const Value* const kind = root.find("kind");
  const Value* const holdings = root.find("holdings");
  const Value* const text = root.find("system");
  const auto last = integer(root, "last");
  if (kind == nullptr || !kind->is(JsonKind::kString) || kind->text() != kKind || !last ||
      *last < 0 || holdings == nullptr || !holdings->is(JsonKind::kArray) || text == nullptr)
    return kDamaged;
  if (integer(root, "version") != kVersion) return "it is of another version";
  json::Writer out(json::Layout::kOneLine);
  json::copy(out, *text);
  ReadResult read = read_system(out.take());
  if (!read.system || read.system->tasks.size() != holdings->items().size()) return kDamaged;
  System platform = *read.system;
  platform.tasks.clear();
  for (Element& element : platform.platform.elements) element.at = {};
  Platform own = controller_.platform().platform;
  for (Element& element : own.elements) element.at = {};
  if (platform.platform != own || platform.time_unit != controller_.platform().time_unit)
    return "it is of another platform";

  std::vector<reserve::Placed> list;
  std::map<std::string, Holding> found;
  std::vector<std::string> gone;
  for (std::size_t i = 0; i < read.system->tasks.size(); ++i) {
    const Value& item = holdings->items()[i];
    if (!item.is(JsonKind::kObject)) return kDamaged;
    const auto task = std::make_shared<const Task>(std::move(read.system->tasks[i]));
    const auto cuts = integers(item, "cuts");
    const auto here = flag(item, "here");
    if (!cuts || !here || !task->period || !task->deadline) return kDamaged;
    reserve::Placed placed{task, {}};
    for (const std::int64_t cut : *cuts) placed.cuts.push_back(static_cast<std::size_t>(cut));
    list.push_back(std::move(placed));
    if (!*here) {
      gone.push_back(task->name);
      continue;
    }
    const auto number = integer(item, "number"), user = integer(item, "user"),
               process = integer(item, "process"), since = integer(item, "began"),
               undeclared = integer(item, "undeclared"), pause = integer(item, "pause");
    const auto lengths = integers(item, "lengths");
    const auto kept = flag(item, "kept"), declared = flag(item, "declared"),
               begun = flag(item, "begun");
    if (!number || !user || !process || !since || !undeclared || !pause || !lengths || !kept ||
        !declared || !begun || *number < 1 || *number > *last || *process < 0 || *undeclared < 0 ||
        lengths->size() != cuts->size())
      return kDamaged;
    Holding one;
    one.number = static_cast<daemon::ReservationId>(*number);
    one.user = static_cast<uid_t>(*user);
    one.kept = *kept;
    one.declared = *declared;
    one.begins = *begun ? 0 : Request::kUntilStarted;
    one.undeclared = *undeclared;
    one.pause = *pause;
    one.in_step = false;
    one.lengths = *lengths;
    const auto pid = static_cast<pid_t>(*process);
    if (pid != 0 && *since != 0 && began(pid) == *since) one.process = pid;
    if (one.process == 0 && !one.kept) gone.push_back(task->name);
    found.emplace(task->name, std::move(one));
  }
  if (!controller_.restore(std::move(list))) return "its tasks are not proved here";
  last_ = static_cast<daemon::ReservationId>(*last);
  holdings_ = std::move(found);
  for (const std::string& name : gone) give_up(name);
  departures_are_in_force(now_);  // nobody was served yet
  return std::nullopt;
}

/// Why nobody could be admitted on this platform who uses the GPU.
std::optional<std::string> Register::why_never() const {
  const System& platform = controller_.platform();
  Task probe;
  probe.name = "probe";
  probe.period = probe.deadline = Time::from_ms(1'000);
  probe.core = 1;
  for (ElementIndex i = 0; i < platform.platform.elements.size(); ++i) {
    if (platform.platform.elements[i].kind != ElementKind::kGpu) continue;
    Node node;
    node.name = "gpu";
    node.on = i;
    node.wcet = Time::from_ns(1);
    probe.nodes.push_back(std::move(node));
    break;
  }
  if (probe.nodes.empty()) return "it has no gpu element";
  probe.graph = Graph::chain(1);
  Holding holding;
  return measure(probe, true, holding);
}

/// The tasks of the file that are always there.
std::optional<std::string> Register::admit_kept() {
  for (const Task& task : kept_) {
    Holding holding;
    holding.kept = true;
    Task asked = task;
    if (auto problem = measure(asked, false, holding))
      return fmt::format("{} is not covered: {}", quote(task.name), *problem);
    if (auto problem = unseen_arrivals(asked, false))
      return fmt::format("{} is not covered: {}", quote(task.name), *problem);
    const reserve::Answer answer = controller_.ask(Time::from_ns(now_), std::move(asked));
    if (answer.kind == reserve::Answer::Kind::kNotCovered)
      return fmt::format("{} is not covered: {}", quote(task.name), answer.not_covered->reason);
    if (answer.kind == reserve::Answer::Kind::kRefused)
      return fmt::format("{} is not proved, with the tasks before it in the file",
                         quote(task.name));
    holding.number = ++last_;
    holdings_[task.name] = std::move(holding);
  }
  return std::nullopt;
}

Register::Beginning Register::begin(const std::optional<std::string>& state, const Began& began,
                                    std::int64_t now) {
  Beginning beginning;
  now_ = now;
  if ((beginning.impossible = why_never())) return beginning;
  if (state) {
    beginning.forgotten = restore(*state, began);
    const bool of_this_file =
        std::all_of(kept_.begin(), kept_.end(),
                    [&](const Task& task) {
                      Holding holding;
                      Task asked = task;
                      const auto& list = controller_.list();
                      return !measure(asked, false, holding) &&
                             std::any_of(list.begin(), list.end(),
                                         [&](const reserve::Placed& placed) {
                                           const auto at = holdings_.find(task.name);
                                           return at != holdings_.end() && at->second.kept &&
                                                  text_of(*placed.task) == text_of(asked);
                                         });
                    }) &&
        std::count_if(holdings_.begin(), holdings_.end(), [](const auto& one) {
          return one.second.kept;
        }) == static_cast<std::ptrdiff_t>(kept_.size());
    if (!beginning.forgotten && of_this_file) return beginning;
    if (!beginning.forgotten) beginning.forgotten = "the file has other tasks now";
    controller_ = reserve::Controller(controller_.platform(), controller_.rules());
    holdings_.clear();
  }
  beginning.impossible = admit_kept();
  return beginning;
}

}  // namespace tactus::arbiter::admit
