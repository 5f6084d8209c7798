#include "tactus/watch/watcher.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tactus/arbiter/protocol.hpp"
#include "tactus/deploy/checkup.hpp"
#include "tactus/deploy/cover.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/model/gpu_element.hpp"
#include "tactus/model/reserve.hpp"
#include "tactus/watch/processes.hpp"

namespace tactus::watch {

using Kind = Departure::Kind;

namespace {

constexpr std::int64_t kSoonestNs = 10'000'000, kLatestNs = 100'000'000;  ///< of two steps
constexpr std::int64_t kLookNs = 250'000'000;        ///< at the arbiter, and who is there
constexpr std::int64_t kMachineNs = 5'000'000'000;   ///< at processes and the start
constexpr std::int64_t kHardwareTurns = 12;          ///< as many of these: nvidia-smi takes long
constexpr std::int64_t kAnalysisNs = 5'000'000'000;  ///< for the analysis
constexpr std::size_t kMostTold = 1000;

std::string percent(std::int64_t permille) {
  return fmt::format("{} %", format_scaled(permille - (permille % 10 + 10) % 10, 1));
}

std::int64_t shortest_period_ns(const System& system) {
  Time shortest = Time::from_ns(kLatestNs);
  for (const Task& task : system.tasks)
    if (task.period) shortest = std::min(shortest, *task.period);
  return std::max(shortest.ns(), kSoonestNs);
}

}  // namespace

Watcher::Watcher(Proof proof, Places places)
    : proof_(std::move(proof)),
      places_(std::move(places)),
      watch_(proof_.system(), proof_.verdict()),
      diaries_(proof_.system(), places_.folders),
      every_ns_(shortest_period_ns(proof_.system())),
      since_ns_(host::now_ns()),
      now_ns_(since_ns_),
      was_there_(proof_.system().tasks.size()),
      analyst_([this](const std::stop_token& stop) { analyse(stop); }) {
  ask();
}

Watcher::~Watcher() = default;

void Watcher::step(std::int64_t now_ns) {
  now_ns_ = now_ns;
  if (now_ns >= next_look_ns_) {
    next_look_ns_ = now_ns + kLookNs;
    diaries_.look();
    look_at_arbiter();
  }
  look_at_diaries();
  if (now_ns >= next_machine_ns_) {
    next_machine_ns_ = now_ns + kMachineNs;
    look_at_machine();
  }
  watch_.settle(now_ns);
  std::vector<Departure> news = watch_.take_news();
  if (!news.empty()) ask();
  for (Departure& departure : news) waiting_.push_back({std::move(departure), asked_, now_ns});
  hear();
}

void Watcher::look_at_diaries() {
  diaries_.read([&](TaskIndex task, const Note& note) { watch_.take(task, note); });
  for (TaskIndex i = 0; i < was_there_.size(); ++i) {
    const Diaries::Writer& writer = diaries_.writer(i);
    watch_.take_lost(i, writer.lost, now_ns_);
    if (was_there_[i] && !writer.there) watch_.take({.kind = Kind::kGone, .task = i}, now_ns_);
    was_there_[i] = writer.there;
  }
}

void Watcher::look_at_arbiter() {
  if (!places_.arbiter) return;
  if (!observer_) {
    auto opened = arbiter::client::Observer::open(places_.socket);
    if (opened) observer_ = std::make_unique<arbiter::client::Observer>(std::move(*opened));
  }
  auto seen = observer_ ? observer_->look() : Result<arbiter::client::Snapshot>(Error{""});
  if (!seen) {
    observer_.reset();
    snapshot_.reset();
    if (std::exchange(arbiter_was_there_, false)) watch_.take({.kind = Kind::kArbiter}, now_ns_);
    known_clients_.clear();
    return;
  }
  arbiter_was_there_ = true;
  snapshot_ = std::move(*seen);
  watch_.take(*snapshot_);
}

/// Under gcaps all best-effort programs leave at once, and the driver takes one off after the other: the
/// cost of an update in the file is for those in the file.
void Watcher::look_at_leavers() {
  if (!snapshot_ || snapshot_->summary.rule == arbiter::kRuleBoost) return;
  const std::vector<Task>& tasks = system().tasks;
  const auto planned =
      static_cast<std::size_t>(std::count_if(tasks.begin(), tasks.end(), [&](const Task& task) {
        return task.best_effort && uses_gpu(system(), task);
      }));
  const std::vector<arbiter::Row>& rows = snapshot_->clients;
  const auto there =
      static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const arbiter::Row& row) {
        return row.active != 0 && row.best_effort != 0;
      }));
  if (there <= std::max(planned, most_leavers_)) return;
  most_leavers_ = there;
  watch_.take(
      {.kind = Kind::kStart,
       .what = fmt::format("{} best-effort program{} may have to leave the GPU at once; the "
                           "file has {}",
                           there, there == 1 ? "" : "s", planned)},
      now_ns_);
}

/// Who is no task of the file and may take its time; and whether the start is still as the proof needs.
void Watcher::look_at_machine() {
  const auto running = deploy::running_tasks(system().name);
  const auto is_task = [&](int pid) {
    return std::any_of(running.begin(), running.end(),
                       [&](const deploy::TaskProcess& task) { return task.pid == pid; });
  };
  std::set<int> clients;
  look_at_leavers();
  if (snapshot_) {
    for (const arbiter::Row& row : snapshot_->clients) {
      clients.insert(row.pid);
      const bool urgent = row.active != 0 && row.best_effort == 0;
      if (!urgent || is_task(row.pid) || !known_clients_.insert(row.client).second) continue;
      watch_.take({.kind = Kind::kClient,
                   .what = fmt::format("{} (pid {})", std::string_view(row.name), row.pid)},
                  now_ns_);
    }
  }
  const Processes processes = look_at_processes(places_.root);
  for (const Processes::One& one : processes.on_gpu) {
    if (is_task(one.pid) || clients.contains(one.pid)) continue;
    if (told_processes_.size() > kMostTold || !told_processes_.insert(one.pid).second) continue;
    watch_.take({.kind = Kind::kProcess, .what = fmt::format("{} (pid {})", one.name, one.pid)},
                now_ns_);
  }
  notes_.clear();
  if (processes.hidden > 0)
    notes_.push_back(fmt::format(
        "{} processes of other users cannot be looked into: whether they use the GPU is not known",
        processes.hidden));
  // Which of them has this GPU cannot be seen from here; one more than before is a change.
  if (places_.arbiter && arbiters_ && processes.arbiters.size() > *arbiters_) {
    watch_.take(
        {.kind = Kind::kStart,
         .what = fmt::format("one more arbiter was started: {} run", processes.arbiters.size())},
        now_ns_);
  }
  if (places_.arbiter && (snapshot_ || arbiters_)) arbiters_ = processes.arbiters.size();
  judge(running);
}

void Watcher::judge(const std::vector<deploy::TaskProcess>& running) {
  for (const Task& task : system().tasks) {
    const bool there =
        std::any_of(running.begin(), running.end(),
                    [&](const deploy::TaskProcess& one) { return one.task == task.name; });
    if (!there)
      return;  // not everything has been started, or something is about to be told as gone
  }
  const auto seen = deploy::running_arbiter(places_.socket);
  deploy::Demand demand;
  for (const deploy::TaskProcess& task : running) {
    demand.realtime = demand.realtime || task.fifo > 0;
    if (task.cpus.size() == 1) demand.cpus.insert(*task.cpus.begin());
  }
  if (seen && seen->cpu) demand.cpus.insert(*seen->cpu);
  const bool whole = hardware_turn_++ % kHardwareTurns == 0;
  if (whole) gpus_ = deploy::look_at_machine(places_.root);
  decide::Start start = deploy::running_start(system(), running, seen, gpus_.gpus_known);
  demand.gpu = demand.alone = gpus_.gpus_known;
  start.machine = deploy::granted(deploy::checkup(gpus_, demand));
  conditions_ = decide::judge(system(), proof_.verdict(), start);
  for (const decide::Condition& condition : conditions_) {
    const bool fails = condition.holds == decide::Holds::kNo;
    if (!fails) {
      broken_.erase(condition.id);
    } else if (broken_.insert(condition.id).second) {
      watch_.take(
          {.kind = Kind::kStart, .what = fmt::format("{}: {}", condition.id, condition.what)},
          now_ns_);
    }
  }
}

void Watcher::analyse(const std::stop_token& stop) {
  const auto give = [&](Answer answer) {
    const std::lock_guard guard(mutex_);
    if (answer_ && !answer.rests) answer.rests = std::move(answer_->rests);
    answer_ = std::move(answer);
  };
  bool told = false;
  for (;;) {
    Question question;
    {
      std::unique_lock lock(mutex_);
      if (!news_.wait(lock, stop, [&] { return question_.has_value(); })) return;
      question = std::move(*question_);
      question_.reset();
    }
    Answer answer;
    if (!std::exchange(told, true)) answer.rests = proof_.rests_on();
    answer.room = proof_.room(question.departures);
    answer.number = question.number;
    give(std::move(answer));
  }
}

void Watcher::ask() {
  const std::lock_guard guard(mutex_);
  question_ = {watch_.departures(), ++asked_};
  news_.notify_one();
}

void Watcher::hear() {
  std::optional<Answer> answer;
  {
    const std::lock_guard guard(mutex_);
    answer = std::exchange(answer_, std::nullopt);
  }
  if (!answer) return;
  if (answer->rests) watch_.set_rests_on(std::move(*answer->rests));
  room_ = std::move(answer->room);
  heard_ = answer->number;
}

std::vector<Watcher::Line> Watcher::take_lines() {
  std::vector<Line> lines;
  std::vector<Waiting> later;
  for (Waiting& one : std::exchange(waiting_, {})) {
    const bool answered = heard_ >= one.question;
    if (!answered && now_ns_ - one.since_ns < kAnalysisNs) {
      later.push_back(std::move(one));
      continue;
    }
    const Departure& departure = one.departure;
    std::vector<std::string> resting;
    for (TaskIndex i = 0; i < system().tasks.size(); ++i) {
      if (system().tasks[i].best_effort) continue;
      if (!departure.task || watch_.rests(i, *departure.task))
        resting.push_back(system().tasks[i].name);
    }
    std::string text = sentence_of(system(), departure);
    if (departure.count > 1) text += fmt::format(" ({} times)", departure.count);
    text += fmt::format("; the bounds of {} rest on it", fmt::join(resting, ", "));
    if (departure.knob) {
      text += answered ? fmt::format("; {}", room_text(system(), *room_))
                       : "; the analysis is still at work on the room that is left";
    }
    lines.push_back({departure, std::move(text)});
  }
  waiting_ = std::move(later);
  return lines;
}

bool Watcher::is_covered(TaskIndex task) const {
  const trace::ObservedTask& seen = watch_.observed().tasks[task];
  return seen.bound && watch_.sees_jobs(task) && diaries_.writer(task).there &&
         !watch_.in_doubt(task);
}

std::string Watcher::status() const {
  std::size_t tasks = 0, covered = 0;
  for (TaskIndex i = 0; i < system().tasks.size(); ++i) {
    if (system().tasks[i].best_effort) continue;
    ++tasks;
    covered += is_covered(i) ? 1 : 0;
  }
  std::string text = fmt::format("{} of {} covered", covered, tasks);
  if (room_ && room_->least)
    text += fmt::format(", least room {} {}", room_->least->whose, percent(room_->least->permille));
  std::uint64_t outside = 0;
  for (const Departure& departure : watch_.departures()) outside += departure.count;
  if (outside > 0) text += fmt::format(", {} outside the model", outside);
  return text;
}

System Watcher::seen_system() const {
  System system = proof_.as_seen(watch_.departures()).value_or(this->system());
  for (const trace::ObservedNode& seen : watch_.observed().nodes) {
    if (seen.runs == 0 || seen.label.empty()) continue;
    Task& task = system.tasks[seen.task];
    const bool alone = seen.label == task.nodes[seen.node].name;  // else of several together
    if (!alone) continue;
    Measured measured;
    measured.runs = static_cast<std::int64_t>(seen.runs);
    measured.worst = seen.longest;
    task.nodes[seen.node].measured = measured;
  }
  return system;
}

std::string room_text(const System& system, const Room& room) {
  if (room.status != Status::kSchedulable) {
    std::vector<std::string> late;
    for (TaskIndex i = 0; i < room.bounds.size(); ++i) {
      const Task& task = system.tasks[i];
      if (!task.best_effort && permille_left(task, room.bounds[i]).value_or(-1) < 0)
        late.push_back(task.name);
    }
    if (room.status != Status::kUnschedulable)
      return fmt::format("with it: {}{}{}", to_string(room.status), room.reason.empty() ? "" : ", ",
                         room.reason);
    return fmt::format("with it, not every deadline is proved: {}", fmt::join(late, ", "));
  }
  std::string text = "with it every deadline is still proved";
  if (room.least)
    text += fmt::format(", least room {} {}", room.least->whose, percent(room.least->permille));
  if (room.scale)
    text += fmt::format(", all times may grow by {} %", format_scaled(*room.scale - 1000, 1));
  return text;
}

}  // namespace tactus::watch
