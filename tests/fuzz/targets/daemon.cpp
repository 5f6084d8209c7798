// The arbiter, fed by clients that say what the input tells them to: messages in and out of turn, of
// every size, forged pages, and hanging up in the middle, under both protocols. It is served between their
// steps, on the same thread (compiled without access control), so that the same script gives the same run.
// After every script it must still serve an observer, have forgotten all that left, and give an honest
// client the GPU.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tests/fuzz/targets/fuzz.hpp"
#include "tests/fuzz/targets/script.hpp"

using namespace tactus;
using namespace tactus::arbiter;

namespace {

constexpr std::size_t kMostSteps = 60;

/// One end of a connection; keeps the pages that it is given.
class Speaker {
 public:
  Speaker() = default;
  ~Speaker() { hang_up(); }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  bool connected() const { return socket_ >= 0; }
  void connect(const std::string& path) {
    hang_up();
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    fuzz::demand(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
                 "the arbiter listens");
  }
  void say(const void* bytes, std::size_t size) const {
    send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void say(const Message& message) const { say(&message, sizeof message); }
  void hello(bool observer, Protocol protocol) const {
    Message message{};
    message.kind = MessageKind::kHello;
    message.hello.magic = kMagic;
    message.hello.version = kProtocolVersion;
    message.hello.observer = observer ? 1 : 0;
    message.hello.protocol = protocol;
    std::strcpy(message.hello.name, "fuzz");
    say(message);
  }
  /// The next message; false: there is none (yet), or the arbiter has hung up.
  bool hear(Message& message) {
    iovec part{&message, sizeof message};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> space{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = space.data();
    header.msg_controllen = space.size();
    if (recvmsg(socket_, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) !=
        static_cast<ssize_t>(sizeof message))
      return false;
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      std::array<int, 2> files{-1, -1};
      std::memcpy(files.data(), CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
      for (std::size_t i = 0; i < files.size(); ++i) take_page(i, files[i]);
    }
    return true;
  }
  ClientPage* page() const { return static_cast<ClientPage*>(pages_[0]); }
  FastPage* fast() const { return static_cast<FastPage*>(pages_[1]); }
  void hang_up() {
    for (void*& page : pages_) {
      if (page != nullptr) munmap(page, kPageSize);
      page = nullptr;
    }
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

 private:
  void take_page(std::size_t which, int file) {
    if (file < 0) return;
    void* const page = mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED || pages_[which] != nullptr) return;
    pages_[which] = page;
  }

  int socket_ = -1;
  std::array<void*, 2> pages_{};
};

/// An arbiter that never ends. Its times are short, so that a client that does not answer holds a
/// script up for a tenth of a millisecond.
class Arbiter {
 public:
  explicit Arbiter(daemon::DaemonOptions options) : protocol_(options.protocol) {
    std::string pattern = "/dev/shm/tactus-fuzz-XXXXXX";
    socket_ = std::string(mkdtemp(pattern.data())) + "/private/tactus.sock";
    options.socket = socket_;
    options.lease_ns = 20'000'000;
    options.update_timeout_ns = 100'000;
    options.log = "/dev/null";
    auto opened = daemon::Daemon::open(std::move(options));
    fuzz::demand(bool(opened), "the arbiter starts");
    daemon_ = std::move(*opened);
    watcher_.connect(socket_);
    watcher_.hello(true, protocol_);
    fuzz::demand(next(watcher_).kind == MessageKind::kWelcome, "an observer is welcome");
  }
  const std::string& socket() const { return socket_; }
  Protocol protocol() const { return protocol_; }

  void serve() { fuzz::demand(!daemon_->serve_once(events_), "the arbiter goes on"); }

  /// How many clients are there? All that was said before has been heard by then.
  std::uint32_t clients() {
    Message message{};
    message.kind = MessageKind::kSnapshot;
    watcher_.say(message);
    std::uint32_t rows = 0;
    do {
      message = next(watcher_);
      rows += message.kind == MessageKind::kRow ? 1 : 0;
    } while (message.kind != MessageKind::kSummary);
    return rows;
  }

  void demand_service() {
    for (int round = 0; clients() > 0; ++round)
      fuzz::demand(round < kMostRounds, "who left is gone");
    Speaker honest;
    honest.connect(socket_);
    honest.hello(false, protocol_);
    fuzz::demand(next(honest).kind == MessageKind::kWelcome && honest.page() != nullptr,
                 "an honest client is welcome");
    if (protocol_ == Protocol::kBoost) {
      demand_turn(honest);
    } else {
      demand_answer(honest);
    }
  }

 private:
  static constexpr int kMostRounds = 1000;

  void demand_answer(const Speaker& honest) {
    Message message{};
    message.kind = MessageKind::kBegin;
    message.segment.request = 1;
    message.segment.priority = 5;
    honest.say(message);
    for (int round = 0; honest.page()->answered.load() != 1; ++round) {
      fuzz::demand(round < kMostRounds, "a begin is answered");
      serve();
    }
    fuzz::demand(honest.page()->answer.load() == Answer::kRunning, "who is alone runs");
  }

  /// Two batches, one after the other: the first must be seen to be complete.
  void demand_turn(const Speaker& honest) {
    for (std::uint32_t segment = 1; segment <= 2; ++segment) {
      Message message{};
      message.kind = MessageKind::kSubmit;
      message.submit = {.segment = segment,
                        .best_effort = 0,
                        .priority = 5,
                        .threshold = 5,
                        .marks = 1,
                        .held_by_tier = 0,
                        .stays = 0,
                        .seen = StartSeen::kAtTheGate,
                        .job = 0,
                        .share = 0,
                        .arrived_ns = 0,
                        .alone = 0};
      honest.say(message);
      for (int round = 0; honest.page()->gate.load() != segment; ++round) {
        fuzz::demand(round < kMostRounds, "the gate of who is alone is opened");
        serve();
      }
      fuzz::demand(honest.page()->shared.load() == 0, "who is alone is told so");
      honest.page()->marks[0].store(segment);
      for (int round = 0; honest.page()->completed.load() != segment; ++round) {
        fuzz::demand(round < kMostRounds, "a mark is seen");
        serve();
      }
    }
  }

  Message next(Speaker& speaker) {
    Message message{};
    for (int round = 0; !speaker.hear(message); ++round) {
      fuzz::demand(round < kMostRounds, "the arbiter answers");
      serve();
    }
    return message;
  }

  Protocol protocol_;
  std::string socket_;
  std::unique_ptr<daemon::Daemon> daemon_;
  std::vector<epoll_event> events_ = std::vector<epoll_event>(64);
  Speaker watcher_;
};

Arbiter& arbiter_of(std::size_t which) {
  static Arbiter* const kArbiters[] = {
      new Arbiter({}), new Arbiter({.rule = daemon::Rule::kFifo, .fast_path = false}),
      new Arbiter({.budget_ns = 1'000'000, .on_overstay = daemon::Overstay::kDemote}),
      new Arbiter({.protocol = Protocol::kBoost})};
  return *kArbiters[which % std::size(kArbiters)];
}

Message message_of(fuzz::Script& script) {
  constexpr std::array kKinds = {MessageKind::kBegin,    MessageKind::kEnd,  MessageKind::kRaise,
                                 MessageKind::kDone,     MessageKind::kTier, MessageKind::kSubmit,
                                 MessageKind::kSnapshot, MessageKind::kHello};
  Message message{};
  const std::size_t kind = script.choice(kKinds.size() + 1);
  message.kind = kind < kKinds.size() ? kKinds[kind] : static_cast<MessageKind>(script.byte());
  switch (message.kind) {
    case MessageKind::kBegin:
    case MessageKind::kEnd:
    case MessageKind::kRaise:
      message.segment.request = script.byte();
      message.segment.best_effort = script.byte() & 1U;
      message.segment.priority = static_cast<std::int8_t>(script.byte());
      break;
    case MessageKind::kSubmit:
      message.submit.segment = script.byte();
      message.submit.best_effort = script.byte() & 1U;
      message.submit.priority = static_cast<std::int8_t>(script.byte());
      message.submit.threshold = message.submit.priority + static_cast<std::int8_t>(script.byte());
      message.submit.marks = script.byte() % (kMostMarks + 2);
      message.submit.held_by_tier = script.byte() & 1U;
      message.submit.stays = script.byte() & 1U;
      message.submit.seen = static_cast<StartSeen>(script.choice(4));
      break;
    case MessageKind::kDone:
      message.done.order = script.byte();
      message.done.result = static_cast<TierResult>(script.byte());
      message.done.took_ns = script.number<std::int64_t>();
      message.done.lapsed = script.byte() & 1U;
      break;
    default:
      script.fill(&message.room, script.byte() % sizeof message.room);
      break;
  }
  return message;
}

void forge_page(const Speaker& speaker, fuzz::Script& script) {
  const std::size_t where = script.choice(8);
  const auto value = script.number<std::uint32_t>();
  if (where == 0) {
    if (speaker.fast() != nullptr) speaker.fast()->owner.store(value % 64);
  } else if (ClientPage* const page = speaker.page(); page != nullptr) {
    if (where == 1) page->claimed.store(value & 1);
    if (where == 2) page->claim_priority.store(static_cast<std::int32_t>(value));
    if (where == 3) page->claimed_since_ns.store(script.number<std::int64_t>());
    if (where == 4) page->gate.store(value);
    if (where == 5) page->started.store(value);
    if (where == 6) page->cut_short.store(value);
    if (where == 7) page->marks[value % kMostMarks].store(value / kMostMarks % 256);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  fuzz::Script script(data, size);
  Arbiter& arbiter = arbiter_of(script.byte());
  std::array<Speaker, 5> speakers;
  for (std::size_t step = 0; step < kMostSteps && !script.ended(); ++step) {
    Speaker& speaker = speakers[script.choice(speakers.size())];
    if (!speaker.connected()) {
      speaker.connect(arbiter.socket());
      if (script.choice(8) == 0) continue;
      const bool observer = script.choice(8) == 0;
      speaker.hello(observer, script.choice(8) == 0 ? Protocol::kAny : arbiter.protocol());
      continue;
    }
    std::array<std::uint8_t, 400> bytes{};
    Message heard{};
    switch (script.choice(10)) {
      case 0:
        speaker.hang_up();
        break;
      case 1:
        script.fill(bytes.data(), script.choice(20));
        speaker.say(bytes.data(), static_cast<std::size_t>(script.byte()) + 1);
        break;
      case 2:
        forge_page(speaker, script);
        break;
      case 3:
      case 4:
        while (speaker.hear(heard)) {
        }
        break;
      case 5:
        arbiter.clients();  // all that was said is heard before the script goes on
        break;
      default:
        speaker.say(message_of(script));
        break;
    }
  }
  for (Speaker& speaker : speakers) speaker.hang_up();
  arbiter.demand_service();
  return 0;
}
