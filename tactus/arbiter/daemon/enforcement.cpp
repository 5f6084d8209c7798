#include "tactus/arbiter/daemon/enforcement.hpp"

#include <algorithm>
#include <utility>

namespace tactus::arbiter::daemon {

const char* name_of(Breach breach) {
  switch (breach) {
    case Breach::kIndex:
      return "not one of those admitted";
    case Breach::kLength:
      return "too long";
    case Breach::kLate:
      return "too late";
    case Breach::kStays:
      return "nothing can take it off";
  }
  return "?";
}

std::int64_t Terms::completion(std::size_t segment, std::int64_t arrival) const {
  std::int64_t least = segments[segment].completion;
  for (const Fall& fall : falls) {
    if (arrival >= fall.from) least = std::min(least, fall.completions[segment]);
  }
  return least;
}

const Terms* Enforcement::terms_of(ReservationId reservation) const {
  const auto at = book_->terms.find(reservation);
  return at == book_->terms.end() ? nullptr : &at->second;
}

/// Who takes it up after another process goes on with its arrivals: a period after the last one.
Enforcement::Account& Enforcement::account_of(ReservationId reservation, const Terms& terms) {
  const auto known = accounts_.find(reservation);
  if (known != accounts_.end() && known->second.process == terms.process) return known->second;
  if (known != accounts_.end()) {
    known->second.guard.end();
    known->second.job = 0;
    known->second.process = terms.process;
    known->second.in_step = !terms.pause || terms.segments.size() < 2;
    return known->second;
  }
  boost::Held held{terms.period, {}, terms.undeclared, terms.first};
  for (const Terms::Segment& segment : terms.segments) held.lengths.push_back(segment.length);
  const bool in_step = !terms.pause || terms.segments.size() < 2;
  return accounts_
      .emplace(reservation, Account{boost::Guard(std::move(held)), 0, terms.process, in_step})
      .first->second;
}

bool Enforcement::comes_in_step(Account& account, const Terms& terms, std::int64_t now) {
  if (!account.in_step)
    account.in_step = account.idle_since && now - *account.idle_since > terms.pause.value_or(0);
  account.idle_since.reset();
  return account.in_step;
}

bool Enforcement::in_step(ReservationId reservation) const {
  const auto account = accounts_.find(reservation);
  return account == accounts_.end()
             ? terms_of(reservation) == nullptr || !terms_of(reservation)->pause ||
                   terms_of(reservation)->segments.size() < 2
             : account->second.in_step;
}

void Enforcement::hold_to(std::shared_ptr<const Book> book, std::int64_t now) {
  book_ = std::move(book);
  coordinator_.expect(book_->start, book_->on);
  std::erase_if(accounts_, [&](const auto& one) { return terms_of(one.first) == nullptr; });
  for (auto at = active_.begin(); at != active_.end();) {
    const Terms* const terms = terms_of(at->second.reservation);
    const boost::Batch* const batch = coordinator_.turns().find(at->first);
    if (keeps(at->first)) {
      ++at;  // `look` lets it in, with a reservation or without
    } else if (batch == nullptr || batch->segment != at->second.segment) {
      at = active_.erase(at);
    } else if (terms == nullptr) {  // it was given up meanwhile
      const ClientId client = at->first;
      at = active_.erase(at);
      coordinator_.demote(client, now);
    } else {
      amend(at->first, at->second, *terms);
      ++at;
    }
  }
  coordinator_.consider(now);
  look(now);
}

/// Places and values may have changed; what decides between two old ones has not.
void Enforcement::amend(ClientId client, const Active& active, const Terms& terms) {
  const boost::Permit& permit = active.permit;
  if (permit.demoted) return;
  coordinator_.amend(
      client, terms.priority, terms.segments[permit.index].threshold,
      boost::on_before(permit.arrival, terms.completion(permit.index, permit.arrival),
                       book_->notice, book_->off));
}

void Enforcement::submit(const Submission& submission, std::optional<ReservationId> reservation,
                         std::int64_t now) {
  const ClientId client = submission.batch.client;
  forget(client);
  const Terms* const terms = reservation ? terms_of(*reservation) : nullptr;
  if (terms == nullptr || !terms->begun) return submit_best_effort(submission, now);
  terms->tally->between += submission.alone;
  if (submission.batch.stays) {
    breaches_.push_back({client, submission.batch.segment, Breach::kStays, 0});
    return submit_best_effort(submission, now);
  }
  Account& account = account_of(*reservation, *terms);
  if (!comes_in_step(account, *terms, now)) {
    out_of_step_[client] = *reservation;
    return submit_best_effort(submission, now);
  }
  if (submission.job != 0 && submission.job != account.job) {
    account.job = submission.job;
    account.guard.arrive(submission.arrived, now);
  }
  Submission taken = submission;
  taken.batch.slices = false;
  const std::int64_t over =
      terms->segments.empty()
          ? 0
          : terms->completion(terms->segments.size() - 1, account.guard.arrival().value_or(now));
  const Active active{*reservation, submission.batch.segment, account.guard.submit(now, over)};
  active_[client] = active;
  if (active.permit.from <= now) return let_in(client, taken, now);
  if (const boost::Batch* const before = coordinator_.turns().find(client))
    coordinator_.complete(client, before->segment, now, now);
  kept_[client] = {taken, active.permit.from, false};
}

void Enforcement::submit_best_effort(Submission submission, std::int64_t now) {
  submission.batch.urgency = {};
  submission.batch.threshold = 0;
  if (!submission.batch.stays || !book_->relied_on)
    return coordinator_.submit(submission.batch, submission.held_by_tier, submission.seen, now);
  const ClientId client = submission.batch.client;
  if (const boost::Batch* const before = coordinator_.turns().find(client))
    coordinator_.complete(client, before->segment, now, now);
  kept_[client] = {submission, 0, true};
}

void Enforcement::let_in(ClientId client, Submission submission, std::int64_t now) {
  const Active& active = active_.at(client);
  const Terms& terms = *terms_of(active.reservation);
  const boost::Permit& permit = active.permit;
  submission.batch.urgency = Urgency::real_time(terms.priority);
  submission.batch.threshold = terms.priority;
  submission.batch.on_before_ns = INT64_MAX;
  if (!permit.demoted) {
    submission.batch.threshold = terms.segments[permit.index].threshold;
    submission.batch.on_before_ns = boost::on_before(
        permit.arrival, terms.completion(permit.index, permit.arrival), book_->notice, book_->off);
  } else {
    submission.batch.demoted = 1;  // the coordinator gives it its number
    breaches_.push_back({client, submission.batch.segment, Breach::kIndex, 0});
  }
  coordinator_.submit(submission.batch, submission.held_by_tier, submission.seen, now);
}

void Enforcement::completed(ClientId client, std::uint32_t segment, std::int64_t now) {
  if (const auto out = out_of_step_.find(client); out != out_of_step_.end()) {
    if (const auto account = accounts_.find(out->second); account != accounts_.end())
      account->second.idle_since = now;
    out_of_step_.erase(out);
  }
  const auto active = active_.find(client);
  const boost::Batch* const batch = coordinator_.turns().find(client);
  if (active == active_.end() || active->second.segment != segment || batch == nullptr ||
      batch->segment != segment || batch->demoted > 0)
    return;
  const boost::Permit& permit = active->second.permit;
  const Terms* const terms = terms_of(active->second.reservation);
  if (terms == nullptr || permit.index + 1 < terms->segments.size()) return;
  Tally& tally = *terms->tally;
  ++tally.jobs;
  tally.longest_ns = std::max(tally.longest_ns.load(), now - permit.arrival);
}

void Enforcement::forget(ClientId client) {
  kept_.erase(client);
  active_.erase(client);
  out_of_step_.erase(client);
}

/// When it will have been on for longer than was admitted, or after its time.
std::optional<std::int64_t> Enforcement::overrun_at(ClientId client, std::int64_t now) const {
  const auto active = active_.find(client);
  const boost::Batch* const on = coordinator_.turns().on();
  if (active == active_.end() || on == nullptr || on->client != client || on->demoted > 0)
    return std::nullopt;
  const auto used = coordinator_.used_ns(client, now);
  if (!used) return std::nullopt;  // it is being taken off
  return std::min(now + active->second.permit.length - *used, on->on_before_ns);
}

void Enforcement::look(std::int64_t now) {
  std::vector<std::pair<ClientId, Kept>> due;
  for (const auto& [client, kept] : kept_) {
    const auto active = active_.find(client);
    const bool given_up =
        active != active_.end() && terms_of(active->second.reservation) == nullptr;
    const bool is_due = kept.until_nobody_relies ? !book_->relied_on : given_up || kept.from <= now;
    if (is_due) due.emplace_back(client, kept);
  }
  for (auto& [client, kept] : due) {
    kept_.erase(client);
    const auto active = active_.find(client);
    if (active != active_.end() && terms_of(active->second.reservation) != nullptr) {
      let_in(client, kept.submission, now);
    } else {
      active_.erase(client);
      submit_best_effort(kept.submission, now);
    }
  }
  const boost::Batch* const on = coordinator_.turns().on();
  if (on == nullptr) return;
  const auto at = overrun_at(on->client, now);
  if (at && *at <= now)
    breach(on->client, on->on_before_ns <= now ? Breach::kLate : Breach::kLength, *at, now);
}

void Enforcement::breach(ClientId client, Breach how, std::int64_t since, std::int64_t now) {
  breaches_.push_back({client, active_.at(client).segment, how, now - since});
  coordinator_.demote(client, now);
}

std::optional<std::int64_t> Enforcement::deadline(std::int64_t now) const {
  std::optional<std::int64_t> next;
  const auto at = [&](std::int64_t time) { next = std::min(next.value_or(time), time); };
  for (const auto& [client, kept] : kept_) {
    if (!kept.until_nobody_relies) at(kept.from);
  }
  if (const boost::Batch* const on = coordinator_.turns().on()) {
    if (const auto overrun = overrun_at(on->client, now)) at(*overrun);
  }
  return next;
}

std::vector<Enforcement::Breached> Enforcement::take_breaches() {
  std::vector<Breached> all = std::exchange(breaches_, {});
  for (const ClientId client : coordinator_.take_too_late()) {
    const auto active = active_.find(client);
    if (active != active_.end()) all.push_back({client, active->second.segment, Breach::kLate, 0});
  }
  for (const Breached& one : all) {
    const auto active = active_.find(one.client);
    const Terms* const terms =
        active == active_.end() ? nullptr : terms_of(active->second.reservation);
    if (terms != nullptr) ++terms->tally->demotions;
  }
  return all;
}

}  // namespace tactus::arbiter::daemon
