#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/base/json.hpp"
#include "tactus/exchange/equal_priorities.hpp"
#include "tactus/exchange/lines.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/rhythms.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/model/reserve.hpp"

/// The log of the arbiter (tactusd --log, tactus/arbiter/daemon/event_log.hpp), one JSON object a line:
/// each program is a task, and each of its segments a job.
namespace tactus::exchange {
namespace {

using json::Kind;
using json::Value;

std::string_view text_of(const Value& line, std::string_view key, Kind kind) {
  const Value* const found = line.find(key);
  return found != nullptr && found->is(kind) ? found->text() : std::string_view();
}

/// The longest times of what the arbiter does, as `tactus top --costs` adds them up.
class CostsSeen {
 public:
  void take(std::string_view event, std::int64_t client, std::int64_t at, const Value& line) {
    const auto number = [&](std::string_view key) {
      return whole(text_of(line, key, Kind::kNumber)).value_or(0);
    };
    const std::int64_t took = number("took_ns");
    const bool boost = line.find("segment") != nullptr;
    if (event == "tier") {
      const std::string_view tier = text_of(line, "tier", Kind::kString);
      const bool leaves = tier == "gate" || tier == "yield" || tier == "hold";
      if (leaves) leaving_.insert(client);
      raise(leaves ? leave_ : off_, number("take_off_max_ns"));
      raise(on_, number("put_back_max_ns"));
    } else if (event == "gone") {
      leaving_.erase(client);
      opened_.erase(client);
    } else if (event == "open") {
      opened_[client] = at;
    } else if (event == "updated") {
      raise(prompt_, took - std::exchange(waited_, 0));
    } else if (event == "start") {
      raise(start_, took);
      if (const auto open = opened_.find(client); open != opened_.end()) {
        raise(gate_, at - open->second);
        opened_.erase(open);
      }
    } else if (event == "off" && boost) {
      raise(boost_off_, took);
    } else if (event == "on" && boost) {
      raise(boost_on_, took);
    } else if (number("result") != 0) {
      return;  // it was late or failed: the arbiter says so, and no bound covers it
    } else if (event == "off") {
      const bool leaves = leaving_.contains(client);
      raise(leaves ? leave_ : off_, took);
      if (leaves) raise(waited_, took);
    } else if (event == "on") {
      raise(on_, took);
    }
  }

  ArbiterCosts found() const {
    ArbiterCosts costs;
    costs.runlist_update = std::max(off_ + on_, prompt_);
    costs.context_switch = std::max(off_, leave_) + on_;
    costs.preemption_delay = leave_;
    costs.start_cost = start_;
    costs.preempt_cost = boost_off_;
    // What is put back switches the context like what is started.
    costs.resume_cost = boost_on_ > 0 ? boost_on_ + gate_ : 0;
    return costs;
  }

 private:
  static void raise(std::int64_t& most, std::int64_t seen) { most = std::max(most, seen); }

  std::int64_t off_ = 0, on_ = 0, leave_ = 0, prompt_ = 0, waited_ = 0;
  std::int64_t start_ = 0, gate_ = 0, boost_off_ = 0, boost_on_ = 0;
  std::set<std::int64_t> leaving_;               ///< clients that are not taken off, but leave
  std::map<std::int64_t, std::int64_t> opened_;  ///< by client
};

/// From the request to the end, and what of that it had the GPU.
struct Segment {
  Time asked;
  std::optional<Time> began, off_since;
  Time off;
  int nested = 0;
  bool first = false;  ///< of a program that has just joined
};

struct Program {
  std::string called, name;  ///< as it calls itself, and as the file does
  std::optional<std::int64_t> priority;
  bool asked_before = false, mixed = false;  ///< priorities of its segments differ
  bool whole = true;                         ///< the log has all its segments
  std::vector<SeenJob> jobs;
  Time longest, shortest = Time::max();
  std::int64_t unfinished = 0;
  std::int64_t whole_runs =
      0;  ///< jobs that are all that the program did, from its start to its end
};

class ArbiterLog {
 public:
  explicit ArbiterLog(const ImportOptions& options) : options_(options) {}

  std::optional<Error> take(const Value& line) {
    if (!line.is(Kind::kObject)) return Error{"a line of the arbiter's log is an object"};
    const auto at = whole(text_of(line, "t", Kind::kNumber));
    const auto client = whole(text_of(line, "client", Kind::kNumber));
    const std::string_view event = text_of(line, "event", Kind::kString);
    if (!at || *at < 0 || !client || event.empty()) {
      return Error{"a line of the arbiter's log has `t`, `event` and `client`"};
    }
    const Time now = Time::from_ns(*at);
    costs_.take(event, *client, *at, line);
    if (event == "dropped") dropped_ += std::max<std::int64_t>(0, number(line, "lines"));
    if (*client == 0) return std::nullopt;  // the arbiter itself
    if (event == "join") {
      join(*client, line);
    } else if (event == "begin" || event == "submit") {
      begin(*client, now, line, event == "submit");
    } else if (event == "answer" || event == "open" || event == "start") {
      has_gpu(*client, now);
    } else if (event == "order-on") {
      has_gpu(*client, now);
      back(*client, now);
      ordered_off_.erase(*client);
    } else if (event == "order-off") {
      ordered_off_.insert(*client);
    } else if (event == "off" || event == "done") {
      // Where it failed or was late, the work went on.
      if (ordered_off_.erase(*client) > 0 && number(line, "result") == 0) away(*client, now);
    } else if (event == "lapsed") {
      returned_by_itself(*client);
    } else if (event == "end" || event == "complete") {
      end(*client, now);
    } else if (event == "adopt") {
      program_of(*client).whole = false;
    } else if (event == "gone") {
      gone(*client, now);
    }
    return std::nullopt;
  }

  ArbiterCosts costs() const { return costs_.found(); }

  Draft finish() {
    System& system = draft_.system;
    system.name = clean_name(options_.name);
    system.time_unit = options_.time_unit;
    add_element("cpu", ElementKind::kCpu, options_.cores.value_or(1));
    add_element("gpu", ElementKind::kGpu, options_.sms.value_or(1));
    std::vector<std::vector<SeenJob>> kept;
    for (Program& program : programs_) {
      const auto left_out = std::min(options_.skip, program.jobs.size());
      program.jobs.erase(program.jobs.begin(),
                         program.jobs.begin() + static_cast<std::ptrdiff_t>(left_out));
      if (program.jobs.empty()) continue;
      kept.push_back(add_task(program) ? program.jobs : std::vector<SeenJob>());
    }
    if (system.tasks.empty()) return Draft::bad("this log shows no segment that has ended");
    if (system.tasks.size() == 1 && !options_.task.empty()) system.tasks[0].name = options_.task;
    if (leave_out_equal_priorities(draft_.system))
      note("priorities are left out: programs have the same one");
    add_costs(costs_.found(), options_, draft_);
    add_followings(kept, options_, system, draft_.notes);
    if (dropped_ > 0) {
      note("the arbiter dropped {} lines of this log, so it says nothing of periods and jitter",
           dropped_);
    }
    note(
        "times are from the GPU's being given to the end of the segment, without what others were "
        "seen to take; the longest of all, plus {} %: measured, not proved",
        options_.margin);
    note("what programs do on CPUs between their segments is not in this log");
    return std::move(draft_);
  }

 private:
  template <typename... Arguments>
  void note(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    draft_.notes.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  static std::int64_t number(const Value& line, std::string_view key) {
    return whole(text_of(line, key, Kind::kNumber)).value_or(0);
  }

  /// A program that comes again under its name goes on; two at a time are two tasks.
  void join(std::int64_t client, const Value& line) {
    const std::string called = clean_name(text_of(line, "name", Kind::kString));
    std::size_t place = 0;
    const auto is_free = [&] {
      return programs_[place].called == called &&
             std::none_of(clients_.begin(), clients_.end(),
                          [&](const auto& other) { return other.second == place; });
    };
    while (place < programs_.size() && !is_free()) ++place;
    clients_[client] = place;
    if (place == programs_.size()) add_program(called);
    const Value* const fast = line.find("fast_path");
    const bool every = fast != nullptr && fast->is(Kind::kBool) && !fast->boolean();
    programs_[place].whole = programs_[place].whole && every;
  }

  void add_program(const std::string& called) {
    Program& program = programs_.emplace_back();
    program.called = called;
    program.name = names_.make(called);
  }

  Program& program_of(std::int64_t client) {
    const auto [known, unknown] = clients_.try_emplace(client, programs_.size());
    if (unknown) {  // it came before the log began
      add_program(fmt::format("client {}", client));
      programs_.back().whole = false;
    }
    return programs_[known->second];
  }

  /// A program whose first segment ends with it was one segment as a whole (`tactus exec`).
  void gone(std::int64_t client, Time now) {
    if (const auto segment = open_.find(client); segment != open_.end()) {
      Program& program = program_of(client);
      if (segment->second.first && segment->second.began) {
        ++program.whole_runs;
        take_job(program, segment->second, now);
      } else {
        ++program.unfinished;
      }
      open_.erase(segment);
    }
    begun_.erase(client);
    clients_.erase(client);
    ordered_off_.erase(client);
  }

  void begin(std::int64_t client, Time now, const Value& line, bool submitted) {
    Program& program = program_of(client);
    const auto inside = open_.find(client);
    if (inside != open_.end() && !submitted) {
      ++inside->second.nested;
      return;
    }
    if (inside != open_.end()) ++program.unfinished;
    Segment& segment = open_[client] = {};
    segment.asked = now;
    segment.first = begun_.insert(client).second;
    const auto priority = whole(text_of(line, "priority", Kind::kNumber));
    if (!priority) {
      program.mixed = program.mixed || program.priority;
    } else {
      program.mixed = program.mixed || (program.asked_before && program.priority != priority);
      program.priority = std::max(program.priority, priority);
    }
    program.asked_before = true;
  }

  void has_gpu(std::int64_t client, Time now) {
    const auto segment = open_.find(client);
    if (segment != open_.end() && !segment->second.began) segment->second.began = now;
  }
  void away(std::int64_t client, Time now) {
    const auto segment = open_.find(client);
    if (segment != open_.end() && segment->second.began) segment->second.off_since = now;
  }
  void back(std::int64_t client, Time now) {
    const auto segment = open_.find(client);
    if (segment == open_.end() || !segment->second.off_since) return;
    segment->second.off += now - *std::exchange(segment->second.off_since, std::nullopt);
  }

  /// Its lease ran out since its work was off: it had the GPU for nobody knows how long. The line
  /// that follows says that it is off again.
  void returned_by_itself(std::int64_t client) {
    const auto segment = open_.find(client);
    if (segment != open_.end()) segment->second.off_since.reset();
    ordered_off_.insert(client);
  }

  void end(std::int64_t client, Time now) {
    const auto found = open_.find(client);
    if (found == open_.end()) return;
    Segment& segment = found->second;
    if (segment.nested > 0) {
      --segment.nested;
      return;
    }
    take_job(program_of(client), segment, now);
    open_.erase(found);
  }

  static void take_job(Program& program, const Segment& segment, Time now) {
    const Time had = std::max(Time(), now - segment.began.value_or(segment.asked) - segment.off);
    program.jobs.push_back({segment.asked, now});
    program.longest = std::max(program.longest, had);
    program.shortest = std::min(program.shortest, had);
  }

  void add_element(const char* name, ElementKind kind, std::int64_t units) {
    Element element;
    element.name = name;
    element.kind = kind;
    element.units = units;
    draft_.system.platform.elements.push_back(std::move(element));
  }

  /// False: nothing is known of when its jobs come.
  bool add_task(const Program& program) {
    Task task;
    task.name = program.name;
    task.best_effort = !program.priority;
    task.priority = program.priority;
    const bool known = program.whole && dropped_ == 0 && !task.best_effort;
    std::vector<std::string> unsaid;
    if (known) {
      add_rhythm(program.jobs, options_, task, draft_.notes);
    } else if (!task.best_effort) {  // only what was asked for
      add_rhythm(std::span(program.jobs).first(1), options_, task, unsaid);
    }
    if (program.mixed) {
      note("task {}: its segments have different priorities; it gets the highest",
           quote(program.name));
    }
    if (!program.whole && !task.best_effort) {
      note(
          "task {}: segments in which it was alone are not in this log, so nothing is known of its "
          "period and jitter: start tactusd with --no-fast-path",
          quote(program.name));
    }
    if (program.unfinished > 0) {
      note("task {}: {} segments did not end, and are left out", quote(program.name),
           program.unfinished);
    }
    if (program.whole_runs > 0) {
      note(
          "task {}: {} of its {} jobs are runs of the whole program (`tactus exec`), CPU work and "
          "all",
          quote(program.name), program.whole_runs, program.jobs.size());
    }
    const Reserve reserve{options_.margin};
    Node node;
    node.name = "segment";
    node.on = 1;
    node.wcet = reserve.above(program.longest);
    if (options_.bcet) node.bcet = reserve.below(program.shortest);
    node.measured = reserve.measured(program.longest, std::ssize(program.jobs));
    task.nodes.push_back(std::move(node));
    task.graph = Graph::chain(1);
    draft_.system.tasks.push_back(std::move(task));
    draft_.seen.push_back({program.jobs.size(), 1, program.longest.ns(), 0});
    return known;
  }

  const ImportOptions& options_;
  Draft draft_;
  UniqueNames names_;
  std::vector<Program> programs_;
  std::map<std::int64_t, std::size_t> clients_;  ///< those that are there: their programs
  std::map<std::int64_t, Segment> open_;         ///< by client
  std::set<std::int64_t> ordered_off_;           ///< and not off yet, or off already
  std::set<std::int64_t> begun_;                 ///< clients that have had a segment
  std::int64_t dropped_ = 0;
  CostsSeen costs_;
};

/// Line by line; the first problem.
std::optional<Error> read_lines(Source& source, ArbiterLog& log) {
  Lines lines(source.bytes());
  while (const auto line = lines.next()) {
    if (!lines.complete()) break;  // the arbiter is writing it, or was killed
    const auto parsed = json::Document::parse(std::string(*line));
    if (!parsed)
      return Error{parsed.error().message, {}, {lines.number(), parsed.error().at.column}};
    if (auto problem = log.take(parsed->root())) {
      return Error{problem->message, {}, {lines.number(), 1}};
    }
  }
  return lines.problem();
}

}  // namespace

Draft import_arbiter_log(Source& source, const ImportOptions& options) {
  ArbiterLog log(options);
  if (auto problem = read_lines(source, log)) return {{}, {}, {std::move(*problem)}, {}};
  return log.finish();
}

CostsFound costs_in_arbiter_log(Source& source) {
  const ImportOptions none;
  ArbiterLog log(none);
  if (auto problem = read_lines(source, log)) return {{}, std::move(problem)};
  return {log.costs()};
}

void add_costs(const ArbiterCosts& costs, const ImportOptions& options, Draft& draft) {
  struct Cost {
    const char* name;
    std::int64_t seen;
    std::optional<Time> Element::*place;
  };
  const Cost all[] = {{"runlist_update", costs.runlist_update, &Element::runlist_update},
                      {"context_switch", costs.context_switch, &Element::context_switch},
                      {"preemption_delay", costs.preemption_delay, &Element::preemption_delay},
                      {"preempt_cost", costs.preempt_cost, &Element::preempt_cost},
                      {"resume_cost", costs.resume_cost, &Element::resume_cost},
                      {"start_cost", costs.start_cost, &Element::start_cost}};
  std::string told;
  for (Element& element : draft.system.platform.elements) {
    if (element.kind != ElementKind::kGpu) continue;
    for (const Cost& cost : all) {
      if (cost.seen <= 0) continue;
      const Time longest = Time::from_ns(cost.seen);
      element.*cost.place = Reserve{options.margin}.above(longest);
      told += fmt::format("{}{} {}", told.empty() ? "" : ", ", cost.name,
                          format_time(longest, options.time_unit));
    }
  }
  draft.notes.push_back(
      told.empty() ? std::string("the arbiter's log shows no change of who has the GPU, so it says "
                                 "nothing of costs")
                   : fmt::format("costs of the GPU are the longest that the arbiter's log shows, "
                                 "plus {} %: {}",
                                 options.margin, told));
}

}  // namespace tactus::exchange
