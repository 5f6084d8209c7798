#include "tests/arbiter/admit/machine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "tactus/arbiter/admit/register.hpp"
#include "tactus/arbiter/daemon/enforcement.hpp"
#include "tactus/base/json.hpp"
#include "tactus/base/random.hpp"
#include "tests/support/read.hpp"

namespace tactus::arbiter::admit::tests {
namespace {

using Ns = std::int64_t;
using boost::ClientId, boost::Move, daemon::BoostAction;

constexpr Ns kMs = 1'000'000, kNever = INT64_MAX;
constexpr Ns kNotice = 100'000;

enum Lie : std::int64_t {
  kRunsLong,
  kComputesLong,
  kArrivesSoon,
  kSubmitsMore,
  kClaims,
  kWaits,
  kAllLies
};

struct Program {
  enum class Doing { kNothing, kCpu, kGpu };

  ClientId id = 0;  // and its process
  bool best_effort = false, liar = false, declared = false, dead = false;
  std::int64_t kind = kAllLies;
  std::string name;
  std::vector<Ns> phases, kernels;
  Ns period = 0, deadline = 0, jitter = 0;
  std::string request;

  Doing doing = Doing::kNothing;
  Ns arrival = 0, next_arrival = 0, wakes = kNever, worst_bound = 0;
  std::size_t piece = 0, extra = 0;
  std::uint32_t segment = 0, job = 0;
  Ns gpu_left = 0;
  bool running = false;  ///< its work makes progress
  bool leaves_soon = false;
  bool alone = false;    ///< its work is on the GPU, and the arbiter does not know
  bool outside = false;  ///< nothing is promised for its job
  bool told = true;      ///< the arbiter knows of its job
};

class Machine {
 public:
  explicit Machine(const Play& play)
      : play_(play),
        random_(7700, play.index),
        platform_(platform()),
        rules_(rules()),
        register_(platform_, rules_, allowance()) {
    enforcement_.emplace(coordinator_);
    const auto began = [](pid_t) { return 1; };
    if (register_.begin(std::nullopt, began, 0).impossible) outcome_.broken = "no beginning";
    for (int k = 0; k < 2; ++k) {
      Program program;
      program.id = ++last_id_;
      program.best_effort = true;
      program.next_arrival = some(0, 20) * kMs;
      programs_.push_back(program);
    }
    publish();
  }

  Outcome run() {
    while (now_ < 2'000 * kMs && outcome_.broken.empty()) {
      const Ns next = next_event();
      if (next == kNever) break;
      pass(std::max(next, now_) - now_);
      now_ = std::max(next, now_);
      for (int k = 0; happen() && outcome_.broken.empty(); ++k) {
        if (k > 10'000) outcome_.broken = "it never comes to rest";
      }
    }
    return outcome_;
  }

 private:
  Ns some(Ns least, Ns most) { return random_.integer(least, most); }
  bool lies(const Program& program, Lie how, double often) {
    return program.liar && (program.kind == how || program.kind == kAllLies) &&
           random_.chance(often);
  }

  System platform() {
    const auto cost = [&] { return random_.integer(0, 9); };
    const std::int64_t off = cost(), on = cost(), st = cost();
    off_ = off * 100'000, on_ = on * 100'000, st_ = st * 100'000;
    return support::read(fmt::format(
        R"({{"tactus":1,"name":"machine","time_unit":"ms","platform":{{"elements":[)"
        R"({{"name":"cpu","kind":"cpu","units":5}},{{"name":"gpu","kind":"gpu","units":1,)"
        R"("preempt_cost":0.{},"resume_cost":0.{},"start_cost":0.{}}}]}},"tasks":[]}})",
        off, on, st));
  }
  static reserve::Rules rules() {
    reserve::Rules rules;
    rules.notice = Time::from_ns(kNotice);
    rules.cores_shared = false;
    rules.most_analyses = 60;
    return rules;
  }
  static Allowance allowance() {
    Allowance allowance;
    allowance.per_second = 1'000'000;
    allowance.at_once = 1'000'000;
    return allowance;
  }

  // Who asks and leaves.

  std::string draw(Program& program) {
    const Ns period = some(4, 20) * 5;
    program.period = period * kMs;
    const Ns deadline = random_.chance(0.5) ? some(period / 2, period) : period;
    program.deadline = deadline * kMs;
    program.name = fmt::format("t{}", last_id_);
    const Ns jitter = random_.chance(0.3) ? some(1, 6) : 0;
    program.jitter = jitter * kMs;
    std::string nodes;
    program.phases = {0};
    const auto add_cpu = [&] {
      const Ns time = some(1, 4);
      program.phases.back() += time * kMs;
      nodes += fmt::format(R"(,{{"name":"c{}","on":"cpu","wcet":{}}})", nodes.size(), time);
    };
    const Ns segments = some(1, 2);
    for (Ns k = 0; k < segments; ++k) {
      if (k > 0 || random_.chance(0.7)) add_cpu();
      const Ns time = random_.chance(0.3) ? some(10, 25) : some(1, 9), launch = some(0, 1);
      program.phases.back() += launch * kMs;
      program.kernels.push_back(time * kMs);
      program.phases.push_back(0);
      nodes += fmt::format(R"(,{{"name":"g{}","on":"gpu","wcet":{},"launch":{}}})", nodes.size(),
                           time, launch);
    }
    if (random_.chance(0.6)) add_cpu();
    return fmt::format(
        R"({{"ask":"reserve","declared":{},"task":{{"name":"{}","period":{},"deadline":{},"jitter":{},"core":{},"nodes":[{}]}}}})",
        program.declared, program.name, period, deadline, jitter, some(1, 5), nodes.substr(1));
  }

  static Ns bound_in(const Reply& reply) {
    const auto parsed = json::Document::parse(reply.json);
    const json::Value* const bound = std::get<json::Document>(parsed).root().find("bound");
    return bound == nullptr ? 0 : parse_scaled(bound->text(), 6, Rounding::kUp)->value;
  }

  void ask() {
    Program program;
    program.id = ++last_id_;
    program.declared = random_.chance(0.6);
    const std::string text = draw(program);
    program.request = text;
    return ask(std::move(program));
  }

  void ask(Program program) {
    const Reply reply =
        register_.answer({static_cast<pid_t>(program.id), 1, true, true}, program.request, now_);
    if (reply.word != "admitted") {
      ++outcome_.refused;
      if (reply.word == "error" && reply.text.find("would share core") == std::string::npos)
        outcome_.broken = reply.text;
      return;
    }
    ++outcome_.admitted;
    program.liar = play_.liars && random_.chance(0.4);
    program.kind = random_.chance(0.5) ? kAllLies : some(0, kWaits);
    // It hears of it once that is in force.
    publish();
    const daemon::Terms* const terms = terms_of(program);
    outcome_.again += terms != nullptr && terms->first > 0 ? 1 : 0;
    const Ns first = play_.forget == Forget::kFirst || terms == nullptr ? 0 : terms->first;
    program.next_arrival = std::max(first, now_ + (random_.chance(0.6) ? 0 : some(0, 20) * kMs));
    programs_.push_back(std::move(program));
  }

  void leave() {
    std::vector<Program*> all;
    for (Program& program : programs_) {
      if (!program.best_effort && !program.dead) all.push_back(&program);
    }
    if (all.empty()) return;
    Program& program = *all[static_cast<std::size_t>(some(0, static_cast<Ns>(all.size()) - 1))];
    if (random_.chance(0.5)) return crash(program);
    // Who releases honestly does so between two jobs; a liar whenever it likes.
    if (program.doing != Program::Doing::kNothing && !program.liar) {
      program.leaves_soon = true;
      return;
    }
    ++outcome_.releases;
    release(program);
  }

  void release(Program& program) {
    register_.answer({static_cast<pid_t>(program.id), 1, true, true}, R"({"ask":"release"})", now_);
    see_departures_through();
    // It goes on as best effort, or is over.
    program.dead = true;
    program.next_arrival = kNever;
    if (program.doing == Program::Doing::kCpu) program.wakes = kNever;
  }

  void crash(Program& program) {
    ++outcome_.crashes;
    enforcement_->forget(program.id);
    coordinator_.gone(program.id, now_);
    program.running = false;
    program.dead = true;
    program.next_arrival = program.wakes = kNever;
    program.doing = Program::Doing::kNothing;
    // That is noticed a little later.
    ends_.push_back({now_ + some(0, 2) * kMs, program.id});
    if (!program.liar && random_.chance(0.5)) start_again(program);
  }

  /// As somebody does who watches over it.
  void start_again(const Program& program) {
    Program next;
    next.id = ++last_id_;
    next.declared = program.declared;
    next.name = program.name;
    next.phases = program.phases;
    next.kernels = program.kernels;
    next.period = program.period;
    next.deadline = program.deadline;
    next.jitter = program.jitter;
    next.request = program.request;
    starts_.push_back({now_ + (random_.chance(0.7) ? 2 : some(2, 40)) * kMs, next});
  }

  bool starts() {
    const auto due = std::find_if(starts_.begin(), starts_.end(),
                                  [&](const auto& start) { return start.first <= now_; });
    if (due == starts_.end()) return false;
    Program program = due->second;
    starts_.erase(due);
    ask(std::move(program));
    return true;
  }

  void see_departures_through() {
    publish();
    register_.departures_are_in_force(now_);
    if (play_.forget == Forget::kPhantoms) forget_phantoms();
    publish();
  }

  /// As a controller that takes every departure for an idle instant: it begins anew with who is there.
  void forget_phantoms() {
    Register fresh(platform_, rules_, allowance());
    fresh.begin(
        register_.state([](pid_t) { return 1; }), [](pid_t) { return 1; }, now_);
    fresh.settle(now_ + 1'000'000 * kMs);
    if (auto state = fresh.state([](pid_t) { return 1; }); !state.empty()) {
      Register last(platform_, rules_, allowance());
      last.begin(
          state, [](pid_t) { return 1; }, now_);
      register_ = std::move(last);
    }
  }

  void publish() {
    while (completes()) {  // the arbiter looks at the marks first
    }
    auto book = register_.book();
    if (play_.forget == Forget::kEnforcement) {
      auto loose = std::make_shared<daemon::Book>(*book);
      for (auto& [number, terms] : loose->terms) {
        terms.period = 0;
        for (auto& segment : terms.segments) segment.length = segment.completion = kNever / 4;
        terms.falls.clear();
      }
      book = loose;
    }
    if (play_.forget == Forget::kAmends) {
      auto late = std::make_shared<daemon::Book>(*book);
      for (auto& [number, terms] : late->terms) {
        const auto before = first_.try_emplace(number, terms).first->second;
        terms.segments = before.segments;
        terms.priority = before.priority;
      }
      book = late;
    }
    if (play_.forget == Forget::kFirst) {
      auto soon = std::make_shared<daemon::Book>(*book);
      for (auto& [number, terms] : soon->terms) terms.first = 0;
      book = soon;
    }
    enforcement_->hold_to(book, now_);
    for (Program& program : programs_) {
      const daemon::Terms* const terms = terms_of(program);
      if (terms != nullptr) program.worst_bound = std::max(program.worst_bound, bound_of(program));
    }
  }
  const daemon::Terms* terms_of(const Program& program) const {
    for (const auto& [number, terms] : enforcement_->book().terms) {
      if (terms.process == static_cast<pid_t>(program.id)) return &terms;
    }
    return nullptr;
  }
  std::optional<daemon::ReservationId> reservation_of(const Program& program) const {
    for (const auto& [number, terms] : enforcement_->book().terms) {
      if (terms.process == static_cast<pid_t>(program.id)) return number;
    }
    return std::nullopt;
  }
  /// What its program would be told now.
  Ns bound_of(const Program& program) {
    const Reply reply = register_.answer({static_cast<pid_t>(program.id), 1, true, true},
                                         R"({"ask":"list"})", now_);
    const auto parsed = json::Document::parse(reply.json);
    for (const json::Value& one :
         std::get<json::Document>(parsed).root().find("reservations")->items()) {
      if (one.find("task")->text() == program.name)
        return parse_scaled(one.find("bound")->text(), 6, Rounding::kUp)->value;
    }
    return program.worst_bound;
  }

  // What happens when.

  Ns next_event() {
    Ns next = next_change_;
    const auto at = [&](Ns time) { next = std::min(next, time); };
    for (const Program& program : programs_) {
      if (program.doing == Program::Doing::kNothing) at(program.next_arrival);
      if (program.doing == Program::Doing::kCpu) at(program.wakes);
      if (program.running) at(now_ + program.gpu_left);
    }
    for (const auto& end : ends_) at(end.first);
    for (const auto& start : starts_) at(start.first);
    if (operation_ends_) at(*operation_ends_);
    if (const auto time = look_time()) at(*time);
    if (const auto time = register_.next_change()) at(*time);
    return next;
  }

  void pass(Ns time) {
    for (Program& program : programs_) {
      if (program.running) program.gpu_left -= time;
    }
  }

  Program& who(ClientId id) {
    return *std::find_if(programs_.begin(), programs_.end(),
                         [&](const Program& program) { return program.id == id; });
  }

  bool happen() {
    obey();
    const bool more = settles() || completes() || operation_ends() || notices() || computes() ||
                      arrives() || ends() || starts() || changes();
    obey();
    return more;
  }

  /// What the coordinator says.
  void obey() {
    for (const BoostAction& action : coordinator_.take_actions()) {
      Program& program = who(action.client);
      if (action.kind == BoostAction::Kind::kOpenGate) {
        program.running = true;
        program.gpu_left += some(0, 1) == 0 ? st_ : some(0, st_);
      } else if (action.kind == BoostAction::Kind::kOrder) {
        const bool off = action.move == Move::kOff;
        if (off) program.running = false;
        const Ns most = off ? off_ : on_;
        operation_ends_ = now_ + (random_.chance(0.7) ? most : some(0, most));
        moved_ = action.client;
      } else if (action.kind == BoostAction::Kind::kLate) {
        outcome_.broken = "an order is late";
      }
    }
    if (!coordinator_.turns().operation) operation_ends_.reset();
    for (const auto& breached : enforcement_->take_breaches()) {
      ++outcome_.breaches;
      const Program& program = who(breached.client);
      if (!program.liar && !program.dead && !program.outside)
        outcome_.broken = fmt::format("{}, which is honest, is demoted at {}: {}", program.name,
                                      now_, daemon::name_of(breached.how));
    }
    if (const char* const broken = boost::broken_invariant(coordinator_.turns()))
      outcome_.broken = broken;
    const auto running =
        std::count_if(programs_.begin(), programs_.end(),
                      [](const Program& program) { return program.running && !program.alone; });
    if (running > 1) outcome_.broken = "two run at once";
  }

  bool completes() {
    for (Program& program : programs_) {
      if (!program.running || program.gpu_left > 0) continue;
      program.running = false;
      if (!std::exchange(program.alone, false)) {
        enforcement_->completed(program.id, program.segment, now_);
        coordinator_.complete(program.id, program.segment, now_, now_);
        obey();
      }
      if (program.dead) {
        program.doing = Program::Doing::kNothing;
      } else if (program.best_effort) {
        program.doing = Program::Doing::kNothing;
        program.next_arrival = now_ + (random_.chance(0.5) ? 0 : some(0, 30) * kMs);
      } else if (program.extra > 0) {
        --program.extra;
        submit(program);
      } else {
        ++program.piece;
        begin_phase(program);
      }
      return true;
    }
    return false;
  }

  bool operation_ends() {
    if (!operation_ends_ || *operation_ends_ > now_) return false;
    operation_ends_.reset();
    const ClientId client = moved_;
    const bool on =
        coordinator_.turns().operation && coordinator_.turns().operation->move != Move::kOff;
    coordinator_.done(client, now_, true);
    const boost::Batch* const batch = coordinator_.turns().find(client);
    Program& program = who(client);
    if (on && batch != nullptr && batch->state == boost::State::kOn &&
        !(coordinator_.turns().operation && coordinator_.turns().operation->client == client))
      program.running = true;
    return true;
  }

  /// The arbiter looks a little late.
  std::optional<Ns> look_time() {
    const auto due = enforcement_->deadline(now_);
    if (due != due_) {
      due_ = due;
      late_by_ = some(0, kNotice - 1);
    }
    return due ? std::optional(*due + late_by_) : std::nullopt;
  }

  bool notices() {
    const auto time = look_time();
    if (!time || *time > now_) return false;
    enforcement_->look(now_);
    return true;
  }

  bool computes() {
    for (Program& program : programs_) {
      if (program.doing != Program::Doing::kCpu || program.wakes > now_) continue;
      program.wakes = kNever;
      if (program.piece < program.kernels.size()) {
        submit(program);
      } else {
        end_job(program);
      }
      return true;
    }
    return false;
  }

  Ns time_of(Ns most) { return most == 0 || random_.chance(0.7) ? most : some(0, most); }

  void begin_phase(Program& program) {
    if (program.piece >= program.phases.size()) return end_job(program);
    program.doing = Program::Doing::kCpu;
    program.wakes = now_ + time_of(program.phases[program.piece]);
    if (lies(program, kComputesLong, 0.4)) program.wakes += some(0, 40) * kMs;
    const daemon::Terms* const terms = terms_of(program);
    if (terms == nullptr || program.piece >= terms->segments.size() || !lies(program, kWaits, 0.7))
      return;
    // Just in time for what may still be started.
    const Ns last =
        program.arrival + terms->completion(program.piece, program.arrival) - kNotice - off_ - st_;
    program.wakes = std::max(now_, last - some(0, 3) * kMs / 2);
  }

  bool arrives() {
    for (Program& program : programs_) {
      if (program.doing != Program::Doing::kNothing || program.next_arrival > now_) continue;
      program.arrival = now_;
      if (program.best_effort) {
        program.gpu_left = some(1, 60) * kMs;
        hand_over(program);
        return true;
      }
      program.worst_bound = bound_of(program);
      ++program.job;
      Ns gap = program.period;
      if (lies(program, kArrivesSoon, 0.6)) {
        gap = some(0, program.period);
      } else if (random_.chance(0.3)) {
        gap += some(0, 20) * kMs;
      }
      program.next_arrival = now_ + gap;
      program.piece = 0;
      program.outside = somebody_is_alone();
      program.told = true;
      begin_phase(program);
      program.wakes += time_of(program.jitter);
      return true;
    }
    return false;
  }

  bool somebody_is_alone() const {
    return std::any_of(programs_.begin(), programs_.end(),
                       [](const Program& program) { return program.alone; });
  }

  void submit(Program& program) {
    const std::size_t kernel = std::min(program.piece, program.kernels.size() - 1);
    program.gpu_left = time_of(program.kernels[kernel]);
    if (lies(program, kRunsLong, 0.4)) program.gpu_left += some(0, 60) * kMs;
    if (program.extra == 0 && lies(program, kSubmitsMore, 0.4)) program.extra = 4;
    hand_over(program);
  }

  void hand_over(Program& program) {
    program.doing = Program::Doing::kGpu;
    daemon::Enforcement::Submission submission;
    submission.batch.client = program.id;
    submission.batch.segment = ++program.segment;
    const auto number = reservation_of(program);
    if (number && !enforcement_->in_step(*number)) program.outside = true;
    if (program.declared && program.told) {
      submission.job = program.job;
      submission.arrived = program.arrival;
      if (lies(program, kClaims, 0.4)) {
        submission.arrived -= some(0, 200) * kMs;
        submission.job = program.job * 1'000 + static_cast<std::uint32_t>(some(0, 900));
      }
    }
    enforcement_->submit(submission, number, now_);
  }

  void end_job(Program& program) {
    program.doing = Program::Doing::kNothing;
    program.extra = 0;
    ++outcome_.jobs;
    const Ns response = now_ - program.arrival;
    if (!program.liar && !program.outside &&
        (response > program.worst_bound || response > program.deadline)) {
      outcome_.broken = fmt::format("{}: response {} of {} (deadline {}) at {}", program.name,
                                    response, program.worst_bound, program.deadline, now_);
    }
    if (program.leaves_soon) {
      ++outcome_.releases;
      release(program);
    }
  }

  bool ends() {
    const auto due = std::find_if(ends_.begin(), ends_.end(),
                                  [&](const auto& end) { return end.first <= now_; });
    if (due == ends_.end()) return false;
    register_.process_ended(static_cast<pid_t>(due->second), now_);
    ends_.erase(due);
    see_departures_through();
    return true;
  }

  bool settles() {
    const auto next = register_.next_change();
    if (!next || *next > now_) return false;
    register_.settle(now_);
    publish();
    return true;
  }

  bool changes() {
    if (next_change_ > now_) return false;
    next_change_ = now_ + (random_.chance(0.3) ? some(0, 3) : some(0, 120)) * kMs;
    if (play_.restarts && random_.chance(0.02)) {
      restart();
    } else if (random_.chance(0.7)) {
      ask();
    } else {
      leave();
    }
    return true;
  }

  /// The arbiter is killed. All gates are open; another one comes at once, and knows what was written.
  void restart() {
    ++outcome_.restarts;
    const auto began = [&](pid_t process) {
      const Program& program = who(static_cast<ClientId>(process));
      return program.dead ? 0 : 1;
    };
    const std::string state = register_.state([](pid_t) { return 1; });
    register_ = Register(platform_, rules_, allowance());
    if (const auto why = register_.begin(state, began, now_).forgotten)
      outcome_.broken = "the state is of no use: " + *why;
    coordinator_ = daemon::BoostCoordinator{1'000'000 * kMs, 100};
    enforcement_.emplace(coordinator_);
    operation_ends_.reset();
    due_.reset();
    for (Program& program : programs_) {
      program.told = false;
      program.outside = program.doing != Program::Doing::kNothing;
      program.alone = program.running = program.doing == Program::Doing::kGpu;
    }
    publish();
  }

  Play play_;
  Random random_;
  Ns off_ = 0, on_ = 0, st_ = 0;
  System platform_;
  reserve::Rules rules_;
  Register register_;
  daemon::BoostCoordinator coordinator_{1'000'000 * kMs, 100};
  std::optional<daemon::Enforcement> enforcement_;
  std::deque<Program> programs_;
  std::vector<std::pair<Ns, ClientId>> ends_;
  std::vector<std::pair<Ns, Program>> starts_;
  std::map<daemon::ReservationId, daemon::Terms> first_;
  std::optional<Ns> operation_ends_;
  ClientId moved_ = 0, last_id_ = 0;
  std::optional<Ns> due_;
  Ns now_ = 0, next_change_ = 0, late_by_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome play(const Play& play) { return Machine(play).run(); }

}  // namespace tactus::arbiter::admit::tests
