// What clients say to the arbiter.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

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

}  // namespace

bool Daemon::handle(Peer& peer, const Message& message) {
  if (!peer.welcomed) return message.kind == MessageKind::kHello && welcome(peer, message.hello);
  switch (message.kind) {
    case MessageKind::kBegin:
    case MessageKind::kRaise:
    case MessageKind::kEnd:
    case MessageKind::kSubmit:
      return !peer.observer && referee_->take(peer, message);
    case MessageKind::kForced:
      ++floor_.forced;
      ++peer.forced;
      floor_.log.line("forced", peer.id);
      return true;
    case MessageKind::kPresent:
      floor_.log.line("present", peer.id);
      referee_->is_there(peer.id);
      return !peer.observer;
    case MessageKind::kDone:
      note_done(peer, message.done);
      return true;
    case MessageKind::kTier: {
      const TierCost& cost = message.tier.cost;
      peer.tier = clean(message.tier.name, sizeof message.tier.name);
      peer.isolated = message.tier.isolated != 0;
      peer.leaves_by_itself = message.tier.leaves_by_itself != 0;
      if (cost.samples > 0) {
        // What was measured before it came. More than the update timeout does not count: the
        // arbiter waits for no client so long.
        const std::int64_t most = floor_.options.update_timeout_ns;
        std::int64_t& off = floor_.taking_off(peer);
        off = std::max(off, believable(cost.take_off_max, most));
        floor_.costs.put_back_max_ns =
            std::max(floor_.costs.put_back_max_ns, believable(cost.put_back_max, most));
      }
      floor_.log.line("tier", peer.id,
                      R"("tier": "{}", "samples": {}, "take_off_max_ns": {}, )"
                      R"("put_back_max_ns": {})",
                      peer.tier, cost.samples, cost.take_off_max, cost.put_back_max);
      return true;
    }
    case MessageKind::kSnapshot:
      if (!peer.observer) return false;  // to look around takes long; observers do it in turn
      send_snapshot(peer, message.segment.request);
      return true;
    case MessageKind::kAsk:
      return peer.observer && take_question(peer, message.text);
    default:
      return false;
  }
}

bool Daemon::welcome(Peer& peer, const Hello& hello) {
  if (hello.magic != kMagic) return false;
  if (hello.version != kProtocolVersion) {
    Message refusal{};
    refusal.kind = MessageKind::kRefused;
    refusal.refused.reason = Refusal::kVersion;
    peer.send(refusal);
    return false;
  }
  peer.observer = hello.observer != 0;
  if (!peer.observer && hello.protocol != Protocol::kAny &&
      hello.protocol != floor_.options.protocol) {
    Message refusal{};
    refusal.kind = MessageKind::kRefused;
    const bool boost = floor_.options.protocol == Protocol::kBoost;
    refusal.refused.reason = boost ? Refusal::kSpeaksBoost : Refusal::kSpeaksGcaps;
    peer.send(refusal);
    floor_.log.line_of_user(peer.uid, "refuse", R"("pid": {}, "uid": {}, "why": "it speaks {}")",
                            peer.pid, peer.uid, boost ? "gcaps" : "boost");
    return false;
  }
  if (peer.introduce()) {
    Message refusal{};
    refusal.kind = MessageKind::kRefused;
    refusal.refused.reason = Refusal::kFull;
    peer.send(refusal);
    return false;
  }
  peer.welcomed = true;
  if (peer.process >= 0) watch(peer.process, kProcess, peer.id);
  peer.name = clean(hello.name, sizeof hello.name);
  Message message{};
  message.kind = MessageKind::kWelcome;
  const int fast = referee_->fast_page_for(peer);
  message.welcome = {peer.id,
                     fast >= 0 ? 1U : 0U,
                     floor_.options.lease_ns,
                     floor_.options.update_timeout_ns,
                     floor_.options.cpu.value_or(-1),
                     floor_.options.realtime,
                     floor_.options.protocol};
  const int descriptors[2] = {peer.page.file(), fast};
  if (!peer.observer) {
    floor_.log.line("join", peer.id, R"("pid": {}, "uid": {}, "name": "{}", "fast_path": {})",
                    peer.pid, peer.uid, peer.name, fast >= 0);
  }
  return peer.send(message, descriptors, peer.observer ? 0 : fast >= 0 ? 2 : 1) == Sent::kYes;
}

void Daemon::note_done(Peer& peer, const Done& done) {
  if (done.lapsed != 0) floor_.log.line("lapsed", peer.id);
  if (done.order != peer.order) return;  // of an order that has been overtaken
  const std::int64_t took = believable(done.took_ns, host::now_ns() - peer.ordered_ns);
  if (done.result == TierResult::kDone) {
    std::int64_t& worst = peer.order_off ? floor_.taking_off(peer) : floor_.costs.put_back_max_ns;
    worst = std::max(worst, took);
  } else if (!referee_->silent(peer.id)) {
    // It is as if it had not answered: the arbiter goes on, and says so, once for each order.
    ++floor_.late;
    ++peer.late;
  }
  referee_->done(peer, done, took);
}

/// Who was inside a segment of the last arbiter has had its time to come back.
void Daemon::stop_waiting_for_returning_clients() {
  all_returned_ns_ = 0;
  referee_->others_may_be_there(false);
  floor_.log.line("returned", 0);
  referee_->carry_out();
}

}  // namespace tactus::arbiter::daemon
