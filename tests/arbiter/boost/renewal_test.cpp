// What a client hears while it waits: without it, it would take the arbiter for dead and go on.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "tests/arbiter/boost_client.hpp"
#include "tests/arbiter/raw_client.hpp"

namespace tactus::arbiter {
namespace {

/// Behind a segment of priority 9 that does not end.
class BoostRenewals : public testing::Test {
 protected:
  BoostRenewals()
      : arbiter([] {
          auto options = boost_options();
          options.lease_ns = 400'000'000;
          return options;
        }()),
        urgent(arbiter.socket()) {
    urgent.submits(9);
    EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
  }
  /// Is this order said to a client, and said again?
  bool hears_again(const Submit& submit, OrderState state) {
    RawClient client(arbiter.socket());
    const timeval patience{30, 0};
    setsockopt(client.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    client.hello(Protocol::kBoost);
    Message message{};
    message.kind = MessageKind::kSubmit;
    message.submit = submit;
    client.say(message);
    for (int heard = 0; heard < 100 && !client.ended(); ++heard) {
      const Message said = client.hear();
      if (said.kind == MessageKind::kOrder && said.order.state == state && said.order.renewal == 1)
        return said.order.segment == submit.segment;
      if (said.kind != MessageKind::kOrder) break;
    }
    return false;
  }
  ArbiterHere arbiter;
  BoostClient urgent;
};

TEST_F(BoostRenewals, TellWhoWaitsAtItsGateThatTheArbiterIsAlive) {
  EXPECT_TRUE(
      hears_again({1, 0, 3, 3, 1, 0, 0, StartSeen::kAtTheGate, 0, 0, 0, 0}, OrderState::kWait));
}

TEST_F(BoostRenewals, TellAWholeProgramThatItIsToStayOff) {
  EXPECT_TRUE(
      hears_again({1, 0, 3, 3, 0, 1, 0, StartSeen::kAtTheGate, 0, 0, 0, 0}, OrderState::kOff));
}

}  // namespace
}  // namespace tactus::arbiter
