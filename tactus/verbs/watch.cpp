#include "tactus/verbs/watch.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "tactus/arbiter/path_variables.hpp"
#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/service.hpp"
#include "tactus/verbs/plan.hpp"

namespace tactus::verbs {
namespace {

constexpr std::int64_t kLookNs = 1'000'000'000;  ///< for people, and for the manager of services

/// Runs a command for each line; one at a time, so that a flood of lines is no flood of processes.
class Hook {
 public:
  explicit Hook(const std::string& command) : command_(command) {}

  void tell(const watch::Watcher& watcher, const watch::Watcher::Line& line) {
    if (command_.empty()) return;
    waiting_.push_back({"TACTUS_DEPARTURE=" + std::string(id_of(line.departure.kind)),
                        "TACTUS_DEPARTED=" +
                            (line.departure.task ? watcher.system().tasks[*line.departure.task].name
                                                 : std::string()),
                        "TACTUS_LINE=" + line.text});
    constexpr std::size_t kMost = 100;
    if (waiting_.size() > kMost) waiting_.erase(waiting_.begin());
  }
  /// @return why a command could not be started
  std::optional<Error> step() {
    if (running_ && !running_->ended()) return std::nullopt;
    running_.reset();
    if (waiting_.empty()) return std::nullopt;
    auto started = host::Child::start({"/bin/sh", "-c", command_}, waiting_.front());
    waiting_.erase(waiting_.begin());
    if (!started) return started.error();
    running_ = std::move(*started);
    return std::nullopt;
  }
  /// The last ones may still run.
  void finish() {
    constexpr std::int64_t kMostMs = 5'000;
    while (!waiting_.empty() || running_) {
      if (running_ && !running_->wait(kMostMs)) return;
      running_.reset();
      if (step()) return;
    }
  }

 private:
  std::string command_;
  std::vector<std::vector<std::string>> waiting_;
  std::optional<host::Child> running_;
};

Answer<std::optional<Time>> duration_of(const WatchQuestion& question, const System& system) {
  if (question.duration.empty()) return std::optional<Time>();
  const auto time =
      parse_scaled(question.duration, decimal_places(system.time_unit), Rounding::kUp);
  if (!time || time->value <= 0)
    return NoAnswer::bad_input("--duration must be a time > 0, in the file's unit");
  return std::optional(Time::from_ns(time->value));
}

std::vector<std::string> folders_of(const WatchQuestion& question, const System& system) {
  if (!question.folder.empty()) return {question.folder};
  const char* const named = std::getenv(arbiter::kWatchVariable);
  if (named != nullptr && *named != 0) return {named};
  return watch::usual_folders(question.socket, system.name);
}

}  // namespace

void describe(WatchQuestion& question, Fields& is) {
  describe(question.about, is);
  describe(question.choice, is, false);
  is("plan", question.plan, "The plan that is relied on (default: what the method makes now)")
      .shows("PLAN")
      .excludes({"method"});
  is("socket", question.socket, "Where the arbiter listens").shows("PATH");
  is("folder", question.folder,
     "Where programs write down their jobs (default: $TACTUS_WATCH, or where deployed ones do)")
      .shows("DIR");
  is("duration", question.duration,
     "Watch for this long, in the file's unit (default: until Ctrl-C)")
      .decimal();
  is("exec", question.exec,
     "Run this by /bin/sh when something leaves the model; $TACTUS_LINE says what, "
     "$TACTUS_DEPARTURE is its kind, $TACTUS_DEPARTED the task")
      .shows("COMMAND");
  is("until_outside", question.until_outside, "End when something leaves the model");
}

Answer<std::unique_ptr<watch::Watcher>> watcher_of(const WatchQuestion& question,
                                                   const Companion& companion) {
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  const System& system = edited->system;
  if (question.plan.given() && question.fields != nullptr)
    question.choice.tell_idle(companion, *question.fields, "the plan says how it was made");
  std::string why;
  auto subject = question.plan.given()
                     ? plan_in(question.plan, system)
                     : plan_made_now(
                           question.choice, system, question.about.name(), companion,
                           [](const Method& method) { return method.makes_plan; }, why);
  if (!subject) return subject.none();
  watch::Places places;
  places.socket = question.socket;
  places.folders = folders_of(question, system);
  const auto way = decide::deployment_of(*subject->method);
  places.arbiter = way && way->way == decide::Way::kArbiter;
  Options options = question.choice.with(companion);
  options.progress = {};
  watch::Proof proof(std::move(edited->system), *subject->method, std::move(subject->verdict),
                     std::move(options));
  return std::make_unique<watch::Watcher>(std::move(proof), std::move(places));
}

Exit Watched::exit() const {
  if (!watcher->good()) return kNo;
  for (TaskIndex i = 0; i < watcher->system().tasks.size(); ++i)
    if (watcher->watch().sees_jobs(i) || watcher->watch().sees_segments(i)) return kYes;
  return kUnknown;
}

Answer<Watched> answer(const WatchQuestion& question, const Companion& companion) {
  auto made = watcher_of(question, companion);
  if (!made) return made.none();
  Watched watched{std::move(*made)};
  watch::Watcher& watcher = *watched.watcher;
  const auto duration = duration_of(question, watcher.system());
  if (!duration) return duration.none();
  Hook hook(question.exec);
  const auto alive = host::watchdog_ns();
  const std::int64_t began = host::now_ns();
  std::int64_t next_look = began, next_alive = began;
  bool ready = false, over = false;
  const auto tell = [&] {
    for (const watch::Watcher::Line& line : watcher.take_lines()) {
      if (question.outside) question.outside(line.text);
      hook.tell(watcher, line);
      over = over || question.until_outside;
    }
    if (const auto problem = hook.step()) companion.warn({problem->message});
  };
  for (std::int64_t next = began; !companion.stop.stop_requested() && !over;) {
    const std::int64_t now = host::now_ns();
    watcher.step(now);
    tell();
    if (now >= next_look) {
      next_look = now + kLookNs;
      host::tell_manager(fmt::format("{}STATUS={}", ready ? "" : "READY=1\n", watcher.status()));
      ready = true;
      if (question.look) question.look(watcher);
    }
    if (alive && now >= next_alive) {
      next_alive = now + *alive;
      host::tell_manager("WATCHDOG=1");
    }
    over = over || (*duration && now - began >= (*duration)->ns());
    next = std::max(next + watcher.every_ns(), now);
    host::sleep_until_ns(next);
  }
  host::tell_manager("STOPPING=1");
  // What was seen last is told, too.
  constexpr std::int64_t kMostNs = 10'000'000'000;
  for (const std::int64_t until = host::now_ns() + kMostNs;
       watcher.has_more_to_tell() && host::now_ns() < until;) {
    watcher.finish(host::now_ns());
    tell();
    host::sleep_until_ns(host::now_ns() + watcher.every_ns());
  }
  hook.finish();
  return watched;
}

}  // namespace tactus::verbs
