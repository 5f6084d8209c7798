// What clients say to the arbiter.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

/// A client waits for the answer to its begin; an honest one never has more requests than this.
constexpr std::size_t kMostQueued = 4;

/// Printable text of a fixed field, whatever a client put there.
std::string clean(const char* text, std::size_t size) {
  std::string result(text, strnlen(text, size));
  for (char& c : result) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') c = '?';
  }
  return result.empty() ? "?" : result;
}

/// A time that a client reports; it may report anything.
std::int64_t believable(std::int64_t ns, std::int64_t most) {
  return std::clamp<std::int64_t>(ns, 0, std::max<std::int64_t>(most, 0));
}

std::string urgency_json(Urgency urgency) {
  return urgency.best_effort ? R"("best_effort": true)"
                             : fmt::format(R"("priority": {})", urgency.priority);
}

}  // namespace

bool Daemon::handle(Peer& peer, const Message& message) {
  if (!peer.welcomed) return message.kind == Kind::kHello && welcome(peer, message.hello);
  switch (message.kind) {
    case Kind::kBegin:
    case Kind::kRaise:
      return !peer.observer && !boosts() && take_request(peer, message);
    case Kind::kEnd:
      if (peer.observer) return false;
      if (!boosts()) return take_request(peer, message);
      take_end(peer);
      return true;
    case Kind::kSubmit:
      return !peer.observer && boosts() && take_submit(peer, message.submit);
    case Kind::kForced:
      ++forced_;
      ++peer.forced;
      log_.line("forced", peer.id);
      return true;
    case Kind::kPresent:
      log_.line("present", peer.id);
      boosts() ? boost_.is_there(peer.id) : coordinator_.is_there(peer.id);
      return !peer.observer;
    case Kind::kDone:
      note_done(peer, message.done);
      return true;
    case Kind::kTier: {
      const TierCost& cost = message.tier.cost;
      peer.tier = clean(message.tier.name, sizeof message.tier.name);
      peer.isolated = message.tier.isolated != 0;
      peer.leaves_by_itself = message.tier.leaves_by_itself != 0;
      if (cost.samples > 0) {
        // What was measured before it came. More than the update timeout does not count: the
        // arbiter waits for no client so long.
        const std::int64_t most = options_.update_timeout_ns;
        std::int64_t& off = taking_off(peer);
        off = std::max(off, believable(cost.take_off_max, most));
        costs_.put_back_max_ns =
            std::max(costs_.put_back_max_ns, believable(cost.put_back_max, most));
      }
      log_.line("tier", peer.id,
                R"("tier": "{}", "samples": {}, "take_off_max_ns": {}, )"
                R"("put_back_max_ns": {})",
                peer.tier, cost.samples, cost.take_off_max, cost.put_back_max);
      return true;
    }
    case Kind::kSnapshot:
      if (!peer.observer) return false;  // to look around takes long; observers do it in turn
      send_snapshot(peer, message.segment.request);
      return true;
    default:
      return false;
  }
}

bool Daemon::welcome(Peer& peer, const Hello& hello) {
  if (hello.magic != kMagic) return false;
  if (hello.version != kProtocolVersion) {
    Message refusal{};
    refusal.kind = Kind::kRefused;
    refusal.refused.reason = Refusal::kVersion;
    peer.send(refusal);
    return false;
  }
  peer.observer = hello.observer != 0;
  if (!peer.observer && hello.protocol != Protocol::kAny && hello.protocol != options_.protocol) {
    Message refusal{};
    refusal.kind = Kind::kRefused;
    refusal.refused.reason = boosts() ? Refusal::kSpeaksBoost : Refusal::kSpeaksGcaps;
    peer.send(refusal);
    log_.line_of_user(peer.uid, "refuse", R"("pid": {}, "uid": {}, "why": "it speaks {}")",
                      peer.pid, peer.uid, boosts() ? "gcaps" : "boost");
    return false;
  }
  if (peer.introduce()) {
    Message refusal{};
    refusal.kind = Kind::kRefused;
    refusal.refused.reason = Refusal::kFull;
    peer.send(refusal);
    return false;
  }
  peer.welcomed = true;
  if (peer.process >= 0) watch(peer.process, kProcess, peer.id);
  peer.name = clean(hello.name, sizeof hello.name);
  Message message{};
  message.kind = Kind::kWelcome;
  const bool fast = options_.fast_path && !boosts() && options_.rule == Rule::kPriority &&
                    !peer.observer && (peer.uid == geteuid() || peer.uid == 0);
  message.welcome = {peer.id,
                     fast ? 1U : 0U,
                     options_.lease_ns,
                     options_.update_timeout_ns,
                     options_.cpu.value_or(-1),
                     options_.realtime,
                     options_.protocol};
  const int descriptors[2] = {peer.page.file(), fast_.file()};
  if (!peer.observer) {
    log_.line("join", peer.id, R"("pid": {}, "uid": {}, "name": "{}", "fast_path": {})", peer.pid,
              peer.uid, peer.name, fast);
  }
  return peer.send(message, descriptors, peer.observer ? 0 : fast ? 2 : 1) == Sent::kYes;
}

bool Daemon::take_request(Peer& peer, const Message& message) {
  Request request;
  request.client = peer.id;
  request.number = message.segment.request;
  request.since_ns = host::now_ns();
  request.kind = message.kind == Kind::kBegin ? Request::Kind::kBegin
                 : message.kind == Kind::kEnd ? Request::Kind::kEnd
                                              : Request::Kind::kRaise;
  if (coordinator_.queued(peer.id) >= kMostQueued) return false;
  if (request.kind != Request::Kind::kEnd) {
    if (message.segment.best_effort == 0)
      request.urgency = Urgency::real_time(message.segment.priority);
    if (!options_.permissions.allows(peer.uid, request.urgency)) {
      log_.line("forbid", peer.id, "{}", urgency_json(request.urgency));
      peer.answer(request.number, Answer::kForbidden);
      return true;
    }
    if (peer.demoted && request.kind == Request::Kind::kRaise) request.urgency = Urgency{};
    peer.real_time = peer.real_time || !request.urgency.best_effort;
    // In this order: what the silent say may leave nobody active, which opens the fast path.
    hear_the_silent(peer.id);
    close_fast_path();
  }
  if (request.kind == Request::Kind::kEnd) {
    log_.line("end", peer.id);
  } else {
    log_.line(request.kind == Request::Kind::kBegin ? "begin" : "raise", peer.id, "{}",
              urgency_json(request.urgency));
  }
  coordinator_.request(request, request.since_ns);
  return true;
}

std::int64_t& Daemon::taking_off(const Peer& peer) {
  return peer.leaves_by_itself ? costs_.leave_max_ns : costs_.take_off_max_ns;
}

void Daemon::note_done(Peer& peer, const Done& done) {
  if (done.lapsed != 0) log_.line("lapsed", peer.id);
  if (done.order != peer.order) return;  // of an order that has been overtaken
  if (done.result == TierResult::kDone) {
    std::int64_t& worst = peer.order_off ? taking_off(peer) : costs_.put_back_max_ns;
    const std::int64_t took = believable(done.took_ns, host::now_ns() - peer.ordered_ns);
    worst = std::max(worst, took);
    if (peer.order_off && coordinator_.awaits(peer.id) && peer.leaves_by_itself) {
      waited_for_leavers_ns_ = std::max(waited_for_leavers_ns_, took);  // they leave side by side
    }
  } else if (!(boosts() ? boost_.silent(peer.id) : coordinator_.silent(peer.id))) {
    // It is as if it had not answered: the arbiter goes on, and says so, once for each order.
    ++late_;
    ++peer.late;
  }
  log_.line(boosts()         ? "done"
            : peer.order_off ? "off"
                             : "on",
            peer.id, R"("result": {}, "took_ns": {})", static_cast<int>(done.result), done.took_ns);
  if (boosts()) {
    boost_.done(peer.id, host::now_ns(), done.result == TierResult::kDone);
  } else {
    coordinator_.done(peer.id, host::now_ns(), done.result == TierResult::kDone);
  }
}

/// From now on the arbiter decides every begin and end; a client on the fast path was there first.
void Daemon::close_fast_path() {
  const std::uint32_t owner = fast_.as<FastPage>().owner.exchange(FastPage::kManaged);
  if (owner == FastPage::kIdle || owner == FastPage::kManaged || !coordinator_.idle()) return;
  Peer* peer = find(owner);
  if (peer == nullptr || !peer->page) return;
  // Only the client itself can write this page, so no client can claim for another.
  const ClientPage& page = peer->shared();
  if (page.claimed.load() == 0) return;
  Urgency urgency;
  if (page.claim_best_effort.load() == 0) urgency = Urgency::real_time(page.claim_priority.load());
  if (!options_.permissions.allows(peer->uid, urgency)) urgency = Urgency{};
  peer->real_time = peer->real_time || !urgency.best_effort;
  const std::int64_t now = host::now_ns();
  peer->begins(peer->claimed_since(now), now);
  log_.line("adopt", owner, "{}", urgency_json(urgency));
  coordinator_.adopt(owner, urgency);
}

void Daemon::reopen_fast_path() {
  auto& owner = fast_.as<FastPage>().owner;
  if (all_returned_ns_ == 0 && coordinator_.idle() && owner.load() == FastPage::kManaged)
    owner.store(FastPage::kIdle);
}

/// Who was inside a segment of the last arbiter has had its time to come back.
void Daemon::stop_waiting_for_returning_clients() {
  all_returned_ns_ = 0;
  coordinator_.others_may_be_there(false);
  boost_.others_may_be_there(false);
  log_.line("returned", 0);
  carry_out();
}

}  // namespace tactus::arbiter::daemon
