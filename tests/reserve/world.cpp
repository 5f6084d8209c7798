#include "tests/reserve/world.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tests/reserve/requests.hpp"

namespace tactus::reserve::tests {
namespace {

namespace boost = arbiter::boost;
using boost::ClientId, boost::Move;

constexpr Ns kNever = INT64_MAX;
constexpr Ns kMs = 1'000'000;

/// What a liar does: one of these, or all.
enum Lie : std::int64_t { kComputesLong, kArrivesSoon, kRunsLong, kSubmitsMore, kSleeps, kAllLies };

struct Client {
  enum class Doing { kNothing, kCpu, kKept, kGpu };

  ClientId id = 0;
  Task task;
  bool best_effort = false, liar = false, dead = false;
  std::int64_t kind = 0;            ///< of its lies; `kAllLies`: of all kinds
  std::vector<Ns> phases, kernels;  ///< P, e
  Ns period = 0;
  std::size_t core = 0;
  boost::Guard guard{{}};

  Doing doing = Doing::kNothing;
  Ns arrival = 0, next_arrival = 0;
  std::size_t piece = 0;  ///< the phase that is next or under way
  Ns cpu_left = 0, cpu_used = 0;
  Ns wakes = 0;  ///< until then it does nothing
  bool cpu_done = false;
  std::uint32_t segment = 0;
  boost::Permit permit;
  Ns gpu_left = 0, on_time = 0, slow_notice = 0;
  std::size_t extra = 0;  ///< segments that were not admitted

  bool pending() const { return doing != Doing::kNothing && !dead; }
};

class World {
 public:
  explicit World(const Play& play)
      : play_(play), random_(4400, play.index), controller_(platform(), rules()) {}

  Outcome run() {
    const Ns end = 1'500 * kMs;
    next_change_ = 0;
    add_best_effort();
    while (now_ < end && outcome_.broken.empty()) {
      const Ns next = next_event();
      if (next == kNever) break;
      pass(next - now_);
      now_ = next;
      happen();
    }
    return outcome_;
  }

 private:
  Ns some(Ns least, Ns most) { return random_.integer(least, most); }
  bool lies(const Client& client, Lie how, double often) {
    if (!client.liar || (client.kind != how && client.kind != kAllLies)) return false;
    return random_.chance(often);
  }

  System platform() {
    const auto cost = [&] { return fmt::format("0.{}", random_.integer(0, 9)); };
    const std::string off = cost(), on = cost(), st = cost();
    off_ = std::stoll(off.substr(2)) * 100'000;
    on_ = std::stoll(on.substr(2)) * 100'000;
    st_ = std::stoll(st.substr(2)) * 100'000;
    return platform_of("3", off, on, st);
  }

  Rules rules() {
    Rules rules;
    rules.mode = play_.mode;
    rules.enforced = play_.liars && play_.forget != Forget::kOverrun;
    rules.cpu_trusted = !play_.liars || play_.forget == Forget::kBudgetsCounted;
    rules.notice = Time::from_ns(notice());
    rules.best_effort = play_.forget != Forget::kBestEffort;
    rules.all_places = random_.chance(0.3);
    rules.most_analyses = 60;
    return rules;
  }
  Ns notice() const { return play_.liars ? 100'000 : 0; }

  // Who is there.

  void add_best_effort() {
    for (int k = 0; k < 2; ++k) {
      Client client;
      client.id = ++last_id_;
      client.best_effort = true;
      client.next_arrival = some(0, 20) * kMs;
      clients_.push_back(std::move(client));
    }
  }

  Task draw() {
    Request request;
    request.name = fmt::format("t{}", last_id_ + 1);
    const std::int64_t period = random_.integer(4, 20) * 5;
    request.period = std::to_string(period);
    if (random_.chance(0.5)) request.deadline = std::to_string(random_.integer(period / 2, period));
    request.core = std::to_string(random_.integer(1, 3));
    const auto number = [&](Ns least, Ns most) {
      return std::to_string(random_.integer(least, most));
    };
    if (random_.chance(0.3)) {
      request.pieces = {{number(1, 8), "", ""}};
    } else {
      const Ns segments = random_.integer(1, 2);
      for (Ns k = 0; k < segments; ++k) {
        if (k > 0 || random_.chance(0.8)) request.pieces.push_back({number(1, 4), "", ""});
        request.pieces.push_back(
            {"", random_.chance(0.3) ? number(10, 25) : number(1, 9), number(0, 1)});
      }
      if (random_.chance(0.6)) request.pieces.push_back({number(1, 4), "", ""});
    }
    return task_of(request);
  }

  void ask() {
    const Task task = draw();
    const Answer answer = controller_.ask(Time::from_ns(now_), task);
    if (answer.kind != Answer::Kind::kAdmitted) return;
    ++outcome_.admitted;
    Client client;
    client.id = ++last_id_;
    client.task = task;
    client.liar = play_.liars && random_.chance(0.4);
    client.kind = random_.chance(0.5) ? kAllLies : random_.integer(0, kSleeps);
    client.period = task.period->ns();
    client.core = static_cast<std::size_t>(*task.core);
    client.phases.push_back(0);
    bool ends_on_gpu = false;
    for (const Node& node : task.nodes) {
      if (node.on == 0) {
        client.phases.back() += node.wcet->ns();
      } else {
        client.phases.back() += node.launch.ns();
        client.kernels.push_back(node.wcet->ns());
        client.phases.push_back(0);
      }
      ends_on_gpu = node.on != 0;
    }
    if (ends_on_gpu) client.phases.pop_back();
    boost::Held held{client.period, client.kernels, {}, 0};
    if (play_.forget == Forget::kArrivals) held.period = 0;
    client.guard = boost::Guard(held);
    client.next_arrival = now_ + (random_.chance(0.6) ? 0 : some(0, 20) * kMs);
    clients_.push_back(std::move(client));
  }

  /// One of those that have a reservation; null: there is none.
  Client* one_of_them() {
    std::vector<Client*> all;
    for (Client& client : clients_) {
      if (!client.best_effort && !client.dead) all.push_back(&client);
    }
    if (all.empty()) return nullptr;
    return all[static_cast<std::size_t>(some(0, static_cast<Ns>(all.size()) - 1))];
  }

  void leave() {
    Client* const client = one_of_them();
    if (client == nullptr) return;
    const bool idle = !client->pending();
    if (!idle && !play_.liars) return leave_soon_.push_back(client->id);
    die(*client);
  }

  /// Whatever it is doing. What is on the GPU outlives it.
  void die(Client& client) {
    ++outcome_.departures;
    outcome_.crashes += client.pending() ? 1 : 0;
    const boost::Batch* const batch = turns_.find(client.id);
    const bool moved = turns_.operation && turns_.operation->client == client.id;
    Ns since = now_;
    if (batch != nullptr && batch->state == boost::State::kFresh && !moved) {
      gone(turns_, client.id);
    } else if (batch != nullptr) {
      const bool on = batch->state == boost::State::kOn;
      demote(turns_, client.id);
      if (on || moved) since = now_ + std::max(on_, st_) + off_;
      if (random_.chance(0.5)) client.gpu_left += some(0, 30) * kMs;
    }
    client.dead = true;
    client.next_arrival = kNever;
    if (client.doing != Client::Doing::kGpu || turns_.find(client.id) == nullptr) {
      client.doing = Client::Doing::kNothing;
    }
    controller_.gone(client.task.name, Time::from_ns(now_), Time::from_ns(since));
    if (play_.forget == Forget::kPhantoms) controller_.idle(Time::from_ns(since));
  }

  // What happens when.

  Ns next_event() {
    Ns next = next_change_;
    const auto at = [&](Ns time) { next = std::min(next, std::max(time, now_)); };
    for (const Client& client : clients_) {
      if (client.doing == Client::Doing::kNothing) at(client.next_arrival);
      if (client.doing == Client::Doing::kKept) at(client.permit.from);
      if (client.doing == Client::Doing::kCpu && client.wakes > now_) at(client.wakes);
    }
    for (std::size_t core = 1; core <= 3; ++core) {
      const Client* const runs = on_core(core);
      if (runs == nullptr) continue;
      if (runs->doing == Client::Doing::kCpu) at(now_ + runs->cpu_left);
      if (has_priority(*runs)) at(loses_priority(*runs));
    }
    for (const Client& client : clients_) {  // who waits for its window
      if (client.doing != Client::Doing::kCpu || !is_budgeted(client)) continue;
      const auto arrival = client.guard.arrival();
      if (arrival && *arrival > now_) at(*arrival);
    }
    if (turns_.operation) at(operation_ends_);
    if (const boost::Batch* const on = turns_.on(); on != nullptr && progresses(*on)) {
      const Client& client = who(on->client);
      at(now_ + client.gpu_left);
      at(violation(client, *on));
    }
    for (const Controller::Phantom& phantom : controller_.phantoms()) {
      if (phantom.until) at(phantom.until->ns());
    }
    return next;
  }

  bool progresses(const boost::Batch& on) const {
    return !turns_.operation || turns_.operation->client != on.client ||
           turns_.operation->move != Move::kOff;
  }

  /// When it is demoted, if it goes on like this.
  Ns violation(const Client& client, const boost::Batch& batch) const {
    if (client.best_effort || batch.demoted > 0 || !play_.liars) return kNever;
    Ns time = kNever;
    if (play_.forget != Forget::kLengths) {
      time = now_ + client.permit.length - client.on_time + client.slow_notice;
    }
    if (play_.forget != Forget::kCompletions) {
      time = std::min(time, batch.on_before_ns + client.slow_notice);
    }
    return std::max(time, now_);
  }

  bool is_budgeted(const Client& client) const {
    return play_.liars && !client.best_effort && play_.mode == gcaps::Mode::kSuspend;
  }
  /// Has its thread real-time priority now?
  bool has_priority(const Client& client) const {
    if (client.dead) return false;
    if (!is_budgeted(client)) return true;
    const auto arrival = client.guard.arrival();
    return arrival && *arrival <= now_ && now_ < loses_priority(client);
  }
  Ns loses_priority(const Client& client) const {
    if (!is_budgeted(client) || !client.guard.arrival()) return kNever;
    const Ns arrival = *client.guard.arrival();
    Ns until = kNever;
    if (play_.forget != Forget::kWindows) {
      until = arrival + held_to(client, arrival).response.ns();
    }
    if (play_.forget != Forget::kBudgets) {
      Ns budget = client.slow_notice;
      for (const Ns phase : client.phases) budget += phase;
      until = std::min(until, now_ + std::max<Ns>(0, budget - client.cpu_used));
    }
    return until;
  }

  Values held_to(const Client& client, Ns arrival) const {
    return controller_.held_to(client.task.name, Time::from_ns(arrival));
  }

  /// Who has a core: the first of the list that has work for it and its
  /// priority, else anybody.
  const Client* on_core(std::size_t core) const {
    const Client* best = nullptr;
    std::size_t place = SIZE_MAX;
    for (const Client& client : clients_) {
      if (client.core != core || client.dead || client.best_effort) continue;
      const bool spins = play_.mode == gcaps::Mode::kBusy && (client.doing == Client::Doing::kGpu ||
                                                              client.doing == Client::Doing::kKept);
      const bool works = client.doing == Client::Doing::kCpu && client.wakes <= now_;
      if (!works && !spins) continue;
      const std::size_t own = has_priority(client) ? places_.at(client.id) : 1'000'000 + client.id;
      if (own < place) best = &client;
      place = std::min(place, own);
    }
    return best;
  }

  void pass(Ns time) {
    for (std::size_t core = 1; core <= 3; ++core) {
      auto* const runs = const_cast<Client*>(on_core(core));
      if (runs == nullptr || runs->doing != Client::Doing::kCpu) continue;
      const bool counts = has_priority(*runs);
      runs->cpu_left -= time;
      if (counts) runs->cpu_used += time;
      // It is done, even if it has no priority from this instant on.
      runs->cpu_done = runs->cpu_left == 0;
    }
    if (const boost::Batch* const on = turns_.on(); on != nullptr && progresses(*on)) {
      Client& client = who(on->client);
      client.gpu_left -= time;
      client.on_time += time;
    }
  }

  Client& who(ClientId id) {
    return *std::find_if(clients_.begin(), clients_.end(),
                         [&](const Client& client) { return client.id == id; });
  }

  /// Everything that is due now.
  void happen() {
    controller_.settle(Time::from_ns(now_));
    for (bool more = true; more && outcome_.broken.empty();) {
      refresh();
      more = gpu_completes() || operation_ends() || demotes() || cpu_completes() || arrives() ||
             is_let_in() || changes();
      refresh();
      begin();
    }
  }

  /// Priorities follow the list, and what is held to follows the values.
  void refresh() {
    places_.clear();
    std::size_t place = 0;
    const auto reservations = controller_.reservations();
    for (const Controller::Reservation& one : reservations) {
      for (Client& client : clients_) {
        if (client.best_effort || client.dead || client.task.name != one.task.name) continue;
        places_[client.id] = place;
        for (boost::Batch& batch : turns_.batches) {
          if (batch.client != client.id || batch.urgency.best_effort) continue;
          const auto limit = one.cuts[std::min(client.permit.index, one.cuts.size() - 1)];
          batch.urgency.priority = -static_cast<std::int32_t>(one.rank);
          batch.threshold = -static_cast<std::int32_t>(limit);
          if (batch.demoted > 0 || !play_.liars) continue;
          const Ns completion = held_to(client, client.permit.arrival)
                                    .completions[std::min(client.permit.index, one.cuts.size() - 1)]
                                    .ns();
          batch.on_before_ns = boost::on_before(client.permit.arrival, completion, notice(), off_);
        }
      }
      ++place;
    }
  }

  bool gpu_completes() {
    const boost::Batch* const on = turns_.on();
    if (on == nullptr || !progresses(*on)) return false;
    Client& client = who(on->client);
    if (client.gpu_left > 0) return false;
    complete(turns_, client.id, client.segment);
    if (client.dead) {
      client.doing = Client::Doing::kNothing;
      return true;
    }
    if (client.best_effort) {
      client.doing = Client::Doing::kNothing;
      client.next_arrival = now_ + (random_.chance(0.5) ? 0 : some(0, 30) * kMs);
      return true;
    }
    if (client.extra > 0) {
      --client.extra;
      submit(client);
      return true;
    }
    next_phase(client);
    return true;
  }

  bool operation_ends() {
    if (!turns_.operation || operation_ends_ > now_) return false;
    finish(turns_);
    return true;
  }

  bool demotes() {
    const boost::Batch* const on = turns_.on();
    if (on == nullptr || !progresses(*on)) return false;
    const Client& client = who(on->client);
    if (client.best_effort || on->demoted > 0 || violation(client, *on) > now_) return false;
    count_demotion(client);
    demote(turns_, client.id);
    return true;
  }

  void count_demotion(const Client& client) {
    ++outcome_.demotions;
    if (!client.liar && !client.dead) {
      outcome_.broken =
          fmt::format("{}, which is honest, is demoted at {}", client.task.name, now_);
    }
  }

  bool cpu_completes() {
    for (Client& client : clients_) {
      if (client.doing != Client::Doing::kCpu || client.dead || client.cpu_left > 0) continue;
      const Client* const runs = client.cpu_done ? &client : on_core(client.core);
      if (runs != &client) continue;
      client.cpu_done = false;
      if (client.piece < client.kernels.size()) {
        submit(client);
      } else {
        end_job(client);
      }
      return true;
    }
    return false;
  }

  void next_phase(Client& client) {
    ++client.piece;
    if (client.piece >= client.phases.size()) return end_job(client);
    client.doing = Client::Doing::kCpu;
    client.cpu_left = time_of(client, client.phases[client.piece]);
    if (lies(client, kComputesLong, 0.4)) client.cpu_left += some(0, 40) * kMs;
    client.wakes = now_;
    if (!lies(client, kSleeps, 0.7)) return;
    client.wakes += some(0, client.period);
    if (client.piece >= client.kernels.size() || random_.chance(0.2)) return;
    // Just in time for what may still be started.
    const Ns arrival = client.guard.arrival().value_or(now_);
    const Ns last = arrival + held_to(client, arrival).completions[client.piece].ns() - notice() -
                    off_ - st_ - client.cpu_left;
    client.wakes = std::max(now_, last - some(0, 3) * kMs / 2);
  }

  Ns time_of(const Client&, Ns most) {
    if (most == 0 || random_.chance(0.7)) return most;
    return random_.integer(0, most);
  }

  bool arrives() {
    for (Client& client : clients_) {
      if (client.doing != Client::Doing::kNothing || client.next_arrival > now_) continue;
      client.arrival = now_;
      if (client.best_effort) {
        client.doing = Client::Doing::kGpu;
        client.gpu_left = some(1, 60) * kMs;
        boost::Batch batch;
        batch.client = client.id;
        batch.segment = ++client.segment;
        boost::submit(turns_, batch);
        return true;
      }
      client.slow_notice = notice() > 0 ? some(1, notice()) : 0;
      const Ns claimed = lies(client, kArrivesSoon, 0.3) ? now_ - some(0, 200) * kMs : now_;
      client.guard.arrive(claimed, now_);
      Ns gap = client.period;
      if (lies(client, kArrivesSoon, 0.6)) {
        gap = some(0, client.period);
      } else if (random_.chance(0.3)) {
        gap += some(0, 20) * kMs;
      }
      client.next_arrival = now_ + gap;
      client.piece = static_cast<std::size_t>(-1);
      client.cpu_used = 0;
      next_phase(client);
      return true;
    }
    return false;
  }

  void submit(Client& client) {
    client.permit = client.guard.submit(now_);
    if (play_.forget == Forget::kIndex && client.permit.demoted) {
      client.permit.demoted = false;
      client.permit.arrival = client.permit.from = now_;
      client.permit.index = 0;
      client.permit.length = client.kernels.front();
    }
    client.on_time = 0;
    client.gpu_left =
        time_of(client, client.kernels[std::min(client.piece, client.kernels.size() - 1)]);
    if (lies(client, kRunsLong, 0.4)) client.gpu_left += some(0, 60) * kMs;
    if (client.extra == 0 && lies(client, kSubmitsMore, 0.4)) client.extra = 4;
    client.doing = Client::Doing::kKept;
    if (client.permit.from <= now_) let_in(client);
  }

  bool is_let_in() {
    for (Client& client : clients_) {
      if (client.doing != Client::Doing::kKept || client.permit.from > now_ || client.dead)
        continue;
      let_in(client);
      return true;
    }
    return false;
  }

  void let_in(Client& client) {
    client.doing = Client::Doing::kGpu;
    boost::Batch batch;
    batch.client = client.id;
    batch.segment = ++client.segment;
    batch.urgency = arbiter::Urgency::real_time(0);  // `refresh` says more
    boost::submit(turns_, batch);
    if (client.permit.demoted) {
      count_demotion(client);
      demote(turns_, client.id);
    }
    refresh();
  }

  void end_job(Client& client) {
    client.doing = Client::Doing::kNothing;
    client.extra = 0;
    ++outcome_.jobs;
    if (!client.liar) {
      const Ns response = now_ - client.arrival;
      for (const Controller::Reservation& one : controller_.reservations()) {
        if (one.task.name != client.task.name) continue;
        outcome_.reached += response == one.bound.ns() ? 1 : 0;
        if (response > one.bound.ns()) {
          outcome_.broken = fmt::format("{}: response {} of {} at {}", client.task.name, response,
                                        one.bound.ns(), now_);
        }
      }
    }
    const auto soon = std::find(leave_soon_.begin(), leave_soon_.end(), client.id);
    if (soon != leave_soon_.end()) {
      leave_soon_.erase(soon);
      die(client);
    }
  }

  bool changes() {
    if (next_change_ > now_) return false;
    next_change_ = now_ + (random_.chance(0.4) ? some(0, 3) : some(0, 60)) * kMs;
    const bool idle = std::none_of(clients_.begin(), clients_.end(), [](const Client& client) {
      return !client.best_effort && client.pending();
    });
    if (idle && random_.chance(0.3)) controller_.idle(Time::from_ns(now_));
    if (random_.chance(0.7) || places_.empty()) {
      ask();
    } else {
      leave();
    }
    return true;
  }

  void begin() {
    const bool checks = play_.liars && play_.forget != Forget::kPreCheck;
    const auto demoted = [&] {
      std::vector<ClientId> all;
      for (const boost::Batch& batch : turns_.batches) {
        if (batch.demoted > 0) all.push_back(batch.client);
      }
      return all;
    };
    const auto before = demoted();
    const auto next = checks ? begin_next(turns_, now_, st_, on_) : boost::begin_next(turns_);
    for (const ClientId id : demoted()) {
      if (std::find(before.begin(), before.end(), id) == before.end()) count_demotion(who(id));
    }
    if (const char* const broken = broken_invariant(turns_)) outcome_.broken = broken;
    if (!next) return;
    const Ns most = next->move == Move::kStart ? st_ : next->move == Move::kOn ? on_ : off_;
    operation_ends_ = now_ + (random_.chance(0.7) ? most : some(0, most));
  }

  Play play_;
  Random random_;
  Ns off_ = 0, on_ = 0, st_ = 0;
  Controller controller_;
  std::deque<Client> clients_;
  std::map<ClientId, std::size_t> places_;
  std::vector<ClientId> leave_soon_;
  boost::Turns turns_;
  Ns now_ = 0, operation_ends_ = 0, next_change_ = 0;
  ClientId last_id_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome play(const Play& play) { return World(play).run(); }

}  // namespace tactus::reserve::tests
