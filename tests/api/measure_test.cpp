// A session measures what is bound to its nodes, before there is any plan.
#include <gtest/gtest.h>

#include "tests/api/answers.hpp"

namespace tactus::api_test {
namespace {

constexpr const char* kRobot = R"({"tactus":1,"name":"robot","platform":{"elements":[
  {"name":"gpu","kind":"gpu","units":16},{"name":"cpu","kind":"cpu","units":1}]},"tasks":[
  {"name":"camera","period":100,"deadline":100,"nodes":[
    {"name":"read","on":"cpu","wcet":1},{"name":"detect","on":"gpu","load":16}]},
  {"name":"idle","best_effort":true,"nodes":[{"name":"train","on":"gpu","load":8}]}]})";

class SessionMeasure : public testing::Test {
 protected:
  void SetUp() override {
    const Answer opened = tactus_session_open(kRobot, nullptr, nullptr, &session_);
    ASSERT_EQ(opened.status(), TACTUS_YES) << opened.problems();
    EXPECT_EQ(opened.document(), "{}\n") << "there is no plan";
  }
  void TearDown() override { tactus_session_close(session_); }
  Answer measure(const char* request, tactus_call* call = nullptr) {
    return tactus_session_measure(session_, request, call);
  }

  tactus_session* session_ = nullptr;
};

TEST_F(SessionMeasure, ASessionWithoutAPlanMeasuresAndDoesNotRun) {
  EXPECT_TRUE(Answer(tactus_session_run(session_, nullptr)).says("has no plan"));
  const Answer measured = measure(R"({"units": [2, 4], "runs": 3, "margin": 0})");
  ASSERT_EQ(measured.status(), TACTUS_YES) << measured.problems();
  EXPECT_TRUE(measured.shows(R"("machine": "emulator")"));
  EXPECT_TRUE(measured.shows(R"("step": 1)")) << "what partitions can have";
  EXPECT_TRUE(measured.shows(R"("neighbour": "`train` of `idle`")")) << measured.document();
  EXPECT_TRUE(measured.shows(R"("file": {)"));
  EXPECT_FALSE(measured.shows(R"("samples")"));
  EXPECT_TRUE(measure(R"({"units": "2,4", "runs": 3, "samples": true})").shows(R"("samples")"));
}

TEST_F(SessionMeasure, TheFileThatItWritesCanBePlannedAndRun) {
  int graph = 0;  // the emulator does not look at it
  EXPECT_EQ(Answer(tactus_session_bind_graph(session_, "camera", "detect", &graph)).status(),
            TACTUS_YES);
  const Answer measured = measure(R"({"units": [8], "runs": 3})");
  ASSERT_EQ(measured.status(), TACTUS_YES) << measured.problems();
  const std::string text = measured.document();
  const std::size_t at = text.find("\"file\": ") + 8;
  const std::string file = text.substr(at, text.rfind('}') - at);
  tactus_session* planned = nullptr;
  const Answer opened =
      tactus_session_open(file.c_str(), R"({"method": "gang.swc"})", nullptr, &planned);
  ASSERT_NE(planned, nullptr) << opened.problems() << file;
  EXPECT_EQ(Answer(tactus_session_run(planned, R"({"jobs": 3})")).status(), TACTUS_YES);
  tactus_session_close(planned);
}

TEST_F(SessionMeasure, AGraphAndAFunctionStayTogether) {
  int graph = 0;
  const auto enqueue = [](void*, void*) {};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Answer(tactus_session_bind_graph(session_, "camera", "detect", &graph)).status(),
              TACTUS_YES);
    EXPECT_EQ(
        Answer(tactus_session_bind_stream(session_, "camera", "detect", enqueue, nullptr)).status(),
        TACTUS_YES);
  }
  EXPECT_EQ(
      Answer(tactus_session_bind_stream(session_, "camera", "detect", nullptr, nullptr)).status(),
      TACTUS_BAD_INPUT);
  EXPECT_TRUE(measure(R"({"units": [], "runs": 1})").shows(R"("kind": "graph")"));
}

TEST_F(SessionMeasure, WhatIsWrongWithARequestIsTold) {
  EXPECT_TRUE(measure(R"({"unit": [8]})").says("did you mean `units`?"));
  EXPECT_TRUE(measure(R"({"units": [0]})").says("whole numbers from 1"));
  EXPECT_TRUE(measure(R"({"units": {}})").says("`units` must be a list"));
  EXPECT_TRUE(measure(R"({"enemies": "gravity"})").says("there is no enemy `gravity`"));
  EXPECT_TRUE(measure(R"({"nodes": ["camera.write"]})").says("there is no task or node"));
  EXPECT_TRUE(measure(R"({"pairs": 3})").says("`pairs` must be true or false"));
  EXPECT_EQ(measure(R"({"runs": 0})").status(), TACTUS_BAD_INPUT);
  EXPECT_EQ(measure(R"({"units": [17]})").status(), TACTUS_UNKNOWN) << "there is no room";
}

TEST_F(SessionMeasure, ProgressIsToldAndEitherStopEndsIt) {
  tactus_call* call = tactus_call_new();
  std::string told;
  tactus_call_on_progress(
      call, [](const char* text, void* data) { *static_cast<std::string*>(data) += text; }, &told);
  EXPECT_EQ(measure(R"({"units": [8], "runs": 3})", call).status(), TACTUS_YES);
  EXPECT_NE(told.find("`detect` of `camera` on 8 SMs beside `train` of `idle`"), std::string::npos)
      << told;
  tactus_session_stop(session_);
  const Answer stopped = measure(R"({"runs": 1000000})");
  EXPECT_EQ(stopped.status(), TACTUS_UNKNOWN);
  EXPECT_TRUE(stopped.says("interrupted"));
  EXPECT_EQ(measure(R"({"units": [8], "runs": 3})").status(), TACTUS_YES) << "it was heard once";
  tactus_call_cancel(call);
  EXPECT_TRUE(measure(R"({"runs": 1000000})", call).says("interrupted"));
  tactus_call_free(call);
}

}  // namespace
}  // namespace tactus::api_test
