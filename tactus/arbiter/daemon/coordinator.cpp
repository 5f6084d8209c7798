#include "tactus/arbiter/daemon/coordinator.hpp"

#include <algorithm>
#include <utility>

namespace tactus::arbiter::daemon {
namespace {

bool waits_for_an_answer(const Request& request) {
  return request.kind == Request::Kind::kBegin || request.kind == Request::Kind::kRaise;
}

}  // namespace

void Coordinator::request(const Request& request, std::int64_t now_ns) {
  if (request.kind == Request::Kind::kGone) {
    // It will send no more requests and no more confirmations; and no update that is served before
    // this one may count on it.
    decision_.gone(request.client);
    std::erase_if(queue_, [&](const Request& r) { return r.client == request.client; });
    off_.erase(request.client);
    silent_.erase(request.client);
    patience_.forget(request.client);
    still_there_.erase(request.client);
    if (update_) {
      std::erase(update_->joining, request.client);
      std::erase_if(update_->awaited, [&](const Awaited& a) { return a.client == request.client; });
    }
  }
  queue_.push_back(request);
  advance(now_ns);
  serve(now_ns);
}

void Coordinator::done(ClientId client, std::int64_t now_ns, bool carried_out) {
  silent_.erase(client);
  if (carried_out) {
    still_there_.erase(client);
  } else if (off_.contains(client)) {
    still_there_.insert(client);
  }
  if (!update_) return;
  std::erase_if(update_->awaited, [&](const Awaited& a) {
    if (a.client == client) patience_.spend(client, now_ns - a.ordered_ns, now_ns);
    return a.client == client;
  });
  advance(now_ns);
  serve(now_ns);
}

/// Until when this confirmation is awaited: as long as there is patience with this client, and with
/// all clients together.
std::int64_t Coordinator::patience_ends(const Awaited& awaited) const {
  std::int64_t held_up_since = INT64_MAX;
  if (waits_for_an_answer(update_->request)) held_up_since = update_->request.since_ns;
  for (const Request& r : queue_) {
    if (waits_for_an_answer(r)) held_up_since = std::min(held_up_since, r.since_ns);
  }
  const std::int64_t own = awaited.ordered_ns + awaited.patience_ns;
  if (held_up_since == INT64_MAX) return own;
  return std::min(
      own, std::max(held_up_since + patience_.with_all(), awaited.ordered_ns + patience_.least()));
}

void Coordinator::expire(std::int64_t now_ns) {
  if (!update_) return;
  std::vector<Awaited> late;
  std::erase_if(update_->awaited, [&](const Awaited& a) {
    if (now_ns < patience_ends(a)) return false;
    late.push_back(a);
    return true;
  });
  if (late.empty()) return;
  for (const Awaited& a : late) {
    patience_.spend(a.client, now_ns - a.ordered_ns, now_ns);
    silent_.insert(a.client);
    if (!update_->putting_back) still_there_.insert(a.client);
    Action action;
    action.kind = Action::Kind::kLate;
    action.client = a.client;
    action.off = !update_->putting_back;
    actions_.push_back(action);
  }
  advance(now_ns);
  serve(now_ns);
}

std::optional<std::int64_t> Coordinator::deadline() const {
  if (!update_) return std::nullopt;
  std::int64_t first = INT64_MAX;
  for (const Awaited& a : update_->awaited) first = std::min(first, patience_ends(a));
  return first;
}

std::vector<ClientId> Coordinator::awaited() const {
  std::vector<ClientId> clients;
  if (update_) {
    for (const Awaited& a : update_->awaited) clients.push_back(a.client);
  }
  return clients;
}

bool Coordinator::awaits(ClientId client) const {
  return update_ && std::any_of(update_->awaited.begin(), update_->awaited.end(),
                                [&](const Awaited& a) { return a.client == client; });
}

std::size_t Coordinator::queued(ClientId client) const {
  return static_cast<std::size_t>(std::count_if(
      queue_.begin(), queue_.end(), [&](const Request& r) { return r.client == client; }));
}

std::vector<Action> Coordinator::take_actions() { return std::exchange(actions_, {}); }

/// Takes the request to serve next out of the queue. @pre !queue_.empty()
Request Coordinator::next() {
  const auto urgency_of = [&](const Request& r) {
    const Active* active = decision_.find(r.client);
    const Urgency held = active != nullptr ? active->urgency : Urgency{};
    return r.urgency.above(held) ? r.urgency : held;
  };
  auto first = queue_.begin();
  for (auto r = queue_.begin(); r != queue_.end(); ++r) {
    if (r->kind == Request::Kind::kGone) {  // no client waits for it
      first = r;
      break;
    }
    if (urgency_of(*r).above(urgency_of(*first))) first = r;
  }
  // The most urgent client's requests in their own order: an End before the Begin that follows it.
  first = std::find_if(queue_.begin(), queue_.end(),
                       [client = first->client](const Request& r) { return r.client == client; });
  const Request chosen = *first;
  queue_.erase(first);
  return chosen;
}

void Coordinator::serve(std::int64_t now_ns) {
  while (!update_ && !queue_.empty()) start(next(), now_ns);
}

/// Changes the active set; false, with the answer given, when the request cannot be.
bool Coordinator::admit(const Request& request) {
  Action reply;
  reply.client = request.client;
  reply.request = request;
  switch (request.kind) {
    case Request::Kind::kGone:  // it has been removed already; only recompute
      return true;
    case Request::Kind::kEnd:
      if (decision_.end(request.client)) return true;
      reply.kind = Action::Kind::kRefused;
      break;
    case Request::Kind::kBegin:
      if (decision_.begin(request.client, request.urgency)) return true;
      reply.kind = Action::Kind::kAnswer;
      reply.answer = Answer::kNested;
      break;
    case Request::Kind::kRaise:
      decision_.raise(request.client, request.urgency);  // as urgent already: answered all the same
      return true;
    case Request::Kind::kDemote:
      return decision_.demote(request.client);  // it has ended: there is nothing to do
  }
  actions_.push_back(reply);
  return false;
}

void Coordinator::start(const Request& request, std::int64_t now_ns) {
  if (!admit(request)) return;
  update_ = Update{};
  update_->request = request;
  update_->started_ns = now_ns;
  const std::vector<ClientId> pending = decision_.pending();
  for (ClientId client : pending) {
    if (!off_.contains(client)) update_->leaving.push_back(client);
  }
  for (ClientId client : off_) {
    if (std::find(pending.begin(), pending.end(), client) == pending.end())
      update_->joining.push_back(client);
  }
  update_->changed = !update_->leaving.empty() || !update_->joining.empty();
  order(update_->leaving, true, now_ns);
  advance(now_ns);
}

/// Tells `clients`, and waits for the confirmations of those that are not silent.
void Coordinator::order(const std::vector<ClientId>& clients, bool off, std::int64_t now_ns) {
  for (ClientId client : clients) {
    if (off) {
      off_.insert(client);
      if (silent_.contains(client)) still_there_.insert(client);  // no update waits for it
    } else {
      off_.erase(client);
      still_there_.erase(client);
    }
    Action action;
    action.kind = Action::Kind::kOrder;
    action.client = client;
    action.off = off;
    action.shared = !off && !still_there_.empty();
    actions_.push_back(action);
    if (!silent_.contains(client))
      update_->awaited.push_back({client, now_ns, patience_.with(client, now_ns)});
  }
}

void Coordinator::advance(std::int64_t now_ns) {
  if (!update_ || !update_->awaited.empty()) return;
  if (!update_->putting_back) {
    update_->putting_back = true;
    order(update_->joining, false, now_ns);
  }
  if (update_->awaited.empty()) finish(now_ns);
}

void Coordinator::finish(std::int64_t now_ns) {
  const Update update = *std::exchange(update_, std::nullopt);
  Action action;
  action.client = update.request.client;
  action.request = update.request;
  if (waits_for_an_answer(update.request)) {
    action.kind = Action::Kind::kAnswer;
    action.answer = off_.contains(action.client) ? Answer::kPending
                    : still_there_.empty()       ? Answer::kRunning
                                                 : Answer::kShared;
    actions_.push_back(action);
  }
  action.kind = Action::Kind::kUpdated;
  action.changed = update.changed;
  action.left = update.leaving.size();
  action.took_ns = now_ns - update.started_ns;
  actions_.push_back(action);
}

}  // namespace tactus::arbiter::daemon
