#include <algorithm>
#include <limits>

#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/simulate/gcaps.hpp"
#include "tactus/simulate/segments.hpp"
#include "tactus/trace/ties.hpp"

namespace tactus::simulate {
namespace {

namespace boost = gcaps::boost;

/// The piece of a job under which a scenario draws how long the so many-th operation takes, and
/// whether a segment still progresses meanwhile; far above those of its nodes.
constexpr std::uint32_t operation_piece(std::uint32_t number) { return (1U << 31) + 2 * number; }
/// The same for how late the arbiter sees the so many-th completion.
constexpr std::uint32_t lateness_piece(std::uint32_t number) { return (3U << 30) + number; }

class Boost final : public SegmentPolicy {
 public:
  Boost(const System& system, bool busy)
      : SegmentPolicy(system, {.brackets = true, .begins_late = true, .spins_in_exec = busy}),
        clients_(system.tasks.size()) {
    if (const Element& element = gpu(); element.kind == ElementKind::kGpu) {
      costs_ = boost::costs_of(element);
      if (element.arbiter_core) arbiter_core_ = core_in_use(*element.arbiter_core);
    }
  }

  void follow(const boost::BoostPlan& plan) {
    thresholds_ = plan.thresholds;
    promised_ = plan.completions;
    promised_.resize(clients_.size());
    levels_.resize(clients_.size());
    for (const auto& entry : plan.priorities.entries) levels_[entry.task] = entry.gpu_priority;
  }

  void see_completions(Seeing how) override { seeing_ = how; }

  void before_releases(const View& view, Choice& choice) override {
    if (trace::ties_at(view.scenario(), view.now()).requests_before_releases) serve(view, choice);
  }

  void became_ready(const View& view, WorkId id) override {
    if (view.work(id).tag == kBegin) {
      bool& worked = clients_[id.task].worked;
      worked = false;
      for (std::uint32_t k = id.index; k-- > 0;) {
        const Work& before = view.work({id.task, k});
        if (before.tag == kEnd) break;
        worked = worked || before.length > Time();
      }
    }
    SegmentPolicy::became_ready(view, id);
  }

  void choose(const View& view, Choice& choice) override {
    if (serve(view, choice)) return;
    for (std::size_t core = 0; core < core_count(); ++core) {
      if (operation_ && arbiter_core_ == core) {
        hold_core(core, operation_->task, trace::Activity::kUpdate, choice);
      } else if (const std::optional<TaskIndex> task = most_urgent(core)) {
        put_on_core(view, *task, choice);
      }
    }
    if (operation_) choice.wake_at(operation_->end);
    for (const Client& client : clients_) {
      if (client.unseen) choice.wake_at(client.unseen->seen);
    }
    choose_copies(view, choice);
    const std::optional<TaskIndex> runs = progressing();
    if (runs && at(*runs, kExec)) {
      put_on_gpu(*runs, choice);
    } else if (operation_) {
      hold_gpu(operation_->task, trace::Activity::kSwitch, choice);
    }
  }

  std::string_view audit(const View& view, const Choice& choice) const override {
    if (!late_.empty()) return late_;
    std::size_t on = 0;
    for (const Client& client : clients_) on += client.state == State::kOn ? 1 : 0;
    if (on > 1) return "two segments are on the GPU";
    return SegmentPolicy::audit(view, choice);
  }

 private:
  enum class State { kIdle, kFresh, kOn, kOff };
  enum class Kind { kStart, kTakeOff, kPutOn };

  /// A segment whose work is done, and the arbiter does not know it yet.
  struct Unseen {
    Time done, seen;
  };
  struct Client {
    State state = State::kIdle;  ///< as the arbiter knows it
    std::optional<Unseen> unseen;
    std::uint64_t submitted = 0;  ///< turn of its present segment; later ones have larger numbers
    std::size_t segment = 0;      ///< of the job, from 0
    std::uint32_t job = 0;
    bool worked = false;  ///< on its core, in the phase before its present segment
  };
  struct Operation {
    Kind kind;
    TaskIndex task;
    std::uint64_t segment;  ///< by its turn: if the client is at another one, nothing changes
    Time end;
    bool goes_on;  ///< a segment that is taken off still progresses meanwhile
  };

  /// Everything of this instant. True when somebody was let through: then all is to be looked at
  /// again. Each event runs `decide`, and the events of one instant come in any order.
  bool serve(const View& view, Choice& choice) {
    const trace::Ties ties = trace::ties_at(view.scenario(), view.now());
    if (ties.newcomers_first) submit_all(view, ties.backwards);
    if (complete(view, choice)) return true;
    see_completed(view);
    while (operation_ && operation_->end <= view.now()) {
      const bool started = end_operation(choice);
      decide(view);
      if (started) return true;
    }
    if (ties.newcomers_first) decide(view);
    if (submit_all(view, ties.backwards)) {
      while (operation_ && operation_->end <= view.now()) {
        const bool started = end_operation(choice);
        decide(view);
        if (started) return true;
      }
    }
    return false;
  }

  /// Everybody who has come to the end of its launch code; with `decide` after each.
  bool submit_all(const View& view, bool backwards) {
    bool any = false;
    for (bool again = true; again;) {
      again = false;
      for (std::size_t k = 0; k < task_count(); ++k) {
        const TaskIndex task = task_of_gpu_rank(backwards ? k : task_count() - 1 - k);
        if (!submits(task)) continue;
        submit(view, task);
        decide(view);
        any = again = true;
      }
    }
    return any;
  }

  /// Launch code ends with the submission. A phase without work has not had its core yet.
  bool submits(TaskIndex task) const {
    if (!at(task, kBegin) || !may_submit(clients_[task])) return false;
    if (clients_[task].worked) return true;
    const std::size_t core = core_of(task);
    return most_urgent(core) == task && !(operation_ && arbiter_core_ == core);
  }

  static bool may_submit(const Client& client) {
    return client.state == State::kIdle || client.unseen.has_value();
  }

  /// Who is known as on or off reports the completion of its earlier segment by its next Submit.
  void submit(const View& view, TaskIndex task) {
    Client& client = clients_[task];
    if (client.unseen) see(view, client);
    const std::uint32_t job = view.job(task).number;
    client.segment = client.submitted > 0 && client.job == job ? client.segment + 1 : 0;
    client.job = job;
    client.submitted = ++turns_;
    client.state = State::kFresh;
    changed(task);
  }

  /// A segment whose work is done.
  bool complete(const View& view, Choice& choice) {
    for (TaskIndex task = 0; task < clients_.size(); ++task) {
      if (!at(task, kEnd)) continue;
      Client& client = clients_[task];
      const auto& promised = promised_[task];
      if (client.segment < promised.size() && view.job(task).release == view.job(task).begin &&
          view.now() - view.job(task).release > promised[client.segment]) {
        late_ = "a GPU segment was done later than its bound says";
      }
      client.unseen = {view.now(), view.now() + lateness(view, task)};
      if (client.unseen->seen == view.now()) see(view, client);
      choice.grant(request(task));
      return true;
    }
    return false;
  }

  /// How long the arbiter needs to see that a segment of `task` is done.
  Time lateness(const View& view, TaskIndex task) {
    if (seeing_ == Seeing::kAtOnce) return Time();
    const std::uint32_t number = lateness_piece(++completions_);
    const trace::Piece piece{number, 0, number, trace::Piece::Part::kOperation};
    return view.scenario().length(task, clients_[task].job, piece, Time(),
                                  std::min(costs_.start, costs_.on));
  }

  void see(const View& view, Client& client) {
    last_seen_ = *client.unseen;
    last_seen_.seen = view.now();
    client.unseen.reset();
    client.state = State::kIdle;
    decide(view);
  }

  void see_completed(const View& view) {
    for (Client& client : clients_) {
      if (client.unseen && client.unseen->seen <= view.now()) see(view, client);
    }
  }

  /// What is left of the cost of a start or a putting on: it contains the time until the arbiter
  /// has seen the completion that it follows.
  Time left_of(Time cost, const View& view) const {
    if (seeing_ != Seeing::kLate || last_seen_.seen != view.now()) return cost;
    return cost - std::min(cost, last_seen_.seen - last_seen_.done);
  }

  /// True when a segment was started: it leaves the gate.
  bool end_operation(Choice& choice) {
    const Operation done = *operation_;
    operation_.reset();
    Client& client = clients_[done.task];
    if (client.submitted != done.segment || client.state == State::kIdle) return false;
    client.state = done.kind == Kind::kTakeOff ? State::kOff : State::kOn;
    if (done.kind != Kind::kStart) return false;
    choice.grant(request(done.task));
    return true;
  }

  /// Larger is more urgent. Best-effort tasks are below all others, the earlier first.
  struct Urgency {
    bool real_time = false;
    std::int64_t level = 0;
    bool started = false;
    std::uint64_t earlier = 0;
    auto operator<=>(const Urgency&) const = default;
  };
  Urgency urgency(TaskIndex task) const {
    const Client& client = clients_[task];
    const bool started = client.state != State::kFresh;
    if (best_effort(task)) {
      return {false, 0, started, std::numeric_limits<std::uint64_t>::max() - client.submitted};
    }
    const auto& own = thresholds_[task];
    const bool raised = started && client.segment < own.size();
    return {true, raised ? own[client.segment] : levels_[task], started, 0};
  }

  void decide(const View& view) {
    if (operation_) return;
    std::optional<TaskIndex> top, on;
    for (TaskIndex task = 0; task < clients_.size(); ++task) {
      if (clients_[task].state == State::kIdle) continue;
      if (clients_[task].state == State::kOn) on = task;
      if (!top || urgency(task) > urgency(*top)) top = task;
    }
    if (!top || top == on) return;
    if (on) return begin(view, Kind::kTakeOff, *on, costs_.off);
    if (clients_[*top].state == State::kOff) {
      return begin(view, Kind::kPutOn, *top, left_of(costs_.on, view));
    }
    if (best_effort(*top) && arbiter_core_ && real_time_ready(*arbiter_core_)) return;
    begin(view, Kind::kStart, *top, left_of(costs_.start, view));
  }

  /// On the arbiter's core best-effort work is started only while no real-time task needs the core.
  bool real_time_ready(std::size_t core) const {
    const std::optional<TaskIndex> task = most_urgent(core);
    return task && !best_effort(*task);
  }

  void begin(const View& view, Kind kind, TaskIndex task, Time cost) {
    const std::uint32_t number = operation_piece(++operations_);
    const auto piece = [&](std::uint32_t k) {
      return trace::Piece{number + k, 0, 2 * operations_ + k, trace::Piece::Part::kOperation};
    };
    const trace::Scenario& scenario = view.scenario();
    const std::uint32_t job = clients_[task].job;
    const Time takes = scenario.length(task, job, piece(0), Time(), cost);
    const bool goes_on = kind == Kind::kTakeOff && scenario.lengths != trace::Lengths::kWorst &&
                         scenario.length(task, job, piece(1), Time(), Time::from_ns(1)) > Time();
    operation_ = {kind, task, clients_[task].submitted, view.now() + takes, goes_on};
  }

  /// Whose GPU work progresses.
  std::optional<TaskIndex> progressing() const {
    if (operation_) {
      const Client& client = clients_[operation_->task];
      const bool same = client.submitted == operation_->segment && client.state == State::kOn;
      return operation_->goes_on && same ? std::optional(operation_->task) : std::nullopt;
    }
    for (TaskIndex task = 0; task < clients_.size(); ++task) {
      if (clients_[task].state == State::kOn) return task;
    }
    return std::nullopt;
  }

  /// On the CPU, or waiting busily for the GPU. To submit, a task needs its core.
  bool ready(TaskIndex task) const override {
    if (at(task, kCpu) || at(task, kLaunch)) return true;
    if (at(task, kBegin) && may_submit(clients_[task])) return true;
    return spins() && (asks(task) || in_gpu_work(task));
  }

  boost::Costs costs_;
  std::optional<std::size_t> arbiter_core_;  ///< of the cores in use
  std::vector<Client> clients_;              ///< by task
  std::vector<std::vector<std::int64_t>> thresholds_;
  std::vector<std::vector<Time>> promised_;  ///< latest completions, by task and segment
  std::vector<std::int64_t> levels_;         ///< GPU priorities, by task
  std::optional<Operation> operation_;
  std::uint64_t turns_ = 0;
  std::uint32_t operations_ = 0, completions_ = 0;
  Seeing seeing_ = Seeing::kAtOnce;
  Unseen last_seen_;  ///< the completion that was seen last; its `seen` is when that was
  std::string_view late_;
};

}  // namespace

std::unique_ptr<Policy> make_boost(const System& system, bool busy, const Verdict& verdict) {
  auto policy = std::make_unique<Boost>(system, busy);
  const auto* given = dynamic_cast<const boost::BoostPlan*>(verdict.plan.get());
  const gcaps::Mode mode = busy ? gcaps::Mode::kBusy : gcaps::Mode::kSuspend;
  policy->follow(given != nullptr ? *given : boost::plan_of_file(system, mode));
  return policy;
}

}  // namespace tactus::simulate
