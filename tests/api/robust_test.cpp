// Whatever a caller does wrong is an answer, never a crash.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/api/answers.hpp"

namespace tactus::api_test {
namespace {

TEST(Robust, NullIsAProblemNotACrash) {
  const Answer answers[] = {
      tactus_check(nullptr, nullptr),
      tactus_canonical(nullptr, nullptr),
      tactus_analyze(nullptr, nullptr, nullptr),
      tactus_slack(nullptr, nullptr, nullptr),
      tactus_advise(nullptr, nullptr, nullptr),
      tactus_reserve_dry(nullptr, nullptr, nullptr),
      tactus_plan(nullptr, nullptr, nullptr),
      tactus_check_plan(nullptr, nullptr, nullptr),
      tactus_check_plan(robot().c_str(), nullptr, nullptr),
      tactus_deploy(nullptr, nullptr),
      tactus_deploy(robot().c_str(), R"({"output": "/tmp/nowhere"})"),
      tactus_doctor(nullptr, "no request"),
      tactus_simulate(nullptr, nullptr, nullptr),
      tactus_generate(nullptr),
      tactus_html(nullptr, nullptr, nullptr),
      tactus_session_open(robot().c_str(), nullptr, nullptr, nullptr),
      tactus_session_bind_cpu(nullptr, nullptr, nullptr, nullptr, nullptr),
      tactus_session_bind_copy(nullptr, nullptr, nullptr, nullptr, nullptr, 0),
      tactus_session_run(nullptr, nullptr),
      tactus_session_measure(nullptr, nullptr, nullptr),
      tactus_session_report(nullptr),
      tactus_session_metrics(nullptr),
      tactus_session_on_arrival(nullptr, nullptr, 0),
      tactus_session_on_overrun(nullptr, nullptr, nullptr),
  };
  for (const Answer& answer : answers) {
    EXPECT_EQ(answer.status(), TACTUS_BAD_INPUT);
    EXPECT_FALSE(answer.has_document());
    EXPECT_TRUE(answer.says("\"message\""));
  }
  EXPECT_EQ(tactus_answer_status(nullptr), TACTUS_BAD_INPUT);
  EXPECT_EQ(tactus_answer_document(nullptr), nullptr);
  EXPECT_NE(tactus_answer_problems(nullptr), nullptr);
  tactus_answer_free(nullptr);
  tactus_call_free(nullptr);
  tactus_call_cancel(nullptr);
  tactus_call_on_progress(nullptr, nullptr, nullptr);
  EXPECT_EQ(tactus_call_is_cancelled(nullptr), 0);
  EXPECT_EQ(tactus_session_arrive(nullptr, nullptr, 0), -1);
  EXPECT_EQ(tactus_session_jobs(nullptr, nullptr, 0, 0), -1);
  tactus_session_stop(nullptr);
  tactus_session_close(nullptr);
}

TEST(Robust, AHandleOfAnotherKindOrOneThatWasFreedIsNoticed) {
  tactus_call* call = tactus_call_new();
  EXPECT_EQ(tactus_answer_status(reinterpret_cast<tactus_answer*>(call)), TACTUS_BAD_INPUT);
  EXPECT_TRUE(Answer(tactus_session_run(reinterpret_cast<tactus_session*>(call), nullptr))
                  .says("not a tactus_session"));
  tactus_call_free(call);
  tactus_call_free(call);
  tactus_call_cancel(call);
  EXPECT_TRUE(Answer(tactus_analyze(robot().c_str(), nullptr, call)).says("it was freed"));
  tactus_answer* answer = tactus_methods(nullptr);
  tactus_answer_free(answer);
  tactus_answer_free(answer);
  EXPECT_EQ(tactus_answer_document(answer), nullptr);
}

TEST(Robust, AllProblemsOfARequestAreTold) {
  const Answer answer = tactus_analyze(
      robot().c_str(), R"({"methode": "all", "threads": 0, "set": 5, "variant": []})", nullptr);
  EXPECT_EQ(answer.status(), TACTUS_BAD_INPUT);
  EXPECT_TRUE(answer.says("unknown key `methode`; did you mean `method`?"));
  EXPECT_TRUE(answer.says("`threads` must be a whole number from 1 to 1024"));
  EXPECT_TRUE(answer.says("`set` must be a list of texts"));
  EXPECT_TRUE(answer.says("`variant` must be a text"));
  EXPECT_TRUE(answer.says(R"("document": "<request>")"));
}

TEST(Robust, TextsThatAreNoDocumentsAreRefused) {
  std::string deep(1000, '[');
  const std::string texts[] = {"",  "{", "[]", "5", "null", "\xff\xfe", "{\"a\": 1, \"a\": 2}",
                               deep};
  for (const std::string& text : texts) {
    EXPECT_EQ(Answer(tactus_check(text.c_str(), nullptr)).status(), TACTUS_BAD_INPUT) << text;
    EXPECT_EQ(Answer(tactus_analyze(robot().c_str(), text.c_str(), nullptr)).status(),
              TACTUS_BAD_INPUT)
        << text;
    EXPECT_EQ(Answer(tactus_check_plan(robot().c_str(), text.c_str(), nullptr)).status(),
              TACTUS_BAD_INPUT)
        << text;
  }
  for (const char* text : {"", "{", "[]", "\xff"}) {
    EXPECT_EQ(Answer(tactus_html(text, nullptr, nullptr)).status(), TACTUS_BAD_INPUT) << text;
  }
}

TEST(Robust, EveryCutOfASystemIsRefused) {
  const std::string whole = robot();
  for (std::size_t size = 0; size + 2 < whole.size(); size += 37) {
    EXPECT_EQ(Answer(tactus_analyze(whole.substr(0, size).c_str(), nullptr, nullptr)).status(),
              TACTUS_BAD_INPUT)
        << size;
  }
}

TEST(Robust, ACancelledCallReturnsWhatItHas) {
  tactus_call* call = tactus_call_new();
  tactus_call_cancel(call);
  EXPECT_EQ(tactus_call_is_cancelled(call), 1);
  const Answer validated =
      tactus_validate(R"({"method": "gcaps.suspend", "count": 999999999})", call);
  EXPECT_EQ(validated.status(), TACTUS_UNKNOWN);
  EXPECT_TRUE(validated.shows("\"violations\": 0")) << validated.problems();
  EXPECT_TRUE(validated.says("stopped before the end"));
  const Answer slack = tactus_slack(robot().c_str(), R"({"method": "gcaps.suspend"})", call);
  EXPECT_EQ(slack.status(), TACTUS_UNKNOWN);
  tactus_call_free(call);
}

TEST(Robust, ACallIsCancelledFromAnotherThreadAndTellsItsProgress) {
  struct Told {
    std::atomic<int> lines = 0;
  } told;
  tactus_call* call = tactus_call_new();
  tactus_call_on_progress(
      call,
      [](const char* text, void* data) {
        if (*text != '\0') ++static_cast<Told*>(data)->lines;
      },
      &told);
  std::thread other([&] {
    while (told.lines == 0) std::this_thread::yield();
    tactus_call_cancel(call);
  });
  const Answer answer = tactus_validate(R"({"method": "gcaps.suspend", "count": 999999999})", call);
  other.join();
  EXPECT_EQ(answer.status(), TACTUS_UNKNOWN);
  EXPECT_GT(told.lines, 0);
  tactus_call_free(call);
}

TEST(Robust, ManyThreadsAskAtTheSameTime) {
  const std::string expected =
      Answer(tactus_analyze(robot().c_str(), R"({"method": "gcaps.*"})", nullptr)).document();
  std::vector<std::thread> threads;
  std::atomic<int> different = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const Answer answer = tactus_analyze(robot().c_str(), R"({"method": "gcaps.*"})", nullptr);
        if (answer.document() != expected) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

TEST(Html, EveryDocumentIsShownAndNothingInItIsMarkup) {
  std::string text = robot();
  text.replace(text.find("\"robot\""), 7, "\"<script>alert(1)</script>\"");
  const char* system = text.c_str();
  const Answer documents[] = {
      tactus_check(system, nullptr),
      tactus_canonical(system, nullptr),
      tactus_analyze(system, nullptr, nullptr),
      tactus_slack(system, R"({"method": "gcaps.suspend"})", nullptr),
      tactus_advise(system, R"({"method": "gcaps.*"})", nullptr),
      tactus_plan(system, R"({"method": "gcaps.suspend.prio"})", nullptr),
      tactus_simulate(system, R"({"jobs": 2})", nullptr),
      tactus_validate(R"({"method": "gcaps.suspend", "count": 2})", nullptr),
      tactus_methods(nullptr),
      tactus_recipes(),
  };
  for (const Answer& document : documents) {
    ASSERT_TRUE(document.has_document()) << document.problems();
    for (const char* with : {static_cast<const char*>(nullptr), system}) {
      const Answer html = tactus_html(document.document().c_str(), with, nullptr);
      ASSERT_EQ(html.status(), TACTUS_YES) << html.problems() << document.document();
      EXPECT_TRUE(html.shows("<table")) << html.document();
      EXPECT_FALSE(html.shows("<script"));
      EXPECT_FALSE(html.shows("<html")) << "a part of a page";
    }
  }
  const Answer page = tactus_html(documents[2].document().c_str(), nullptr, R"({"page": true})");
  EXPECT_TRUE(page.shows("<!DOCTYPE html>"));
  EXPECT_TRUE(page.shows("10.3 / 30")) << page.document();
  const Answer plan = tactus_html(documents[5].document().c_str(), system, nullptr);
  EXPECT_TRUE(plan.shows("larger is more urgent")) << "with the plan's own tables";
}

TEST(Sessions, APlanRunsOnTheEmulatorAndIsReported) {
  const std::string drone = text_of("examples/pbs-drone.system.json");
  tactus_session* session = nullptr;
  const Answer opened =
      tactus_session_open(drone.c_str(), R"({"method": "pbs.graph"})", nullptr, &session);
  ASSERT_EQ(opened.status(), TACTUS_YES) << opened.problems();
  ASSERT_NE(session, nullptr);
  EXPECT_TRUE(opened.shows("\"fingerprint\""));
  EXPECT_TRUE(Answer(tactus_session_report(session)).says("has not run yet"));
  EXPECT_TRUE(Answer(tactus_session_metrics(session)).says("has not run yet"));
  const Answer run = tactus_session_run(session, R"({"jobs": 5})");
  EXPECT_EQ(run.status(), TACTUS_YES) << run.problems();
  EXPECT_TRUE(run.shows("\"producer\": \"executor\"")) << run.document();
  EXPECT_EQ(Answer(tactus_session_report(session)).document(), run.document());
  const std::string metrics = Answer(tactus_session_metrics(session)).document();
  EXPECT_TRUE(metrics.ends_with("# EOF\n")) << metrics;
  EXPECT_NE(metrics.find("\ntactus_deadline_misses_total{task=\""), std::string::npos) << metrics;
  tactus_session_stop(session);  // the next run ends at once, with a report
  const Answer stopped = tactus_session_run(session, R"({"jobs": 999999999})");
  EXPECT_EQ(stopped.status(), TACTUS_UNKNOWN) << stopped.document();
  const Answer again = tactus_session_run(session, R"({"jobs": 5})");
  EXPECT_EQ(again.document(), run.document());
  tactus_session_close(session);
  tactus_session_close(session);
  EXPECT_TRUE(Answer(tactus_session_run(session, nullptr)).says("it was closed"));
}

TEST(Sessions, GraphsFunctionsAndCallbacksAreBound) {
  tactus_session* session = nullptr;
  const std::string drone = text_of("examples/pbs-drone.system.json");
  const Answer opened =
      tactus_session_open(drone.c_str(), R"({"method": "pbs.graph"})", nullptr, &session);
  ASSERT_NE(session, nullptr) << opened.problems();
  const auto nothing = [](void*) {};
  const auto enqueue = [](void*, void*) {};
  int graph = 0;  // the emulator does not look at it
  const Answer bound[] = {
      tactus_session_bind_graph(session, "track", "flow", &graph),
      tactus_session_bind_stream(session, "detect", "network", enqueue, nullptr),
      tactus_session_bind_callbacks(session, "detect", "network", nothing, nullptr, nullptr),
  };
  for (const Answer& answer : bound) EXPECT_EQ(answer.status(), TACTUS_YES) << answer.problems();
  EXPECT_EQ(Answer(tactus_session_bind_graph(session, "track", "flow", nullptr)).status(),
            TACTUS_BAD_INPUT);
  EXPECT_EQ(Answer(tactus_session_bind_stream(session, "track", "flow", nullptr, nullptr)).status(),
            TACTUS_BAD_INPUT);
  const Answer run = tactus_session_run(session, R"({"jobs": 5})");
  EXPECT_EQ(run.status(), TACTUS_YES) << run.problems();
  tactus_session_close(session);
}

TEST(Sessions, WorkThatDoesNotFitItsNodeIsRefused) {
  tactus_session* session = nullptr;
  const std::string drone = text_of("examples/pbs-drone.system.json");
  const Answer opened =
      tactus_session_open(drone.c_str(), R"({"method": "pbs.graph"})", nullptr, &session);
  ASSERT_NE(session, nullptr) << opened.problems();
  const auto nothing = [](void*) {};
  EXPECT_TRUE(Answer(tactus_session_bind_cpu(session, "stabilize", "x", nothing, nullptr))
                  .says("did you mean"));
  EXPECT_EQ(
      Answer(tactus_session_bind_cpu(session, "stabilise", "none", nothing, nullptr)).status(),
      TACTUS_BAD_INPUT);
  EXPECT_EQ(Answer(tactus_session_bind_copy(session, nullptr, "x", nullptr, nullptr, 1)).status(),
            TACTUS_BAD_INPUT);
  tactus_session_close(session);
  EXPECT_EQ(
      Answer(tactus_session_open(drone.c_str(), R"({"backend": "gpu", "method": "pbs.graph"})",
                                 nullptr, &session))
          .status(),
      TACTUS_BAD_INPUT);
  EXPECT_EQ(session, nullptr);
}

}  // namespace
}  // namespace tactus::api_test
