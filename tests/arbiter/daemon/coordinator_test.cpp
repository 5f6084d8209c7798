#include "tactus/arbiter/daemon/coordinator.hpp"

#include <gtest/gtest.h>

namespace tactus::arbiter::daemon {
namespace {

/// A coordinator, and what it does written as text: "off 1, on 2, answer 3 running".
class Desk {
 public:
  explicit Desk(Rule rule = Rule::kPriority) : coordinator(rule, 100) {}

  std::string ask(Request::Kind kind, ClientId client, int priority = 0) {
    Request request;
    request.kind = kind;
    request.client = client;
    if (priority != 0) request.urgency = Urgency::real_time(priority);
    coordinator.request(request, 0);
    return actions();
  }
  std::string begin(ClientId client, int priority = 0) {
    return ask(Request::Kind::kBegin, client, priority);
  }
  std::string end(ClientId client) { return ask(Request::Kind::kEnd, client); }
  std::string done(ClientId client) {
    coordinator.done(client, 0);
    return actions();
  }
  std::string actions() {
    std::string text;
    for (const Action& action : coordinator.take_actions()) {
      if (action.kind == Action::Kind::kUpdated) continue;
      if (!text.empty()) text += ", ";
      const std::string client = std::to_string(action.client);
      if (action.kind == Action::Kind::kOrder)
        text += (action.off ? "off " : action.shared ? "on, shared " : "on ") + client;
      if (action.kind == Action::Kind::kLate) text += "late " + client;
      if (action.kind == Action::Kind::kRefused) text += "refused " + client;
      if (action.kind != Action::Kind::kAnswer) continue;
      text += "answer " + client +
              (action.answer == Answer::kRunning   ? " running"
               : action.answer == Answer::kShared  ? " shared"
               : action.answer == Answer::kPending ? " pending"
                                                   : " nested");
    }
    return text;
  }

  Coordinator coordinator;
};

TEST(Coordinator, AnswersOnlyWhenEverybodyHasMadeRoom) {
  Desk desk;
  EXPECT_EQ(desk.begin(1), "answer 1 running");
  EXPECT_EQ(desk.begin(2), "answer 2 running");  // best effort shares
  EXPECT_EQ(desk.begin(3, 7), "off 1, off 2");
  EXPECT_EQ(desk.done(2), "");
  EXPECT_EQ(desk.done(1), "answer 3 running");
  EXPECT_EQ(desk.end(3), "on 1, on 2");
  EXPECT_EQ(desk.done(1), "");
  EXPECT_EQ(desk.done(2), "");
  EXPECT_FALSE(desk.coordinator.deadline());
}

TEST(Coordinator, ServesWhoWaitsInTheOrderOfPriorities) {
  Desk desk;
  desk.begin(1, 1);
  EXPECT_EQ(desk.begin(2, 5), "off 1");  // an update is in progress
  EXPECT_EQ(desk.begin(3, 2), "");
  EXPECT_EQ(desk.begin(4, 9), "");
  EXPECT_EQ(desk.begin(5, 9), "");
  EXPECT_EQ(desk.done(1), "answer 2 running, off 2");  // 4 first, for which 2 must go
  EXPECT_EQ(desk.done(2), "answer 4 running, off 5");  // 5 came later than its equal
  EXPECT_EQ(desk.done(5), "answer 5 pending, off 3");
  EXPECT_EQ(desk.done(3), "answer 3 pending");
}

TEST(Coordinator, KeepsTheOrderOfOneClientsRequestsAtTheirHighestPriority) {
  Desk desk;
  desk.begin(1, 1);
  desk.begin(2, 3);
  desk.done(1);
  EXPECT_EQ(desk.begin(3, 2), "off 3");
  EXPECT_EQ(desk.begin(4, 4), "");
  EXPECT_EQ(desk.end(2), "");       // at priority 3 ...
  EXPECT_EQ(desk.begin(2, 9), "");  // ... but its next begin lends it 9
  // End of 2 first: 3 is next in line and is put back; then 2 begins again.
  EXPECT_EQ(desk.done(3), "answer 3 pending, on 3");
  EXPECT_EQ(desk.done(3), "off 3");
  EXPECT_EQ(desk.done(3), "answer 2 running, off 4");
}

TEST(Coordinator, TakesOffBeforeItPutsBack) {
  Desk desk;
  desk.begin(1, 5);
  desk.begin(2, 1);
  EXPECT_EQ(desk.done(2), "answer 2 pending");
  EXPECT_EQ(desk.ask(Request::Kind::kRaise, 2, 9), "off 1");
  EXPECT_EQ(desk.done(1), "on 2");
  EXPECT_EQ(desk.done(2), "answer 2 running");
}

TEST(Coordinator, GoesOnWithoutWhoIsLateOrGone) {
  Desk desk;
  desk.begin(1, 1);
  desk.begin(2, 2);
  desk.coordinator.expire(99);
  EXPECT_EQ(desk.actions(), "");
  desk.coordinator.expire(100);
  EXPECT_EQ(desk.actions(), "late 1, answer 2 shared");
  EXPECT_EQ(desk.begin(3, 3), "off 2");
  EXPECT_EQ(desk.ask(Request::Kind::kGone, 2), "answer 3 shared");  // 1 is still there
  EXPECT_EQ(desk.ask(Request::Kind::kGone, 3), "on 1");
}

TEST(Coordinator, WaitsOnlyOnceForWhoDoesNotConfirmUntilItDoes) {
  Desk desk;
  desk.begin(1, 1);
  desk.begin(2, 2);
  desk.coordinator.expire(100);
  EXPECT_EQ(desk.actions(), "late 1, answer 2 shared");
  EXPECT_TRUE(desk.coordinator.silent(1));
  EXPECT_EQ(desk.end(2), "on 1");  // told, but nobody waits for it
  EXPECT_EQ(desk.begin(2, 2), "off 1, answer 2 shared");
  EXPECT_EQ(desk.done(1), "");  // it is back
  EXPECT_FALSE(desk.coordinator.silent(1));
  EXPECT_EQ(desk.end(2), "on 1");
  EXPECT_EQ(desk.begin(2, 2), "");  // waits for what `on` is answered with
  EXPECT_EQ(desk.done(1), "off 1");
  EXPECT_EQ(desk.done(1), "answer 2 running");
}

TEST(Coordinator, SaysThatTheGpuIsSharedUntilWhoMustBeOffIsSeenToBe) {
  Desk desk;
  desk.begin(1, 1);
  EXPECT_EQ(desk.begin(2, 2), "off 1");
  desk.coordinator.done(1, 0, false);  // it says itself that it could not leave
  EXPECT_EQ(desk.actions(), "answer 2 shared");
  desk.end(2);
  EXPECT_EQ(desk.done(1), "");  // it may run again, so there is nobody who must not
  EXPECT_EQ(desk.begin(2, 2), "off 1");
  EXPECT_EQ(desk.done(1), "answer 2 running");
}

TEST(Coordinator, TellsWhoIsPutBackThatAnotherMayStillBeThere) {
  Desk desk;
  desk.begin(1, 1);
  desk.begin(2, 2);
  desk.done(1);
  EXPECT_EQ(desk.begin(3, 3), "off 2");
  desk.coordinator.expire(100);
  EXPECT_EQ(desk.actions(), "late 2, answer 3 shared");
  EXPECT_EQ(desk.ask(Request::Kind::kRaise, 1, 9), "off 3");
  EXPECT_EQ(desk.done(3), "on, shared 1");  // 2 has not been seen to be off
  EXPECT_EQ(desk.done(2), "");              // now it has
  EXPECT_EQ(desk.done(1), "answer 1 running");
}

TEST(Coordinator, PutsNobodyOnBeforeEverybodyWhoMustGoIsOff) {
  Desk desk;
  desk.begin(1);
  desk.begin(2);
  desk.begin(3, 1);
  EXPECT_EQ(desk.done(1), "");
  EXPECT_EQ(desk.done(2), "answer 3 running");
  EXPECT_EQ(desk.begin(4, 2), "off 3");
  desk.end(3);
  desk.end(4);                                        // both wait for the update
  EXPECT_EQ(desk.done(3), "answer 4 running, on 3");  // 4 was first to end
  EXPECT_EQ(desk.done(3), "on 1, on 2");
}

TEST(Coordinator, RefusesToNestAndToEndTwice) {
  Desk desk;
  EXPECT_EQ(desk.end(1), "refused 1");
  desk.begin(1, 1);
  EXPECT_EQ(desk.begin(1, 2), "answer 1 nested");
  EXPECT_EQ(desk.end(1), "");
  EXPECT_TRUE(desk.coordinator.idle());
}

TEST(Coordinator, HandsALockOverInOrderOfArrival) {
  Desk desk(Rule::kFifo);
  EXPECT_EQ(desk.begin(1, 1), "answer 1 running");
  EXPECT_EQ(desk.begin(2, 9), "off 2");
  EXPECT_EQ(desk.done(2), "answer 2 pending");
  EXPECT_EQ(desk.end(1), "on 2");
}

}  // namespace
}  // namespace tactus::arbiter::daemon
