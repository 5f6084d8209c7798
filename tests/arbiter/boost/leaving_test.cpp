// Work that leaves when it is asked to: its launch ends early, its mark is written, and yet it is not
// complete.
#include "tactus/arbiter/client/leaving_tier.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/client.h"
#include "tests/arbiter/boost_client.hpp"

namespace tactus::arbiter {
namespace {

/// A GPU that works through items when the gate is open, and writes the mark at the end of its launch,
/// whether all items are done or not.
class Items {
 public:
  explicit Items(unsigned wanted) : wanted_(wanted) {
    work_.self = this;
    work_.ask_to_leave = [](void* self, bool leave) {
      static_cast<Items*>(self)->leave_ = leave;
      return true;
    };
    work_.idle = [](void* self) { return static_cast<Items*>(self)->idle_.load(); };
    work_.finished = [](void* self) {
      auto& items = *static_cast<Items*>(self);
      return items.done_ == items.wanted_;
    };
    work_.launch_rest = [](void* self) {
      auto& items = *static_cast<Items*>(self);
      ++items.launches_;
      items.idle_ = false;
      items.launched_ = true;
      return true;
    };
  }
  ~Items() {
    over_ = true;
    thread_.join();
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  Tier tier() { return client::leaving_tier(work_); }
  void enqueue(const tactus_words& words) {
    words_ = words;
    done_ = 0;
    idle_ = false;
    launched_ = true;
  }
  unsigned done() const { return done_; }
  unsigned launches() const { return launches_; }
  void allow(unsigned items) { allowed_ = items; }

 private:
  void serve() {
    while (!over_) {
      if (!launched_.exchange(false)) {
        usleep(100);
        continue;
      }
      auto& gate = *reinterpret_cast<std::atomic<std::uint32_t>*>(words_.gate);
      while (!reached(gate.load(), words_.value)) usleep(50);
      while (done_ < wanted_ && !leave_) {
        if (done_ < allowed_) ++done_;
        usleep(50);
      }
      reinterpret_cast<std::atomic<std::uint32_t>*>(words_.mark)->store(words_.value);
      idle_ = true;
    }
  }

  unsigned wanted_;
  client::LeavingWork work_;
  tactus_words words_{};
  std::atomic<unsigned> done_{0}, allowed_{0}, launches_{1};
  std::atomic<bool> leave_{false}, idle_{true}, launched_{false}, over_{false};
  std::thread thread_{[this] { serve(); }};
};

/// In a process of its own: its tier is that of the process.
void is_put_back(const std::string& socket) {
  setenv(kSocketVariable, socket.c_str(), 1);
  setenv(kGateLimitVariable, "60000", 1);
  Items items(40);
  client::choose_tier(items.tier());
  BoostClient urgent(socket);
  ASSERT_EQ(tactus_segment_begin_host(3, TACTUS_OWN_PRIORITY), TACTUS_RUNNING) << tactus_problem();
  tactus_words words{};
  ASSERT_EQ(tactus_segment_words(&words), TACTUS_RUNNING);
  items.enqueue(words);
  items.allow(10);
  std::thread other([&] {
    EXPECT_TRUE(eventually([&] { return items.done() == 10; }));
    urgent.submits(9);
    EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
    EXPECT_EQ(items.done(), 10U) << "it has left";
    items.allow(40);
    urgent.finishes();
  });
  EXPECT_EQ(tactus_segment_end(), TACTUS_RUNNING);
  EXPECT_EQ(items.done(), 40U) << "its first mark did not count";
  EXPECT_EQ(items.launches(), 2U);
  other.join();
}

TEST(LeavingTier, IsPutBackToDoTheRestAndCompleteOnlyThen) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer knows only one new thread in a forked child";
#endif
  ArbiterHere arbiter(boost_options());
  const pid_t child = fork();
  if (child == 0) {
    is_put_back(arbiter.socket());
    _exit(HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const auto seen = client::Observer::open(arbiter.socket())->look();
  EXPECT_EQ(seen->boost.offs, 1U);
  EXPECT_EQ(seen->boost.ons, 1U);
  EXPECT_FALSE(arbiter.logged("invariant"));
}

}  // namespace
}  // namespace tactus::arbiter
