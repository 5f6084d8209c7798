#include "tactus/arbiter/daemon/coordinator.hpp"

#include <algorithm>
#include <utility>

namespace tactus::arbiter::daemon {
namespace {

void remove(std::vector<ClientId>& clients, ClientId client) { std::erase(clients, client); }

}  // namespace

void Coordinator::request(const Request& request, std::int64_t now_ns) {
  if (request.kind == Request::Kind::kGone) {
    // Nothing more is to be expected of it, neither requests nor confirmations; and no update that
    // is served before this one may count on it.
    decision_.gone(request.client);
    std::erase_if(queue_, [&](const Request& r) { return r.client == request.client; });
    off_.erase(request.client);
    silent_.erase(request.client);
    still_there_.erase(request.client);
    if (update_) {
      remove(update_->leaving, request.client);
      remove(update_->joining, request.client);
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
  remove(update_->putting_back ? update_->joining : update_->leaving, client);
  advance(now_ns);
  serve(now_ns);
}

void Coordinator::expire(std::int64_t now_ns) {
  if (!update_ || now_ns < update_->deadline_ns) return;
  std::vector<ClientId>& awaited = update_->putting_back ? update_->joining : update_->leaving;
  for (ClientId client : std::exchange(awaited, {})) {
    silent_.insert(client);
    if (!update_->putting_back) still_there_.insert(client);
    Action late;
    late.kind = Action::Kind::kLate;
    late.client = client;
    late.off = !update_->putting_back;
    actions_.push_back(late);
  }
  advance(now_ns);
  serve(now_ns);
}

std::optional<std::int64_t> Coordinator::deadline() const {
  if (!update_) return std::nullopt;
  return update_->deadline_ns;
}

std::vector<ClientId> Coordinator::awaited() const {
  if (!update_) return {};
  return update_->putting_back ? update_->joining : update_->leaving;
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
    if (r->kind == Request::Kind::kGone) {  // it costs nobody a wait
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
    case Request::Kind::kGone:  // it went when it was heard of; what is left is to recompute
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

/// Tells `clients`; those whose confirmation is to be awaited are left in it.
void Coordinator::order(std::vector<ClientId>& clients, bool off, std::int64_t now_ns) {
  update_->deadline_ns = now_ns + update_timeout_ns_;
  for (ClientId client : clients) {
    if (off) {
      off_.insert(client);
      if (silent_.contains(client)) still_there_.insert(client);  // nobody waits for it
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
  }
  std::erase_if(clients, [&](ClientId client) { return silent_.contains(client); });
}

void Coordinator::advance(std::int64_t now_ns) {
  if (!update_ || !update_->leaving.empty()) return;
  if (!update_->putting_back) {
    update_->putting_back = true;
    order(update_->joining, false, now_ns);
  }
  if (!update_->joining.empty()) return;
  finish(now_ns);
}

void Coordinator::finish(std::int64_t now_ns) {
  const Update update = *std::exchange(update_, std::nullopt);
  Action action;
  action.client = update.request.client;
  action.request = update.request;
  if (update.request.kind == Request::Kind::kBegin ||
      update.request.kind == Request::Kind::kRaise) {
    action.kind = Action::Kind::kAnswer;
    action.answer = off_.contains(action.client) ? Answer::kPending
                    : still_there_.empty()       ? Answer::kRunning
                                                 : Answer::kShared;
    actions_.push_back(action);
  }
  action.kind = Action::Kind::kUpdated;
  action.changed = update.changed;
  action.took_ns = now_ns - update.started_ns;
  actions_.push_back(action);
}

}  // namespace tactus::arbiter::daemon
