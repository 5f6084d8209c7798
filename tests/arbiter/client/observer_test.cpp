// An arbiter that lies to whoever looks at it.
#include "tactus/arbiter/client/observer.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter::client {
namespace {

/// Answers every question with what the test wants it to.
class LyingArbiter {
 public:
  explicit LyingArbiter(std::function<void(int)> answer) {
    path_ = folder_.file("s");
    listening_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    thread_ = std::thread([this, answer = std::move(answer)] {
      const int peer = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      Message message{};
      while (recv(peer, &message, sizeof message, 0) == sizeof message) {
        if (message.kind == MessageKind::kHello) {
          message = Message{};
          message.kind = MessageKind::kWelcome;
          send(peer, &message, sizeof message, MSG_NOSIGNAL);
        } else {
          answer(peer);
        }
      }
      close(peer);
    });
  }
  ~LyingArbiter() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
  }
  LyingArbiter(const LyingArbiter&) = delete;
  LyingArbiter& operator=(const LyingArbiter&) = delete;
  const std::string& path() const { return path_; }

 private:
  Folder folder_;
  std::string path_;
  int listening_ = -1;
  std::thread thread_;
};

bool say(int peer, const Message& message) {
  return send(peer, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

TEST(Observer, ShowsNothingButTextWhateverAnArbiterSends) {
  const LyingArbiter arbiter([](int peer) {
    Message row{};
    row.kind = MessageKind::kRow;
    row.row.client = 1;
    std::memset(row.row.name, 'n', sizeof row.row.name);  // without an end
    std::memset(row.row.tier, '\x1b', sizeof row.row.tier);
    say(peer, row);
    Message summary{};
    summary.kind = MessageKind::kSummary;
    summary.summary.rows = 1;
    std::memset(summary.summary.not_isolated, '\x9b', sizeof summary.summary.not_isolated);
    say(peer, summary);
  });
  auto observer = Observer::open(arbiter.path());
  ASSERT_TRUE(observer) << observer.error().message;
  const auto seen = observer->look();
  ASSERT_TRUE(seen) << seen.error().message;
  ASSERT_EQ(seen->clients.size(), 1U);
  EXPECT_STREQ(seen->clients[0].name, std::string(31, 'n').c_str());
  EXPECT_STREQ(seen->clients[0].tier, std::string(15, '?').c_str());
  EXPECT_STREQ(seen->summary.not_isolated, std::string(55, '?').c_str());
}

TEST(Observer, StopsListeningToAnArbiterThatNeverStopsTalking) {
  for (const bool numbered : {false, true}) {
    const LyingArbiter arbiter([numbered](int peer) {
      Message row{};
      row.kind = MessageKind::kRow;
      for (row.row.client = 1; say(peer, row);) row.row.client += numbered ? 1 : 0;
    });
    auto observer = Observer::open(arbiter.path());
    ASSERT_TRUE(observer) << observer.error().message;
    EXPECT_FALSE(observer->look());
  }
}

TEST(Observer, StopsAskingAnArbiterThatAlwaysHasMore) {
  const LyingArbiter arbiter([](int peer) {
    Message summary{};
    summary.kind = MessageKind::kSummary;
    summary.summary.rows = kRowsAtOnce;  // it says, and has sent none
    say(peer, summary);
  });
  auto observer = Observer::open(arbiter.path());
  ASSERT_TRUE(observer) << observer.error().message;
  EXPECT_FALSE(observer->look());
}

}  // namespace
}  // namespace tactus::arbiter::client
