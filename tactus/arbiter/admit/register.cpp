#include "tactus/arbiter/admit/register.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/gpu_element.hpp"
#include "tactus/reserve/analysis.hpp"

namespace tactus::arbiter::admit {

using reserve::Answer, reserve::Controller;

Register::Register(System platform, const reserve::Rules& rules, Allowance allowance)
    : controller_(platform, rules), allowance_(std::move(allowance)) {
  for (Task& task : platform.tasks) {
    if (!task.best_effort) kept_.push_back(std::move(task));
  }
}

// Who asks for what.

Reply Register::answer(const Asker& asker, const std::string& text, std::int64_t now,
                       const Controller::Enough& enough) {
  settle(now);
  try {
    return reply_to(asker, text, enough);
  } catch (const LimitReached& limit) {
    return said(asker, "error", std::string("not covered: ") + limit.what());
  } catch (const OverflowError& overflow) {
    return said(asker, "error", std::string("not covered: ") + overflow.what());
  }
}

Reply Register::reply_to(const Asker& asker, const std::string& text,
                         const Controller::Enough& enough) {
  const bool may_ask = may_ask_again(asker.user);
  const auto request = read_request(text, controller_.platform());
  if (!request) return said(asker, "error", request.error().message);
  // Who gives something up is never refused.
  if (!may_ask && request->kind != Request::Kind::kRelease)
    return said(asker, "error", "too many requests: try again later");
  switch (request->kind) {
    case Request::Kind::kReserve:
      return reserve(asker, *request, enough);
    case Request::Kind::kRelease:
      return release(asker);
    case Request::Kind::kStart:
      return start(asker, request->name);
    case Request::Kind::kList: {
      Told told = standing(asker);
      told.word = "done";
      told.text = standings_text(controller_.platform(), told);
      return reply_of(controller_.platform(), told);
    }
    case Request::Kind::kDump:
      return dump(asker);
  }
  return said(asker, "error", "what is asked is not known");
}

Reply Register::reserve(const Asker& asker, const Request& request,
                        const Controller::Enough& enough) {
  if (!asker.may_reserve) return said(asker, "error", "this user may only be best effort");
  if (asker.process <= 0) return said(asker, "error", "the arbiter cannot see this process");
  std::size_t of_user = 0;
  for (const auto& [name, one] : holdings_) {
    if (one.process == asker.process)
      return said(asker, "error", "this process has a reservation already: release it first");
    of_user += one.process != 0 && one.user == asker.user ? 1 : 0;
  }
  if (of_user >= allowance_.reservations)
    return said(asker, "error",
                fmt::format("this user has {} reservations, and may not have more", of_user));
  const bool on_gpu = !request.task || uses_gpu(controller_.platform(), *request.task);
  if (on_gpu && !request.leaves)
    return said(asker, "error",
                "nothing can take its GPU work off: start it by tactus exec --tier channel");
  if (!request.task) return take_up(asker, request);

  Task task = *request.task;
  task.name = a_free_name(request);
  if (holdings_.contains(task.name))
    return said(asker, "error", "there is a reservation of this name: give it another one");
  if (!task.core) task.core = a_free_core();
  if (!task.core) return said(asker, "error", "every core has a reservation");
  if (auto problem = over_its_share(asker.user, task)) return said(asker, "error", *problem);
  Holding holding;
  holding.user = asker.user;
  holding.process = asker.process;
  holding.declared = request.declared;
  holding.begins = request.warm_up_ns == Request::kUntilStarted ? Request::kUntilStarted
                                                                : now_ + request.warm_up_ns;
  holding.in_step = request.warm_up_ns == 0;
  if (auto problem = measure(task, request.declared, holding)) {
    ++refusals_;
    return said(asker, "error", "not covered: " + *problem);
  }
  if (auto problem = unseen_arrivals(task, request.declared))
    return said(asker, "error", "not covered: " + *problem);
  if (request.bound) {
    const auto segments = static_cast<std::int64_t>(holding.lengths.size());
    task.deadline = std::min(*task.deadline, *request.bound + segments * cost_of_a_breach());
  }
  Answer answer = controller_.ask(Time::from_ns(now_), std::move(task), enough);
  if (answer.kind == Answer::Kind::kRefused) admit_again(answer, holding);
  if (answer.kind == Answer::Kind::kNotCovered) {
    ++refusals_;
    return said(asker, "error", "not covered: " + answer.not_covered->reason);
  }
  if (answer.kind == Answer::Kind::kRefused) return refused(asker, answer, enough);
  holding.number = ++last_;
  holdings_[answer.task.name] = std::move(holding);
  return admitted(asker, answer);
}

/// A program that is started again, as it was, has the place that is still counted for it. It waits for the
/// period of its last job, if that is not longer than until it would be admitted otherwise.
void Register::admit_again(Answer& answer, Holding& holding) {
  const Task& task = answer.task;
  std::optional<Time> first;
  for (const Controller::Phantom& one : controller_.phantoms()) {
    if (one.task.name == task.name && text_of(one.task) == text_of(task))
      first = one.since + *task.period;
  }
  constexpr Time kMostWait = Time::from_ms(10'000);
  const Time latest = std::min(answer.again.value_or(Time::max()), Time::from_ns(now_) + kMostWait);
  if (!first || *first > latest) return;
  if (!controller_.back(task.name, Time::from_ns(now_))) return;
  holding.first = first->ns();
  answer.kind = Answer::Kind::kAdmitted;
  answer.terms = controller_.terms_of(task.name);
  for (const reserve::Placed& placed : controller_.list())
    answer.beside.push_back(placed.task->name);
}

/// One that the arbiter's file keeps, for whoever asks for it by name.
Reply Register::take_up(const Asker& asker, const Request& request) {
  const auto at = holdings_.find(request.name);
  if (at == holdings_.end() || !at->second.kept)
    return said(asker, "error", "the arbiter's file has no task of this name");
  if (at->second.process != 0) return said(asker, "error", "another process has taken it up");
  if (!asker.sees_all) return said(asker, "error", "only the arbiter's own user may take it up");
  at->second.process = asker.process;
  at->second.user = asker.user;
  at->second.declared = request.declared;
  at->second.begins = request.warm_up_ns == Request::kUntilStarted ? Request::kUntilStarted
                                                                   : now_ + request.warm_up_ns;
  at->second.in_step = request.warm_up_ns == 0;
  Told told = standing(asker);
  for (const Controller::Reservation& one : controller_.reservations()) {
    if (one.task.name != request.name) continue;
    told.bound = one.bound;
    told.deadline = one.task.deadline;
    told.core = one.task.core;
    told.text = fmt::format("admitted: response at most {} of {}; it was kept",
                            format_time(one.bound, controller_.platform().time_unit),
                            shown(*one.task.deadline));
  }
  told.word = "admitted";
  told.task = request.name;
  return reply_of(controller_.platform(), told);
}

Reply Register::release(const Asker& asker) {
  for (auto& [name, one] : holdings_) {
    if (one.process != asker.process) continue;
    const std::string released = name;
    process_ended(asker.process, now_);
    return said(asker, "done", released + " is released");
  }
  return said(asker, "error", "this process has no reservation");
}

/// The start-up of a program is over. Without a name: of the one that asks.
Reply Register::start(const Asker& asker, const std::string& name) {
  for (auto& [own, one] : holdings_) {
    const bool meant = name.empty() ? one.process == asker.process : own == name;
    if (!meant || one.process == 0) continue;
    if (one.user != asker.user && !asker.sees_all) break;
    one.begins = std::min(one.begins, now_);
    return said(asker, "done", own + " begins");
  }
  return said(
      asker, "error",
      name.empty() ? "this process has no reservation" : "you have no reservation of this name");
}

// What is allowed.

bool Register::may_ask_again(uid_t user) {
  constexpr std::int64_t kOne = 1'000, kSecond = 1'000'000'000;
  const std::int64_t most = allowance_.at_once * kOne;
  Bucket& bucket = buckets_.try_emplace(user, Bucket{most, now_}).first->second;
  const std::int64_t passed = std::min<std::int64_t>(now_ - bucket.at, 1'000 * kSecond);
  bucket.left = std::min(most, bucket.left + passed / (kSecond / kOne) * allowance_.per_second);
  bucket.at += passed / (kSecond / kOne) * (kSecond / kOne);
  if (passed == 1'000 * kSecond) bucket.at = now_;
  if (bucket.left < kOne) return false;
  bucket.left -= kOne;
  return true;
}

/// Of the GPU, with everything that the user has.
std::optional<std::string> Register::over_its_share(uid_t user, const Task& task) const {
  const System& platform = controller_.platform();
  const auto share_of = [&](const Task& one) {
    Time gpu;
    for (const Node& node : one.nodes) {
      if (platform.platform.elements[node.on].kind != ElementKind::kCpu)
        gpu += node.wcet.value_or(Time());
    }
    return one.period && *one.period > Time()
               ? mul_div_up(gpu, Allowance::kWhole, one.period->ns()).ns()
               : 0;
  };
  std::int64_t share = share_of(task);
  for (const Controller::Reservation& one : controller_.reservations()) {
    const auto holding = holdings_.find(one.task.name);
    if (holding != holdings_.end() && !holding->second.kept && holding->second.user == user)
      share += share_of(one.task);
  }
  const std::int64_t most = allowance_.share_of(user);
  if (share <= most) return std::nullopt;
  return fmt::format("this user would have {} % of the GPU, and may reserve {} %",
                     format_scaled(share, 1), format_scaled(most, 1));
}

std::optional<std::int64_t> Register::a_free_core() const {
  std::set<std::int64_t> taken;
  for (const Controller::Reservation& one : controller_.reservations())
    taken.insert(one.task.core.value_or(0));
  for (const Element& element : controller_.platform().platform.elements) {
    if (element.kind != ElementKind::kCpu) continue;
    for (std::int64_t core = 1; core <= element.units; ++core) {
      if (!taken.contains(core)) return core;
    }
  }
  return std::nullopt;
}

std::string Register::a_free_name(const Request& request) const {
  std::string name = request.name;
  for (int k = 2; request.name_may_vary && holdings_.contains(name); ++k)
    name = fmt::format("{}-{}", request.name, k);
  return name;
}

/// Its segments, one by one; and where its program does not say when a job arrives, how long before its
/// first Submit that can be: alone on its core that is its first phase. Why it is not covered, if so.
std::optional<std::string> Register::measure(Task& task, bool declared, Holding& holding) const {
  reserve::Rules rules = controller_.rules();
  rules.enforced = false;
  const std::vector<reserve::Placed> alone = {{std::make_shared<const Task>(task), {}}};
  const reserve::Ordered ordered(controller_.platform(), rules, alone);
  if (ordered.refusal()) return ordered.refusal()->reason;
  if (ordered.rank_of(0) == gcaps::boost::kNoRank) return std::nullopt;
  for (std::size_t s = 0; s < ordered.segments_of(0); ++s)
    holding.lengths.push_back((ordered.length(0, s) - ordered.costs().start).ns());
  holding.pause = ordered.longest_pause(0).ns();
  if (declared) return std::nullopt;
  task.jitter += ordered.first_phase(0);
  holding.undeclared = task.jitter.ns();
  return std::nullopt;
}

/// When a job counts as arrived that nobody declares is known only where its program has a core of its
/// own. Why it is not covered, if so.
std::optional<std::string> Register::unseen_arrivals(const Task& task, bool declared) const {
  if (!controller_.rules().cores_shared) return std::nullopt;
  const System& platform = controller_.platform();
  for (const Controller::Reservation& one : controller_.reservations()) {
    const auto other = holdings_.find(one.task.name);
    if (one.task.core != task.core || other == holdings_.end()) continue;
    if (!declared && uses_gpu(platform, task))
      return fmt::format(
          "core {} is shared, and there a program must say when each job arrives (declared)",
          task.core.value_or(0));
    if (!other->second.declared && uses_gpu(platform, one.task))
      return fmt::format("core {} has a program that does not say when its jobs arrive",
                         task.core.value_or(0));
  }
  return std::nullopt;
}

/// So much longer a program is held to its times than it is told.
Time Register::cost_of_a_breach() const {
  const Element* const gpu = gpu_of(controller_.platform());
  if (gpu == nullptr) return {};
  return controller_.rules().notice + gcaps::boost::costs_of(*gpu).off;
}

// Time.

/// Whatever it is doing: so long its segment may still be on the GPU.
Time Register::gone_for_sure() const {
  const Element* const gpu = gpu_of(controller_.platform());
  if (gpu == nullptr) return Time::from_ns(now_);
  const auto costs = gcaps::boost::costs_of(*gpu);
  return Time::from_ns(now_) + controller_.rules().notice + costs.low();
}

void Register::give_up(const std::string& name) {
  leaving_.push_back(name);
  holdings_.erase(name);
}

void Register::departures_are_in_force(std::int64_t now) {
  settle(now);
  for (const std::string& name : leaving_)
    controller_.gone(name, Time::from_ns(now_), gone_for_sure());
  leaving_.clear();
}

void Register::process_ended(pid_t process, std::int64_t now) {
  settle(now);
  for (auto& [name, holding] : holdings_) {
    if (holding.process != process) continue;
    holding.process = 0;
    if (!holding.kept) give_up(std::string(name));
    return;
  }
}

bool Register::settle(std::int64_t now) {
  const auto next = next_change();
  now_ = std::max(now_, now);
  controller_.settle(Time::from_ns(now_));
  return next && *next <= now_;
}

std::optional<std::int64_t> Register::next_change() const {
  std::optional<std::int64_t> next;
  const auto at = [&](std::int64_t time) {
    if (time > now_) next = std::min(next.value_or(time), time);
  };
  for (const Controller::Phantom& phantom : controller_.phantoms()) {
    if (phantom.until) at(phantom.until->ns());
  }
  for (const auto& [name, one] : holdings_) {
    if (one.begins != Request::kUntilStarted) at(one.begins);
  }
  return next;
}

std::vector<pid_t> Register::owners() const {
  std::vector<pid_t> all;
  for (const auto& [name, one] : holdings_) {
    if (one.process != 0) all.push_back(one.process);
  }
  return all;
}

std::map<std::int64_t, std::vector<pid_t>> Register::by_core() const {
  std::map<std::int64_t, std::vector<pid_t>> all;
  for (const Controller::Reservation& one : controller_.reservations()) {
    const auto held = holdings_.find(one.task.name);
    if (held == holdings_.end() || held->second.process == 0 || held->second.begins > now_)
      continue;
    all[one.task.core.value_or(0)].push_back(held->second.process);
  }
  return all;
}

std::shared_ptr<const daemon::Book> Register::book() const {
  auto book = std::make_shared<daemon::Book>();
  book->beyond = beyond_;
  book->notice = controller_.rules().notice.ns();
  if (const Element* const gpu = gpu_of(controller_.platform())) {
    const auto costs = gcaps::boost::costs_of(*gpu);
    book->start = costs.start.ns();
    book->off = costs.off.ns();
    book->on = costs.on.ns();
  }
  book->relied_on = !controller_.list().empty();
  for (const Controller::Reservation& one : controller_.reservations()) {
    const auto held = holdings_.find(one.task.name);
    if (held == holdings_.end()) continue;  // it is given up
    const Holding& holding = held->second;
    daemon::Terms terms;
    terms.tally = holding.tally;
    terms.first = holding.first;
    if (!holding.declared && !holding.in_step) terms.pause = holding.pause;
    terms.process = holding.process;
    terms.begun = holding.begins <= now_;
    terms.priority = -static_cast<std::int32_t>(one.rank);
    terms.period = one.task.period->ns();
    if (!holding.declared) terms.undeclared = holding.undeclared;
    for (std::size_t s = 0; s < holding.lengths.size(); ++s) {
      terms.segments.push_back({-static_cast<std::int32_t>(one.cuts[s]), holding.lengths[s],
                                one.values.completions[s].ns()});
    }
    for (const Controller::Fall& fall : controller_.falls_of(one.task.name)) {
      std::vector<std::int64_t> completions;
      for (const Time time : fall.values.completions) completions.push_back(time.ns());
      terms.falls.push_back({fall.from.ns(), std::move(completions)});
    }
    book->terms.emplace(holding.number, std::move(terms));
  }
  return book;
}

}  // namespace tactus::arbiter::admit
